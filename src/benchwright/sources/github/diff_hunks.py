"""Lines and replacement texts of review remarks, taken from diff hunks and Markdown bodies."""

from __future__ import annotations

import re
from typing import NamedTuple

_HEAD = re.compile(r"@@ -(\d{1,9})(?:,\d{1,9})? \+(\d{1,9})(?:,\d{1,9})? @@")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*suggestion[ \t]*")


class HunkEnd(NamedTuple):
    """The last line of a hunk: its number, from 1, in the version of its side, "old" or "new"."""

    line: int
    side: str


def hunk_end(hunk: str) -> HunkEnd | None:
    """The line that a remark without `line` is about: the last of its hunk. None for an invalid hunk.

    GitHub ends the hunk of a remark with the remarked line. A removed line counts on the old side, any other
    on the new one.

    >>> hunk_end("@@ -1,2 +1,2 @@\\n a\\n-b\\n+c")
    HunkEnd(line=2, side='new')
    """
    first, _, rest = hunk.partition("\n")
    if (head := _HEAD.match(first)) is None:
        return None
    old, new = int(head[1]) - 1, int(head[2]) - 1
    end = None
    for line in rest.split("\n"):
        if line.startswith("\\"):  # "\ No newline at end of file"
            continue
        old += not line.startswith("+")
        new += not line.startswith("-")
        if line:  # a line without its sign is the end of the text
            end = HunkEnd(old, "old") if line.startswith("-") else HunkEnd(new, "new")
    return end


def suggested_lines(body: str) -> str | None:
    """The first suggestion block of a remark: lines, each with its end; None without a block.

    An empty text deletes the remarked lines. The block is a fence of Markdown with the word `suggestion`; it
    ends with a fence of at least its length, or with the text.

    >>> suggested_lines("Simpler:\\n```suggestion\\nreturn x\\n```\\n")
    'return x\\n'
    """
    lines = body.replace("\r\n", "\n").split("\n")
    for start, line in enumerate(lines):
        if (fence := _FENCE.fullmatch(line)) is not None:
            return _block(lines[start + 1 :], fence[1])
    return None


def _block(lines: list[str], fence: str) -> str:
    end = re.compile(rf" {{0,3}}{re.escape(fence)}{re.escape(fence[0])}*[ \t]*")
    block = []
    for line in lines:
        if end.fullmatch(line):
            break
        block.append(f"{line}\n")
    return "".join(block)
