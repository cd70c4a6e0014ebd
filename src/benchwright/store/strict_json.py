"""One JSON object from untrusted bytes, or a DataError: never another exception, never a silent repair.

JSON parsers disagree about duplicate keys, NaN, lone surrogates and deep nesting. A benchmark row
decides verdicts, so a row that two parsers could read in two ways is refused. Speed comes from
msgspec; the exact but slow checks run only when a cheap upper bound cannot rule the fault out.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any, Literal, NamedTuple

import msgspec

from benchwright.display.escape import escaped_name
from benchwright.errors import DataError

NOT_JSON = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)  # raised by msgspec for bad bytes
MAX_DEPTH = 200
Surrogates = Literal["reject", "replace"]
Numbers = Literal["finite", "any"]

_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*"', re.DOTALL)
_KEY_END = re.compile(rb'"[ \t\r\n]*:')
_NOT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_LONE = re.compile("[\ud800-\udfff]")
_NOT_FINITE = re.compile(rb"NaN|Infinity")
_DECODE = msgspec.json.Decoder().decode


class JsonOrigin(NamedTuple):
    """The file and line of some bytes, for messages."""

    path: str
    line: int

    def error(self, message: str, *, field: str | None = None, hint: str | None = None) -> DataError:
        """The error for something that was read here."""
        return DataError(message, path=self.path, line=self.line, field=field, hint=hint)


def parse_object(
    data: bytes,
    place: JsonOrigin,
    *,
    max_depth: int = MAX_DEPTH,
    surrogates: Surrogates = "reject",
    numbers: Numbers = "finite",
) -> dict[str, Any]:
    """Parse a JSON object. Raises DataError with `place` for anything else."""
    value = parse_value(data, place, max_depth=max_depth, surrogates=surrogates, numbers=numbers)
    if not isinstance(value, dict):
        raise place.error(f"a row must be a JSON object, not {_kind(value)}", hint="write one {...} a row")
    return value


def parse_value(
    data: bytes,
    place: JsonOrigin,
    *,
    max_depth: int = MAX_DEPTH,
    surrogates: Surrogates = "reject",
    numbers: Numbers = "finite",
) -> Any:
    """Parse a JSON value. Raises DataError with `place` for invalid JSON.

    A lone surrogate escape (half of an emoji, cut by a token limit) is JSON but not text: no UTF-8
    file can hold it. In a data set it is refused; "replace" turns it into U+FFFD, which is for the
    answers of models, where one broken character must not cost the whole file. Infinity and NaN are not JSON
    either, although Python writes them: "any" reads them, for a published data set that has them as inputs.
    """
    _check_depth(data, place, max_depth)
    try:
        value = _DECODE(data)
    except RecursionError:
        raise place.error(f"nested deeper than the parser can follow (limit {max_depth})") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        value = _explain(data, place, error, surrogates, numbers)
    if len(_KEY_END.findall(data)) != _count_keys(value):
        # Only an upper bound was exceeded: code such as {"a": 1} inside a string looks like a key too.
        value = _scrub(_exact(data, place, numbers=numbers))
    return value


def _check_depth(data: bytes, place: JsonOrigin, limit: int) -> None:
    """Refuse deep nesting before any recursive parser reads it; for most rows this takes two counts."""
    if data.count(b"[") + data.count(b"{") <= limit:
        return
    depth = 0
    for bracket in _STRING.sub(b"", data).translate(None, _NOT_BRACKETS):
        depth += 1 if bracket in b"[{" else -1
        if depth > limit:
            raise place.error(f"nested deeper than {limit} levels", hint="flatten the row")


def _count_keys(value: Any) -> int:
    if isinstance(value, dict):
        return len(value) + sum(map(_count_keys, value.values()))
    return sum(map(_count_keys, value)) if isinstance(value, list) else 0


def _explain(
    data: bytes, place: JsonOrigin, error: Exception, surrogates: Surrogates, numbers: Numbers
) -> Any:
    """Say why msgspec refused the bytes, or return the value with lone surrogates replaced."""
    if isinstance(error, UnicodeDecodeError):
        raise place.error(f"not valid UTF-8 ({error.reason})", hint="save the file as UTF-8")
    value = _exact(data, place, original=error, numbers=numbers)
    if surrogates == "replace":
        return _scrub(value)
    field = _find_lone(value, "")
    if field is None and numbers == "any" and _NOT_FINITE.search(data):
        return value
    if field is None:
        raise place.error(f"not JSON: {error}", hint=_HINT_JSON)
    hint = "write the whole character, or U+FFFD in its place"
    raise place.error("holds half of a surrogate pair, which is not text", field=field or None, hint=hint)


_HINT_JSON = "each row must be one JSON object on one line; `python -m json.tool` shows the fault"


def _exact(
    data: bytes, place: JsonOrigin, *, original: Exception | None = None, numbers: Numbers = "finite"
) -> Any:
    """Parse slowly with the standard library, which sees each pair of each object."""

    def pairs(items: Sequence[tuple[str, Any]]) -> dict[str, Any]:
        document = dict(items)
        if len(document) != len(items):
            twice, _ = Counter(name for name, _ in items).most_common(1)[0]
            raise place.error(
                "the key appears twice in one object", field=escaped_name(twice), hint="keep one"
            )
        return document

    def constant(name: str) -> float:
        if numbers == "any":
            return float(name)
        raise place.error(f"{name} is not a JSON value", hint="use null, or a string")

    def number(text: str) -> float:
        if not math.isfinite(value := float(text)):
            raise place.error(f"the number {text[:40]} is too large")
        return value

    decoder = json.JSONDecoder(
        object_pairs_hook=pairs,
        parse_constant=constant,
        parse_float=number,
        parse_int=partial(_integer, place),
    )
    try:
        return decoder.decode(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise place.error(f"not valid UTF-8 ({error.reason})", hint="save the file as UTF-8") from None
    except (ValueError, RecursionError) as error:
        raise place.error(f"not JSON: {original or error}", hint=_HINT_JSON) from None


def _integer(place: JsonOrigin, text: str) -> int:
    if len(text) > 4300:
        raise place.error(f"an integer of {len(text)} digits is too large", hint="write it as a string")
    return int(text)


def _scrub(value: Any) -> Any:
    if isinstance(value, str):
        return replace_lone(value)
    if isinstance(value, list):
        return [_scrub(item) for item in value]
    if isinstance(value, dict):
        return {replace_lone(key): _scrub(item) for key, item in value.items()}
    return value


def _find_lone(value: Any, field: str) -> str | None:
    """The dotted name of the first field that holds a lone surrogate; None when none does."""
    if isinstance(value, str):
        return field if _LONE.search(value) else None
    if isinstance(value, list):
        pairs = [(str(index), item) for index, item in enumerate(value)]
    else:
        pairs = list(value.items()) if isinstance(value, dict) else []
    for name, item in pairs:
        path = f"{field}.{escaped_name(name)}".lstrip(".")
        found = path if _LONE.search(name) else _find_lone(item, path)
        if found is not None:
            return found
    return None


def replace_lone(text: str) -> str:
    """Text with each lone surrogate replaced by U+FFFD, so that UTF-8 can hold it."""
    return _LONE.sub("\ufffd", text)


def _kind(value: object) -> str:
    names = {list: "an array", str: "a string", bool: "a boolean", int: "a number", float: "a number"}
    return names.get(type(value), "null")
