"""Filled sheets of human judges: CSV of any spreadsheet, or JSON Lines.

Accepts UTF-8 with or without a byte order mark, commas, semicolons or tabs between cells, and any line ends.
An unreadable file is one error; invalid rows are rejected individually.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from benchwright.display.escape import escaped_name, escaped_path, quoted
from benchwright.errors import DataError, UsageError
from benchwright.interop.ballots import BallotBox, Filled
from benchwright.interop.sheets import COMMENT, KEYS, LETTER, TEXTS, TOKEN, shown_order
from benchwright.store.files import READ_ERRORS, broken_off, locate, open_binary
from benchwright.store.scanning import BOM, UTF16
from benchwright.store.strict_json import JsonOrigin, parse_object

MAX_FILE = 256 << 20  # bytes of one sheet
MAX_CELL = 1 << 20  # characters
MAX_ROWS = 200_000
MAX_COLUMNS = 200
_NAMED = ("judge", "item")  # without these no row can be told
_DELIMITERS = ",;\t"


class Letter(NamedTuple):
    """Facts about sent sheets: judges and token."""

    judges: frozenset[str]
    token: str
    rubric: str = ""
    users: Mapping[str, str] = MappingProxyType({})  # by the name of a user in another tool, the judge


def read_letter(sheet: Path) -> Letter | None:
    """Read the file next to a sheet; None without one. Raises DataError for an invalid file."""
    path = sheet.parent / LETTER
    if not path.is_file():
        return None
    with open_binary(path) as stream:
        data = stream.read(1 << 20)
    origin = JsonOrigin(escaped_path(path), 1)
    found = parse_object(data, origin)
    judges, token = found.get("judges"), found.get("sheet")
    if not isinstance(judges, list) or not isinstance(token, str):
        raise origin.error("does not list the judges", hint=f"remove {LETTER} and add --judges")
    return Letter(
        frozenset(map(str, judges)), token, str(found.get("rubric", "")), _users(found.get("users"))
    )


def _users(found: Any) -> dict[str, str]:
    return {str(user): str(judge) for user, judge in found.items()} if isinstance(found, dict) else {}


def read_sheet(path: Path, box: BallotBox, *, encoding: str = "utf-8") -> int:
    """Add the rows of a filled sheet to the box, and return their number. Raises DataError for a bad file."""
    path = locate(path)
    data = _bytes(path)
    count = 0
    for filled in _jsonl(path, data) if _is_jsonl(path, data) else _csv(path, data, encoding):
        box.take(path, filled)
        count += 1
    return count


def _bytes(path: Path) -> bytes:
    place = escaped_path(path)
    with open_binary(path) as stream:
        try:
            data = stream.read(MAX_FILE + 1)
        except READ_ERRORS as error:
            raise broken_off(error, place, 1) from None
    if len(data) > MAX_FILE:
        raise DataError(f"exceeds {MAX_FILE:,} bytes", path=place, hint="split the sheet")
    if data.startswith(UTF16):
        hint = f"iconv -f UTF-16 -t UTF-8 {quoted(path)} > NEW.csv"
        raise DataError("the file is UTF-16, not UTF-8", path=place, line=1, hint=hint)
    return data.removeprefix(BOM)


def _is_jsonl(path: Path, data: bytes) -> bool:
    return path.suffix.lower() in (".jsonl", ".json") or data.lstrip()[:1] == b"{"


def _jsonl(path: Path, data: bytes) -> Iterator[Filled]:
    place = escaped_path(path)
    for number, line in enumerate(data.split(b"\n"), 1):
        if number > MAX_ROWS:
            raise DataError(f"exceeds {MAX_ROWS:,} rows", path=place, hint="split the sheet")
        if line.strip():
            row = parse_object(line, JsonOrigin(place, number), max_depth=4, surrogates="replace")
            yield _filled(number, {str(name): value for name, value in row.items()})


def _csv(path: Path, data: bytes, encoding: str) -> Iterator[Filled]:
    place, text = escaped_path(path), _text(path, data, encoding)
    rows = _cells(text, place, _delimiter(text))
    first = next(rows, None)
    if first is None:
        raise DataError("the sheet is empty", path=place, line=1, hint="export it again")
    header = _header(first, place)
    for number, cells in rows:
        if not any(cell.strip() for cell in cells):
            continue
        if [cell.strip().lower() for cell in cells] == header:
            yield Filled(number, "repeated header", "", {})
            continue
        if len(cells) > len(header) and any(cell.strip() for cell in cells[len(header) :]):
            hint = "quote cells with delimiters or line ends: save the sheet as CSV again"
            message = f"the row has {len(cells)} cells, the header {len(header)}"
            raise DataError(message, path=place, line=number, hint=hint)
        yield _filled(number, dict(zip(header, cells, strict=False)))


def _text(path: Path, data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except LookupError:
        raise UsageError(f"unknown encoding: {encoding}", hint="--encoding cp1251") from None
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        hint = "save the sheet as “CSV UTF-8”, or specify its encoding: --encoding cp1251"
        raise DataError(f"not valid {encoding}", path=escaped_path(path), line=line, hint=hint) from None


def _delimiter(text: str) -> str:
    """Return the most frequent delimiter in the header."""
    line = text[:10_000].replace("\r", "\n").lstrip("\n").partition("\n")[0]
    return max(_DELIMITERS, key=line.count)


def _cells(text: str, place: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows with their last lines. Rejects NUL characters and cells above the limit."""
    limit = csv.field_size_limit(MAX_CELL)
    reader = csv.reader(
        io.StringIO(text.replace("\0", "\ufffd"), newline=""), delimiter=delimiter, strict=True
    )
    try:
        for number, cells in enumerate(reader):
            if number > MAX_ROWS or len(cells) > MAX_COLUMNS:
                message = f"exceeds {MAX_ROWS:,} rows or {MAX_COLUMNS} columns"
                raise DataError(message, path=place, line=reader.line_num, hint="split the sheet")
            yield reader.line_num, cells
    except csv.Error as error:
        fault = f"a cell has more than {MAX_CELL:,} characters" if "limit" in str(error) else str(error)
        hint = "save the sheet as CSV again"
        raise DataError(fault, path=place, line=reader.line_num, hint=hint) from None
    finally:
        csv.field_size_limit(limit)


def _header(first: tuple[int, list[str]], place: str) -> list[str]:
    number, cells = first
    header = [cell.strip().lower() for cell in cells]
    while header and not header[-1]:
        header.pop()
    for name in _NAMED:
        if name not in header:
            hint = "the first row must have the column names of the original sheet"
            raise DataError("missing column", path=place, line=number, field=name, hint=hint)
    twice = next((name for at, name in enumerate(header) if name in header[:at]), None)
    if twice is not None:
        name = escaped_name(twice)
        raise DataError("duplicate column", path=place, line=number, field=name, hint="keep one column")
    return header


def _filled(number: int, row: Mapping[str, Any]) -> Filled:
    token, judge, item = (_plain(row.get(name)) for name in ("sheet", "judge", "item"))
    values = {name: value for name, value in row.items() if name and name not in (*KEYS, *TEXTS, COMMENT)}
    return Filled(
        row=number,
        item=item,
        judge=judge,
        values=values,
        round=_plain(row.get("round")) or "first",
        comment=_plain(row.get(COMMENT)),
        shown=shown_order(token, judge, item) if len(token) == TOKEN and _is_pair(row) else "",
    )


def _plain(value: Any) -> str:
    return "" if value is None else str(value).strip().removeprefix("'")


def _is_pair(row: Mapping[str, Any]) -> bool:
    return row.get("preference") is not None
