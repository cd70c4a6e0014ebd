"""Rows of `smartcoding-refine`: a remark, the lines it is about, and the lines that answered it.

The hunk is the part of the difference between the file before and after the answer that touches the remarked
lines, with changes at most `NEAR` lines away. Everything else of the answer is left out of the row.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import Any, NamedTuple

import msgspec

from benchwright.building.alignment.benchmark.material import (
    MAX_LINES,
    Lines,
    MinedRow,
    Records,
    UnpublishableFileError,
    language_of_path,
    load_row,
)
from benchwright.building.alignment.records import EvidenceLink, Feedback, LineRange
from benchwright.records import Drop
from benchwright.store.keys import content_key
from benchwright.tracks.refine.rows import TEXT, read_task

TRACK = "smartcoding-refine"
STRONG = (1, 2, 3)  # rungs whose links are used by default
KINDS = ("remark", "suggestion")
NEAR = 3  # unchanged lines between two changes of one hunk
MAX_HUNK = 40  # lines to rewrite, and lines of the reference
WHOLE = 400  # lines of a file that is shown as a whole
AROUND = 60  # lines before and after the hunk of a larger file


class HunkPair(NamedTuple):
    """Lines `first` to `last` of the old file, and what replaced them. Lines count from 1."""

    first: int
    last: int
    new: list[str]


def refine_rows(
    records: Records, lines: Lines, *, repos: Collection[str], rungs: Collection[int] = STRONG
) -> Iterator[MinedRow | Drop]:
    """A row for each remark of these repositories that a change answered; a drop with a reason for others."""
    links = strongest_links(records.links(), rungs)
    for each in records.feedback():
        if each.repo not in repos or each.kind not in KINDS:
            continue
        link = links.get(each.id)
        reason = _refusal(each) or ("" if link is not None else "not_answered")
        found = Drop(unit=each.id, reason=reason) if reason or link is None else _row(each, link, lines)
        if isinstance(found, Drop):
            yield found
            continue
        licence = records.licence(each.repo)
        found = found._replace(licence=licence, row={**found.row, "licence": licence})
        task = load_row(found.row, read_task, each.id)
        yield task if isinstance(task, Drop) else found


def strongest_links(links: Iterable[EvidenceLink], rungs: Collection[int]) -> dict[str, EvidenceLink]:
    """The strongest answering link of each feedback among these rungs, by the id of the feedback.

    Rung 1 is the strongest. Of equal ones the first with both line ranges counts.
    """
    best: dict[str, tuple[tuple[int, bool], EvidenceLink]] = {}
    for link in links:
        if link.state != "answered" or link.rung is None or link.rung not in rungs or link.weak:
            continue
        rank = (link.rung, link.after is None)
        if link.source not in best or rank < best[link.source][0]:
            best[link.source] = rank, link
    return {source: link for source, (_, link) in best.items()}


def _refusal(each: Feedback) -> str:
    """Why a remark is not used; empty if it is."""
    refusals = {
        "bot": each.bot,
        "own_change": each.self_made,
        each.category: each.category in ("praise", "noise"),
        "no_text": not each.text.strip(),
        "no_lines": not (each.path and each.commit and each.first >= 1),
        "old_side": each.side == "old",
    }
    return next((reason for reason, holds in refusals.items() if holds), "")


def _row(each: Feedback, link: EvidenceLink, lines: Lines) -> MinedRow | Drop:
    before = link.before or LineRange(commit=each.commit, path=each.path, first=each.first, last=each.last)
    commit = _answer(link)
    path = link.after.path if link.after is not None else before.path
    try:
        old = lines(each.repo, before.commit, before.path)
        new = lines(each.repo, commit, path) if commit else None
    except UnpublishableFileError:
        return Drop(unit=each.id, reason="secret")
    if old is None or new is None:
        return Drop(unit=each.id, reason="no_file")
    if max(len(old), len(new)) > MAX_LINES:
        return Drop(unit=each.id, reason="large_file")
    before = msgspec.structs.replace(before, last=max(before.first, before.last))  # a place between two lines
    if not 1 <= before.first <= before.last <= len(old):
        return Drop(unit=each.id, reason="no_lines")
    hunk = changed_hunk(old, new, before.first, before.last)
    if isinstance(hunk, str):
        return Drop(unit=each.id, reason=hunk)
    return _described(each, link, commit, before, old, hunk)


def _answer(link: EvidenceLink) -> str:
    if link.after is not None:
        return link.after.commit
    return link.target.removeprefix("commit:") if link.target.startswith("commit:") else ""


def _described(
    each: Feedback, link: EvidenceLink, commit: str, before: LineRange, old: Sequence[str], hunk: HunkPair
) -> MinedRow:
    whole = len(old) <= WHOLE
    start, end = (0, len(old)) if whole else (max(0, hunk.first - 1 - AROUND), hunk.last + AROUND)
    row: dict[str, Any] = {
        "id": content_key(TRACK, each.id, commit)[:12],
        "code": "\n".join(old[start:end]) + "\n",
        "lang": language_of_path(before.path) or TEXT,
        "path": before.path,
        "first": hunk.first - start,
        "last": hunk.last - start,
        "remark_first": before.first - start,
        "remark_last": before.last - start,
        "remark": each.text.strip(),
        "reference": "\n".join(hunk.new),
        "repo": each.repo,
        "source": each.id,
        "commit": commit,
        "tags": [each.category],
    }
    row["meta"] = {"rung": link.rung, "method": link.method, "link": link.id, "at": each.at}
    return MinedRow(each.repo, "", row, whole)


def changed_hunk(old: Sequence[str], new: Sequence[str], first: int, last: int) -> HunkPair | str:
    """The changed hunk around lines `first` to `last` of the old file; a reason if there is none.

    A hunk whose lines were deleted or added gets an unchanged line, so that both sides have text.
    """
    blocks = SequenceMatcher(a=old, b=new, autojunk=False).get_opcodes()
    changes = [(a, b, c, d) for kind, a, b, c, d in blocks if kind != "equal"]
    mine = _connected(changes, first - 1, last)
    if not mine:
        return "change_elsewhere"
    begin, end = min(first - 1, mine[0][0]), max(last, mine[-1][1])
    new_begin = mine[0][2] - (mine[0][0] - begin)
    new_end = mine[-1][3] + (end - mine[-1][1])
    while begin > 0 and not "".join(new[new_begin:new_end]).strip():
        begin, new_begin = begin - 1, new_begin - 1
    while end < len(old) and not "".join(new[new_begin:new_end]).strip():
        end, new_end = end + 1, new_end + 1
    if max(end - begin, new_end - new_begin) > MAX_HUNK:
        return "large_hunk"
    return HunkPair(begin + 1, end, list(new[new_begin:new_end]))


_Change = tuple[int, int, int, int]  # begin and end in the old file, then in the new one; from 0


def _connected(changes: Sequence[_Change], begin: int, end: int) -> list[_Change]:
    """The changes that touch the range, and those near them."""
    touched = [place for place, each in enumerate(changes) if _touches(each, begin, end)]
    if not touched:
        return []
    low, high = touched[0], touched[-1]
    while low > 0 and changes[low][0] - changes[low - 1][1] <= NEAR:
        low -= 1
    while high + 1 < len(changes) and changes[high + 1][0] - changes[high][1] <= NEAR:
        high += 1
    return list(changes[low : high + 1])


def _touches(change: _Change, begin: int, end: int) -> bool:
    """Whether a change replaces a line of the range, or inserts lines in it or right next to it."""
    first, last = change[:2]
    return begin <= first <= end if first == last else first < end and begin < last
