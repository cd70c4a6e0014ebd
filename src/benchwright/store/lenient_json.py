"""Read JSON that people wrote: rows in any layout, with repairs of missing and trailing commas."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from io import BufferedReader
from pathlib import Path
from typing import Any, Literal, NamedTuple

from benchwright.display.escape import escaped_name, escaped_path
from benchwright.errors import DataError
from benchwright.records import Record
from benchwright.store.data_files import files
from benchwright.store.files import BUFFER, is_parquet, open_binary
from benchwright.store.lines import BOM, MAX_LINE, Row, is_document, read_rows, single_object, whole_lines
from benchwright.store.parquet import read_parquet
from benchwright.store.scanning import UnreadableRowError
from benchwright.store.strict_json import JsonOrigin, parse_object

_TOKEN = re.compile(rb'"(?:[^"\\\n]++|\\[^\n])*"|[\[\]{}]|"')
_BETWEEN = re.compile(rb"[\s,\[\]]*")
_BREAK_MESSAGE = "the record breaks off"
_HINT = "a record is one JSON object, on one line or several; `python -m json.tool` shows the fault"

Refuse = Callable[[DataError], None]


class RecordText(NamedTuple):
    """A record from its opening to its closing brace, or invalid text; with its first line and column."""

    data: bytes
    line: int
    column: int = 1
    fault: str = ""


def read_loose(
    source: str | Path, *, refuse: Refuse | None = None, repaired: Callable[[JsonRepair], None] | None = None
) -> Iterator[Row]:
    """The rows of a data set, one at a time; Parquet and documents with a "data" member are read as well.

    `refuse` receives the error of each unreadable record; without it, the error is raised. `repaired`
    receives each repair; without it, nothing is repaired. Raises DataError if the rest of the file is
    unreadable.
    """
    for path in files(source):
        if is_parquet(path):
            yield from read_parquet(path)
        elif _is_member(path):
            yield from read_rows(path, refuse=refuse)
        else:
            yield from _read(path, refuse, repaired)


def _is_member(path: Path) -> bool:
    """Whether the file is one document with rows under "data", or one row over several lines."""
    with open_binary(path) as stream:
        if single_object(stream, escaped_path(path)):
            return True
        head = stream.peek(BUFFER) if is_document(stream, escaped_path(path)) else b""
        return head.removeprefix(BOM).lstrip().startswith(b"{")


def _read(path: Path, refuse: Refuse | None, repaired: Callable[[JsonRepair], None] | None) -> Iterator[Row]:
    place = escaped_path(path)
    with open_binary(path) as stream:
        for piece in pieces(stream, place, refuse=refuse):
            try:
                yield Row(piece.line, _parsed(piece, place, repaired))
            except DataError as error:
                if refuse is None:
                    raise
                refuse(error)


def _parsed(piece: RecordText, path: str, repaired: Callable[[JsonRepair], None] | None) -> dict[str, Any]:
    origin = JsonOrigin(path, piece.line)
    if piece.fault:
        reason = "record_cut" if piece.fault.startswith(_BREAK_MESSAGE) else "not_a_record"
        raise UnreadableRowError(piece.fault, reason=reason, path=path, line=piece.line, hint=_HINT)
    try:
        return parse_object(piece.data, origin)
    except DataError as error:
        if not _is_utf8(piece.data):
            raise UnreadableRowError(error.what, reason="not_utf8", path=path, line=piece.line) from None
        mended = _mended(piece, path)
        if not mended.repairs:
            raise _explained(error, piece, mended.text) from None
        if repaired is None:
            raise _unrepaired(mended.repairs[0]) from None
    try:
        row = parse_object(mended.text.encode(), origin)
    except DataError as error:
        raise _explained(error, piece, mended.text) from None
    for each in mended.repairs:
        repaired(each)
    return row


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _mended(piece: RecordText, path: str) -> RepairedJson:
    try:
        text = piece.data.decode()
    except UnicodeDecodeError:
        return RepairedJson("", [])
    return mend(text, Place(path, piece.line, piece.column))


def _unrepaired(repair: JsonRepair) -> DataError:
    message = f"not JSON: {repair.fault} at column {repair.column} near `{repair.near}`"
    hint = "leave out --strict to repair such commas; each repair is reported"
    return DataError(message, path=repair.path, line=repair.line, hint=hint)


def _explained(error: DataError, piece: RecordText, text: str) -> DataError:
    """Return the error with the line and column of invalid JSON, if that is the fault."""
    try:
        json.loads(text or "{}")
    except json.JSONDecodeError as found:
        line = piece.line + found.lineno - 1
        column = found.colno + (piece.column - 1 if found.lineno == 1 else 0)
        near = escaped_name(text[found.pos : found.pos + 40].partition("\n")[0], 24)
        message = f"not JSON: {found.msg.lower()} at column {column} near `{near}`"
        return DataError(message, path=error.path, line=line, hint=_HINT)
    except (RecursionError, ValueError):  # the error itself says that
        pass
    return error


def pieces(
    stream: BufferedReader, path: str, *, most: int = MAX_LINE, refuse: Refuse | None = None
) -> Iterator[RecordText]:
    """Yield the records of a stream, and the text between them; holds little more than `most` bytes.

    Reads each byte at most twice.
    """
    scan = _Scan()
    for number, _, data in whole_lines(stream, path, refuse=refuse):
        yield from scan.take(_Part(data, number))
        if scan.is_broken or scan.size > most:
            yield from scan.give_up()
    if scan.parts:
        yield from scan.give_up()
    yield from scan.refused()


class _Part(NamedTuple):
    """A part of a line, and its position."""

    data: bytes
    line: int
    column: int = 1


class _Scan:
    """Splits lines into records; its state is outside a record, or inside one."""

    def __init__(self) -> None:
        self.parts: list[_Part] = []  # of the record that is open, from its brace on
        self.size, self.is_broken = 0, False
        self._depth, self._indent = 0, b""
        self._none: RecordText | None = None  # an invalid record, reported when its end is known
        self._resume: bytes | None = None  # after a broken record: the start of the next one

    def take(self, part: _Part) -> Iterator[RecordText]:
        """Yield the records that end on a line, and invalid ones before them."""
        if self._resume is not None:
            if not part.data.startswith(self._resume):
                return
            self._resume = None
        at = 0
        while at < len(part.data):
            if not self.parts:
                at = self._opening(part, at)
                if at < 0:
                    return
                yield from self.refused()
            end = self._closing(part.data, at)
            column = part.column + len(part.data[:at].decode("utf-8", "replace"))
            self.parts.append(_Part(part.data[at:end], part.line, column))
            self.size += end - at
            at = end
            if not (self._depth or self.is_broken):
                yield self._end_record()

    def refused(self) -> Iterator[RecordText]:
        """Return the invalid record that was found since the last valid one."""
        if self._none is not None:
            yield self._none
        self._none = None

    def give_up(self) -> Iterator[RecordText]:
        """End the open record and read its parts again: a line that begins with a brace, indented as the
        record is, opens another."""
        parts, start = self.parts, self._indent + b"{"
        self._reset()
        chunks = [[parts[0]]]
        for part in parts[1:]:
            if part.data.startswith(start):
                chunks.append([])
            chunks[-1].append(part)
        for chunk in chunks:
            again = _Scan()
            for part in chunk:
                yield from again.take(part)
            yield from again.refused()
            if again.parts:
                yield from self.refused()
                self._break_off(again, start)

    def _break_off(self, scan: _Scan, start: bytes) -> None:
        why = "a string does not end on its line" if scan.is_broken else "its brackets do not close"
        first = scan.parts[0]
        self._none = RecordText(b"", first.line, first.column, fault=f"{_BREAK_MESSAGE}: {why}")
        self._resume = start

    def _opening(self, part: _Part, at: int) -> int:
        """The position of the next brace that opens a record; -1 if there is none."""
        found = part.data.find(b"{", at)
        text = part.data[at:found] if found >= 0 else part.data[at:]
        if _BETWEEN.fullmatch(text) is None and self._none is None:
            excerpt = escaped_name(text.decode("utf-8", "replace").strip(), 40)
            self._none = RecordText(b"", part.line, fault=f"text outside of any record: `{excerpt}`")
        before = part.data[:found]
        self._indent = before if not before.strip() else b""
        return found

    def _closing(self, data: bytes, at: int) -> int:
        """The position after the bracket that closes the record, or the end of the line."""
        for found in _TOKEN.finditer(data, at):
            token = found[0]
            if token == b'"':
                self.is_broken = True
                break
            if len(token) == 1:
                self._depth += 1 if token in b"[{" else -1
            if not self._depth:
                return found.end()
        return len(data)

    def _end_record(self) -> RecordText:
        first = self.parts[0]
        piece = RecordText(b"".join(part.data for part in self.parts), first.line, first.column)
        self._reset()
        return piece

    def _reset(self) -> None:
        self.parts, self.size, self.is_broken, self._depth = [], 0, False, 0


MOST = 1000  # repairs of one record; more are not typing errors
_JSON_TOKEN = re.compile(r'"(?:[^"\\\n]++|\\[^\n])*"|[\[\]{},:]|[^\s"\[\]{},:]++|"')
_SIGNS = frozenset("[]{},:")

Fault = Literal["missing comma", "trailing comma"]


class JsonRepair(Record, frozen=True, kw_only=True):
    """A repair of a missing or superfluous comma; line and column are counted from 1."""

    path: str
    line: int
    column: int
    fault: Fault
    near: str  # text at that place, escaped

    def __str__(self) -> str:
        done = "added" if self.fault == "missing comma" else "removed"
        return f"{self.path}:{self.line}:{self.column}: {self.fault} {done} near `{self.near}`"


class Place(NamedTuple):
    """The start of a text: file, line and column, counted from 1."""

    path: str
    line: int = 1
    column: int = 1


class RepairedJson(NamedTuple):
    """A text and its repairs; without repairs, `text` is the given object."""

    text: str
    repairs: list[JsonRepair]


class _Token(NamedTuple):
    text: str
    start: int
    end: int


def mend(text: str, place: Place) -> RepairedJson:
    """Repair missing and trailing commas of a text. Valid JSON is never changed.

    A text with a string that does not end on its line is not changed, because the positions of its
    members are unknown; nor is a text that needs more than MOST repairs.
    """
    tokens = [_Token(found[0], *found.span()) for found in _JSON_TOKEN.finditer(text)]
    if any(token.text == '"' for token in tokens):
        return RepairedJson(text, [])
    faults = _faults(tokens)
    if not faults or len(faults) > MOST:
        return RepairedJson(text, [])
    parts, done = [], 0
    for fault, at in faults:
        parts.append(text[done:at])
        parts.append("," if fault == "missing comma" else "")
        done = at if fault == "missing comma" else at + 1
    return RepairedJson("".join([*parts, text[done:]]), _repairs(text, faults, place))


def _faults(tokens: list[_Token]) -> list[tuple[Fault, int]]:
    """Yield each fault with its offset, in order."""
    faults: list[tuple[Fault, int]] = []
    inside: list[str] = []
    before, is_value = _Token("", 0, 0), False  # the token before, and whether it ends a value
    following = [*(each.text for each in tokens), ""][1:]
    for token, after in zip(tokens, following, strict=True):
        in_object = bool(inside) and inside[-1] == "{"
        if token.text == "," and is_value and inside and after in ("]", "}"):
            faults.append(("trailing comma", token.start))
            continue  # so that what ends a value before the comma ends one before the bracket
        if is_value and in_object and token.text[0] == '"' and after == ":":
            faults.append(("missing comma", before.end))
        is_value = _ends_value(token.text, before.text, in_object=in_object)
        _step(inside, token.text)
        before = token
    return faults


def _ends_value(token: str, before: str, *, in_object: bool) -> bool:
    """Whether a token ends a value. In an object, a string without a colon before it is a key."""
    if token in _SIGNS:
        return token in ("]", "}")
    return before == ":" or not in_object


def _step(inside: list[str], token: str) -> None:
    if token in ("[", "{"):
        inside.append(token)
    elif token in ("]", "}") and inside:
        inside.pop()


def _repairs(text: str, faults: list[tuple[Fault, int]], place: Place) -> list[JsonRepair]:
    found, line, begin, done = [], place.line, 1 - place.column, 0
    for fault, at in faults:
        newest = text.rfind("\n", done, at)
        if newest >= 0:
            line += text.count("\n", done, at)
            begin = newest + 1
        done = at
        near = text[max(0, at - 20, begin) : at + 20].partition("\n")[0].strip()
        found.append(
            JsonRepair(
                path=place.path, line=line, column=at - begin + 1, fault=fault, near=escaped_name(near, 44)
            )
        )
    return found
