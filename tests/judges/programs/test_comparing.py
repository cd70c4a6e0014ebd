"""Outputs of programs: what differs, and what does not count as a difference."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.judges.programs.comparing import difference


@pytest.mark.parametrize(
    ("compare", "expected", "actual"),
    [
        ("lines", "1 2\n3\n", "1 2  \n3"),
        ("lines", "1\r\n2\r\n", "1\n2\n\n\n"),
        ("lines", "", "\n"),
        ("tokens", "1 2\n3", "1\n2\n3\n"),
        ("floats", "1.0 x", "1 x"),
        ("floats", "1e3", "1000.0000001"),
        ("floats", "-0", "0"),
    ],
)
def test_equal_outputs(compare: str, expected: str, actual: str) -> None:
    """Whitespace at ends, and numbers within the tolerance."""
    assert difference(expected, actual, compare=compare, abs_tol=1e-6) == ""


@pytest.mark.parametrize(
    ("compare", "expected", "actual"),
    [
        ("lines", "1 2", "1  2"),
        ("lines", "1\n2", "1\n\n2"),
        ("lines", " 1", "1"),
        ("tokens", "1", "1.0"),
        ("tokens", "1 2", "12"),
        ("tokens", "1", "1 1"),
        ("tokens", "1 1", "1"),
        ("floats", "1", "1.1"),
        ("floats", "1", "nan"),
        ("floats", "1e9999", "1e9998"),
        ("floats", "1", "1_0"),
        ("floats", "inf", "1e999"),
        ("floats", "1", "١"),
    ],
)
def test_different_outputs(compare: str, expected: str, actual: str) -> None:
    """The reason names the place."""
    assert difference(expected, actual, compare=compare, abs_tol=1e-6)


def test_the_tolerances() -> None:
    """One of the two is enough, and the relative one counts from the expected number."""
    cases = [
        ("100", "101", 0.0, 0.01),
        ("100", "101", 0.5, 0.001),
        ("0", "0.5", 0.5, 0.0),
        ("0", "0.5", 0.0, 9.0),
    ]
    found = [difference(want, got, compare="floats", abs_tol=a, rel_tol=r) == "" for want, got, a, r in cases]

    assert found == [True, False, True, False]


@given(st.text(st.characters(codec="utf-8"), max_size=60), st.sampled_from(["lines", "tokens", "floats"]))
def test_an_output_equals_itself(text: str, compare: str) -> None:
    """And with an empty line more."""
    assert difference(text, f"{text}\n", compare=compare) == ""
