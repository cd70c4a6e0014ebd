"""Replies of programs are compared to nine digits, whatever their container."""

from __future__ import annotations

import pytest

from benchwright.auditing.agreement import is_same
from benchwright.sandbox.codec import encode


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (0.1 + 0.2, 0.3, True),
        (0.3001, 0.3, False),
        (2.0, 2, True),
        (True, 1, True),
        ([1.00000000001, {"a": 1e-3}], [1, {"a": 0.001}], True),
        ({"b": 1, "a": 2}, {"a": 2, "b": 1}, True),
        ({3, 1}, {1, 3}, True),
        ([1, 2], [2, 1], False),
    ],
)
def test_values_are_equal_to_nine_digits(one: object, other: object, same: bool) -> None:
    """Order counts in lists, and not in dictionaries and sets."""
    assert is_same(("value", encode(one)), ("value", encode(other))) is same


def test_exceptions_are_equal_by_type() -> None:
    """Their messages may differ."""
    replies = [("exception", text) for text in (b"KeyError: 'a'", b"KeyError: 'b'", b"ValueError: x")]

    assert [is_same(replies[0], each) for each in replies] == [True, True, False]
