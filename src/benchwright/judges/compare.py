"""Is the value an answer gave the expected one? Decided on the trusted side, on plain data only."""

from __future__ import annotations

from functools import partial
from typing import Any

from benchwright.cases.checking import is_close

REL_TOL = 1e-9
ABS_TOL = 1e-12
_close = partial(is_close, rel_tol=REL_TOL, abs_tol=ABS_TOL)


def matches(value: Any, expected: Any, *, how: str) -> bool:
    """Compare two values: `how` "equal" is ==, as in a test's assert; "close" allows rounding errors of
    floats.

    A comparison without a truth value, such as that of an array, does not match: an assert would fail too.
    """
    try:
        return bool(value == expected) if how == "equal" else _close(value, expected)
    except (ValueError, TypeError, OverflowError, RecursionError):
        return False


def matches_text(value: Any, expected: str) -> bool:
    """Return whether str(value) is the expected text. An integer with too many digits to print has no
    text."""
    try:
        return str(value) == expected
    except (ValueError, RecursionError):
        return False
