"""Reads a file of lines while another process adds to it, each line once.

A last line without an end is left for the next call: its writer still adds to it, or was killed. A file that
was replaced, cut or removed is read from its start again.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from io import BufferedReader
from pathlib import Path
from typing import NamedTuple

MAX_LINE = 64 << 20  # bytes of a line; the limit of records in run folders
BUDGET = 16 << 20  # bytes that `parts` reads
PART = 1 << 20  # bytes of lines that are held at once
_MARK = 64  # bytes before the place that was reached, to recognize the file


class TailLine(NamedTuple):
    """A complete line without its end; `data` is None if it is longer than the limit."""

    number: int  # 1-based
    offset: int
    data: bytes | None


class TailPart(NamedTuple):
    """The lines of one call, and the bytes of an incomplete one (`partial`).

    `restarted`: the lines are from the start of another file.
    """

    lines: list[TailLine]
    restarted: bool
    at_end: bool
    partial: int


class LineTail:
    """The place reached in a growing file."""

    def __init__(self, path: Path, *, most: int = MAX_LINE) -> None:
        self._path, self._most = path, most
        self._file: tuple[int, int] | None = None
        self._begin()

    def _begin(self) -> None:
        self._offset = self._line_at = self._number = 0
        self._skipping = False
        self._mark = b""

    def parts(self, budget: int = BUDGET) -> Iterator[TailPart]:
        """The parts of the next `budget` bytes or so, until the end of the file; at least one."""
        for _ in range(max(1, budget // PART)):
            part = self.read(PART)
            yield part
            if part.at_end:
                return

    def read(self, budget: int = PART) -> TailPart:
        """The lines that were completed since the last call, until about `budget` bytes are read.

        Raises OSError if the file cannot be read; a missing file and a pipe or device are empty.
        """
        file = _open(self._path)
        if file is None:
            restarted, self._file = self._file is not None, None
            self._begin()
            return TailPart([], restarted, at_end=True, partial=0)
        with file:
            restarted = self._has_changed(file)
            if restarted:
                self._begin()
            lines, rest = self._lines(file, budget)
            self._remember(file)
        return TailPart(lines, restarted, at_end=rest is not None, partial=rest or 0)

    def _has_changed(self, file: BufferedReader) -> bool:
        state = os.fstat(file.fileno())
        before, self._file = self._file, (state.st_dev, state.st_ino)
        if before is None:
            return False
        mark = os.pread(file.fileno(), len(self._mark), self._offset - len(self._mark))
        return before != self._file or state.st_size < self._offset or mark != self._mark

    def _remember(self, file: BufferedReader) -> None:
        size = min(_MARK, self._offset)
        self._mark = os.pread(file.fileno(), size, self._offset - size)

    def _lines(self, file: BufferedReader, budget: int) -> tuple[list[TailLine], int | None]:
        """The lines, and the bytes of an incomplete one after them; None if the budget ended the reading."""
        lines: list[TailLine] = []
        start = file.seek(self._offset)
        while self._offset - start < budget:
            part = file.readline(self._most + 1)
            if not part.endswith(b"\n") and len(part) <= self._most and not self._skipping:
                return lines, len(part)
            if not part:
                return lines, self._offset - self._line_at
            self._offset += len(part)
            if not part.endswith(b"\n"):
                self._skipping = True
                continue
            self._number += 1
            lines.append(TailLine(self._number, self._line_at, None if self._skipping else part[:-1]))
            self._line_at, self._skipping = self._offset, False
        return lines, None


def _open(path: Path) -> BufferedReader | None:
    """The file to read; None if there is no regular file. A pipe would never end, and is not waited for."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        return None
    return open(fd, "rb")
