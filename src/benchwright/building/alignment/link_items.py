"""Items with which people label links: the remark, the lines before, the change. The rung is never shown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from benchwright.building.alignment.records import EvidenceLink, Feedback, LineRange
from benchwright.judges.people.judged_items import keyed
from benchwright.judges.people.records import ANSWERED, ItemAnswer, JudgedItem
from benchwright.records import Drop, Record
from benchwright.store.keys import content_key

TRACK = "alignment"
NEAR = 3  # lines around the remarked ones within which a hunk is shown
MOST_LINES = 200  # of the lines before, and of the change
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@")
_COMMIT = "commit:"

PatchLookup = Callable[[str, str, str], str]  # hunks of a file by repository, commit and path; may be empty


class LabelledLink(Record, frozen=True, kw_only=True):
    """The link behind an item: what the owner of a project knows and judges do not."""

    item: str
    link: str
    repo: str
    rung: int
    method: str
    source: str
    target: str


def link_items(
    links: Iterable[EvidenceLink], feedback: Mapping[str, Feedback], patch: PatchLookup
) -> Iterator[tuple[LabelledLink, JudgedItem] | Drop]:
    """Yield an item for each answered link from a remark to a commit; others are drops with a reason."""
    for link in links:
        remark = feedback.get(link.source)
        if link.rung is None or link.state != "answered":
            yield Drop(unit=link.id, reason="not_answered", detail=link.state)
        elif remark is None or not (remark.text or remark.replacement):
            yield Drop(unit=link.id, reason="no_remark", detail=link.source)
        elif not (change := change_of(link, remark, patch)):
            yield Drop(unit=link.id, reason="no_change", detail=link.target)
        else:
            yield _pair(link, link.rung, link_item(link, remark, change))


def _pair(link: EvidenceLink, rung: int, item: JudgedItem) -> tuple[LabelledLink, JudgedItem]:
    known = LabelledLink(
        item=item.item,
        link=link.id,
        repo=link.repo,
        rung=rung,
        method=link.method,
        source=link.source,
        target=link.target,
    )
    return known, item


def link_item(link: EvidenceLink, remark: Feedback, change: str) -> JudgedItem:
    """Return the item of a link. Links of several rungs between the same ends are one item."""
    return keyed(
        JudgedItem(
            item="",
            kind="link",
            task_id=content_key("link", link.repo, link.source, link.target),
            track=TRACK,
            question=_question(remark),
            code=_last(remark.hunk.splitlines()),
            answers=[ItemAnswer(run=TRACK, key=content_key("change", change), sample=0, text=change)],
            fields=[ANSWERED],
        )
    )


def _question(remark: Feedback) -> str:
    """The remark with its place and its suggestion, as Markdown."""
    lines = f"line {remark.last}" if remark.first == remark.last else f"lines {remark.first} to {remark.last}"
    place = f"`{remark.path}`" + (f", {lines}" if remark.last else "") if remark.path else ""
    parts = [place, remark.text]
    if remark.replacement is not None and "```suggestion" not in remark.text:
        parts.append(_fenced(remark.replacement))
    return "\n\n".join(part for part in parts if part)


def _fenced(text: str) -> str:
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}suggestion\n{text}\n{fence}"


def change_of(link: EvidenceLink, remark: Feedback, patch: PatchLookup) -> str:
    """Return the hunks of the answering commit near the lines of the link; without such, of the whole file.

    Empty if the target is not a commit, or if the commit does not change the file.
    """
    if not link.target.startswith(_COMMIT):
        return ""
    sha = link.target.removeprefix(_COMMIT)
    paths = dict.fromkeys(
        each.path for each in (link.after, link.before) if each is not None
    ) or dict.fromkeys([remark.path])
    for path in paths:
        if whole := patch(link.repo, sha, path):
            return _last(_near_hunks(whole, link.before), first=True)
    return ""


def _near_hunks(patch: str, before: LineRange | None) -> list[str]:
    hunks = split_hunks(patch)
    near = [each for each in hunks if before is not None and _is_near(each[0], before)]
    return [line for hunk in near or hunks for line in hunk]


def split_hunks(patch: str) -> list[list[str]]:
    """Split the hunks of a file's patch; lines before the first hunk are left out."""
    hunks: list[list[str]] = []
    for line in patch.splitlines():
        if _HUNK.match(line):
            hunks.append([line])
        elif hunks:
            hunks[-1].append(line)
    return hunks


def _is_near(header: str, before: LineRange) -> bool:
    found = _HUNK.match(header)
    if found is None:
        return False
    first, count = int(found[1]), int(found[2] or 1)
    return first - NEAR <= before.last and before.first <= first + max(count - 1, 0) + NEAR


def _last(lines: Sequence[str], *, first: bool = False) -> str:
    """Join at most `MOST_LINES` lines: the last ones, since a platform's hunk ends at the remarked line."""
    if len(lines) <= MOST_LINES:
        return "\n".join(lines)
    left = f"… {len(lines) - MOST_LINES:,} more lines"
    return "\n".join([*lines[:MOST_LINES], left] if first else [left, *lines[-MOST_LINES:]])
