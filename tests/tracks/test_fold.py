"""Constant expressions are worked out within limits, and nothing is run."""

from __future__ import annotations

import ast
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.tracks.constant_folding import MAX_WEIGHT, NotConstant, fold, weight
from benchwright.tracks.functions.humaneval import literal_text

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]))
    | st.binary()
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(SCALARS, inner, max_size=4)
        | st.sets(SCALARS, max_size=4)
    ),
    max_leaves=12,
)
NUMBERS = st.integers(-50, 50) | st.sampled_from([0.5, 2.0, 1e300])
ARITHMETIC = st.recursive(
    NUMBERS.map(repr),
    lambda inner: st.tuples(inner, st.sampled_from(["+", "-", "*", "/", "//", "%", "**"]), inner).map(
        lambda parts: f"({parts[0]}{parts[1]}{parts[2]})"
    ),
    max_leaves=5,
)


def value(source: str) -> Any:
    """The folded value of an expression."""
    return fold(ast.parse(source, mode="eval").body)


@given(VALUES)
def test_every_literal_folds_to_itself(expected: Any) -> None:
    """The literal of any plain value gives the value back, of the same types."""
    actual = value(repr(expected))

    assert (expected, literal_text(expected)) == (actual, literal_text(actual))


@given(ARITHMETIC)
def test_arithmetic_is_that_of_python_or_refused(source: str) -> None:
    """Folding never gives a value of its own; the expressions here are made of numbers alone."""
    try:
        actual = value(source)
    except NotConstant:
        return
    expected = eval(source, {"__builtins__": {}})  # numbers and operators that this test made itself

    assert repr(expected) == repr(actual)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("3 + 5 + 7", 15),
        ("3 * 5 * 7", 105),
        ("0 ** 0", 1),
        ("-0", 0),
        ("--2", 2),
        ("+2.5", 2.5),
        ("2.0 / 3.0", 2.0 / 3.0),
        ("[1] * 3", [1, 1, 1]),
        ("3 * (1, 2)", (1, 2, 1, 2, 1, 2)),
        ("'ab' + 'cd'", "abcd"),
        ("[1] + [2, [3]]", [1, 2, [3]]),
        ("'a' * 10", "a" * 10),
        ("[0] * -1", []),
        ("set()", set()),
        ("{1: {2, 3}}", {1: {2, 3}}),
        ("1 - 2j", 1 - 2j),
    ],
)
def test_simple_expressions_are_worked_out(source: str, expected: Any) -> None:
    """What authors write in place of a literal."""
    assert (expected, type(expected)) == (value(source), type(value(source)))


@pytest.mark.parametrize(
    "source",
    [
        "x",
        "f(1)",
        "set([1])",
        "list(range(3))",
        "__import__('os').system('true')",
        "[].append",
        "[1][0]",
        "lambda: 1",
        "[i for i in 'ab']",
        "f'{1}'",
        "1 if True else 2",
        "1 == 1",
        "not 1",
        "~1",
        "1 << 5",
        "1 and 2",
        "True + 1",
        "'a' % 3",
        "'a' + b'b'",
        "[1] + (2,)",
        "{**{}}",
        "[*[1]]",
        "{[]: 1}",
        "{[1]}",
        "1 / 0",
        "0 ** -1",
        "1e308 ** 2",
        "'a' * 2.0",
        "'a' * True",
        "[1] - [1]",
        "-'a'",
        "-True",
    ],
)
def test_what_is_not_a_plain_constant_is_refused(source: str) -> None:
    """Names, calls, conditions and operators with surprises are left alone."""
    with pytest.raises(NotConstant) as caught:
        value(source)

    assert str(caught.value)


@pytest.mark.parametrize(
    "source",
    [
        "10 ** 10 ** 10",
        "2 ** 5000",
        "2 ** -5000",
        "'a' * 10 ** 9",
        "[0] * 1000000",
        "[[[0] * 900] * 900] * 900",
        "[" + ", ".join(["[0] * 90000"] * 9) + "]",
        "('a' * 90000) + ('b' * 90000)",
        "((((9 ** 999) * (9 ** 999)) ** 99))",
    ],
)
def test_a_bomb_is_refused_at_once(source: str) -> None:
    """A short expression cannot cost memory or time."""
    start = time.process_time()
    with pytest.raises(NotConstant):
        value(source)

    assert time.process_time() - start < 2


def test_a_tree_deeper_than_the_stack_is_refused() -> None:
    """Nesting that no parser would give is handled all the same."""
    node: ast.expr = ast.Constant(1)
    for _ in range(20_000):
        node = ast.UnaryOp(ast.USub(), node)
    with pytest.raises(NotConstant) as caught:
        fold(node)

    assert "too deeply" in str(caught.value)


@given(VALUES)
def test_the_weight_bounds_the_written_size(made: Any) -> None:
    """A value within the limit has a text in proportion to its weight."""
    assert len(repr(made)) <= 40 * weight(made)


def test_shared_parts_weigh_each_time() -> None:
    """Doubling a list thirty times makes a small object and a huge text."""
    made: list[Any] = [0]
    for _ in range(30):
        made = [made, made]

    assert weight(made) > MAX_WEIGHT
