"""Files between stages: each whole or not there, so a killed stage is done again and a finished one never."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from benchwright.records import Record
from benchwright.store.atomic import replacing


def write_records(path: Path, records: Iterable[Record]) -> int:
    """Write a file of records in one step; how many."""
    count = 0
    with replacing(path) as file:
        for record in records:
            file.write(msgspec.json.encode(record) + b"\n")
            count += 1
    return count
