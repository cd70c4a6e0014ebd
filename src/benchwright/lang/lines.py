"""Split a text into lines, and remove lines without a trace.

Comments that head a group of imports are removed with the group, not with its first line.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

MOST_BLANK = 2  # blank lines that a cut may leave; three would be a trace
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_LF = re.compile(r"[^\n]*\n|[^\n]+")
_OPENERS = (":", "{", "(", "[")
_CLOSERS = ("}", ")", "]")


def split(code: str) -> list[str]:
    """Split a text into lines with their ends, as Python's parser counts them: a form feed or U+2028 ends no
    line."""
    return _LINE.findall(code)


def split_lf(code: str) -> list[str]:
    """Split a text into lines with their ends, as tree-sitter counts them: only a line feed ends a line."""
    return _LF.findall(code)


def lines_of(code: str) -> list[str]:
    """Split a text into lines without their ends, for display; also removes a carriage return before the line
    feed."""
    return [line.removesuffix("\n").removesuffix("\r") for line in split_lf(code)]


def without_lines(lines: list[str], cut: Iterable[tuple[int, int]]) -> str:
    """Remove ranges of lines (from 1, both ends included) and close the gaps.

    A gap keeps the longest run of blank lines around and in it, at most MOST_BLANK, so that groups of imports
    stay apart. At the ends of a file it keeps none, and at the ends of a block what was at that end.
    """
    marks = _removal_marks(lines, cut)
    result: list[str] = []
    index = 0
    while index < len(lines):
        end = _run(lines, marks, index)
        if any(marks[index:end]):
            result += _gap(lines, marks, index, end)
        else:
            end = max(end, index + 1)
            result += lines[index:end]
        index = end
    return "".join(result)


def is_blank(line: str) -> bool:
    """Return whether a line is only white space."""
    return not line.strip()


def _removal_marks(lines: list[str], cut: Iterable[tuple[int, int]]) -> list[bool]:
    marks = [False] * len(lines)
    for first, last in cut:
        for number in range(max(first, 1), min(last, len(lines)) + 1):
            marks[number - 1] = True
    return marks


def _run(lines: list[str], marks: list[bool], start: int) -> int:
    """Return the end of the run of removed or blank lines that starts at `start`."""
    end = start
    while end < len(lines) and (marks[end] or is_blank(lines[end])):
        end += 1
    return end


def _gap(lines: list[str], marks: list[bool], start: int, end: int) -> list[str]:
    if start == 0 or end == len(lines):
        return []
    before = lines[start : start + marks[start:end].index(True)]
    after = lines[end - marks[start:end][::-1].index(True) : end]
    if lines[start - 1].rstrip().endswith(_OPENERS):
        return before[:MOST_BLANK]
    if lines[end].lstrip().startswith(_CLOSERS):
        return after[:MOST_BLANK]
    return max(_blank_runs(lines, marks, start, end), key=len)[:MOST_BLANK]


def _blank_runs(lines: list[str], marks: list[bool], start: int, end: int) -> list[list[str]]:
    runs: list[list[str]] = [[]]
    for line, is_gone in zip(lines[start:end], marks[start:end], strict=True):
        if is_gone:
            runs.append([])
        else:
            runs[-1].append(line)
    return runs


def heading(lines: Sequence[str], first: int, removed_lines: Collection[int], *, marker: str) -> int:
    """Return the first line to cut for the lines in `removed_lines` that start at `first`.

    A comment right above is included if all lines below it are removed, up to a blank line or another
    comment. The first comment of a file always stays: it may be a licence or an encoding.
    """
    start = first
    while start > 1 and _is_comment(lines[start - 2], marker):
        start -= 1
    if all(is_blank(line) or _is_comment(line, marker) for line in lines[: start - 1]):
        return first
    below = first
    while below <= len(lines) and below in removed_lines:
        below += 1
    ends = below > len(lines) or is_blank(lines[below - 1]) or _is_comment(lines[below - 1], marker)
    return start if ends else first


def _is_comment(line: str, marker: str) -> bool:
    return line.lstrip().startswith(marker)
