"""Readers who compare: what they say of hand-made files, and the distance that the medoid is found by."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.building.codecorrectness.naive_baselines import (
    VersionDistances,
    medoid,
    odd_text_out,
    unique_text,
)


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        ("aab", "ssf"),
        ("aabc", "ssff"),
        ("aabbc", "ssssf"),
        ("ab", ""),
        ("aa", ""),
        ("aaa", ""),
        ("abc", ""),
        ("", ""),
    ],
)
def test_the_odd_text(texts: str, said: str) -> None:
    """It needs three rows, a repeated text and another one; else it says nothing."""
    expected = {"s": "success", "f": "failed"}

    assert odd_text_out([*map(ord, texts)]) == ([expected[each] for each in said] or [""] * len(texts))


def test_a_text_that_occurs_once() -> None:
    """It is always said to be failed."""
    assert unique_text([1, 2, 1]) == ["success", "failed", "success"]


def test_the_original_is_nearest_to_all() -> None:
    """Also where each version is there once: two mutants are further from each other than from it."""
    versions = VersionDistances()
    texts = ["a = 1\nb = 2\nc = 3", "a = 7\nb = 2\nc = 3", "a = 1\nb = 2\nc = 9"]

    assert medoid([versions.number(text) for text in texts], versions) == ["success", "failed", "failed"]


def test_two_versions_are_equally_far() -> None:
    """So nothing is said."""
    versions = VersionDistances()

    assert medoid([versions.number("a"), versions.number("b")], versions) == ["", ""]


def test_the_smallest_edit_is_nearest() -> None:
    """Of three mutants without their original, the medoid is the one that was changed least."""
    versions = VersionDistances()
    texts = ["a = 11\nb = 2\nc = 3", "a = 1\nb = 2vwxyz\nc = 3", "a = 1\nb = 2\nc = 3pqrst"]

    assert medoid([versions.number(text) for text in texts], versions)[0] == "success"


@given(st.text("ab\n", max_size=12), st.text("ab\n", max_size=12))
def test_a_distance_is_one(one: str, other: str) -> None:
    """It is the same both ways, and nothing for equal texts; each text has one number."""
    versions = VersionDistances()
    first, second = versions.number(one), versions.number(other)

    assert versions.distance(first, second) == versions.distance(second, first) >= 0
    assert (versions.distance(first, first), versions.number(one)) == (0, first)
    assert (first == second) == (one == other)
