"""Comments that head a group of imports: they go with the group, and not with its first line."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from benchwright.lang.lines import is_blank


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
