"""Data sets of own tasks in other shapes: which options a field map may have, and how texts become fields."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import msgspec

from benchwright.display.escape import escaped_name
from benchwright.errors import UsageError, nearest_hint
from benchwright.store.field_map import FieldKind, FieldMap, MappedData
from benchwright.tracks.own.rows import OwnRow


@cache
def field_kinds() -> dict[str, FieldKind]:
    """All fields of a task, and how a text is read as one: as it is, as a list, or as JSON."""
    texts, lists = (str, int | str, str | list[str]), list[str]
    return {
        field.name: "text" if field.type in texts else "list" if field.type == lists else "json"
        for field in msgspec.structs.fields(OwnRow)
    }


def mapped_data(data: str, columns: Mapping[str, str], values: Mapping[str, str]) -> str:
    """The data set as it is read: by a map, or as CSV. Raises UsageError for an unknown or repeated field."""
    from benchwright.store.data_files import is_csv  # noqa: PLC0415 (a worker reads no files)

    kinds = field_kinds()
    options = [(f"--map {column}={field}", field) for column, field in columns.items()]
    options += [(f"--set {field}={value}", field) for field, value in values.items()]
    seen: set[str] = set()
    for option, field in options:
        if field not in kinds:
            message = f"{escaped_name(option, 80)}: own tasks have no field {escaped_name(field)!r}"
            raise UsageError(message, hint=nearest_hint(field, kinds))
        if field in seen:
            message = f"{escaped_name(option, 80)}: the field `{field}` is given twice"
            raise UsageError(message, hint="keep one of the two options")
        seen.add(field)
    has_types = not is_csv(data)
    if has_types and not options:
        return data
    return MappedData.of(data, FieldMap(columns=dict(columns), values=dict(values)), kinds, typed=has_types)
