"""Read the tables of a release: rows of its files, and records made of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from benchwright.building.alignment.publish import RELEASE
from benchwright.building.alignment.release_shards import DATA
from benchwright.building.engine.recipe import MANIFEST
from benchwright.display.escape import escaped_path
from benchwright.errors import DataError, UsageError, command_name
from benchwright.records import Record
from benchwright.store.lines import Row, read_rows
from benchwright.store.parquet import read_parquet

R = TypeVar("R", bound=Record)


def release_in(folder: Path, tables: Collection[str]) -> Path:
    """The folder of a release: the given one, or the release in a build folder.

    Raises UsageError unless it has a manifest and at least one of the tables.
    """
    inner = folder / RELEASE
    found = inner if (inner / MANIFEST).is_file() else folder
    if (found / MANIFEST).is_file() and any((found / DATA / name).is_dir() for name in tables):
        return found
    message = f"{escaped_path(folder)} is not a release of the alignment recipe"
    hint = f"{command_name()} build alignment --from CLONE --out BUILD   # name BUILD or BUILD/release"
    raise UsageError(message, hint=hint)


def table_rows(release: Path, table: str) -> Iterator[tuple[Path, Row]]:
    """The rows of all files of a table; of two formats of a file, JSON Lines is read."""
    folder = release / DATA / table
    files = {path.stem: path for path in sorted(folder.glob("*.parquet"))}
    files |= {path.stem: path for path in sorted(folder.glob("*.jsonl"))}
    for _, path in sorted(files.items()):
        rows = read_parquet(path) if path.suffix == ".parquet" else read_rows(path)
        yield from ((path, row) for row in rows)


def table_record(table: str, path: Path, row: Row, kind: type[R]) -> R:
    """The record of a row. Raises DataError with file and line for a row of another shape."""
    try:
        return msgspec.convert(_without_nulls(row.data), kind)
    except msgspec.ValidationError as error:
        place = escaped_path(path)
        hint = "the release was edited or damaged: publish it again"
        raise DataError(f"not a record of {table}: {error}", path=place, line=row.line, hint=hint) from None


def _without_nulls(value: Any) -> Any:
    """A row of a table without the nulls of columns that the record did not have."""
    if isinstance(value, dict):
        return {name: _without_nulls(each) for name, each in value.items() if each is not None}
    return [_without_nulls(each) for each in value] if isinstance(value, list) else value
