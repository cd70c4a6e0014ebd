"""Read Parquet files in a child process with limits, and write them, with duckdb."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import Any, BinaryIO

from benchwright.display.escape import escaped_name, escaped_path
from benchwright.errors import DataError, PrerequisiteError, install_command
from benchwright.store.lines import MAX_LINE, Row, scan_lines
from benchwright.store.strict_json import JsonOrigin, parse_object

MAX_FILE = 1 << 30
_CHILD = (sys.executable, "-P", "-m", "benchwright.store.parquet_child")


def read_parquet(path: Path, *, max_file: int = MAX_FILE, max_row: int = MAX_LINE) -> Iterator[Row]:
    """The rows of a Parquet file, numbered from 1. Raises DataError for whatever is wrong inside it."""
    if find_spec("duckdb") is None:
        hint = install_command("parquet")
        raise PrerequisiteError("reading Parquet files needs duckdb", hint=hint)
    place = escaped_path(path)
    with path.open("rb") as file, TemporaryFile() as complaint:
        if (size := os.fstat(file.fileno()).st_size) > max_file:
            message = f"the file has {size:,} bytes; the limit is {max_file:,}"
            raise DataError(message, path=place, hint="split it, or convert it to JSON Lines")
        with subprocess.Popen(_CHILD, stdin=file, stdout=subprocess.PIPE, stderr=complaint) as child:
            try:
                assert child.stdout
                for number, _, data in scan_lines(child.stdout, place, max_line=max_row):
                    yield Row(number, parse_object(data, JsonOrigin(place, number)))
            except BaseException:
                child.kill()
                raise
        if child.returncode:
            raise _read_error(complaint, child.returncode, place)


def _read_error(complaint: BinaryIO, code: int, place: str) -> DataError:
    complaint.seek(0)
    reason = escaped_name(complaint.read(1000).decode("utf-8", "replace"), 300)
    if code < 0:
        reason = f"the reader was stopped by signal {-code}"
    hint = "download it again, or get the data set as JSON Lines"
    return DataError(f"not a readable Parquet file: {reason}", path=place, hint=hint)


TEXT, TEXTS = "VARCHAR", "VARCHAR[]"  # types of columns, named as in DuckDB
_CONFIG: dict[str, Any] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "threads": "1",
}


def can_write_parquet() -> bool:
    """Whether DuckDB is installed."""
    return find_spec("duckdb") is not None


def parquet_bytes(rows: Sequence[Mapping[str, Any]], columns: Mapping[str, str]) -> bytes:
    """The rows as a file with these columns, whose types are those of DuckDB, in this order.

    Raises PrerequisiteError without DuckDB, and KeyError for a row that lacks a column.
    """
    if not can_write_parquet():
        raise PrerequisiteError("writing Parquet files needs duckdb", hint=install_command("parquet"))
    import duckdb  # noqa: PLC0415 (an extra)

    # Column by column, as parameters: row by row takes twenty times as long.
    values = [[row[name] for row in rows] for name in columns]
    chosen = ", ".join(
        f"unnest(${number}::{kind}[]) AS {_quoted(name)}"
        for number, (name, kind) in enumerate(columns.items(), 1)
    )
    with (
        TemporaryDirectory(prefix="benchwright-") as folder,
        duckdb.connect(":memory:", config=_CONFIG) as connection,
    ):
        file = Path(folder, "made.parquet")
        place = str(file).replace("'", "''")
        connection.execute(f"COPY (SELECT {chosen}) TO '{place}' (FORMAT parquet, COMPRESSION zstd)", values)
        return file.read_bytes()


def _quoted(name: str) -> str:
    """A column's name in a query."""
    return '"' + name.replace('"', '""') + '"'
