"""Rows of a TOML file: an array of tables such as `[[task]]`, each a row with the line of its header.

For data sets that people write by hand: texts of several lines stand as they are, between triple quotes.
The whole file is parsed at once, so its size is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from math import isfinite
from pathlib import Path
from typing import Any

from benchwright.display.escape import escaped_name, escaped_path
from benchwright.errors import DataError
from benchwright.store.files import BUFFER, READ_ERRORS, broken_off, open_binary
from benchwright.store.lines import Row
from benchwright.store.scanning import BOM

MAX_TOML = 4 << 20
# A comment or a blank line, then a header of tables; JSON rows begin with a brace, or a bracket and a brace.
# A header of one table is no data set, and reading it as JSON would say nothing of what is wrong.
_START = re.compile(
    rb"(?:[ \t]*(?:#[^\n]*)?\r?\n)*[ \t]*\[(?:\[[ \t]*[A-Za-z_][\w-]*[ \t]*\]\]"
    rb"|[ \t]*(?!(?:true|false|null)\b)[A-Za-z_][\w-]*[ \t]*\][ \t]*(?:#[^\n]*)?\r?\n)"
)
_HEADER = re.compile(r"^[ \t]*\[\[[ \t]*([A-Za-z_][\w-]*)[ \t]*\]\][ \t]*(?:#.*)?$", re.MULTILINE)
_TOKEN = re.compile(
    r'"""(?:[^\\]|\\.)*?"""|'
    r"'''.*?'''"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'[^'\n]*'|#[^\n]*",
    re.DOTALL,
)  # a text or a comment
_AT_LINE = re.compile(r"\(at line (\d+), column \d+\)|\(at end of document\)")
_HINT = "write each task as a table of its own: a line [[task]], then its fields"


def is_toml(path: Path) -> bool:
    """Whether the file begins, after comments, with a header such as `[[task]]` or, by mistake, `[task]`."""
    with open_binary(path) as file:
        try:
            return _START.match(file.peek(BUFFER).removeprefix(BOM)) is not None
        except READ_ERRORS as error:
            raise broken_off(error, escaped_path(path), 1) from None


def read_toml(path: Path, *, refuse: Callable[[DataError], None] | None = None) -> Iterator[Row]:
    """The tables of the file's one array, in order, each with the line of its header.

    Raises DataError (file, line, hint) for what is no TOML, for a second array or a plain key beside the
    array. A table that cannot be a row is told to `refuse`, where given, and else raised.
    """
    place = escaped_path(path)
    text = _text(path, place)
    name, tables = _array(_parsed(text, place), place)
    lines = _lines(text, name, len(tables))
    for line, table in zip(lines, tables, strict=True):
        if what := _not_json(table):
            message = f"{what} cannot stand in a row"
            error = DataError(message, path=place, line=line, hint="write it as a text, in quotes")
            if refuse is None:
                raise error
            refuse(error)
            continue
        yield Row(line, table)


def _text(path: Path, place: str) -> str:
    with open_binary(path) as file:
        try:
            data = file.read(MAX_TOML + 1)
        except READ_ERRORS as error:
            raise broken_off(error, place, 1) from None
    if len(data) > MAX_TOML:
        message = f"the file is larger than {MAX_TOML:,} bytes"
        raise DataError(message, path=place, hint="write it as JSON Lines: one {…} a line")
    try:
        return data.removeprefix(BOM).decode()
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise DataError("is not UTF-8", path=place, line=line, hint="save the file as UTF-8") from None


def _parsed(text: str, place: str) -> dict[str, Any]:
    import tomllib  # noqa: PLC0415 (2 ms, and most data sets are JSON Lines)

    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        found = _AT_LINE.search(str(error))
        line = int(found[1]) if found and found[1] else text.rstrip().count("\n") + 1
        said = _AT_LINE.sub("", str(error)).strip()
        hint = "a text of several lines stands between three quotes: '''…'''"
        raise DataError(f"is not TOML: {said}", path=place, line=line, hint=hint) from None


def _array(read: dict[str, Any], place: str) -> tuple[str, list[dict[str, Any]]]:
    """The name and the tables of the file's one array of tables."""
    name, *others = read
    if isinstance(read[name], dict):
        message = f"`[{escaped_name(name, 30)}]` is one table, and a data set is an array of them"
        raise DataError(message, path=place, hint=f"write [[{escaped_name(name, 30)}]]")
    if others:
        shown = ", ".join(f"`{escaped_name(each, 30)}`" for each in others[:8])
        raise DataError(f"beside `[[{name}]]` stands {shown}", path=place, hint=_HINT)
    return name, read[name]


def _lines(text: str, name: str, count: int) -> list[int]:
    """The line of each table's header. What looks like one inside a text or a comment is none."""
    bare = _TOKEN.sub(lambda found: "\n" * found[0].count("\n"), text.replace("\r\n", "\n"))
    places = [found.start() for found in _HEADER.finditer(bare) if found[1] == name]
    lines = [bare.count("\n", 0, place) + 1 for place in places]
    return lines if len(lines) == count else [1] * count


def _not_json(value: Any) -> str:
    """What of a table no JSON can hold: a date, a number without end; empty where there is nothing."""
    if isinstance(value, dict):
        return next(filter(None, map(_not_json, value.values())), "")
    if isinstance(value, list):
        return next(filter(None, map(_not_json, value)), "")
    if isinstance(value, float):
        return "" if isfinite(value) else f"the number {value}"
    return "" if isinstance(value, str | int) else f"the date or time {value}"  # a boolean is an int
