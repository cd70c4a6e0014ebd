"""An import statement with some of its names taken out, in the layout that it had.

Text, not a tree printed anew: a list of one name a line stays one, a packed one stays packed, and remarks
stay with their lines. What fits on one line is put there as formatters would: a name that is left alone, and
packed names.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import NamedTuple

from benchwright.lang.python.tree import last_line

MOST_NARROW = 79  # columns below which no formatter breaks a statement
_HEAD = re.compile(r"(\s*(?:from\b.*?)?\bimport\b[ \t]*\(?)(.*)", re.DOTALL)
_BETWEEN = re.compile(r"[ \t]*,([^\r\n]*?)(\\?(?:\r\n|\r|\n).*)?", re.DOTALL)
_END = re.compile(r"[ \t]*(,?)([^\r\n]*?)((?:\r\n|\r|\n).*)?\)", re.DOTALL)


class _Row(NamedTuple):
    """The names on one line: the text before the first (line end, indentation), and a comment after them."""

    before: str
    names: list[tuple[int, str, str]]  # position, space before, source
    remark: str = ""


class _Shape(NamedTuple):
    head: str  # up to `import` or the bracket after it
    rows: list[_Row]
    comma: str  # after the last name
    close: str  # from the last line's end to the bracket
    rest: str  # of the last line, after the statement
    width: int  # that the author, or any formatter, would fill


def narrowed(node: ast.Import | ast.ImportFrom, lost: Collection[int], lines: Sequence[str]) -> str | None:
    """Return the lines of a statement without the names at some positions; None for an unknown layout."""
    shape = _shape(node, lines)
    if shape is None:
        return None
    kept = [row._replace(names=[each for each in row.names if each[0] not in lost]) for row in shape.rows]
    kept = [row for row in kept if row.names]
    text = _joined(shape, kept) or _laid_out(shape, kept)
    wanted = [_named(alias) for at, alias in enumerate(node.names) if at not in lost]
    return text if _names_of(text) == wanted else None


def _shape(node: ast.Import | ast.ImportFrom, lines: Sequence[str]) -> _Shape | None:
    shown = lines[node.lineno - 1 : last_line(node)]
    own = [line.encode() for line in shown]
    starts = [sum(map(len, own[:at])) for at in range(len(own))]
    text = b"".join(own)
    ends = [_place(each, starts, node.lineno) for each in node.names]
    end = starts[-1] + (node.end_col_offset or 0)
    head = _HEAD.fullmatch(text[: ends[0][0]].decode())
    between = [_BETWEEN.fullmatch(text[one[1] : two[0]].decode()) for one, two in pairwise(ends)]
    tail = text[ends[-1][1] : end].decode()
    last = _END.fullmatch(tail)
    if head is None or (last is None and tail):
        return None
    rows = _rows([text[start:stop].decode() for start, stop in ends], head[2], between)
    if rows is None:
        return None
    comma, space, close = (last[1], last[2], last[3]) if last else ("", "", "")
    if close:
        rows[-1] = rows[-1]._replace(remark=space.rstrip())
    closing = f"{close or space})" if last else ""
    width = max(MOST_NARROW, *(len(line.rstrip()) for line in shown))
    return _Shape(head[1], rows, comma, closing, text[end:].decode(), width)


def _place(alias: ast.alias, starts: list[int], first: int) -> tuple[int, int]:
    """Return the byte range of a name in its statement."""
    start = starts[alias.lineno - first] + alias.col_offset
    return start, starts[(alias.end_lineno or first) - first] + (alias.end_col_offset or 0)


def _rows(names: list[str], before: str, between: Sequence[re.Match[str] | None]) -> list[_Row] | None:
    rows = [_Row(before, [(0, "", names[0])])]
    for at, match in enumerate(between, start=1):
        if match is None:  # a comment before the comma, or a comma that starts a line
            return None
        space, line_end = match[1], match[2]
        if line_end is None:
            rows[-1].names.append((at, space, names[at]))
            continue
        joined = line_end.startswith("\\")
        rows[-1] = rows[-1]._replace(remark="" if joined else space.rstrip())
        rows.append(_Row(space + line_end if joined else line_end, [(at, "", names[at])]))
    return rows


def _joined(shape: _Shape, kept: list[_Row]) -> str:
    """Return all names on one line, if one name is left, or if names were packed and all fit.

    Empty for other layouts, and if comments would be lost.
    """
    if any("#" in row.before + row.remark for row in shape.rows) or "#" in shape.close:
        return ""
    names = ", ".join(name for row in kept for _, _, name in row.names)
    text = f"{shape.head.removesuffix('(').rstrip()} {names}"
    packed = any(len(row.names) > 1 for row in shape.rows)
    return text + shape.rest if "," not in names or (packed and len(text) <= shape.width) else ""


def _laid_out(shape: _Shape, kept: list[_Row]) -> str:
    first, last = shape.rows[0], kept[-1]
    text = shape.head
    for row in kept:
        hangs = row is not kept[0] or "\n" in first.before or "\r" in first.before
        text += row.before if hangs else first.before
        for at, (_, space, name) in enumerate(row.names):
            text += f",{space}{name}" if at else name
        if row is not last:
            text += f",{row.remark}"
    if "\n" in shape.close or "\r" in shape.close:
        return text + shape.comma + last.remark + shape.close + shape.rest
    remark = last.remark if not shape.rest.strip() else ""
    line_end = shape.rest[len(shape.rest.rstrip("\r\n")) :]
    return text + shape.comma + shape.close + (remark + line_end if remark else shape.rest)


def _names_of(text: str) -> list[str]:
    """Return the names of a single import statement; nothing if the text is not such a statement."""
    try:
        body = ast.parse(textwrap.dedent(text)).body
    except SyntaxError:
        return []
    if len(body) != 1 or not isinstance(body[0], ast.Import | ast.ImportFrom):
        return []
    return [_named(alias) for alias in body[0].names]


def _named(alias: ast.alias) -> str:
    return f"{alias.name} as {alias.asname or ''}"
