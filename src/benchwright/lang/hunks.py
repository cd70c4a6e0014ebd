"""Hunks of a text: replace lines, apply a unified diff, and compare two versions without white space.

Lines count from 1 and end with a line feed. A text in no known language (`lang` "") is compared by words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from textwrap import dedent
from typing import NamedTuple

from benchwright.lang.comment_reading import first_change, read_comments
from benchwright.lang.comment_records import CommentedCode
from benchwright.lang.lines import lines_of, split_lf

_HEADER = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")


def hunk_of(code: str, first: int, last: int) -> str:
    """Return lines `first` to `last` without the line end of the last one."""
    return "\n".join(lines_of(code)[first - 1 : last])


def replace_lines(code: str, first: int, last: int, text: str) -> str:
    """Return the code with lines `first` to `last` replaced by a text, one line end after it is optional.

    The new lines get the line ends of the first replaced one; an empty text deletes the lines.
    """
    lines = split_lf(code)
    end = "\r\n" if lines[first - 1].endswith("\r\n") else "\n"
    new = [line.removesuffix("\r") + end for line in text.removesuffix("\n").split("\n")] if text else []
    if last == len(lines) and not lines[-1].endswith("\n") and new:
        new[-1] = new[-1].removesuffix(end)
    return "".join([*lines[: first - 1], *new, *lines[last:]])


def parses(code: str, lang: str) -> bool:
    """Return whether a text, or the text without its common indentation, has no syntax error."""
    return not lang or _read(code, lang).fault is None


def is_equal_but_spaces(one: str, other: str, lang: str) -> bool:
    """Return whether two versions of a text differ in white space alone.

    In a known language tokens, structure and the words of comments are compared, so white space with a
    meaning counts: Python's indentation, and spaces inside a string.
    """
    if not lang:
        return one.split() == other.split()
    before, after = _read(one, lang), _read(other, lang)
    return first_change(before, after) is None and _comments(before) == _comments(after)


def _read(code: str, lang: str) -> CommentedCode:
    """Read a text; an excerpt that parses only without its common indentation is read without it."""
    read = read_comments(code, lang)
    if read.fault is None or code[:1] not in (" ", "\t"):
        return read
    outer = read_comments(dedent(code), lang)
    return outer if outer.fault is None else read


def _comments(code: CommentedCode) -> list[tuple[int, list[str]]]:
    return [(each.at, each.text.split()) for each in code.comments]


class DiffHunk(NamedTuple):
    """One hunk of a unified diff: its first old line, and the lines that it expects and leaves."""

    first: int
    old: list[str]
    new: list[str]


def looks_like_diff(text: str) -> bool:
    """Return whether a text has the header of a hunk."""
    return any(_HEADER.match(line) for line in text.split("\n"))


def diff_hunks(diff: str) -> list[DiffHunk]:
    """Return the hunks of a unified diff of one file. Raises ValueError for text that is not part of one.

    Line numbers are read; the counts in a header are not, because models often miscount. Only a count of 0
    matters: then the lines are inserted after the numbered one.
    """
    hunks: list[DiffHunk] = []
    lines = diff.split("\n")
    for at, line in enumerate(lines):
        if header := _HEADER.match(line):
            hunks.append(DiffHunk(int(header[1]) + (header[2] == "0"), [], []))
        elif line.startswith("--- ") and "".join(lines[at + 1 : at + 2]).startswith("+++ "):
            if hunks:
                raise ValueError("the diff changes several files")
        elif hunks:
            _add(hunks[-1], line)
    return hunks


def _add(hunk: DiffHunk, line: str) -> None:
    sign, rest = line[:1], line[1:]
    if sign == "\\":  # "\ No newline at end of file"
        return
    if sign not in ("", " ", "-", "+"):
        raise ValueError(f"a line of the diff begins with {sign!r}")
    if sign != "+":
        hunk.old.append(rest)
    if sign != "-":
        hunk.new.append(rest)


def patched(code: str, hunks: Sequence[DiffHunk]) -> str:
    """Return the code after the hunks. Raises ValueError for a hunk whose old lines it lacks.

    A hunk with a wrong line number is applied where its old lines occur exactly once.
    """
    lines = lines_of(code)
    for hunk in sorted(_placed_hunks(lines, hunks), reverse=True):
        lines[hunk.first - 1 : hunk.first - 1 + len(hunk.old)] = hunk.new
    return "\n".join(lines) + ("\n" if code.endswith("\n") else "")


def _placed_hunks(lines: list[str], hunks: Sequence[DiffHunk]) -> Iterator[DiffHunk]:
    end = 0
    for hunk in hunks:
        old, new = _without_blank_end(hunk, lines)
        at = _place(lines, old, hunk.first)
        if at < end:
            raise ValueError("two hunks of the diff overlap")
        end = at + len(old)
        yield DiffHunk(at, old, new)


def _without_blank_end(hunk: DiffHunk, lines: list[str]) -> tuple[list[str], list[str]]:
    """Return both sides without a blank line at the end that only ends the text of the diff."""
    old, new = hunk.old, hunk.new
    if old and new and not old[-1] and not new[-1] and not _occurrences(lines, old):
        return old[:-1], new[:-1]
    return old, new


def _place(lines: list[str], old: list[str], first: int) -> int:
    if lines[first - 1 : first - 1 + len(old)] == old and first >= 1:
        return first
    found = _occurrences(lines, old) if old else []
    if len(found) != 1:
        raise ValueError("the code lacks the old lines of a hunk" if not found else "a hunk fits twice")
    return found[0]


def _occurrences(lines: list[str], old: list[str]) -> list[int]:
    """Return the lines, from 1, at which `old` occurs: at most two of them."""
    found = []
    for at in range(len(lines) - len(old) + 1):
        if lines[at] == old[0] and lines[at : at + len(old)] == old:
            found.append(at + 1)
            if len(found) > 1:
                break
    return found
