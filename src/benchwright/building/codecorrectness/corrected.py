"""A copy of a data set with the labels of the executions."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from benchwright.building.codecorrectness.rows import load_rows
from benchwright.building.codecorrectness.verifying import RowFinding
from benchwright.records import Record
from benchwright.store.writing import writing


class Corrected(Record, frozen=True, kw_only=True):
    """The counts of a corrected copy: labels unchanged, changed and filled in; rows left out, by finding."""

    path: str
    kept: int
    changed: int
    filled: int
    left_out: dict[str, int]


def write_corrected(data: str | Path, target: Path, *, findings: Sequence[RowFinding]) -> Corrected:
    """Write the rows that have an executed label, with all other keys unchanged; count the rows left out.

    A name that ends in `.json` gets MERA's document, any other JSON Lines. `-` is stdout.
    """
    known = {str(each.task_id): each for each in findings}
    counts = {"kept": 0, "changed": 0, "filled": 0}
    left_out: dict[str, int] = {}
    with writing(target) as file:
        write = _Document(file) if target.suffix == ".json" else _JsonLines(file)
        for row, raw in load_rows(data):
            finding = known[str(row.task_id)]
            executed = finding.executed
            if not executed:
                left_out[finding.finding] = left_out.get(finding.finding, 0) + 1
                continue
            counts["kept" if row.label == executed else "changed" if row.label else "filled"] += 1
            write.add({**raw, "outputs": executed})
        write.end()
    return Corrected(path=str(target), left_out=dict(sorted(left_out.items())), **counts)


class _JsonLines:
    """A writer of JSON Lines."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def add(self, row: Mapping[str, Any]) -> None:
        """Write one row."""
        self._file.write(_bytes(row) + b"\n")

    def end(self) -> None:
        """Do nothing; JSON Lines have no end mark."""


class _Document(_JsonLines):
    """A writer of MERA's test.json."""

    def __init__(self, file: BinaryIO) -> None:
        super().__init__(file)
        self._before = b'{"access": "public", "data": [\n'

    def add(self, row: Mapping[str, Any]) -> None:
        """Write one row, preceded by its separator."""
        self._file.write(self._before + _bytes(row))
        self._before = b",\n"

    def end(self) -> None:
        """Close the array, which may be empty."""
        self._file.write((b"" if self._before == b",\n" else self._before) + b"\n]}\n")


def _bytes(row: Mapping[str, Any]) -> bytes:
    return json.dumps(row, ensure_ascii=False).encode()
