"""Recipes on commits: the message for a change, and the comments for code."""

from __future__ import annotations

import re
from collections.abc import Iterator

from benchwright.building.alignment.exports.material import MAX_TEXT, Material, row_for
from benchwright.building.alignment.exports.patch_hunks import PatchHunk, patch_hunks
from benchwright.building.alignment.exports.refine import fenced
from benchwright.interop.training.row_types import TrainingRow, assistant, user
from benchwright.records import Drop
from benchwright.sources.events import FileVersion, RepoEvent

MIN_WORDS = 4  # of a subject: CommitPackFT's limit
_TRAILER = re.compile(r"[A-Z][A-Za-z-]+: \S.*")


def commit_messages(material: Material) -> Iterator[TrainingRow | Drop]:
    """The diff of a commit as the prompt, its message without trailers as the completion."""
    for each in _commits(material):
        message = without_trailers(each.text)
        patch = _whole_patch(material, each)
        reason = _commit_refusal(each) or _message_refusal(message) or _patch_refusal(patch)
        if reason:
            yield Drop(unit=each.id, reason=reason)
            continue
        prompt = f"Write the commit message for this change:\n\n{fenced(patch)}"
        yield row_for(
            material,
            each,
            prompt=[user(prompt)],
            completion=[assistant(message)],
            sha=sha_of(each),
            commits=[sha_of(each)],
        )


def sha_of(commit: RepoEvent) -> str:
    """The id of a commit."""
    return commit.subject.removeprefix("commit:")


def _commits(material: Material) -> Iterator[RepoEvent]:
    return (each for each in material.events() if each.kind == "commit")


def _commit_refusal(each: RepoEvent) -> str:
    if each.bot:
        return "bot"
    return "merge_commit" if len(each.heads) > 1 else ""


def _message_refusal(message: str) -> str:
    subject = message.partition("\n")[0]
    return "short_message" if len(subject.split()) < MIN_WORDS else ""


def _patch_refusal(patch: str) -> str:
    if not patch.strip():
        return "no_patch"
    return "" if len(patch) <= MAX_TEXT else "too_long"


def without_trailers(message: str) -> str:
    """A message without the block of trailers at its end, such as `Signed-off-by`."""
    *paragraphs, last = message.strip().split("\n\n")
    if paragraphs and all(_TRAILER.fullmatch(line) for line in last.split("\n")):
        return "\n\n".join(paragraphs).strip()
    return message.strip()


def _whole_patch(material: Material, each: RepoEvent) -> str:
    """The patches of all files with their paths; empty if one is missing."""
    sha = sha_of(each)
    parts = []
    for file in each.files:
        patch = material.patch(each.repo, sha, file.path)
        if not patch:
            return ""
        old = "/dev/null" if file.status == "added" else f"a/{file.old_path or file.path}"
        new = "/dev/null" if file.status == "deleted" else f"b/{file.path}"
        parts.append(f"--- {old}\n+++ {new}\n{patch[max(patch.find('@@'), 0) :].rstrip()}")
    return "\n".join(parts)


def comment_writing(material: Material) -> Iterator[TrainingRow | Drop]:
    """Code as the prompt, the same code with comments as the completion.

    From commits that changed comments or docstrings of a file and not its code; one row for each hunk that
    only adds lines.
    """
    for each in _commits(material):
        for file in each.files:
            if not (file.comments_changed or file.docstrings_changed) or file.code_changed:
                continue
            yield from _commented(material, each, file)


def _commented(material: Material, each: RepoEvent, file: FileVersion) -> Iterator[TrainingRow | Drop]:
    sha = sha_of(each)
    unit = f"{each.id}:{file.path}"
    hunks = patch_hunks(material.patch(each.repo, sha, file.path))
    if each.bot or not hunks:
        yield Drop(unit=unit, reason="bot" if each.bot else "no_patch")
        return
    for number, hunk in enumerate(hunks):
        before, after = "\n".join(hunk.old), "\n".join(hunk.new)
        reason = _hunk_refusal(hunk, before, after)
        if reason:
            yield Drop(unit=f"{unit}:{number}", reason=reason)
            continue
        prompt = (
            f"Code of `{file.path}`:\n\n{fenced(before)}\n\n"
            "Add the comments that it lacks, and change nothing else. Answer with the code alone."
        )
        yield row_for(
            material,
            each,
            id=f"{unit}:{number}",
            prompt=[user(prompt)],
            completion=[assistant(fenced(after))],
            sha=sha,
            commits=[sha],
        )


def _hunk_refusal(hunk: PatchHunk, before: str, after: str) -> str:
    if not before.strip():
        return "only_added_lines"
    if not only_adds(hunk):
        return "replaces_lines"
    return "" if len(after) <= MAX_TEXT else "too_long"


def only_adds(hunk: PatchHunk) -> bool:
    """Whether the old lines occur among the new ones, in order, and there are more new ones."""
    new = iter(hunk.new)
    return len(hunk.new) > len(hunk.old) and all(line in new for line in hunk.old)
