"""Test cases: arguments, files and expected values of calls, and validation of cases."""

from __future__ import annotations

import builtins
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Annotated, Any, Literal, NamedTuple

import msgspec

from benchwright.cases.checking import OTHER_CALLS
from benchwright.cases.recipes import make_file
from benchwright.contracts import CallCase
from benchwright.records import Record
from benchwright.sandbox.input_files import FOLDER, check_paths
from benchwright.text.literal import parse_literal

LITERAL, FILE = "$literal", "$file"
FLOATS_MATTER = ("one_of", "contains", "sums_to")  # properties that compare numbers for equality
_ERROR_NAME = re.compile(r"[A-Za-z_]\w*(?:Error|Exception)")
_TYPE_NAME = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_TypeName = Literal["none", "bool", "int", "float", "number", "str", "bytes", "list", "tuple", "dict", "set"]
_Some = Annotated[list[Any], msgspec.Meta(min_length=1)]
Arguments = tuple[tuple[Any, ...], dict[str, Any]]


class OtherCall(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Arguments of another call to compare a value with, in the same form as those of a case."""

    args: list[Any] = []
    kwargs: dict[str, Any] = {}


class FieldFault(NamedTuple):
    """An invalid field: an error code, the field's path, a message, and a hint."""

    code: str
    field: str
    message: str
    hint: str


# No member of a union has bounds: `msgspec.convert` of `Annotated[int, ge=0] | tuple[...]` ends the process.
PARAMETERS: Mapping[str, Any] = {
    "type": _TypeName | list[_TypeName],
    "length": int | tuple[int, int | None],
    "keys": list[str | int],
    "range": tuple[int | float | None, int | float | None],
    "one_of": _Some,
    "contains": _Some,
    "sorted": Literal["ascending", "descending"],
    "finite": bool,
    "shape": Annotated[list[int | None], msgspec.Meta(min_length=1)],
    "sums_to": int | float,
    "each": Annotated[dict[str, Any], msgspec.Meta(min_length=1)],
    "at": Annotated[dict[str, dict[str, Any]], msgspec.Meta(min_length=1)],
    **dict.fromkeys(OTHER_CALLS, OtherCall),
}


def resolve(value: Any, file: Callable[[str], Any] | None = None) -> Any:
    """Replace `$literal` and `$file` objects in a JSON value; `file` maps the name of a file to its value.

    Raises ValueError for an invalid literal, and for a file without `file`.
    """
    if isinstance(value, list):
        return [resolve(each, file) for each in value]
    if not isinstance(value, dict):
        return value
    if list(value) == [LITERAL] and isinstance(value[LITERAL], str):
        return parse_literal(value[LITERAL])
    if list(value) == [FILE] and isinstance(value[FILE], str):
        if file is None:
            raise ValueError(f"names the file {value[FILE]!r}, but files are not allowed here")
        return file(value[FILE])
    return {key: resolve(each, file) for key, each in value.items()}


def path_in_folder(name: str) -> str:
    """Path of a case's file in the answer's folder."""
    return f"{FOLDER}/{name}"


def calls_of(case: CallCase, file: Callable[[str], Any] = path_in_folder) -> list[Arguments]:
    """Calls of a case: its own, then one for each property that compares with another call."""
    calls = [_arguments(case.input.args, case.input.kwargs, file)]
    for name in OTHER_CALLS:
        if name in case.expected.properties:
            other = msgspec.convert(case.expected.properties[name], OtherCall)
            calls.append(_arguments(other.args, other.kwargs, file))
    return calls


def other_calls(case: CallCase) -> list[str]:
    """Properties that compare with another call, in the order of `calls_of`."""
    return [name for name in OTHER_CALLS if name in case.expected.properties]


def files_of(cases: Iterable[CallCase]) -> dict[str, bytes]:
    """Files of cases by path in the answer's folder. Raises ValueError for an invalid recipe."""
    return {
        name: _file_content(json.dumps(recipe)) for case in cases for name, recipe in case.input.files.items()
    }


@lru_cache(maxsize=256)
def _file_content(recipe: str) -> bytes:
    return make_file(json.loads(recipe))


def _arguments(args: list[Any], kwargs: dict[str, Any], file: Callable[[str], Any]) -> Arguments:
    return tuple(resolve(each, file) for each in args), {
        name: resolve(each, file) for name, each in kwargs.items()
    }


def faults_of(cases: Iterable[CallCase]) -> Iterator[FieldFault]:
    """Validate test cases and yield their faults. The judge accepts only cases without faults."""
    recipes: dict[str, Any] = {}
    names: set[str] = set()
    for number, case in enumerate(cases):
        at = f"cases[{number}]."
        if case.name in names:
            yield FieldFault(
                "case_twice", f"{at}name", f"duplicate case name {case.name!r}", "give each case its own name"
            )
        names.add(case.name)
        for name, recipe in case.input.files.items():
            if recipes.setdefault(name, recipe) != recipe:
                message = f"the file {name!r} has two different recipes"
                yield FieldFault("bad_file", f"{at}input.files", message, "give each file its own name")
        yield from (fault._replace(field=at + fault.field) for fault in _faults(case))


def _faults(case: CallCase) -> Iterator[FieldFault]:
    yield from _file_faults(case)
    expected = case.expected
    if (expected.value is not None) + bool(expected.raises) + bool(expected.properties) > 1:
        hint = "keep one of `value`, `raises` and `properties`, or split it into two cases"
        yield FieldFault("expected_unclear", "expected", "has more than one expected result", hint)
    if not all(0 <= each < math.inf for each in (expected.rel_tol, expected.abs_tol)):
        yield FieldFault(
            "bad_tolerance", "expected", "a tolerance must be at least 0", "write abs_tol: 0.001"
        )
    if expected.raises:
        yield from _raises_faults(expected.raises)
    yield from _property_faults(expected.properties, "expected.properties", outermost=True)
    yield from _value_faults(case)


def _file_faults(case: CallCase) -> Iterator[FieldFault]:
    given = case.input
    try:
        check_paths(list(given.files))
        files_of([case])
    except ValueError as error:
        hint = "recipes: text, bytes, json, csv, image, audio; names such as data.csv"
        yield FieldFault("bad_file", "input.files", str(error), hint)
    known = {name: name for name in given.files}
    try:
        calls_of(case, known.__getitem__)
    except KeyError as error:
        hint = "add its recipe to `files`; to pass the name of a missing file, write it as plain text"
        yield FieldFault(
            "bad_file", "input", f"names the file {error.args[0]!r}, which is not in `files`", hint
        )
    except ValueError as error:
        yield FieldFault("bad_literal", "input", str(error), 'write {"$literal": "(1, 2)"}')


def _raises_faults(name: str) -> Iterator[FieldFault]:
    own = getattr(builtins, name, None)
    is_other = own is not None and not (isinstance(own, type) and issubclass(own, BaseException))
    if is_other or not _TYPE_NAME.fullmatch(name):
        message = f"{name[:80]!r} is not an exception type"
        yield FieldFault("bad_raises", "expected.raises", message, "write a type such as ValueError")


def _property_faults(
    properties: Mapping[str, Any], field: str, *, outermost: bool = False
) -> Iterator[FieldFault]:
    for name, parameter in properties.items():
        if name not in PARAMETERS or (name in OTHER_CALLS and not outermost):
            message = f"unknown property {name[:80]!r}"
            yield FieldFault("bad_property", field, message, f"one of: {', '.join(PARAMETERS)}")
            continue
        try:
            msgspec.convert(parameter, PARAMETERS[name])
        except msgspec.ValidationError as error:
            yield FieldFault("bad_property", f"{field}.{name}", str(error), "see the table of properties")
            continue
        if (beyond := _bound_error(name, parameter)) is not None:
            yield FieldFault("bad_property", f"{field}.{name}", beyond, "see the table of properties")
            continue
        inner = {"each": [parameter], "at": parameter.values() if name == "at" else []}.get(name, [])
        for each in inner:
            yield from _property_faults(each, f"{field}.{name}")


def _bound_error(name: str, parameter: Any) -> str | None:
    """Check bounds of a parameter that its type cannot express; None if they hold."""
    if name == "type" and parameter == []:
        return "does not name a type"
    if name in ("length", "shape"):
        counts = [each for each in _listed(parameter) if each is not None]
        if any(each < 0 for each in counts):
            return f"{min(counts)} is not a number of items"
    if name in ("length", "range") and isinstance(parameter, list | tuple) and None not in parameter:
        low, high = parameter
        return f"the range from {low} to {high} is empty" if low > high else None
    return None


def _listed(parameter: Any) -> list[Any]:
    return [*parameter] if isinstance(parameter, list | tuple) else [parameter]


def _value_faults(case: CallCase) -> Iterator[FieldFault]:
    expected = case.expected
    if isinstance(expected.value, str) and _is_error_name(expected.value):
        message = (
            f"the text {expected.value!r} is expected as a value, so an answer that raises it cannot pass"
        )
        hint = f'replace "value" by "raises": "{expected.value}"'
        yield FieldFault("exception_name_expected", "expected.value", message, hint)
    if expected.twin_value is not None and expected.value is None:
        hint = "add the value on the first stand-in as `value`, or remove `twin_value`"
        yield FieldFault("expected_unclear", "expected.twin_value", "needs a `value`", hint)
    try:
        value = [resolve(expected.value), resolve(expected.twin_value)]
        properties = resolve(_compared_values(expected.properties))
    except ValueError as error:
        yield FieldFault("bad_literal", "expected", str(error), 'write {"$literal": "(1, 2)"}')
        return
    if not expected.rel_tol and not expected.abs_tol and (_has_float(value) or _has_float(properties)):
        hint = (
            'add a tolerance, such as "abs_tol": 0.0001; floats differ in their last digits between machines'
        )
        message = "a float is compared without a tolerance"
        yield FieldFault("float_equality", "expected", message, hint)


def _compared_values(properties: Any) -> list[Any]:
    """Parameters that are compared for equality, including those of inner properties."""
    if not isinstance(properties, dict):
        return []
    found = [properties[name] for name in FLOATS_MATTER if name in properties]
    inner = properties.get("at")
    for each in [properties.get("each"), *(inner.values() if isinstance(inner, dict) else ())]:
        found += _compared_values(each)
    return found


def _is_error_name(text: str) -> bool:
    own = getattr(builtins, text, None)
    return bool(_ERROR_NAME.fullmatch(text)) or (isinstance(own, type) and issubclass(own, BaseException))


def _has_float(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_has_float, [*value, *value.values()]))
    if isinstance(value, list | tuple | set | frozenset):
        return any(map(_has_float, value))
    return isinstance(value, float)
