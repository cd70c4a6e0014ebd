"""Is the value an answer gave the expected one? Decided on the trusted side, on plain data only."""

from __future__ import annotations

import math
from typing import Any

REL_TOL = 1e-9
ABS_TOL = 1e-12


def matches(value: Any, expected: Any, *, how: str) -> bool:
    """`how` "equal" is ==, as an assert in a test would say it; "close" lets floats differ by rounding.

    A comparison that has no truth value, such as that of an array, is no match: an assert would fail too.
    """
    try:
        return bool(value == expected) if how == "equal" else _close(value, expected)
    except (ValueError, TypeError, OverflowError, RecursionError):
        return False


def matches_text(value: Any, expected: str) -> bool:
    """Whether str(value) is the expected text. An integer of more digits than Python prints has no text."""
    try:
        return str(value) == expected
    except (ValueError, RecursionError):
        return False


def _close(value: Any, expected: Any) -> bool:
    if isinstance(value, float) or isinstance(expected, float):
        return _close_numbers(value, expected)
    if type(value) is type(expected) and isinstance(value, list | tuple):
        return len(value) == len(expected) and all(map(_close, value, expected))
    if isinstance(value, dict) and isinstance(expected, dict):
        return value.keys() == expected.keys() and all(_close(value[key], expected[key]) for key in expected)
    return bool(value == expected)


def _close_numbers(value: Any, expected: Any) -> bool:
    if not (isinstance(value, int | float) and isinstance(expected, int | float)):
        return bool(value == expected)
    if math.isnan(value) or math.isnan(expected):
        return math.isnan(value) and math.isnan(expected)
    try:
        return math.isclose(value, expected, rel_tol=REL_TOL, abs_tol=ABS_TOL)
    except OverflowError:  # an integer beyond the range of floats
        return bool(value == expected)
