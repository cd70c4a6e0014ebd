"""A reply by a JSON schema, as a server makes it that holds its model to one."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, floor
from typing import Any

import msgspec
from msgspec import UNSET

from benchwright.asking.schema import Misfit, Schema, read_schema, value_of


def shaped(text: str, document: dict[str, Any]) -> str:
    """The text itself where it is by the schema, else a small value that is; its strings are the text."""
    schema = read_schema(document)
    try:
        value_of(text, schema)
    except Misfit:
        return msgspec.json.encode(_example(schema, text)).decode()
    return text


def _example(schema: Schema, text: str) -> Any:
    if schema.const is not UNSET:
        return schema.const
    if schema.enum is not UNSET and schema.enum:
        return schema.enum[0]
    if schema.any_of:
        return _example(schema.any_of[0], text)
    kind = schema.type if isinstance(schema.type, str) else next(iter(schema.type), "string")
    return _OF_KIND[kind](schema, text)


def _object(schema: Schema, text: str) -> dict[str, Any]:
    names = dict.fromkeys((*schema.properties, *schema.required))
    return {name: _example(schema.properties.get(name, Schema()), text) for name in names}


def _array(schema: Schema, text: str) -> list[Any]:
    item = schema.items if isinstance(schema.items, Schema) else Schema()
    return [_example(item, text)] * schema.min_items


def _string(schema: Schema, text: str) -> str:
    longest = None if schema.max_length is UNSET else schema.max_length
    return text[:longest].ljust(schema.min_length, ".")


def _number(schema: Schema, text: str) -> float:
    """The least whole number that is allowed; with a maximum alone, one that is no higher."""
    if schema.minimum is not UNSET:
        return ceil(schema.minimum)
    return 0 if schema.maximum is UNSET else min(0, floor(schema.maximum))


_OF_KIND: dict[str, Callable[[Schema, str], Any]] = {
    "object": _object,
    "array": _array,
    "string": _string,
    "integer": _number,
    "number": _number,
    "boolean": lambda schema, text: True,
    "null": lambda schema, text: None,
}
