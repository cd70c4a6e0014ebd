"""Rows of our own as a Parquet file, by DuckDB (extra `parquet`): columns of texts and of lists of texts.

One thread and no clock, so equal rows make equal bytes; but another version of DuckDB makes others, and its
version stands in the file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchwright.errors import PrerequisiteError, install_command

TEXT, TEXTS = "VARCHAR", "VARCHAR[]"  # what a column holds, as DuckDB names it
_CONFIG: dict[str, Any] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "threads": "1",
}


def can_write_parquet() -> bool:
    """Whether DuckDB is installed."""
    return find_spec("duckdb") is not None


def parquet_bytes(rows: Sequence[Mapping[str, Any]], columns: Mapping[str, str]) -> bytes:
    """The rows as a file with these columns, each `TEXT` or `TEXTS`, in this order.

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
        made = Path(folder, "made.parquet")
        place = str(made).replace("'", "''")
        connection.execute(f"COPY (SELECT {chosen}) TO '{place}' (FORMAT parquet, COMPRESSION zstd)", values)
        return made.read_bytes()


def _quoted(name: str) -> str:
    """A column's name in a query."""
    return '"' + name.replace('"', '""') + '"'
