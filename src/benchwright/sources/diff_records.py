"""Differences between two versions of a file, as line ranges without context."""

from __future__ import annotations

from typing import NamedTuple


class LineHunk(NamedTuple):
    """Replaced lines, counted from 1; with a count of 0 the start is the line above the place, as in git."""

    old_start: int
    old_count: int
    new_start: int
    new_count: int


class FileDiff(NamedTuple):
    """The changes of one file; an empty path on the side on which it does not exist."""

    old_path: str
    path: str
    hunks: list[LineHunk]
