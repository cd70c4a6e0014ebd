"""The process that writes Parquet files from files of records; it reads a `TableRequest` a line."""

from __future__ import annotations

import os
import sys
from typing import Any

import duckdb
import msgspec

from benchwright.store.parquet_lines import TableRequest

_CONFIG: dict[str, Any] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "threads": "1",
    "memory_limit": "1GB",
}
_LONGEST = 64 << 20  # bytes of a line


def main() -> int:
    """Answer "done" to each request; the exit code is 1, with the reason on standard error, for a failure."""
    with duckdb.connect(":memory:", config=_CONFIG) as connection:
        for line in sys.stdin.buffer:
            request = msgspec.json.decode(line, type=TableRequest)
            try:
                connection.execute(_query(request))
                with open(request.target, "rb") as file:
                    os.fsync(file.fileno())
            except (duckdb.Error, OSError) as error:
                sys.stderr.write(str(error))
                return 1
            sys.stdout.write("done\n")
            sys.stdout.flush()
    return 0


def _query(request: TableRequest) -> str:
    columns = ", ".join(f"{_name(name)}: {_text(kind)}" for name, kind in request.columns.items())
    chosen = ", ".join(f"{value} AS {_name(name)}" for name, value in request.expressions.items())
    read = (
        f"read_json({_text(request.lines)}, format = 'newline_delimited', columns = {{{columns}}}, "
        f"maximum_object_size = {_LONGEST}, compression = 'none')"
    )
    options = "FORMAT parquet, COMPRESSION zstd"
    return f"COPY (SELECT {chosen} FROM {read}) TO {_text(request.target)} ({options})"


def _name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


if __name__ == "__main__":
    sys.exit(main())
