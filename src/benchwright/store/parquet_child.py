"""The process that reads one untrusted Parquet file (standard input) and writes its rows as JSON lines.

DuckDB can read other files, reach the network and load native code by name, and it expands `*` and
`[` in a path. So it is given a file descriptor's path and nothing else, and its configuration is
locked before the file is opened.
"""

from __future__ import annotations

import json
import resource
import sys
from collections.abc import Iterator
from datetime import date, time
from typing import Any
from uuid import UUID

import duckdb

from benchwright.store.process_limits import lower

MEMORY = 4 << 30
_FILE = "/proc/self/fd/0"
_BATCH = 16
_CONFIG: dict[str, Any] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "threads": "1",
    "memory_limit": "2GB",
    "temp_directory": "",
}


def main() -> int:
    """Write the rows; the exit code is 1, with the reason on standard error, when they cannot be read."""
    memory = lower(resource.RLIMIT_AS, MEMORY)
    lower(resource.RLIMIT_CORE, 0)
    number = 0
    try:
        for number, row in enumerate(_query(), 1):  # noqa: B007 (named in the message)
            sys.stdout.write(json.dumps(row, default=_text) + "\n")
        sys.stdout.flush()
    except (duckdb.OutOfMemoryException, MemoryError):
        return _complain(f"it needs more than {memory / (1 << 30):.3g} GiB to unpack")
    except BrokenPipeError:
        return _complain("nobody reads the rows")
    except (duckdb.Error, ValueError, TypeError, RecursionError) as error:
        return _complain(f"row {number}: {error}" if number else str(error).replace(f" '{_FILE}'", ""))
    return 0


def _query() -> Iterator[dict[str, Any]]:
    with duckdb.connect(":memory:", config=_CONFIG) as connection:
        connection.execute(f"SET allowed_paths = ['{_FILE}']")
        connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")
        rows = connection.execute(f"SELECT * FROM read_parquet('{_FILE}')")
        names = [column[0] for column in rows.description]
        while batch := rows.fetchmany(_BATCH):
            for values in batch:
                yield dict(zip(names, values, strict=True))


def _text(value: object) -> str:
    """The text of a value that JSON lacks. Raises TypeError for what has no agreed form, such as bytes."""
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, UUID):
        return str(value)
    raise TypeError(f"a value of type {type(value).__name__} has no JSON form")


def _complain(reason: str) -> int:
    sys.stderr.write(reason.partition("\n")[0])
    return 1


if __name__ == "__main__":
    sys.exit(main())
