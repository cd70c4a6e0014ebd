"""Recipes on review remarks: the fixed hunk, the remark itself, and whether it led to a change."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from benchwright.building.alignment.exports.material import (
    MAX_TEXT,
    STRONG,
    Material,
    commit_of,
    row_for,
    strongest_links,
)
from benchwright.building.alignment.exports.patch_hunks import new_side, patch_hunks, without_header
from benchwright.building.alignment.records import EvidenceLink, Feedback
from benchwright.interop.training.row_types import ChatMessage, TrainingRow, assistant, user
from benchwright.records import Drop
from benchwright.tracks.prompt_templates import fence

SHOWN_LINES = 60  # of a hunk under review; one of a new file has all lines before the remark
REMARKS = ("remark", "suggestion")
_NOT_ACTIONABLE = ("praise", "noise")


class FixedHunk(NamedTuple):
    """A hunk before and after the change that answered a remark on it."""

    path: str
    commit: str
    before: str
    after: str


def refine(material: Material) -> Iterator[TrainingRow | Drop]:
    """Hunk and remark as the prompt, the fixed hunk as the completion; the hunk as it was is rejected.

    Only remarks of others, answered by a change on rungs 1 to 4.
    """
    links = strongest_links(material)
    for each in _remarks(material):
        link = links.get(each.id)
        reason = _refusal(each) or _weakness(link)
        if reason or link is None:
            yield Drop(unit=each.id, reason=reason)
            continue
        fixed = fixed_hunk(material, each, link)
        if isinstance(fixed, str):
            yield Drop(unit=each.id, reason=fixed)
            continue
        yield row_for(
            material,
            each,
            prompt=[user(_refine_prompt(each, fixed))],
            completion=[_code_answer(fixed.after)],
            rejected=[_code_answer(fixed.before)],
            rung=link.rung,
            sha=fixed.commit,
            commits=[fixed.commit],
            evidence=link.id,
        )


def _remarks(material: Material) -> Iterator[Feedback]:
    return (each for each in material.feedback() if each.kind in REMARKS)


def _refusal(each: Feedback) -> str:
    """Why a remark is not used; empty if it is."""
    if each.bot:
        return "bot"
    if each.self_made:
        return "own_change"  # a note of the author of the change
    return "" if each.text.strip() else "no_text"


def _weakness(link: EvidenceLink | None) -> str:
    if link is None:
        return "not_answered"
    return "" if link.rung in STRONG and not link.weak else "weak_evidence"


def fixed_hunk(material: Material, feedback: Feedback, link: EvidenceLink) -> FixedHunk | str:
    """The hunk of the answering commit at the linked lines; a reason where there is none.

    Without a patch, an applied suggestion still has both texts: the remarked lines and their replacement.
    """
    commit = commit_of(link)
    path = link.after.path if link.after is not None else feedback.path
    hunks = patch_hunks(material.patch(feedback.repo, commit, path)) if commit else []
    if link.after is not None:
        hunks = [each for each in hunks if link.after and each.touches(link.after.first, link.after.last)]
    if len(hunks) == 1:
        texts = "\n".join(hunks[0].old), "\n".join(hunks[0].new)
    elif hunks:
        return "several_hunks"
    elif (suggested := _suggested(feedback, link)) is not None:
        texts = suggested
    else:
        return "no_patch"
    return _checked(FixedHunk(path, commit, *texts))


def _suggested(feedback: Feedback, link: EvidenceLink) -> tuple[str, str] | None:
    """The remarked lines and the suggestion that replaced them, on rung 1."""
    count = feedback.last - feedback.first + 1
    lines = new_side(feedback.hunk)
    if link.rung != 1 or feedback.replacement is None or not feedback.first or len(lines) < count:
        return None
    return "\n".join(lines[-count:]), feedback.replacement.removesuffix("\n")


def _checked(fixed: FixedHunk) -> FixedHunk | str:
    if not fixed.before.strip():
        return "only_added_lines"
    if fixed.before.split() == fixed.after.split():
        return "only_white_space"
    return fixed if max(len(fixed.before), len(fixed.after)) <= MAX_TEXT else "too_long"


def _refine_prompt(each: Feedback, fixed: FixedHunk) -> str:
    about = _remarked_line(each)
    place = f" about the line `{about}`" if about and "`" not in about else ""
    return (
        f"Code of `{fixed.path}`:\n\n{fenced(fixed.before)}\n\n"
        f"A reviewer remarks{place}:\n\n{each.text.strip()}\n\n"
        "Rewrite the code so that it answers the remark. Answer with the code alone."
    )


def _remarked_line(each: Feedback) -> str:
    """The last line that the remark is about, where the platform shows its hunk."""
    lines = new_side(each.hunk) if each.side == "new" else []
    return lines[-1].strip() if lines else ""


def _code_answer(text: str) -> ChatMessage:
    return assistant(fenced(text))


def fenced(text: str) -> str:
    """Code between fences that it does not contain."""
    marks = fence(text)
    return f"{marks}\n{text}\n{marks}"


def review(material: Material) -> Iterator[TrainingRow | Drop]:
    """A hunk under review as the prompt, the remark as the completion; praise and noise are left out."""
    links = strongest_links(material)
    for each in _remarks(material):
        reason = _refusal(each) or ("not_actionable" if each.category in _NOT_ACTIONABLE else _unshown(each))
        if reason:
            yield Drop(unit=each.id, reason=reason)
            continue
        yield _reviewed(material, each, links.get(each.id))


def addressed(material: Material) -> Iterator[TrainingRow | Drop]:
    """The rows of `review` for all classes of remarks, with a label: did the remark lead to a change?

    True on rungs 1 to 4. False on rung 0 alone: the lines were followed to the merge and did not change.
    Any other outcome is unknown, and gives no row.
    """
    links = strongest_links(material)
    unchanged = {each.source: each for each in material.links() if each.state == "unchanged"}
    for each in _remarks(material):
        strong, still = links.get(each.id), unchanged.get(each.id)
        link = strong or still
        reason = _refusal(each) or _unshown(each) or ("outcome_unknown" if link is None else "")
        if not reason and strong is not None:
            reason = _weakness(strong)
        if reason or link is None:
            yield Drop(unit=each.id, reason=reason)
            continue
        yield _reviewed(material, each, link, label=strong is not None)


def _unshown(each: Feedback) -> str:
    if not each.hunk.strip():
        return "no_hunk"
    return "" if max(len(_hunk_end(each)), len(each.text)) <= MAX_TEXT else "too_long"


def _hunk_end(each: Feedback) -> str:
    """The last lines of a hunk, at which the remark stands."""
    return "\n".join(without_header(each.hunk).split("\n")[-SHOWN_LINES:])


def _reviewed(
    material: Material, each: Feedback, link: EvidenceLink | None, *, label: bool | None = None
) -> TrainingRow:
    path = f" of `{each.path}`" if each.path else ""
    prompt = (
        f"Review the last line of this change{path}:\n\n{fenced(_hunk_end(each))}\n\n"
        "Write one review remark about it."
    )
    return row_for(
        material,
        each,
        prompt=[user(prompt)],
        completion=[assistant(each.text.strip())],
        rung=link.rung if link else None,
        evidence=link.id if link else each.id,
        sha=each.commit,
        label=label,
    )
