"""Field maps: the field of each column of a data set, and fields with one value for all tasks."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

from benchwright.display.escape import escaped_name
from benchwright.errors import DataError, nearest_hint
from benchwright.records import Record
from benchwright.store.strict_json import JsonOrigin, parse_value

FieldKind = Literal["text", "list", "json"]  # a list is texts, separated by `|`
SEPARATOR = "|"
ID = "id"
MAX_SHOWN = 8


class FieldMap(Record, frozen=True, kw_only=True):
    """A field map as run.json holds it: {column: field}, and {field: text} for all tasks."""

    columns: dict[str, str] = {}
    values: dict[str, str] = {}

    @property
    def is_empty(self) -> bool:
        """Return whether it changes nothing."""
        return not (self.columns or self.values)


class MappedData(str):
    """The name of a data set, as any other name of one, with the map by which its rows are read.

    `kinds` are all fields of a task. `typed` is False for CSV, whose cells are texts. A row without an id
    gets its number, counted from 1.
    """

    field_map: FieldMap
    kinds: Mapping[str, FieldKind]
    typed: bool

    @classmethod
    def of(
        cls, data: str, field_map: FieldMap, kinds: Mapping[str, FieldKind], *, typed: bool = True
    ) -> MappedData:
        """Return a data set with its map."""
        instance = cls(data)
        instance.field_map, instance.kinds, instance.typed = field_map, kinds, typed
        return instance


class _Place(NamedTuple):
    path: str
    line: int


def mapped_rows(
    rows: Iterable[tuple[int, dict[str, Any]]],
    data: MappedData,
    path: str,
    refuse: Callable[[DataError], None] | None = None,
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield each row by the map. With `columns`, the other columns of the data set are not read, except `id`.

    Raises DataError for a column that the first row lacks, and for a cell that is not what its field holds;
    `refuse`, if given, is called with the latter.
    """
    for number, (line, row) in enumerate(rows, 1):
        place = _Place(path, line)
        if number == 1:
            _check_columns(data.field_map.columns, row, place)
        try:
            yield line, {ID: number, **_mapped(row, data, place)}
        except DataError as error:
            if refuse is None:
                raise
            refuse(error)


def _check_columns(columns: Mapping[str, str], row: Mapping[str, Any], place: _Place) -> None:
    missing = next((column for column in columns if column not in row), None)
    if missing is None:
        return
    listing = ", ".join(escaped_name(name, 30) for name in list(row)[:MAX_SHOWN]) or "nothing"
    more = ", …" if len(row) > MAX_SHOWN else ""
    hint = nearest_hint(missing, row, otherwise=f"its columns are: {listing}{more}")
    message = f"--map: the data set has no column {escaped_name(missing)!r}"
    raise DataError(message, path=place.path, line=place.line, hint=hint)


def _mapped(row: Mapping[str, Any], data: MappedData, place: _Place) -> dict[str, Any]:
    columns, kinds = data.field_map.columns, data.kinds
    if columns:
        read = {columns.get(name, name): value for name, value in row.items() if name in (*columns, ID)}
    else:
        read = dict(row)
    if not data.typed:
        read = {name: _from_text(name, text, kinds, place) for name, text in read.items() if text}
    elif columns:
        read = {name: _as_text(value) if kinds[name] == "text" else value for name, value in read.items()}
    fixed = {name: _from_text(name, text, kinds, place) for name, text in data.field_map.values.items()}
    return {**read, **fixed}


def _as_text(value: Any) -> Any:
    """A number as a text, such as the class of a published data set."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return json.dumps(value) if is_number else value


def _from_text(name: str, text: str, kinds: Mapping[str, FieldKind], place: _Place) -> Any:
    """The value of a field whose text a cell or an option holds. The track reports unknown fields."""
    kind = kinds.get(name, "text")
    if kind == "text":
        return text
    if kind == "list":
        return [part.strip() for part in text.split(SEPARATOR)]
    try:
        return parse_value(text.encode("utf-8", "surrogatepass"), JsonOrigin(place.path, place.line))
    except DataError:
        hint = f"write the field `{escaped_name(name)}` as JSON, such as [1, 2] or 0.5"
        message = f"{escaped_name(text, 60)!r} is invalid JSON"
        raise DataError(
            message, path=place.path, line=place.line, field=escaped_name(name), hint=hint
        ) from None
