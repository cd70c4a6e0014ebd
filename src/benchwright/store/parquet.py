"""Rows of an untrusted Parquet file, through DuckDB (extra `parquet`) in a process of its own.

A Parquet reader is a large native parser, and a file of 60 kB can unpack to gigabytes: a dictionary
page names one long string a million times. So the file is read by a child with a memory limit, which
sends rows as JSON lines; these pass the same checks as any other untrusted JSON. A crash or a bomb
is then a DataError, not the end of the run. (pyarrow would do too, at 171 MB against 69 MB.)
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO

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
            raise _refused(complaint, child.returncode, place)


def _refused(complaint: BinaryIO, code: int, place: str) -> DataError:
    complaint.seek(0)
    reason = escaped_name(complaint.read(1000).decode("utf-8", "replace"), 300)
    if code < 0:
        reason = f"the reader was stopped by signal {-code}"
    hint = "download it again, or get the data set as JSON Lines"
    return DataError(f"not a readable Parquet file: {reason}", path=place, hint=hint)
