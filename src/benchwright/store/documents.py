"""Reading one JSON document as a stream of rows: `[row, …]` or MERA's `{"access": …, "data": [row, …]}`.

Stored answers have two more forms: an object with a member for each task, and a sequence of objects over
several lines.

Parsing the document whole would need about ten times its size in memory. This pull parser finds
where each element ends, and yields its bytes. The caller checks the content of an element; the text between
elements is checked here.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from io import BufferedReader
from typing import NamedTuple, NoReturn

from benchwright.errors import DataError
from benchwright.store.files import BUFFER, READ_ERRORS, broken_off
from benchwright.store.strict_json import JsonOrigin, parse_value

MAX_DOCUMENT = 1 << 30
_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*"|["\[\]{}]', re.DOTALL)
_SCALAR_END = re.compile(rb"[\s,\]}]")
_SPACE = re.compile(rb"\s*")

Element = tuple[int, bytes]  # the line it starts on, its bytes


class DocumentMember(NamedTuple):
    """A member of an object: the line on which its value starts, its key, and the bytes of the value.

    `opened` is the key that it lies under, where it is not the document's own; an element has no key.
    """

    line: int
    key: str | None
    data: bytes
    opened: str = ""


def read_document(
    stream: BufferedReader, path: str, *, max_item: int, max_size: int = MAX_DOCUMENT
) -> Iterator[Element]:
    """The elements of a document's array, each as (line, bytes)."""
    window = _Window(stream, path, max_item, max_size)
    if window.next_byte() == b"[":
        yield from _array(window)
    else:
        yield from _members(window)
    if window.next_byte():
        window.fail("there is text after the end of the document")


def read_members(
    stream: BufferedReader,
    path: str,
    *,
    opened: Collection[str],
    max_item: int,
    max_size: int = MAX_DOCUMENT,
) -> Iterator[DocumentMember]:
    """The members of a document that is one object.

    An array or object under one of the keys `opened` is not yielded as a whole: its elements or members are
    yielded instead.
    """
    window = _Window(stream, path, max_item, max_size)
    for line, key in _keys(window):
        first = window.next_byte()
        if key in opened and first == b"[":
            yield from (DocumentMember(at, None, raw, key) for at, raw in _array(window))
        elif key in opened and first == b"{":
            for _, name in _keys(window):
                at, raw = window.value()
                yield DocumentMember(at, name, raw, key)
        else:
            _, raw = window.value()
            yield DocumentMember(line, key, raw)
    if window.next_byte():
        window.fail("there is text after the end of the document")


def read_values(
    stream: BufferedReader, path: str, *, max_item: int, max_size: int = MAX_DOCUMENT
) -> Iterator[Element]:
    """Yield the JSON values of a sequence, over any number of lines, with or without commas between them."""
    window = _Window(stream, path, max_item, max_size)
    while window.next_byte():
        yield window.value()
        if window.next_byte() == b",":
            window.expect(b",")


def _keys(window: _Window) -> Iterator[tuple[int, str]]:
    """Yield the keys of an object with their lines; the caller reads each value before the next key."""
    window.expect(b"{")
    if window.next_byte() == b"}":
        window.expect(b"}")
        return
    seen: set[str] = set()
    while True:
        line, raw = window.value()
        key = parse_value(raw, JsonOrigin(window.path, line), surrogates="replace")
        if not isinstance(key, str) or key in seen:
            window.fail("a key is not a string, or appears twice")
        seen.add(key)
        window.expect(b":")
        yield line, key
        if window.expect(b",", b"}") == b"}":
            return


def _members(window: _Window) -> Iterator[Element]:
    """Yield the elements under the key "data"; other members are checked and skipped."""
    for _, key in _keys(window):
        if key == "data":
            yield from _array(window)
        else:
            line, raw = window.value()
            parse_value(raw, JsonOrigin(window.path, line))


def _array(window: _Window) -> Iterator[Element]:
    window.expect(b"[")
    if window.next_byte() == b"]":
        window.expect(b"]")
        return
    while True:
        yield window.value()
        if window.expect(b",", b"]") == b"]":
            return


class _Window:
    """The part of the document that is in memory: at most one element and one buffer."""

    def __init__(self, stream: BufferedReader, path: str, max_item: int, max_size: int) -> None:
        self.path, self._stream = path, stream
        self._max_item, self._bytes_left = max_item, max_size
        self._buffer, self._at, self._line = b"", 0, 1
        if self._fill() and self._buffer.startswith(b"\xef\xbb\xbf"):
            self._at = 3

    def fail(self, message: str) -> NoReturn:
        hint = 'a document is [row, …] or {"data": [row, …]}; `python -m json.tool` shows the fault'
        raise DataError(message, path=self.path, line=self._line, hint=hint)

    def next_byte(self) -> bytes:
        """The next byte that is not white space, left in place; empty at the end."""
        while True:
            match = _SPACE.match(self._buffer, self._at)
            self._move(match.end() if match else self._at)
            if self._at < len(self._buffer):
                return self._buffer[self._at : self._at + 1]
            if not self._fill():
                return b""

    def expect(self, *wanted: bytes) -> bytes:
        """Take the next byte, which must be one of those wanted."""
        found = self.next_byte()
        if found not in wanted:
            names = " or ".join(f"`{byte.decode()}`" for byte in wanted)
            self.fail(f"expected {names}, found {found!r}" if found else f"the document ends before {names}")
        self._at += 1
        return found

    def value(self) -> Element:
        """Take one value, from its first byte to its last."""
        first = self.next_byte()
        end = self._nested_end() if first in (b'"', b"[", b"{") else self._scalar_end()
        element = (self._line, self._buffer[self._at : end])
        self._move(end)
        return element

    def _scalar_end(self) -> int:
        while not (match := _SCALAR_END.search(self._buffer, self._at)):
            if not self._more():
                self.fail("the document ends inside a value")
        return match.start()

    def _nested_end(self) -> int:
        depth, at = 0, self._at
        while True:
            for match in _TOKEN.finditer(self._buffer, at):
                token = match.group()
                at = match.end()
                if token == b'"':  # the string continues after the window: read it again with more
                    at = match.start()
                    break
                depth += (token in (b"[", b"{")) - (token in (b"]", b"}"))
                if depth == 0:
                    return at
            else:
                at = len(self._buffer)
            at -= self._at  # more() drops what was read, so remember the distance, not the place
            if not self._more():
                self.fail("the document ends inside a value")
            at += self._at

    def _more(self) -> bool:
        if len(self._buffer) - self._at > self._max_item:
            self.fail(f"an element is longer than {self._max_item:,} bytes")
        return self._fill()

    def _fill(self) -> bool:
        """Read at least as many bytes as are buffered, so that a long element is not scanned repeatedly."""
        remainder = self._buffer[self._at :]
        try:
            chunk = self._stream.read(max(BUFFER, len(remainder)))
        except READ_ERRORS as error:
            raise broken_off(error, self.path, self._line) from None
        self._bytes_left -= len(chunk)
        if self._bytes_left < 0:
            self.fail("the document is too large; JSON Lines has no limit")
        self._buffer, self._at = remainder + chunk, 0
        return bool(chunk)

    def _move(self, to: int) -> None:
        self._line += self._buffer.count(b"\n", self._at, to)
        self._at = to
