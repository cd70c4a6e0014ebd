"""The lines of an untrusted stream, one at a time and bounded, each with its number and its place.

Only the standard library and the error tree are imported here: a process that must start fast can read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import IO, NamedTuple

from benchwright.errors import DataError
from benchwright.store.files import READ_ERRORS, broken_off

MAX_LINE = 16 << 20
BOM = b"\xef\xbb\xbf"
UTF16 = (b"\xff\xfe", b"\xfe\xff")
# First bytes of files that a user takes for rows: https://www.garykessler.net/library/file_sigs.html
_OTHER_KINDS = {
    b"PK\x03\x04": "a zip archive, or a document of an office program",
    b"%PDF": "a PDF document",
    b"\x89PNG": "a PNG image",
    b"SQLite format 3\0": "a SQLite database",
    b"\x28\xb5\x2f\xfd": "compressed with Zstandard",
    b"\xfd7zXZ": "compressed with xz",
    b"BZh": "compressed with bzip2",
}


class UnreadableRowError(DataError):
    """A row that cannot be read, in a file that can be read beyond it; `reason` is a code for counting."""

    def __init__(self, message: str, *, reason: str, path: str, line: int, hint: str | None = None) -> None:
        self.reason = reason
        super().__init__(message, path=path, line=line, hint=hint)


Refusal = Callable[[DataError], None]  # called with the error of a row; without one, the error is raised


class Line(NamedTuple):
    """The bytes of one line without white space around them: its number (1-based) and their offset."""

    number: int
    offset: int
    data: bytes


def scan_lines(stream: IO[bytes], path: str, *, max_line: int = MAX_LINE) -> Iterator[Line]:
    """The lines of a stream that are not blank; a byte-order mark before the first is skipped."""
    for number, offset, data in whole_lines(stream, path, max_line=max_line):
        rest = data.lstrip()
        if rest:
            yield Line(number, offset + len(data) - len(rest), rest.rstrip())


def whole_lines(
    stream: IO[bytes], path: str, *, max_line: int = MAX_LINE, refuse: Refusal | None = None
) -> Iterator[Line]:
    """All lines of a stream with their ends; a byte-order mark before the first is skipped.

    With `refuse`, a line that is too long is refused and read as a blank one; offsets are wrong after it.
    """
    number = end = 0
    while data := _read_line(stream, path, number + 1, max_line, refuse):
        number += 1
        end += len(data)
        rest = _without_mark(data, path) if number == 1 else data
        yield Line(number, end - len(rest), rest)


def _read_line(stream: IO[bytes], path: str, number: int, limit: int, refuse: Refusal | None) -> bytes:
    try:
        data = stream.readline(limit + 1)
        if len(data) <= limit or data.endswith(b"\n"):
            return data
        message, hint = f"the line is longer than {limit:,} bytes", "write one JSON object a line"
        error = UnreadableRowError(message, reason="line_too_long", path=path, line=number, hint=hint)
        if refuse is None:
            raise error
        refuse(error)
        for part in iter(partial(stream.readline, limit), b""):
            if part.endswith(b"\n"):
                break
        return b"\n"
    except READ_ERRORS as error:
        raise broken_off(error, path, number) from None


def _without_mark(data: bytes, path: str) -> bytes:
    if data.startswith(UTF16):
        hint = "convert it: `iconv -f UTF-16 -t UTF-8 OLD > NEW`"
        raise DataError("the file is UTF-16, not UTF-8", path=path, line=1, hint=hint)
    if kind := next((kind for start, kind in _OTHER_KINDS.items() if data.startswith(start)), ""):
        hint = "unpack it, or convert it to JSON Lines: one JSON object a line"
        raise DataError(f"the file is {kind}, not text", path=path, line=1, hint=hint)
    return data.removeprefix(BOM)
