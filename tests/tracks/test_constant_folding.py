"""Calls in loops over lists of constants are extracted from test programs, without guessing."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from benchwright.building.adequacy.generated_inputs import Arguments, calls_of_tests
from benchwright.contracts import CallsSpec
from benchwright.tracks.constant_folding import MOST, UNKNOWN, looped_calls

HEAD = """import math


def assertion(out, exp, atol):
    assert out == exp if atol == 0 else abs(out - exp) < atol


def check(candidate):
"""


def calls(body: str) -> list[tuple[list[Any], dict[str, Any]]]:
    """Return the calls of a `check` with this body."""
    found = looped_calls(ast.parse(HEAD + body), frozenset({"candidate", "f"}))
    return [(each.args, each.kwargs) for each in found]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            "    inputs = [[1, 2], [3, 4]]\n    results = [3, 7]\n"
            "    for i, (inp, exp) in enumerate(zip(inputs, results)):\n"
            "        assertion(candidate(*inp), exp, 0)\n",
            [[1, 2], [3, 4]],
        ),
        (
            "    inputs = [[[1] * 3], [[]]]\n    results = [math.inf, 0]\n"
            "    for i, (inp, exp) in enumerate(zip(inputs, results)):\n"
            "        assertion(candidate(*inp), exp, 1e-6)\n",
            [[[1, 1, 1]], [[]]],
        ),
        (
            "    inputs = [['a'], [math.inf], ['b']]\n"
            "    for inp in inputs:\n        assertion(candidate(*inp), f(*inp), 0)\n",
            [["a"], ["a"], ["b"], ["b"]],
        ),
        ("    for x, y in [(1, 2), (3, 6)]:\n        assert candidate(x) == y\n", [[1], [3]]),
        (
            "    rows = ((1, 'a', 2), (3, 'b', 6))\n    for x, *_ in rows:\n        pass\n"
            "    for x, name, y in rows:\n        assert candidate(x, name) == y, name\n",
            [[1, "a"], [3, "b"]],
        ),
        (
            "    inputs = [[1], [2]]\n    results = make()\n"
            "    for inp, exp in zip(inputs, results):\n        assert candidate(*inp) == exp\n",
            [[1], [2]],
        ),
        ("    for n in range(3):\n        assert candidate(n) == n\n", []),
        ("    inputs = [[1]]\n    inputs = other()\n    for inp in inputs:\n        candidate(*inp)\n", []),
        ("    for inp in [1, 2]:\n        candidate(*inp)\n", []),
        ("    inputs = inputs\n    for inp in inputs:\n        candidate(*inp)\n", []),
    ],
    ids=[
        *("EvalPlus", "unknown result", "own solution", "pairs", "triples"),
        *("made results", "range", "assigned twice", "no list", "itself"),
    ],
)
def test_calls_of_a_loop(body: str, expected: list[list[Any]]) -> None:
    """The order is kept; arguments that are not constants give no call."""
    assert calls(body) == [(args, {}) for args in expected]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("assertion(candidate(x), y, 0)", [2, 6]),
        ("assert candidate(x) == y", [2, 6]),
        ("assert candidate(x) == 5, 'five'", [5, 5]),
        ("assert candidate(x) == f(x)", [UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN]),
        ("assert abs(candidate(x) - y) < 1e-6", [UNKNOWN, UNKNOWN]),
        ("assert candidate(x) != y", [UNKNOWN, UNKNOWN]),
        ("candidate(x)", [UNKNOWN, UNKNOWN]),
    ],
)
def test_what_a_call_is_compared_with(body: str, expected: list[Any]) -> None:
    """A constant of the loop or of the program; otherwise it is unknown."""
    text = f"    for x, y in [(1, 2), (3, 6)]:\n        {body}\n"
    found = looped_calls(ast.parse(HEAD + text), frozenset({"candidate", "f"}))

    assert [each.expected for each in found] == expected


def test_calls_by_name() -> None:
    """Keywords of constants, of variables and of a dict."""
    body = "    for row in [{'x': 1}, {'x': 2}]:\n        candidate(**row, y=row, z=3)\n"

    assert calls(body) == [([], {"x": n, "y": {"x": n}, "z": 3}) for n in (1, 2)]


def test_the_number_of_calls_is_bounded() -> None:
    """Further items of the list are ignored."""
    assert len(calls(f"    for x in [{'1, ' * (MOST + 5)}]:\n        candidate(x)\n")) == MOST


def test_they_are_calls_of_the_tests() -> None:
    """They are added to the calls that the program contains as constants."""
    test = HEAD + "    assert candidate(9) == 9\n    for x in [1, 2]:\n        assert candidate(x) == x\n"

    found = calls_of_tests(CallsSpec(entry_point="f", test=test))

    assert found == [Arguments((9,), {}), Arguments((1,), {}), Arguments((2,), {})]
