"""Ranges of lines followed through a difference.

A span of lines counts from 1 and includes both ends; an empty span (`last` is `first - 1`) is the place
between two lines, where lines were removed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from benchwright.sources.diff_records import LineHunk

NEAR = 3  # lines; a change that near to a range may answer a remark on it
MAX_BLOCK = 500  # lines of a block that is looked for elsewhere
TELLING = 8  # letters and digits of lines that do not occur twice by chance


class LineSpan(NamedTuple):
    """Lines from `first` to `last`."""

    first: int
    last: int

    @property
    def empty(self) -> bool:
        """Whether there are no lines in it."""
        return self.last < self.first


class FollowedSpan(NamedTuple):
    """A span after a change: "same", "next_to" (only lines within NEAR of it changed) or "changed"."""

    state: str
    span: LineSpan


def follow(span: LineSpan, hunks: Sequence[LineHunk]) -> FollowedSpan:
    """Map a span from the old to the new side of a difference, whose hunks are in order."""
    above = within = 0  # lines that hunks added
    first = last = None
    next_to = False
    touched = False
    for hunk in hunks:
        start, end = old_range(hunk)
        if touches(span, start, end):
            touched = True
            within += hunk.new_count - hunk.old_count
            if start <= span.first and first is None:
                first = new_range(hunk)[0]
            last = new_range(hunk)[1] if end >= span.last else None
        else:
            next_to = next_to or (start <= span.last + NEAR and end >= span.first - NEAR)
            above += (hunk.new_count - hunk.old_count) * (start <= span.first and end < span.first)
    mapped = LineSpan(
        span.first + above if first is None else first, span.last + above + within if last is None else last
    )
    return FollowedSpan("changed" if touched else "next_to" if next_to else "same", mapped)


def touches(span: LineSpan, start: int, end: int) -> bool:
    """Return whether replaced lines (an insertion: `end` is `start - 1`) change a span.

    An insertion at the edge of a span does not; one into an empty span does.
    """
    if end < start:
        return start == span.first if span.empty else span.first < start <= span.last
    return start < span.first <= end if span.empty else start <= span.last and end >= span.first


def old_range(hunk: LineHunk) -> tuple[int, int]:
    """Return the replaced lines; for an insertion an empty range, whose end is the line above it."""
    start = hunk.old_start if hunk.old_count else hunk.old_start + 1
    return start, start + hunk.old_count - 1


def new_range(hunk: LineHunk) -> tuple[int, int]:
    """Return the lines of the new side; for a removal an empty range, whose end is the line above it."""
    start = hunk.new_start if hunk.new_count else hunk.new_start + 1
    return start, start + hunk.new_count - 1


def written_here(span: LineSpan, hunks: Sequence[LineHunk]) -> bool:
    """Return whether a difference wrote a span of its new side, or removed lines at an empty one."""
    return any(touches(span, *new_range(hunk)) for hunk in hunks)


def moved_to(
    block: Sequence[str], new_lines: Sequence[str], hunks: Sequence[LineHunk], *, spaces: bool
) -> LineSpan | None:
    """Return where a hunk of the difference adds the lines of a removed block again, or None.

    Lines that say little (a bracket, `return`) are not looked for. Without `spaces`, indents do not count.
    """
    wanted = [_compared(each, spaces=spaces) for each in block[: MAX_BLOCK + 1]]
    if len(wanted) > MAX_BLOCK or sum(each.isalnum() for line in wanted for each in line) < TELLING:
        return None
    for hunk in hunks:
        start, end = new_range(hunk)
        added = [_compared(each, spaces=spaces) for each in new_lines[start - 1 : end]]
        if (at := place_of(wanted, added)) is not None:
            return LineSpan(start + at, start + at + len(wanted) - 1)
    return None


def place_of(wanted: Sequence[str], lines: Sequence[str]) -> int | None:
    """Return the index at which a run of lines begins, or None."""
    many, run = len(wanted), list(wanted)
    starts = (at for at in range(len(lines) - many + 1) if run and lines[at] == run[0])
    return next((at for at in starts if lines[at : at + many] == run), None)


def _compared(line: str, *, spaces: bool) -> str:
    return line.rstrip("\r") if spaces else "".join(line.split())
