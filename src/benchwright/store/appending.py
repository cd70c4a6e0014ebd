"""Append-only files of records that survive `kill -9`: one record a line, one write a record.

A reader or a resumed run can meet only three states: whole lines, whole lines and one torn tail, or
(after a damaged disk or a hand edit) a corrupt line. The first two are normal; the third is a DataError.
There is no fsync per record: after a kill the kernel still holds all that was written, and after a
power cut the torn tail is cut and done again, which costs less than thousands of flushes.
"""

from __future__ import annotations

import fcntl
import os
from array import array
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Literal, NamedTuple, TypeVar

import msgspec

from benchwright.display.escape import escaped_path, quoted
from benchwright.errors import DataError, RunError
from benchwright.records import Record, TaskId
from benchwright.store.atomic import replacing, write_error
from benchwright.store.strict_json import replace_lone

_BLOCK = 1 << 16
_MAX_RECORD = 64 << 20
_MAX_RANK = 1 << 28


R = TypeVar("R")


class Appender:
    """The one writer of a JSONL file. `cut` is how many bytes of a torn last line were removed.

    Opening takes an exclusive advisory lock, so a second run on the same file is refused instead of
    mixing its lines in.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._fd = _open(path, os.O_CREAT)
        try:
            lock(self._fd, path)
            self.cut = _cut_tail(self._fd)
        except BaseException:
            os.close(self._fd)
            raise

    def append(self, record: Record) -> None:
        """Write one record with one `write`."""
        self._write(_encode(record) + b"\n")

    def append_all(self, records: Iterable[Record]) -> None:
        """Write a small batch with one `write`; a kill keeps its first whole lines at least."""
        if batch := b"".join(_encode(record) + b"\n" for record in records):
            self._write(batch)

    def close(self) -> None:
        """Flush to the disk and give the lock back. A second call does nothing."""
        if self._fd >= 0:
            fd, self._fd = self._fd, -1
            try:
                os.fsync(fd)
            except OSError as error:
                raise write_error(error, self.path) from None
            finally:
                os.close(fd)

    def __enter__(self) -> Appender:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _write(self, data: bytes) -> None:
        done = 0
        try:
            while done < len(data):
                # A short write is how a full disk begins: the rest either fits or raises.
                done += os.write(self._fd, data[done:])
        except OSError as error:
            os.ftruncate(self._fd, os.fstat(self._fd).st_size - done)
            raise write_error(error, self.path) from None


class Head(msgspec.Struct, frozen=True):
    """The part of an answer or a verdict that says which one it is."""

    task_id: TaskId
    sample: int
    key: str = ""


class Finalized(NamedTuple):
    """How many rows a finished file keeps, and how many a later row of the same rank replaced."""

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
                yield _decode(decode, line, path, number)
            elif torn == "reject" or len(line) == _MAX_RECORD:
                hint = "run the same command again: it cuts the torn line and does that row again"
                raise DataError("the last line is torn", path=escaped_path(path), line=number, hint=hint)


def finalize(path: Path, order: Callable[[Head], int]) -> Finalized:
    """Rewrite a finished file in the order of `order(head)`, a dense rank from 0.

    Answers arrive in any order; after this, two runs of the same inputs give equal bytes. Of rows
    with one rank the last stays: a retried answer replaces the one that failed. Memory is 8 bytes a
    row (an offset each); the alternative, sorting the rows, would hold the file.
    """
    fd = _open(path, 0)
    try:
        lock(fd, path)
        _cut_tail(fd)
        if (size := os.fstat(fd).st_size) == 0:
            return Finalized(0, 0)
        with mmap(fd, size, access=ACCESS_READ) as view:
            return _rewrite(view, path, order)
    finally:
        os.close(fd)


def lock(fd: int, path: Path) -> None:
    """Take an exclusive lock, held until `fd` is closed. RunError when someone else has it."""
    hint = "wait for the other run to end, or choose another folder with `--out OTHER`"
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # The holder of the lock may have replaced the file between our open and our lock.
        current = os.path.samestat(os.fstat(fd), path.stat())
    except (BlockingIOError, FileNotFoundError):
        current = False
    except OSError as error:
        local = "choose a folder on a local disk with `--out OTHER`"
        raise RunError(f"{escaped_path(path)} cannot be locked: {error.strerror}", hint=local) from None
    if not current:
        raise RunError(f"{escaped_path(path)} is being written by another run", hint=hint)


def _rewrite(view: mmap, path: Path, order: Callable[[Head], int]) -> Finalized:
    offsets, rows = _offsets(view, path, order)
    kept = sum(offset >= 0 for offset in offsets)
    if rows == kept and all(first < second for first, second in pairwise(offsets)):
        return Finalized(kept, 0)
    with replacing(path) as file:
        for offset in offsets:
            if offset >= 0:
                file.write(view[offset : view.find(b"\n", offset) + 1])
    return Finalized(kept, rows - kept)


def _offsets(view: mmap, path: Path, order: Callable[[Head], int]) -> tuple[array[int], int]:
    """Where the last row of each rank starts (-1: none), and how many rows there are."""
    decode = msgspec.json.Decoder(Head).decode
    offsets, rows, start = array("q"), 0, 0
    while (end := view.find(b"\n", start)) >= 0:
        rows += 1
        rank = order(_decode(decode, view[start:end], path, rows))
        if not 0 <= rank < _MAX_RANK:
            raise RunError(f"{escaped_path(path)}:{rows}: a row of rank {rank} is not part of this run")
        if rank >= len(offsets):
            offsets.extend(array("q", [-1]) * (rank + 1 - len(offsets)))
        offsets[rank] = start
        start = end + 1
    return offsets, rows


def _decode(decode: Callable[[bytes], R], line: bytes, path: Path, number: int) -> R:
    try:
        return decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        hint = f"look at it with `sed -n {number}p {quoted(path)}`; delete the line to have it done again"
        raise DataError(f"corrupt row: {error}", path=escaped_path(path), line=number, hint=hint) from None


def _open(path: Path, flags: int) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | flags, 0o644)
    except OSError as error:
        raise write_error(error, path) from None


def _cut_tail(fd: int) -> int:
    """Truncate to just after the last line end; the number of bytes that went."""
    size = end = os.fstat(fd).st_size
    while end > 0:
        start = max(0, end - _BLOCK)
        found = os.pread(fd, end - start, start).rfind(b"\n")
        if found >= 0:
            end = start + found + 1
            break
        end = start
    if end < size:
        os.ftruncate(fd, end)
    return size - end


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
