"""Stored answers in a table: CSV with a line of names, separated by commas, semicolons or tabs."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchwright.errors import DataError
from benchwright.models.stored_answers.names import ANSWER_NAMES, ID_NAMES, plain, shown
from benchwright.store.files import READ_ERRORS, broken_off, open_binary
from benchwright.store.lines import MAX_LINE

_SEPARATORS = ",;\t"
_HINT = 'export it again as JSON Lines: one {"task_id": …, "completion": …} a line'


def is_table(head: bytes) -> bool:
    """Whether a file begins with a line of columns' names, one of which is known."""
    first = head.split(b"\n", 1)[0].decode("utf-8", "replace").strip()
    names = {plain(each.strip('"')) for each in first.split(_separator(first))}
    return len(names) > 1 and bool(names & {*ANSWER_NAMES, *ID_NAMES})


def read_table(path: Path, place: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The rows of a table with the lines they end on. Raises DataError for what is none."""
    csv.field_size_limit(MAX_LINE)
    with open_binary(path) as stream:
        separator = _separator(stream.peek(MAX_LINE).split(b"\n", 1)[0].decode("utf-8", "replace"))
        text = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="")
        reader = csv.reader(text, delimiter=separator, strict=True)
        try:
            names = next(reader)
            _check_names(names, place)
            for cells in reader:
                if cells:
                    yield reader.line_num, _row(names, cells, place, reader.line_num)
        except UnicodeDecodeError as error:
            hint = "save the file as UTF-8"
            line = reader.line_num + 1
            raise DataError(f"not valid UTF-8 ({error.reason})", path=place, line=line, hint=hint) from None
        except csv.Error as error:
            raise DataError(f"not CSV: {error}", path=place, line=reader.line_num, hint=_HINT) from None
        except READ_ERRORS as error:
            raise broken_off(error, place, reader.line_num) from None


def _separator(line: str) -> str:
    return max(_SEPARATORS, key=line.count)


def _check_names(names: list[str], place: str) -> None:
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        message = f"two columns are named {shown(twice[:1])}"
        raise DataError(message, path=place, line=1, hint="rename one of them")


def _row(names: list[str], cells: list[str], place: str, line: int) -> dict[str, Any]:
    if len(cells) != len(names):
        message = f"the row has {len(cells)} cells, and the first line names {len(names)} columns"
        raise DataError(message, path=place, line=line, hint=_HINT)
    return dict(zip(names, cells, strict=True))
