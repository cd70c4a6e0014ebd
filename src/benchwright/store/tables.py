"""Rows of CSV and YAML files, with limits. The file's name decides the format: a CSV has no other mark."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator
from math import isfinite
from pathlib import Path
from typing import Any, Literal

from benchwright.display.escape import escaped_name, escaped_path
from benchwright.errors import DataError
from benchwright.store.files import READ_ERRORS, broken_off, open_binary
from benchwright.store.scanning import BOM, Refusal, UnreadableRowError
from benchwright.store.yaml_documents import Keys, read_yaml

MAX_CSV = 256 << 20  # bytes of a file, which is decoded as a whole
MAX_CELL = 1 << 20  # characters
MAX_COLUMNS = 1_000
_ESCAPED = re.compile("[\udc80-\udcff]")  # bytes that are not UTF-8
_UTF8 = "save it as “CSV UTF-8”"
_COLUMNS = "write the names of the columns into the first line: id,prompt,label"
_QUOTE = 'put a cell with commas, quotes or line ends into quotes, and double its quotes: "a ""b"""'
_LIST = "write a list of tasks: each begins with a line `- id: …`"
TableFormat = Literal["csv", "yaml"]
_SUFFIXES: dict[str, TableFormat] = {".csv": "csv", ".tsv": "csv", ".yaml": "yaml", ".yml": "yaml"}


def table_format(path: Path) -> TableFormat | None:
    """The format of a file by its name, without `.gz`; None for any other name."""
    return _SUFFIXES.get(_suffix(path))


def _suffix(path: Path) -> str:
    name = path.name.lower().removesuffix(".gz")
    return Path(name).suffix


def read_csv(path: Path, refuse: Refusal | None = None) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield each row with the line on which it begins: {column: text}, for the columns of the first line.

    UTF-8, RFC 4180; `.tsv` has tabs in place of commas. Blank lines are skipped. Raises DataError for a
    duplicate or empty name of a column, and for a row with another number of cells. `refuse`, if given, is
    called with the error of a row, and reading continues.
    """
    place = escaped_path(path)
    text = _csv_text(path, place, refuse)
    delimiter = "\t" if _suffix(path) == ".tsv" else ","
    cells = _cells(text, place, delimiter, refuse)
    line, header = next(cells, (1, []))
    _check_header(header, place, line)
    for number, row in cells:
        if error := _fault_of_row(row, header, place, number):
            if refuse is None:
                raise error
            refuse(error)
            continue
        yield number, dict(zip(header, row, strict=True))


def _fault_of_row(row: list[str], header: list[str], place: str, line: int) -> DataError | None:
    if len(row) != len(header):
        message = f"the row has {len(row)} cells, and the first line names {len(header)} columns"
        return UnreadableRowError(message, reason="cell_count", path=place, line=line, hint=_QUOTE)
    if any(_ESCAPED.search(cell) for cell in row):
        return UnreadableRowError("is not UTF-8", reason="not_utf8", path=place, line=line, hint=_UTF8)
    return None


def _csv_text(path: Path, place: str, refuse: Refusal | None) -> str:
    with open_binary(path) as file:
        try:
            data = file.read(MAX_CSV + 1)
        except READ_ERRORS as error:
            raise broken_off(error, place, 1) from None
    if len(data) > MAX_CSV:
        hint = "convert it to JSON Lines, which is read row by row, or to Parquet"
        raise DataError(f"the file is larger than {MAX_CSV:,} bytes", path=place, hint=hint)
    try:
        return data.removeprefix(BOM).decode(errors="strict" if refuse is None else "surrogateescape")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DataError("is not UTF-8", path=place, line=line, hint=_UTF8) from None


def _cells(text: str, place: str, delimiter: str, refuse: Refusal | None) -> Iterator[tuple[int, list[str]]]:
    """Yield the cells of each row that is not blank, with the row's first line."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    limit, begin = csv.field_size_limit(), 1
    while True:
        csv.field_size_limit(MAX_CELL)  # global to the module, so it is set for no longer than one row
        try:
            row = next(reader, None)
        except csv.Error as error:
            fault = _fault_of_csv(error, place, begin)
            if refuse is None:
                raise fault from None
            refuse(fault)
            row = []
        finally:
            csv.field_size_limit(limit)
        if row is None:
            return
        if any(row):
            yield begin, row
        begin = reader.line_num + 1


def _fault_of_csv(error: csv.Error, place: str, line: int) -> DataError:
    if "field larger" in str(error):
        what, reason = f"a cell has more than {MAX_CELL:,} characters", "cell_too_large"
    else:
        what = f"invalid CSV: {error}"
        reason = "record_cut" if "unexpected end" in str(error) else "invalid_csv"
    return UnreadableRowError(what, reason=reason, path=place, line=line, hint=_QUOTE)


def _check_header(header: list[str], place: str, line: int) -> None:
    if not header:
        raise DataError("the file is empty", path=place, line=1, hint=_COLUMNS)
    if len(header) > MAX_COLUMNS:
        message = f"has {len(header):,} columns; the limit is {MAX_COLUMNS:,}"
        raise DataError(message, path=place, line=line, hint="keep the columns that the tasks need")
    twice = next((name for at, name in enumerate(header) if name in header[:at]), None)
    if twice is not None:
        name = escaped_name(twice)
        raise DataError("duplicate column", path=place, line=line, field=name, hint="rename one of the two")
    if not all(name.strip() for name in header):
        number = next(at for at, name in enumerate(header, 1) if not name.strip())
        raise DataError(f"column {number} has no name", path=place, line=line, hint=_COLUMNS)
    if len(header) == 1 and ";" in header[0]:
        message = "the columns are separated by semicolons"
        raise DataError(
            message, path=place, line=line, hint="save it as CSV with commas, or as .tsv with tabs"
        )


def read_yaml_rows(
    path: Path, refuse: Callable[[DataError], None] | None = None
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield each mapping of a list, or of the one list in a mapping such as `tasks: […]`, with its line.

    Plain values only, at most 1 MiB: see `yaml_documents`. Raises DataError; `refuse`, if given, is called
    with the error of an item that is not a mapping.
    """
    document = read_yaml(path, purpose="reading YAML data sets", extra="yaml")
    data, keys = document.data, Keys()
    if isinstance(data, dict) and len(data) == 1:
        [name] = data
        data, keys = data[name], (name,)
    if not isinstance(data, list):
        raise document.error("is not a list of tasks", *keys, hint=_LIST)
    for number, row in enumerate(data):
        at = (*keys, number)
        if isinstance(row, dict) and (bad := _endless(row)) is None:
            yield document.line(*at), row
            continue
        what = "must be a mapping of fields" if not isinstance(row, dict) else f"the number {bad} has no end"
        error = document.error(what, *at, hint=_LIST)
        if refuse is None:
            raise error
        refuse(error)


def _endless(value: Any) -> float | None:
    """An infinity or NaN in a value, which JSON cannot hold; None if there is none."""
    if isinstance(value, float):
        return None if isfinite(value) else value
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return next((bad for each in inner if (bad := _endless(each)) is not None), None)
