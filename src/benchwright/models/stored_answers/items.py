"""The items of a stored file, one at a time: rows, texts or lists, with the key or place of their task.

The content decides how a file is read, not its name: JSON Lines, a JSON array, a JSON object with a member
for each task, objects one after the other, CSV, Parquet; plain, gzip or zip. One item is held at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.display.escape import escaped_path, quoted
from benchwright.errors import DataError, command_name
from benchwright.models.stored_answers.names import ANSWER_NAMES, ID_NAMES, plain
from benchwright.models.stored_answers.tables import is_table, read_table
from benchwright.store.documents import DocumentMember, read_document, read_members, read_values
from benchwright.store.files import READ_ERRORS, broken_off, is_parquet, open_binary
from benchwright.store.lines import MAX_LINE, scan_lines
from benchwright.store.parquet import read_parquet
from benchwright.store.strict_json import JsonOrigin, parse_value

# Around the rows of a document: what lies under one of these keys is looked through in the document's place.
WRAPPERS = frozenset(
    {
        *("data", "eval", "samples", "results", "rows", "records", "items", "examples", "details"),
        *("generations", "predictions", "completions", "responses", "answers", "outputs", "solutions"),
    }
)
_ZIP = b"PK\x03\x04"
_START = 1 << 12
_INSPECT = {"status", "eval", "samples"}  # what a log of Inspect has at its top


class StoredItem(NamedTuple):
    """What a file has of one answer or of one task's: a row, a text or a list."""

    place: JsonOrigin
    value: Any
    key: str | None = None  # what the file calls the task, where that stands beside the value
    position: int = 0  # the item's own place, from 0 on
    form: str = ""  # "solution" of a file that is a whole program


class Container(NamedTuple):
    """A file by its form, in words, and its items: a function, since they may be read twice."""

    form: str
    items: Callable[[], Iterator[StoredItem]]


def open_container(path: Path) -> Container:
    """The form of a file. Raises DataError for one that is none of the known forms."""
    place = escaped_path(path)
    head = _head(path, place)
    if head.startswith(_ZIP):
        raise _is_archive(path, place)
    if is_parquet(path):
        return Container("Parquet", lambda: _parquet(path, place))
    if head.startswith(b"["):
        return _array(path, place)
    if head.startswith(b"{"):
        return _objects(path, place)
    if is_table(head):
        return Container("CSV", lambda: _table(path, place))
    return Container("JSON Lines", lambda: _lines(path, place))


def _head(path: Path, place: str) -> bytes:
    with open_binary(path) as stream:
        try:
            return stream.peek(_START).removeprefix(b"\xef\xbb\xbf").lstrip()
        except READ_ERRORS as error:
            raise broken_off(error, place, 1) from None


def _is_archive(path: Path, place: str) -> DataError:
    if path.suffix == ".eval":
        return _is_inspect(path, place)
    hint = f"unpack it first: unzip {quoted(path)} -d answers, then name the folder"
    return DataError("this is a zip archive", path=place, hint=hint)


def _is_inspect(path: Path, place: str) -> DataError:
    hint = f"{command_name()} import inspect {quoted(path)} --out answers.jsonl"
    return DataError("this is a log of Inspect, not a file of answers", path=place, hint=hint)


# One form after the other.


def _array(path: Path, place: str) -> Container:
    if _has_more_lines(path, place, b"["):
        return Container("JSON Lines", lambda: _lines(path, place))
    return Container("a JSON array", lambda: _elements(path, place))


def _objects(path: Path, place: str) -> Container:
    line = _first_line(path, place)
    if line.endswith(b"}") and (_parsed(line) is None or _has_more_lines(path, place)):
        return Container("JSON Lines", lambda: _lines(path, place))
    first, is_one = _first_value(path, place)
    if not is_one:
        form = (
            "JSON objects with commas between" if line.endswith(b",") else "JSON objects over several lines"
        )
        return Container(form, lambda: _values(path, place))
    if isinstance(first, dict) and names_task(first):
        return Container("JSON Lines", lambda: _values(path, place))
    return Container("a JSON object", lambda: _members(path, place))


def _first_value(path: Path, place: str) -> tuple[Any, bool]:
    """The first value of a file, None where it is too long for a row, and whether it is the only one."""
    with open_binary(path) as stream:
        values = read_values(stream, place, max_item=MAX_LINE)
        try:
            first = next(values, (1, b""))
            return _parsed(first[1]), next(values, None) is None
        except DataError:
            return None, True


def names_task(value: dict[str, Any]) -> bool:
    """Whether an object is a row that says its task, not tasks with their answers."""
    names = {plain(name) for name, each in value.items() if isinstance(each, str | int)}
    return bool(names & frozenset(ID_NAMES))


def _parsed(line: bytes) -> Any:
    try:
        return parse_value(line, JsonOrigin("", 1), surrogates="replace")
    except DataError:
        return None


def _first_line(path: Path, place: str) -> bytes:
    """The first line; empty where it is longer than any row may be."""
    with open_binary(path) as stream:
        try:
            return next((data for _, _, data in scan_lines(stream, place)), b"")
        except DataError:
            return b""


def _has_more_lines(path: Path, place: str, start: bytes = b"") -> bool:
    """Whether the first line is a whole value and another value begins on the next one."""
    with open_binary(path) as stream:
        try:
            lines = scan_lines(stream, place)
            first, second = next(lines, None), next(lines, None)
        except DataError:
            return False
        if first is None or second is None or not second.data.startswith(start):
            return False
        return _parsed(first.data) is not None


def _lines(path: Path, place: str) -> Iterator[StoredItem]:
    with open_binary(path) as stream:
        for position, (number, _, data) in enumerate(scan_lines(stream, place)):
            yield _item(data, place, number, position)


def _elements(path: Path, place: str) -> Iterator[StoredItem]:
    with open_binary(path) as stream:
        for position, (number, data) in enumerate(read_document(stream, place, max_item=MAX_LINE)):
            yield _item(data, place, number, position)


def _values(path: Path, place: str) -> Iterator[StoredItem]:
    with open_binary(path) as stream:
        for position, (number, data) in enumerate(read_values(stream, place, max_item=MAX_LINE)):
            yield _item(data, place, number, position)


def _members(path: Path, place: str) -> Iterator[StoredItem]:
    """The members that hold answers: those under a key such as "samples", where there is one, else all."""
    chosen = _wrapper(path, place)
    with open_binary(path) as stream:
        members = read_members(stream, place, opened=WRAPPERS, max_item=MAX_LINE)
        kept = (each for each in members if each.opened == chosen)
        for position, (number, key, data, _) in enumerate(kept):
            yield _item(data, place, number, position, key)


def _wrapper(path: Path, place: str) -> str:
    """The key whose members or elements are the answers; empty where the document's own members are."""
    first: dict[str, DocumentMember] = {}
    keys: set[str | None] = set()
    with open_binary(path) as stream:
        for member in read_members(stream, place, opened=WRAPPERS, max_item=MAX_LINE):
            keys.add(member.opened or member.key)
            if member.opened:
                first.setdefault(member.opened, member)
    if keys >= _INSPECT:
        raise _is_inspect(path, place)
    likely = [name for name, member in first.items() if _holds_texts(_parsed(member.data))]
    return next(iter([*likely, *first]), "")


def _holds_texts(value: Any) -> bool:
    """Whether a value looks like answers."""
    if isinstance(value, dict):
        return any(plain(name) in ANSWER_NAMES for name in value)
    return isinstance(value, str) or (isinstance(value, list) and any(map(_holds_texts, value)))


def _parquet(path: Path, place: str) -> Iterator[StoredItem]:
    for position, (number, row) in enumerate(read_parquet(path)):
        yield StoredItem(JsonOrigin(place, number), row, None, position)


def _table(path: Path, place: str) -> Iterator[StoredItem]:
    for position, (number, row) in enumerate(read_table(path, place)):
        yield StoredItem(JsonOrigin(place, number), row, None, position)


def _item(data: bytes, place: str, number: int, position: int, key: str | None = None) -> StoredItem:
    origin = JsonOrigin(place, number)
    value = parse_value(data, origin, surrogates="replace")
    return StoredItem(origin, value, key, position)
