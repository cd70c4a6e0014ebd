"""The items of a file of answers: lines, elements of a document, members of an archive, rows of a table."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.display.escape import escaped_path, quoted
from benchwright.errors import DataError, command_name
from benchwright.models.stored_answers.fields import ANSWER_NAMES, ID_NAMES, list_names, plain
from benchwright.store.documents import DocumentMember, read_document, read_members, read_values
from benchwright.store.files import READ_ERRORS, broken_off, is_parquet, open_binary
from benchwright.store.lines import MAX_LINE, scan_lines
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
_INSPECT = {"status", "eval", "samples"}  # top-level keys of a log of Inspect


class StoredItem(NamedTuple):
    """One answer, or the answers of one task, in a file: a row, a text or a list."""

    place: JsonOrigin
    value: Any
    key: str | None = None  # the task's name in the file, if it is separate from the value
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
        members_of_key = (each for each in members if each.opened == chosen)
        for position, (number, key, data, _) in enumerate(members_of_key):
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
    from benchwright.store.parquet import read_parquet  # noqa: PLC0415 (few files are Parquet)

    for position, (number, row) in enumerate(read_parquet(path)):
        yield StoredItem(JsonOrigin(place, number), row, None, position)


def _table(path: Path, place: str) -> Iterator[StoredItem]:
    for position, (number, row) in enumerate(read_table(path, place)):
        yield StoredItem(JsonOrigin(place, number), row, None, position)


def _item(data: bytes, place: str, number: int, position: int, key: str | None = None) -> StoredItem:
    origin = JsonOrigin(place, number)
    value = parse_value(data, origin, surrogates="replace")
    return StoredItem(origin, value, key, position)


_SEPARATORS = ",;\t"
_HINT = 'export it again as JSON Lines: one {"task_id": …, "completion": …} a line'


def is_table(head: bytes) -> bool:
    """Return whether the first line of a file has names of columns, and at least one is known."""
    first = head.split(b"\n", 1)[0].decode("utf-8", "replace").strip()
    names = {plain(each.strip('"')) for each in first.split(_separator(first))}
    return len(names) > 1 and bool(names & {*ANSWER_NAMES, *ID_NAMES})


def read_table(path: Path, place: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The rows of a table with the lines they end on. Raises DataError for what is none."""
    csv.field_size_limit(MAX_LINE)
    with open_binary(path) as stream:
        separator = _separator(stream.peek(MAX_LINE).split(b"\n", 1)[0].decode("utf-8", "replace"))
        text = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="")
        reader = csv.reader(text, delimiter=separator, strict=True)
        try:
            names = next(reader)
            _check_names(names, place)
            for cells in reader:
                if cells:
                    yield reader.line_num, _row(names, cells, place, reader.line_num)
        except UnicodeDecodeError as error:
            hint = "save the file as UTF-8"
            line = reader.line_num + 1
            raise DataError(f"not valid UTF-8 ({error.reason})", path=place, line=line, hint=hint) from None
        except csv.Error as error:
            raise DataError(f"not CSV: {error}", path=place, line=reader.line_num, hint=_HINT) from None
        except READ_ERRORS as error:
            raise broken_off(error, place, reader.line_num) from None


def _separator(line: str) -> str:
    return max(_SEPARATORS, key=line.count)


def _check_names(names: list[str], place: str) -> None:
    repeated_names = [name for name in names if names.count(name) > 1]
    if repeated_names:
        message = f"two columns are named {list_names(repeated_names[:1])}"
        raise DataError(message, path=place, line=1, hint="rename one of them")


def _row(names: list[str], cells: list[str], place: str, line: int) -> dict[str, Any]:
    if len(cells) != len(names):
        message = f"the row has {len(cells)} cells, and the first line names {len(names)} columns"
        raise DataError(message, path=place, line=line, hint=_HINT)
    return dict(zip(names, cells, strict=True))
