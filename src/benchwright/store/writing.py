"""Append-only files of records that survive `kill -9`: one record a line, one write a record.

A reader or a resumed run can meet only three states: whole lines, whole lines and one torn tail, or (after a
damaged disk or a hand edit) a corrupt line. The first two are normal; the third is a DataError.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from mmap import ACCESS_READ, MADV_DONTNEED, mmap
from pathlib import Path
from typing import Literal, NamedTuple, TypeVar

import msgspec

from benchwright.display.escape import escaped_path, quoted
from benchwright.errors import DataError, RunError
from benchwright.records import Record, TaskId
from benchwright.store.atomic_files import (
    STDOUT,
    GrowingFile,
    cut_tail,
    lock,
    make_parents,
    open_grown,
    replacing,
    write_error,
    write_json,
    writing,
)
from benchwright.store.strict_json import NOT_JSON, replace_lone

__all__ = [  # the files themselves are those of `store.atomic_files`
    "STDOUT",
    "Appender",
    "FinalizedCounts",
    "Head",
    "PlacedRow",
    "count_lines",
    "decode_record",
    "finalize",
    "lock",
    "make_parents",
    "placed_rows",
    "read_records",
    "replacing",
    "write_error",
    "write_json",
    "write_records",
    "writing",
]

_MAX_RECORD = 64 << 20
_MAX_RANK = 1 << 28
_FAR = 1 << 32  # places from here on need eight bytes
_BLOCK = 1 << 13
_MAPPED = 1 << 20  # bytes of a file that are released at once: whole pages


R = TypeVar("R")


class Appender(GrowingFile):
    """The one writer of a JSONL file of records."""

    def append(self, record: Record) -> None:
        """Write one record with one `write`."""
        self.write(_encode(record) + b"\n")

    def append_all(self, records: Iterable[Record]) -> None:
        """Write a small batch with one `write`; a kill keeps its first whole lines at least."""
        if batch := b"".join(_encode(record) + b"\n" for record in records):
            self.write(batch)


def write_records(path: Path, records: Iterable[Record]) -> None:
    """Replace a whole file of records in one step."""
    with replacing(path) as file:
        for record in records:
            file.write(_encode(record) + b"\n")


class Head(msgspec.Struct, frozen=True):
    """The fields that identify an answer or a verdict."""

    task_id: TaskId
    sample: int
    key: str = ""
    round: int = 0


class PlacedRow(NamedTuple):
    """The bytes of a row in a file, its end, and its place in canonical order."""

    rank: int
    line: bytes


class FinalizedCounts(NamedTuple):
    """The number of rows in a finished file, and of those replaced by a later row of the same rank."""

    kept: int
    superseded: int


def read_records(path: Path, kind: type[R], *, torn: Literal["reject", "skip"] = "reject") -> Iterator[R]:
    """The records of a file in its order. A corrupt line is a DataError with its number.

    A last line without an end is what a killed run leaves: "reject" reports it, "skip" is for
    looking at a run that is still being written.
    """
    decode = msgspec.json.Decoder(kind).decode
    with path.open("rb") as file:
        number = 0
        while line := file.readline(_MAX_RECORD):
            number += 1
            if line.endswith(b"\n"):
                yield decode_record(decode, line, path, number)
            elif torn == "reject" or len(line) == _MAX_RECORD:
                hint = "run the same command again: it removes and repeats that row"
                raise DataError(
                    "the last line is incomplete", path=escaped_path(path), line=number, hint=hint
                )


def count_lines(path: Path) -> int:
    """The number of complete lines in a file; 0 without a file."""
    if not path.exists():
        return 0
    with path.open("rb") as file:
        return sum(block.count(b"\n") for block in iter(partial(file.read, _BLOCK), b""))


def placed_rows(path: Path, order: Callable[[Head], int]) -> Iterator[PlacedRow]:
    """The rows of a finished file as they are. Raises DataError for a corrupt one, and for one that is not
    behind the row before it in the order of `order`.
    """
    decode, before = msgspec.json.Decoder(Head).decode, -1
    with path.open("rb") as file:
        number = 0
        while line := file.readline(_MAX_RECORD):
            number += 1
            rank = order(decode_record(decode, line, path, number))
            if rank <= before or not line.endswith(b"\n"):
                hint = "run the same command again, which sorts the rows"
                raise DataError("the row is out of order", path=escaped_path(path), line=number, hint=hint)
            yield PlacedRow(rank, line)
            before = rank


def finalize(path: Path, order: Callable[[Head], int]) -> FinalizedCounts:
    """Rewrite a finished file in the order of `order(head)`, a dense rank from 0.

    Answers arrive in any order; after this, two runs of the same inputs give equal bytes. Of rows
    with one rank the last stays: a retried answer replaces the one that failed. Memory is an offset a row,
    4 bytes in a file below 4 GiB and 8 in a larger one; to sort the rows would hold the file.
    """
    fd = open_grown(path, 0)
    try:
        lock(fd, path)
        cut_tail(fd)
        if (size := os.fstat(fd).st_size) == 0:
            return FinalizedCounts(0, 0)
        with mmap(fd, size, access=ACCESS_READ) as view:
            return _rewrite(view, path, order)
    finally:
        os.close(fd)


def _rewrite(view: mmap, path: Path, order: Callable[[Head], int]) -> FinalizedCounts:
    offsets, rows, in_order = _offsets(view, path, order)
    if in_order:
        return FinalizedCounts(rows, 0)
    count, seen, none = 0, 0, len(view)
    with replacing(path) as file:
        for offset in offsets:
            if offset == none:
                continue
            count += 1
            seen += file.write(view[offset : view.find(b"\n", offset) + 1])
            if seen >= _MAPPED:
                view.madvise(MADV_DONTNEED)
                seen = 0
    return FinalizedCounts(count, rows - count)


def _offsets(view: mmap, path: Path, order: Callable[[Head], int]) -> tuple[array[int], int, bool]:
    """The start of the last row of each rank (the file's size if there is none), the number of rows, and
    whether the rows are in the order of their ranks already.
    """
    decode = msgspec.json.Decoder(Head).decode
    none = array("I" if len(view) < _FAR else "Q", [len(view)])
    offsets, rows, start, seen, in_order = none[:0], 0, 0, 0, True
    while (end := view.find(b"\n", start)) >= 0:
        rows += 1
        rank = order(decode_record(decode, view[start:end], path, rows))
        if not 0 <= rank < _MAX_RANK:
            raise RunError(f"{escaped_path(path)}:{rows}: a row of rank {rank} is not part of this run")
        if rank < len(offsets):
            in_order = False
        else:
            offsets.extend(none * (rank + 1 - len(offsets)))
        offsets[rank] = start
        start = end + 1
        if start - seen >= _MAPPED:  # release what was read from memory
            view.madvise(MADV_DONTNEED, seen, _MAPPED)
            seen += _MAPPED
    return offsets, rows, in_order


def decode_record(decode: Callable[[bytes], R], line: bytes, path: Path, number: int) -> R:
    """Decode one line of a file of records; `number` is 0 where it is unknown. Raises DataError."""
    try:
        return decode(line)
    except NOT_JSON as error:
        command = f"look at it with `sed -n {number}p {quoted(path)}`; " if number else ""
        hint = f"{command}delete the line to repeat it"
        place = escaped_path(path)
        raise DataError(f"corrupt row: {error}", path=place, line=number or None, hint=hint) from None


def _encode(record: Record) -> bytes:
    try:
        return msgspec.json.encode(record)
    except UnicodeEncodeError:
        # A lone surrogate in a model's text: no UTF-8 file can hold it, so it is written as U+FFFD.
        return msgspec.json.encode(_scrubbed(msgspec.to_builtins(record)))


def _scrubbed(value: object) -> object:
    if isinstance(value, str):
        return replace_lone(value)
    if isinstance(value, dict):
        return {_scrubbed(key): _scrubbed(item) for key, item in value.items()}
    return [_scrubbed(item) for item in value] if isinstance(value, list) else value
