"""Hunks of a stored patch: the lines before and after with their places."""

from __future__ import annotations

import re
from typing import NamedTuple

_HEADER = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")


class PatchHunk(NamedTuple):
    """One hunk of a unified diff with its context; lines count from 1.

    A side without lines is placed at the line after which the other one stands, as git writes it.
    """

    old_first: int
    old: list[str]
    new_first: int
    new: list[str]

    def touches(self, first: int, last: int) -> bool:
        """Whether lines `first` to `last` of the new side overlap the hunk; an empty range is a place."""
        end = self.new_first + max(len(self.new), 1) - 1
        return self.new_first <= max(last, first) and first <= end


def patch_hunks(patch: str) -> list[PatchHunk]:
    """The hunks of the patch of one file. Lines outside of hunks are skipped; a cut last hunk is left out."""
    hunks: list[PatchHunk] = []
    left = (0, 0)
    for line in patch.split("\n"):
        if any(left):
            left = _add(hunks[-1], line, left)
        elif header := _HEADER.match(line):
            hunks.append(PatchHunk(int(header[1]), [], int(header[3]), []))
            left = (_count(header[2]), _count(header[4]))
    return hunks[:-1] if any(left) else hunks


def _count(text: str | None) -> int:
    return 1 if text is None else int(text)


def _add(hunk: PatchHunk, line: str, left: tuple[int, int]) -> tuple[int, int]:
    """Add a line to a hunk and return the numbers of lines that are still missing on both sides."""
    sign, rest = line[:1], line[1:]
    if sign == "\\":  # "\ No newline at end of file"
        return left
    old, new = sign != "+", sign != "-"
    if old:
        hunk.old.append(rest)
    if new:
        hunk.new.append(rest)
    return max(left[0] - old, 0), max(left[1] - new, 0)


def new_side(hunk: str) -> list[str]:
    """The lines of a hunk as a platform shows it, after the change; its counts may be wrong or absent."""
    lines = [line for line in hunk.split("\n") if not line.startswith(("@@", "\\", "-"))]
    return [line[1:] for line in lines]


def without_header(hunk: str) -> str:
    """The text of a hunk without the line of its place."""
    return "\n".join(line for line in hunk.split("\n") if not line.startswith(("@@", "\\"))).rstrip("\n")
