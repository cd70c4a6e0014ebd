"""Checks values: equality within tolerances, and properties. The input is plain data; nothing is executed.

The standard library alone: an entry's `.py` file holds this source too, so that its tests decide as the judge
does. Nothing here looks at how a value was made, so every name below is safe with values from an answer.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

TYPES: dict[str, tuple[type, ...]] = {
    "none": (type(None),),
    "bool": (bool,),
    "int": (int,),
    "float": (float,),
    "number": (int, float),
    "str": (str,),
    "bytes": (bytes,),
    "list": (list,),
    "tuple": (tuple,),
    "dict": (dict,),
    "set": (set, frozenset),
}


def is_close(value: Any, expected: Any, *, rel_tol: float = 0.0, abs_tol: float = 0.0) -> bool:
    """Whether a value is the expected one, as `==` would say it, with tolerances wherever a float stands.

    Sets and the keys of dicts are compared exactly. Two values that are not a number are equal here. Raises
    what a comparison of plain values may raise: RecursionError where they are nested too deep.
    """
    if isinstance(value, float) or isinstance(expected, float):
        return _are_close_numbers(value, expected, rel_tol, abs_tol)
    if type(value) is type(expected) and isinstance(value, list | tuple):
        pairs = zip(value, expected, strict=False)
        return len(value) == len(expected) and all(
            is_close(one, other, rel_tol=rel_tol, abs_tol=abs_tol) for one, other in pairs
        )
    if isinstance(value, dict) and isinstance(expected, dict):
        return value.keys() == expected.keys() and all(
            is_close(value[key], expected[key], rel_tol=rel_tol, abs_tol=abs_tol) for key in expected
        )
    return bool(value == expected)


def _are_close_numbers(value: Any, expected: Any, rel_tol: float, abs_tol: float) -> bool:
    if not (isinstance(value, int | float) and isinstance(expected, int | float)):
        return bool(value == expected)
    try:
        if math.isnan(value) or math.isnan(expected):
            return math.isnan(value) and math.isnan(expected)
        return math.isclose(value, expected, rel_tol=rel_tol, abs_tol=abs_tol)
    except OverflowError:  # an integer beyond the range of floats
        return bool(value == expected)


def broken_property(
    value: Any, properties: dict[str, Any], *, rel_tol: float = 0.0, abs_tol: float = 0.0
) -> str:
    """The first property that a value does not have, as a text; empty where it has all of them.

    Properties that compare with another call are not looked at: see OTHER_CALLS.
    """
    for name, wanted in properties.items():
        if name in OTHER_CALLS:
            continue
        if name in INNER:
            if inner := INNER[name](value, wanted, rel_tol, abs_tol):
                return inner
        elif not PROPERTIES[name](value, wanted, rel_tol, abs_tol):
            return f"{name} {wanted!r}"
    return ""


def _type(value: Any, wanted: Any, rel_tol: float, abs_tol: float) -> bool:
    """One of the named types; True and False are of type "bool" alone."""
    names = [wanted] if isinstance(wanted, str) else wanted
    kinds = (
        {"bool"} if isinstance(value, bool) else {name for name in TYPES if isinstance(value, TYPES[name])}
    )
    return not kinds.isdisjoint(names)


def _length(value: Any, wanted: Any, rel_tol: float, abs_tol: float) -> bool:
    """Check the number of items or characters: exact, or between two numbers."""
    if not isinstance(value, str | bytes | list | tuple | dict | set | frozenset):
        return False
    least, most = (wanted, wanted) if isinstance(wanted, int) else wanted
    return least <= len(value) and (most is None or len(value) <= most)


def _keys(value: Any, wanted: Any, rel_tol: float, abs_tol: float) -> bool:
    """A dict with these keys and no other."""
    return isinstance(value, dict) and set(value) == set(wanted)


def _range(value: Any, wanted: Any, rel_tol: float, abs_tol: float) -> bool:
    """Check that all numbers, at least one, are between two bounds within the tolerance; null is no bound."""
    low, high = (
        (-math.inf if wanted[0] is None else wanted[0]),
        (math.inf if wanted[1] is None else wanted[1]),
    )
    found = numbers_in(value)
    return bool(found) and all(low - abs_tol <= each <= high + abs_tol for each in found)


def _one_of(value: Any, wanted: Any, rel_tol: float, abs_tol: float) -> bool:
    return any(is_close(value, each, rel_tol=rel_tol, abs_tol=abs_tol) for each in wanted)


def _contains(value: Any, wanted: Any, rel_tol: float, abs_tol: float) -> bool:
    """All of these, as parts of a text, as items, or as keys of a dict."""
    if isinstance(value, str):
        return all(isinstance(each, str) and each in value for each in wanted)
    if not isinstance(value, list | tuple | dict | set | frozenset):
        return False
    return all(any(is_close(one, each, rel_tol=rel_tol, abs_tol=abs_tol) for one in value) for each in wanted)


def _sorted(value: Any, wanted: Any, rel_tol: float, abs_tol: float) -> bool:
    """A list or tuple that ascends or descends; equal neighbours are in order."""
    if not isinstance(value, list | tuple):
        return False
    try:
        pairs = pairwise(value)
        return all(one <= other if wanted == "ascending" else one >= other for one, other in pairs)
    except TypeError:
        return False


def _finite(value: Any, wanted: Any, rel_tol: float, abs_tol: float) -> bool:
    """At least one number, and none that is infinite or not a number."""
    found = numbers_in(value)
    return bool(found) and all(isinstance(each, int) or math.isfinite(each) for each in found) is wanted


def _shape(value: Any, wanted: Any, rel_tol: float, abs_tol: float) -> bool:
    """Lists in lists of these lengths, with no list inside the innermost; null is any length."""
    if not wanted:
        return not isinstance(value, list | tuple)
    if not isinstance(value, list | tuple) or (wanted[0] is not None and len(value) != wanted[0]):
        return False
    return all(_shape(each, wanted[1:], rel_tol, abs_tol) for each in value)


def _sums_to(value: Any, wanted: Any, rel_tol: float, abs_tol: float) -> bool:
    """At least one number, and all of them sum up to this."""
    found = numbers_in(value)
    try:
        return bool(found) and math.isclose(math.fsum(found), wanted, rel_tol=rel_tol, abs_tol=abs_tol)
    except (OverflowError, ValueError):
        return False


def numbers_in(value: Any) -> list[Any]:
    """The numbers of a value, those inside lists, tuples, sets and values of dicts too; no truth values."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return [value]
    items = value.values() if isinstance(value, dict) else value
    if not isinstance(value, list | tuple | dict | set | frozenset):
        return []
    return [number for item in items for number in numbers_in(item)]


def _each(value: Any, wanted: Any, rel_tol: float, abs_tol: float) -> str:
    """There are items, or values of a dict, and each has properties."""
    if not isinstance(value, list | tuple | dict | set | frozenset) or not value:
        return "each (there is nothing in it)"
    for item in value.values() if isinstance(value, dict) else value:
        if broken := broken_property(item, wanted, rel_tol=rel_tol, abs_tol=abs_tol):
            return f"each: {broken}"
    return ""


def _at(value: Any, wanted: Any, rel_tol: float, abs_tol: float) -> str:
    """Check the properties of the value at a key or a list index."""
    for key, properties in wanted.items():
        found, item = _item(value, key)
        if not found:
            return f"at {key!r} (there is nothing)"
        if broken := broken_property(item, properties, rel_tol=rel_tol, abs_tol=abs_tol):
            return f"at {key!r}: {broken}"
    return ""


def _item(value: Any, key: str) -> tuple[bool, Any]:
    if isinstance(value, dict):
        return key in value, value.get(key)
    if isinstance(value, list | tuple) and key.isascii() and key.isdecimal() and len(key) < 10:
        return int(key) < len(value), value[int(key)] if int(key) < len(value) else None
    return False, None


PROPERTIES: dict[str, Callable[[Any, Any, float, float], bool]] = {
    "type": _type,
    "length": _length,
    "keys": _keys,
    "range": _range,
    "one_of": _one_of,
    "contains": _contains,
    "sorted": _sorted,
    "finite": _finite,
    "shape": _shape,
    "sums_to": _sums_to,
}
INNER: dict[str, Callable[[Any, Any, float, float], str]] = {"each": _each, "at": _at}
OTHER_CALLS = {"equal_to_call": True, "differs_from_call": False}  # whether the two values must be equal
