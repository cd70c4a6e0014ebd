"""Graders of own tasks in addition to calls, asserts, labels and rubrics: their checks, and their spec.

A task may have several of them, and one of calls, asserts and a label: an answer must pass all.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from math import isfinite
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from benchwright.contracts import BatchSpec, CallsSpec, GradersSpec, LabelSpec
from benchwright.display.escape import escaped_name
from benchwright.errors import DataError, PrerequisiteError, install_command
from benchwright.records import Answer
from benchwright.text.syntax import ParseFault, parse_program
from benchwright.tracks.rows import Fields

if TYPE_CHECKING:
    from benchwright.tracks.own.rows import OwnRow

GRADERS = ("contains", "regex", "json_schema", "function")
LIMITS = {"max_cost": "cost", "max_seconds": "seconds"}  # the measurement that each needs
THRESHOLD = "threshold"
FIELDS = (*GRADERS, *LIMITS, THRESHOLD)
MAX_TEXTS, MAX_TEXT, MAX_PATTERN, MAX_SOURCE = 100, 10_000, 1_000, 100_000
MAX_SCHEMA_VALUES, MAX_SCHEMA_DEPTH = 10_000, 50
CHECK = "check"
_FUNCTION = "def check(answer):\n    return len(answer.split()) < 50"


def graders_of(row: OwnRow) -> list[str]:
    """The graders and limits of a row."""
    limits = [name for name in LIMITS if getattr(row, name) is not None]
    return [*(name for name in GRADERS if getattr(row, name)), *limits]


def texts_of(row: OwnRow) -> list[str]:
    """The texts that an answer must contain."""
    return [row.contains] if isinstance(row.contains, str) else row.contains


def graders_spec(row: OwnRow, base: LabelSpec | BatchSpec | CallsSpec | None) -> GradersSpec:
    """The spec of a row with graders; `base` is what else judges it."""
    return GradersSpec(
        base=base,
        contains=texts_of(row) if row.contains else [],
        regex=row.regex,
        json_schema=row.json_schema or None,
        function=row.function,
        threshold=row.threshold,
        max_cost=row.max_cost,
        max_seconds=row.max_seconds,
    )


def measured_of(answer: Answer) -> dict[str, float]:
    """Return the measurements of an answer: tokens, seconds, and `batch` (1) if it is from a batch."""
    batch = 1.0 if answer.batch else None
    tokens = {"tokens_in": answer.tokens_in, "tokens_out": answer.tokens_out}
    found = {**tokens, "seconds": answer.seconds, "batch": batch}
    return {name: value for name, value in found.items() if value is not None}


def check_graders(fields: Fields, row: OwnRow) -> None:
    """Check the graders of a row. Raises DataError with the field and a hint."""
    for name, check in _CHECKS.items():
        if name in fields.data:
            check(fields, row)


def _check_contains(fields: Fields, row: OwnRow) -> None:
    texts = texts_of(row)
    if not 1 <= len(texts) <= MAX_TEXTS or not all(0 < len(each) <= MAX_TEXT for each in texts):
        message = f"must be 1 to {MAX_TEXTS} texts of 1 to {MAX_TEXT:,} characters"
        raise fields.error(message, field="contains", hint='contains = ["Paris"]')


def _check_regex(fields: Fields, row: OwnRow) -> None:
    if not 0 < len(row.regex) <= MAX_PATTERN:
        message = f"must have 1 to {MAX_PATTERN:,} characters"
        raise fields.error(message, field="regex", hint="regex = '\\b42\\b'")
    try:
        re.compile(row.regex)
    except (re.error, RecursionError, OverflowError) as error:
        hint = "in TOML, put it in single quotes: regex = '\\b42\\b'; Python's `re` reads it"
        raise fields.error(f"invalid pattern: {error}", field="regex", hint=hint) from None


def _check_schema(fields: Fields, row: OwnRow) -> None:
    schema = row.json_schema
    if not schema:
        hint = 'json_schema = { type = "object", required = ["name"] }'
        raise fields.error("is empty, so every JSON would fit", field="json_schema", hint=hint)
    _check_shape(fields, schema)
    try:
        from jsonschema import Draft202012Validator, SchemaError  # noqa: PLC0415 (an extra)
        from jsonschema.validators import validator_for  # noqa: PLC0415
    except ImportError:
        hint = install_command("schema")
        raise PrerequisiteError("the field `json_schema` needs jsonschema", hint=hint) from None
    try:
        validator_for(schema, Draft202012Validator).check_schema(schema)
    except SchemaError as error:
        message = f"invalid JSON Schema at {error.json_path}: {error.message[:200]}"
        raise fields.error(message, field="json_schema", hint="https://json-schema.org") from None


def _check_shape(fields: Fields, schema: dict[str, Any]) -> None:
    """Refuse a schema that is too large, too deep, or refers to another document."""
    for values, (depth, value) in enumerate(_values(schema), 1):
        if depth > MAX_SCHEMA_DEPTH or values > MAX_SCHEMA_VALUES:
            message = f"has more than {MAX_SCHEMA_VALUES:,} values, or more than {MAX_SCHEMA_DEPTH} levels"
            raise fields.error(message, field="json_schema", hint="check fewer properties")
        ref = value.get("$ref") if isinstance(value, dict) else None
        if isinstance(ref, str) and not _resolves(schema, ref):
            hint = 'copy what it refers to into "$defs", and refer to it by "#/$defs/NAME"'
            message = f"refers to what the schema does not contain: {escaped_name(ref)}"
            raise fields.error(message, field="json_schema", hint=hint)


def _resolves(schema: Any, ref: str) -> bool:
    """Return whether a reference is a JSON pointer (RFC 6901) into the schema. No other schema is loaded."""
    start, *path = unquote(ref).split("/")
    for name in path:
        part = name.replace("~1", "/").replace("~0", "~")
        if isinstance(schema, list) and part.isdecimal():
            part, schema = int(part), dict(enumerate(schema))  # type: ignore[assignment]
        if not isinstance(schema, dict) or part not in schema:
            return False
        schema = schema[part]
    return start == "#"


def _values(schema: Any) -> Iterator[tuple[int, Any]]:
    waiting = [(1, schema)]
    while waiting:
        depth, value = waiting.pop()
        yield depth, value
        inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        waiting += [(depth + 1, each) for each in inner]


def _check_function(fields: Fields, row: OwnRow) -> None:
    if len(row.function) > MAX_SOURCE:
        message = f"has more than {MAX_SOURCE:,} characters"
        raise fields.error(message, field="function", hint="a function checks one answer")
    tree = parse_program(row.function)
    if isinstance(tree, ParseFault):
        message = f"invalid Python: {tree.message} (line {tree.line} of the function)"
        raise fields.error(message, field="function", hint=_FUNCTION)
    functions = [each for each in tree.body if isinstance(each, ast.FunctionDef) and each.name == CHECK]
    if not functions:
        message = f"does not define the function `{CHECK}`, which takes the answer"
        raise fields.error(message, field="function", hint=_FUNCTION)


def _check_number(fields: Fields, name: str, value: float, most: float) -> None:
    if not isfinite(value) or not 0 < value <= most:
        message = f"must be more than 0 and at most {most:g}"
        raise fields.error(message, field=name, hint=f"{name} = {min(most, 1):g}")


def _check_max_cost(fields: Fields, row: OwnRow) -> None:
    _check_number(fields, "max_cost", 0.0 if row.max_cost is None else row.max_cost, 1e9)


def _check_max_seconds(fields: Fields, row: OwnRow) -> None:
    _check_number(fields, "max_seconds", 0.0 if row.max_seconds is None else row.max_seconds, 86_400)


def _check_threshold(fields: Fields, row: OwnRow) -> None:
    _check_number(fields, THRESHOLD, row.threshold, 1)
    if not row.function:
        hint = "add `function`, or leave `threshold` out"
        raise fields.error("needs a function, whose number it is compared with", field=THRESHOLD, hint=hint)


_CHECKS = {
    "contains": _check_contains,
    "regex": _check_regex,
    "json_schema": _check_schema,
    "function": _check_function,
    "max_cost": _check_max_cost,
    "max_seconds": _check_max_seconds,
    THRESHOLD: _check_threshold,
}


def check_combination(fields: Fields, kinds: list[str]) -> None:
    """Raise DataError for graders that cannot be combined. `kinds` are the other ways to judge of the row."""
    given = [name for name in (*GRADERS, *LIMITS) if fields.data.get(name) is not None]
    if "rubric" in kinds and given:
        message = f"has `rubric` and `{given[0]}`, but a rubric is judged alone"
        raise fields.error(message, field=given[0], hint="write two tasks, or state it in the rubric")
    if given and not kinds and all(name in LIMITS for name in given):
        message = "limits an answer that nothing else judges"
        raise _lone_field_error(fields, given[0], message)


def _lone_field_error(fields: Fields, name: str, message: str) -> DataError:
    return fields.error(message, field=name, hint='add what a right answer has, such as contains = ["42"]')
