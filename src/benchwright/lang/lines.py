"""A text as lines, and lines taken out of it without a trace.

Comments that head a group of imports go with the group, and not with its first line.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

MOST_BLANK = 2  # blank lines left where something was cut, whatever stood there: three would be a trace
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_LF = re.compile(r"[^\n]*\n|[^\n]+")
_OPENERS = (":", "{", "(", "[")
_CLOSERS = ("}", ")", "]")


def split(code: str) -> list[str]:
    """Lines with their ends as Python's parser counts them: a form feed or U+2028 ends none."""
    return _LINE.findall(code)


def split_lf(code: str) -> list[str]:
    """Lines with their ends as tree-sitter counts them: only a line feed ends one."""
    return _LF.findall(code)


def lines_of(code: str) -> list[str]:
    """The same lines without their ends, for pages: a carriage return before the line feed goes too."""
    return [line.removesuffix("\n").removesuffix("\r") for line in split_lf(code)]


def without(lines: list[str], cut: Iterable[tuple[int, int]]) -> str:
    """The text of lines without some ranges of them (from 1, both ends in), the gaps closed.

    A gap becomes the longest of the runs of blank lines around and in it, at most MOST_BLANK, so that groups
    of imports stay apart; at the ends of the file none, and at the ends of a block what stood at that end.
    """
    gone = _marked(lines, cut)
    kept: list[str] = []
    index = 0
    while index < len(lines):
        end = _run(lines, gone, index)
        if any(gone[index:end]):
            kept += _gap(lines, gone, index, end)
        else:
            end = max(end, index + 1)
            kept += lines[index:end]
        index = end
    return "".join(kept)


def is_blank(line: str) -> bool:
    """True for a line of white space."""
    return not line.strip()


def _marked(lines: list[str], cut: Iterable[tuple[int, int]]) -> list[bool]:
    gone = [False] * len(lines)
    for first, last in cut:
        for number in range(max(first, 1), min(last, len(lines)) + 1):
            gone[number - 1] = True
    return gone


def _run(lines: list[str], gone: list[bool], start: int) -> int:
    """The end of the run of cut or blank lines that begins at `start`."""
    end = start
    while end < len(lines) and (gone[end] or is_blank(lines[end])):
        end += 1
    return end


def _gap(lines: list[str], gone: list[bool], start: int, end: int) -> list[str]:
    if start == 0 or end == len(lines):
        return []
    before = lines[start : start + gone[start:end].index(True)]
    after = lines[end - gone[start:end][::-1].index(True) : end]
    if lines[start - 1].rstrip().endswith(_OPENERS):
        return before[:MOST_BLANK]
    if lines[end].lstrip().startswith(_CLOSERS):
        return after[:MOST_BLANK]
    return max(_blank_runs(lines, gone, start, end), key=len)[:MOST_BLANK]


def _blank_runs(lines: list[str], gone: list[bool], start: int, end: int) -> list[list[str]]:
    runs: list[list[str]] = [[]]
    for line, is_gone in zip(lines[start:end], gone[start:end], strict=True):
        if is_gone:
            runs.append([])
        else:
            runs[-1].append(line)
    return runs


def heading(lines: Sequence[str], first: int, gone: Collection[int], *, marker: str) -> int:
    """The line from which to cut when what begins at `first` goes, with all lines in `gone`.

    A comment right above goes along when every line below it does, up to a blank line or another comment.
    The comment that a file begins with stays whatever happens: it may be a licence or an encoding.
    """
    start = first
    while start > 1 and _is_comment(lines[start - 2], marker):
        start -= 1
    if all(is_blank(line) or _is_comment(line, marker) for line in lines[: start - 1]):
        return first
    below = first
    while below <= len(lines) and below in gone:
        below += 1
    ends = below > len(lines) or is_blank(lines[below - 1]) or _is_comment(lines[below - 1], marker)
    return start if ends else first


def _is_comment(line: str, marker: str) -> bool:
    return line.lstrip().startswith(marker)
