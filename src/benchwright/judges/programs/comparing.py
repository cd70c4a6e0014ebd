"""Compare the output of a program with the expected one by lines, by tokens, or with tolerances for numbers.

Whitespace at the ends of lines, and empty lines at the end, never count. Both texts are bounded by the runner
and by the data set; nothing is evaluated.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import zip_longest

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,4})?", re.ASCII)
_TOKEN, _LINE = re.compile(r"\S+"), re.compile(r"(?<![^\n])[^\n]*")
_LONGEST = 400  # characters of a number; longer tokens are compared as text


def difference(
    expected: str, actual: str, *, compare: str, abs_tol: float = 0.0, rel_tol: float = 0.0
) -> str:
    """Return the first difference for people; empty if the texts are equal under `compare`.

    `compare` is "lines", "tokens" or "floats". A number is close if it differs by at most `abs_tol`, or by at
    most `rel_tol` times the expected number.

    >>> difference("1 0.5", "1  0.50001 ", compare="floats", abs_tol=1e-3)
    ''
    >>> difference("1 2", "1 3", compare="tokens")
    'token 2 is `3`, expected `2`'
    """
    what = "line" if compare == "lines" else "token"
    expected_parts, actual_parts = _parts(expected, compare), _parts(actual, compare)
    for number, (expected_part, actual_part) in enumerate(zip_longest(expected_parts, actual_parts), 1):
        if expected_part == actual_part or (
            compare == "floats" and _is_close(expected_part, actual_part, abs_tol, rel_tol)
        ):
            continue
        if actual_part is None:
            return f"the output ends before {what} {number}, expected {_shown(expected_part)}"
        if expected_part is None:
            return f"{what} {number} is {_shown(actual_part)}, expected the end"
        return f"{what} {number} is {_shown(actual_part)}, expected {_shown(expected_part)}"
    return ""


def _parts(text: str, compare: str) -> Iterator[str]:
    """Yield the parts one by one: a list of all would take fifty times the memory of the text."""
    if compare != "lines":
        return (match[0] for match in _TOKEN.finditer(text))
    return (match[0].rstrip() for match in _LINE.finditer(text.rstrip()))


def _is_close(expected: str | None, actual: str | None, abs_tol: float, rel_tol: float) -> bool:
    numbers = [_number(each) for each in (expected, actual)]
    if numbers[0] is None or numbers[1] is None:
        return False
    distance = abs(numbers[0] - numbers[1])
    return math.isfinite(distance) and distance <= max(abs_tol, rel_tol * abs(numbers[0]))


def _number(text: str | None) -> float | None:
    if text is None or len(text) > _LONGEST or not _NUMBER.fullmatch(text):
        return None
    return float(text)


def _shown(part: str | None) -> str:
    return f"`{(part or '')[:60]}`"
