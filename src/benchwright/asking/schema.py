"""Replies by a JSON schema: the part of JSON Schema that prompts may use, and why a reply does not fit.

It is the part that servers can hold a model to: types, enums, objects, arrays, alternatives and bounds.
A keyword that is not checked here is refused, so that no reply passes for what nobody has looked at;
`pattern` and `format` are among them, since a hostile reply could keep a pattern busy for ever.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from benchwright.display.escape import escaped_name
from benchwright.errors import DataError, UsageError
from benchwright.store.keys import canonical
from benchwright.store.strict_json import JsonOrigin, parse_value
from benchwright.text.normalisation import strip_reasoning

Kind = Literal["object", "array", "string", "integer", "number", "boolean", "null"]


class Schema(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """A parsed schema. The last four fields inform the model and constrain nothing."""

    type: Kind | list[Kind] = []
    enum: list[Any] | UnsetType = UNSET
    const: Any = UNSET
    any_of: list[Schema] = []
    properties: dict[str, Schema] = {}
    required: list[str] = []
    additional_properties: bool | Schema = True
    items: Schema | UnsetType = UNSET
    min_items: int = 0
    max_items: int | UnsetType = UNSET
    min_length: int = 0
    max_length: int | UnsetType = UNSET
    minimum: float | UnsetType = UNSET
    maximum: float | UnsetType = UNSET
    title: str = ""
    description: str = ""
    default: Any = UNSET
    examples: list[Any] = []


class Misfit(Exception):
    """A reply that violates its schema; the text is the reason."""


def read_schema(document: dict[str, Any]) -> Schema:
    """Parse a schema. Raises UsageError for an invalid one, and for keywords that are not supported."""
    try:
        canonical(document)
        return msgspec.convert(document, Schema)
    except (msgspec.ValidationError, TypeError, ValueError) as error:
        allowed = ", ".join(field.encode_name for field in msgspec.structs.fields(Schema))
        raise UsageError(
            f"the schema of a reply cannot be used: {error}", hint=f"write it with: {allowed}"
        ) from None


def value_of(text: str, schema: Schema) -> Any:
    """Return the JSON value of a reply without its reasoning. Raises Misfit for a violation."""
    try:
        answer = strip_reasoning(text).text
        value = parse_value(
            answer.strip().encode("utf-8", "surrogatepass"), JsonOrigin("", 0), surrogates="replace"
        )
    except DataError as error:
        why = error.message.partition(": ")[2]
        raise Misfit(f"it is not JSON: {why.removeprefix('not JSON: ')}") from None
    if fault := fault_of(value, schema):
        raise Misfit(fault)
    return value


def fault_of(value: Any, schema: Schema) -> str:
    """Return the first violation of a JSON value; empty for none."""
    return next(_faults(value, schema, "the reply"), "")


def misfit(text: str, schema: Schema, *, cut_off: bool = False) -> str:
    """Return why a reply does not fit; empty if it does."""
    try:
        value_of(text, schema)
    except Misfit as why:
        return f"cut off at the token limit: {why}" if cut_off else str(why)
    return ""


def _faults(value: Any, schema: Schema, where: str) -> Iterator[str]:
    """Yield the violations of a value. Recursion is limited by the schema, not by the value."""
    kinds = [schema.type] if isinstance(schema.type, str) else schema.type
    if kinds and not any(_is(value, kind) for kind in kinds):
        yield f"{where} must be {' or '.join(kinds)}, and is {_value_text(value)}"
        return
    yield from _value_faults(value, schema, where)
    if isinstance(value, dict):
        yield from _in_object(value, schema, where)
    elif isinstance(value, list):
        yield from _out_of_bounds(len(value), schema.min_items, schema.max_items, f"the length of {where}")
        if isinstance(schema.items, Schema):
            for index, item in enumerate(value):
                yield from _faults(item, schema.items, f"{where}[{index}]")
    elif isinstance(value, str):
        yield from _out_of_bounds(len(value), schema.min_length, schema.max_length, f"the length of {where}")
    elif _is(value, "number"):
        yield from _out_of_bounds(value, schema.minimum, schema.maximum, where)


def _value_faults(value: Any, schema: Schema, where: str) -> Iterator[str]:
    """Yield violations of enum, const and alternatives."""
    if schema.enum is not UNSET and not any(_same(value, one) for one in schema.enum):
        yield f"{where} must be one of {_value_text(schema.enum)}, and is {_value_text(value)}"
    if schema.const is not UNSET and not _same(value, schema.const):
        yield f"{where} must be {_value_text(schema.const)}, and is {_value_text(value)}"
    tried = [next(_faults(value, one, where), None) for one in schema.any_of]
    if tried and None not in tried:
        yield f"none of {len(tried)} alternatives fits: {tried[0]}"


def _in_object(value: dict[str, Any], schema: Schema, where: str) -> Iterator[str]:
    for name in schema.required:
        if name not in value:
            yield f"{where} lacks {name!r}"
    for name, part in value.items():
        place = f"{where}.{escaped_name(name, 60)}"
        inner = schema.properties.get(name, schema.additional_properties)
        if isinstance(inner, Schema):
            yield from _faults(part, inner, place)
        elif not inner:
            yield f"{place} is not asked for"


def _out_of_bounds(
    number: float, least: float | UnsetType, most: float | UnsetType, what: str
) -> Iterator[str]:
    if least is not UNSET and number < least:
        yield f"{what} must be at least {least:g}, and is {_value_text(number)}"
    if most is not UNSET and number > most:
        yield f"{what} must be at most {most:g}, and is {_value_text(number)}"


def _is(value: Any, kind: str) -> bool:
    """Whether a value has a JSON Schema type: 1.0 is an integer, and true is not a number."""
    if isinstance(value, bool):
        return kind == "boolean"
    if isinstance(value, int | float):
        return kind == "number" or (kind == "integer" and value == int(value))
    return isinstance(value, _TYPES[kind]) if kind in _TYPES else False


_TYPES: dict[str, type] = {"object": dict, "array": list, "string": str, "null": type(None)}


def _same(one: Any, other: Any) -> bool:
    if _is(one, "number") and _is(other, "number"):
        return bool(one == other)
    return canonical(one) == canonical(other)


def _value_text(value: Any) -> str:
    return escaped_name(canonical(value).decode(), 80)
