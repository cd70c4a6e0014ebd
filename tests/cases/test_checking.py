"""What is true of a value: closeness within tolerances, and each property with values that have it or have not."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.cases.checking import (
    INNER,
    OTHER_CALLS,
    PROPERTIES,
    TYPES,
    broken_property,
    is_close,
    numbers_in,
)
from benchwright.cases.reading import PARAMETERS

plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(plain)
def test_a_value_is_close_to_itself(value: Any) -> None:
    """With any tolerance, none among them."""
    assert is_close(value, value) and is_close(value, value, rel_tol=0.1, abs_tol=1.0)


@given(plain, plain)
def test_without_tolerance_it_is_equality(one: Any, other: Any) -> None:
    """As an assert in a test would say it."""
    assert is_close(one, other) == (one == other)


@pytest.mark.parametrize(
    ("value", "expected", "answer"),
    [
        (0.1 + 0.2, 0.3, True),
        (0.30001, 0.3, False),
        ({"a": [1.0000001]}, {"a": [1]}, True),
        ({"a": 1.0}, {"b": 1.0}, False),
        ([1.0], (1.0,), False),
        ([1.0], [1.0, 2.0], False),
        (math.nan, math.nan, True),
        (math.nan, 1.0, False),
        (10**400, 1.0, False),
        (1.0, "1.0", False),
        ("0.3", "0.3", True),
        (math.inf, math.inf, True),
        (1, 1.0000001, True),
        (1, 2, False),
    ],
)
def test_tolerance_holds_wherever_a_float_is(value: Any, expected: Any, answer: bool) -> None:
    """In lists and dicts too; types of containers, lengths and keys are exact."""
    assert is_close(value, expected, rel_tol=1e-6) is answer


HAVE: list[tuple[dict[str, Any], Any]] = [
    ({"type": "str"}, "a"),
    ({"type": ["int", "none"]}, None),
    ({"type": "bool"}, True),
    ({"type": "number"}, 1.5),
    ({"length": 2}, "ab"),
    ({"length": [1, None]}, {"a": 1}),
    ({"length": [0, 3]}, []),
    ({"keys": ["a", "b"]}, {"b": 1, "a": 2}),
    ({"range": [0, 1]}, {"x": [0.0, 0.5], "y": 1}),
    ({"range": [None, 3]}, -100),
    ({"one_of": ["a", "b"]}, "b"),
    ({"contains": ["lo", "he"]}, "hello"),
    ({"contains": [2]}, (1, 2)),
    ({"contains": ["k"]}, {"k": 1}),
    ({"sorted": "ascending"}, [1, 1, 2]),
    ({"sorted": "descending"}, ["b", "a"]),
    ({"finite": True}, [1.0, {"a": 2}]),
    ({"finite": False}, [1.0, math.inf]),
    ({"shape": [2, 3]}, [[1, 2, 3], [4, 5, 6]]),
    ({"shape": [None, 1]}, [[1]]),
    ({"sums_to": 1.0}, {"a": 0.1, "b": 0.2, "c": 0.7}),
    ({"each": {"type": "int"}}, [1, 2]),
    ({"each": {"keys": ["a"]}}, {"x": {"a": 1}}),
    ({"at": {"label": {"one_of": ["x"]}, "score": {"range": [0, 1]}}}, {"label": "x", "score": 0.5}),
    ({"at": {"0": {"type": "str"}}}, ["a", 2]),
]
HAVE_NOT: list[tuple[dict[str, Any], Any]] = [
    ({"type": "int"}, True),
    ({"type": "str"}, b"a"),
    ({"length": 2}, 2),
    ({"length": [2, 3]}, "abcd"),
    ({"keys": ["a"]}, {"a": 1, "b": 2}),
    ({"keys": ["a"]}, ["a"]),
    ({"range": [0, 1]}, [0.5, 1.5]),
    ({"range": [0, 1]}, "no number"),
    ({"range": [0, 1]}, math.nan),
    ({"range": [0, 1]}, True),
    ({"one_of": ["a"]}, "A"),
    ({"contains": ["a"]}, 1),
    ({"contains": [1]}, "1"),
    ({"sorted": "ascending"}, [2, 1]),
    ({"sorted": "ascending"}, [1, "a"]),
    ({"sorted": "ascending"}, "abc"),
    ({"finite": True}, [1.0, math.nan]),
    ({"finite": True}, "text"),
    ({"shape": [2, 3]}, [[1, 2, 3], [4, 5]]),
    ({"shape": [2]}, [[1], [2]]),
    ({"sums_to": 1.0}, [0.5, 0.6]),
    ({"sums_to": 1.0}, [math.inf, -math.inf]),
    ({"each": {"type": "int"}}, []),
    ({"each": {"type": "int"}}, [1, "a"]),
    ({"each": {"type": "str"}}, "text"),
    ({"at": {"label": {"type": "str"}}}, {"other": "x"}),
    ({"at": {"2": {"type": "str"}}}, ["a"]),
    ({"at": {"-1": {"type": "str"}}}, ["a"]),
]


@pytest.mark.parametrize(("properties", "value"), HAVE)
def test_values_that_have_a_property(properties: dict[str, Any], value: Any) -> None:
    """Nothing is said of them."""
    assert broken_property(value, properties, rel_tol=1e-9) == ""


@pytest.mark.parametrize(("properties", "value"), HAVE_NOT)
def test_values_that_have_it_not(properties: dict[str, Any], value: Any) -> None:
    """The property is named."""
    assert next(iter(properties)) in broken_property(value, properties, rel_tol=1e-9)


@given(plain, st.sampled_from([properties for properties, _ in HAVE]))
def test_no_value_brings_an_exception_about(value: Any, properties: dict[str, Any]) -> None:
    """Whatever an answer gives, a property holds or it does not."""
    assert isinstance(broken_property(value, properties), str)


def test_comparisons_with_other_calls_are_left_to_the_judge() -> None:
    """They need a second value, which is not here."""
    assert broken_property(1, {key: {"args": []} for key in OTHER_CALLS}) == ""


def test_every_property_has_a_parameter_and_an_example() -> None:
    """The set is closed: what reads cases and what checks values know the same names."""
    names = {name for properties, _ in HAVE for name in properties}

    assert names | set(OTHER_CALLS) == set(PARAMETERS) == {*PROPERTIES, *INNER, *OTHER_CALLS}


def test_numbers_are_found_at_any_depth() -> None:
    """Truth values and texts are none."""
    assert numbers_in({"a": [1, (2.5, {3})], "b": True, "c": "4"}) == [1, 2.5, 3]


def test_types_have_the_names_that_cases_use() -> None:
    """Each name is tried with a value of its type."""
    values: dict[str, Any] = {"none": None, "bool": True, "int": 1, "float": 1.0, "number": 1, "str": ""}
    values |= {"bytes": b"", "list": [], "tuple": (), "dict": {}, "set": set()}

    assert set(values) == set(TYPES)
    assert all(broken_property(value, {"type": name}) == "" for name, value in values.items())
