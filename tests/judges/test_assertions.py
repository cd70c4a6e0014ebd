"""Values are compared on the trusted side: exactly, or with room for rounding."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.judges.assertions import matches

plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=10,
)


@given(plain)
@pytest.mark.parametrize("how", ["equal", "close"])
def test_a_value_matches_itself(how: str, value: Any) -> None:
    """Either way."""
    assert matches(value, value, how=how)


@given(plain, plain)
def test_equal_is_what_an_assert_would_say(value: Any, expected: Any) -> None:
    """No more and no less than ==."""
    assert (value == expected) is matches(value, expected, how="equal")


@given(plain, plain)
def test_close_forgives_only_rounding(value: Any, expected: Any) -> None:
    """What is equal is close; and where no float is in it, nothing else is."""
    if value == expected or "." not in repr((value, expected)):
        assert (value == expected) is matches(value, expected, how="close")


CLOSE: list[tuple[Any, Any, bool]] = [
    (0.1 + 0.2, 0.3, True),
    (1.0, 1.0 + 1e-6, False),
    (3, 3.0000000000001, True),
    (1e-13, 0.0, True),
    (1e-11, 0.0, False),
    (math.nan, math.nan, True),
    (math.nan, 1.0, False),
    (math.inf, math.inf, True),
    (math.inf, -math.inf, False),
    ([0.1 + 0.2, "x"], [0.3, "x"], True),
    ([0.1], [0.1, 0.1], False),
    ([0.3], (0.3,), False),
    ({"a": 0.1 + 0.2}, {"a": 0.3}, True),
    ({"a": 0.3}, {"b": 0.3}, False),
    ("0.3", 0.3, False),
    (None, 0.0, False),
    (True, 1.0, True),
    ([[0.1 + 0.2]], [[0.3]], True),
]


@pytest.mark.parametrize(("value", "expected", "same"), CLOSE)
def test_close(value: Any, expected: Any, same: bool) -> None:
    """Floats within 1e-9 of each other, relative; containers item by item; all else exactly."""
    assert same is matches(value, expected, how="close")


@pytest.mark.parametrize(
    ("value", "expected"),
    [(10**400, 1.0), (1.0, 10**400), ([10**400], [0.5])],
    ids=["value", "expected", "nested"],
)
def test_integers_beyond_floats(value: Any, expected: Any) -> None:
    """A giant integer is not close to a float, and is no error of the judge."""
    assert not matches(value, expected, how="close")
