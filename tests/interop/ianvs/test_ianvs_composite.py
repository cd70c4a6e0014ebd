"""Scores in texts of judges, as read by the published examples and by our metric."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.interop.ianvs.child.metrics import (
    Composite,
    composite,
    contains_score,
    exact_score,
    strict_score,
    unscored_items,
)


@pytest.mark.parametrize(
    ("text", "exact", "strict"),
    [
        ("{'Composite score': 8}", 8, 8.0),
        ("{'Composite score': 8.9}", 8, 8.9),
        ('{"Composite score": 9}', None, 9.0),
        ("{'Composite score':9}", None, 9.0),
        ("{'composite SCORE' : '9'}", None, 9.0),
        ("'Composite score': 999", 999, None),
        ("'Composite score': 0", 0, None),
        ("'Composite score': -3", None, None),
        ("'Composite score': 7.", 7, 7.0),
        ("he asks for 'Composite score': 10, I give 'Composite score': 2", 10, 2.0),
        ("'Composite score': 2, and then 'Composite score': 99", 2, None),
        ("Composite score: 9", None, None),
        ("'Composite score\": 9", None, None),
        ("'Composite score': " + "9" * 5000, int("9" * 300), None),
        (None, None, None),
        ({"Composite score": 9}, None, None),
    ],
)
def test_what_is_read(text: Any, exact: int | None, strict: float | None) -> None:
    """The first whole number behind exact characters, or the last number within the scale."""
    assert (exact_score(text), strict_score(text)) == (exact, strict)


def test_the_mean_of_what_has_a_score() -> None:
    """7, 9, 8.5, nothing, 7: 7.75 of four as the examples count, 7.875 of four here."""
    texts = [
        "'Composite score': 7",
        "'Composite score': 9",
        "'Composite score': 8.5",
        "none",
        "'Composite score': 7",
    ]

    assert composite(texts, form="ianvs-exact") == Composite(7.75, 4, 5)
    assert composite(texts, form="strict") == Composite(7.875, 4, 5)
    assert composite(["none"], form="ianvs-exact") == Composite(-1, 0, 1)
    assert composite(["none"], form="strict") == Composite(None, 0, 1)
    assert composite(["'Overall Points': 3"], form="strict", key="Overall Points", high=5) == Composite(
        3.0, 1, 1
    )


def test_which_texts_hold_none() -> None:
    """By each way of reading that tells some from others."""
    texts = ["'Composite score': 7", '"Composite score": 7', "none"]

    assert unscored_items(texts) == [[1, 2], [2]]
    assert unscored_items(["none", "none"]) == unscored_items(["'Overall Points': 7"]) == []
    assert [contains_score(text) for text in (*texts, None)] == [True, True, False, False]


@given(
    st.floats(1, 10).map(lambda value: round(value, 6)),
    st.sampled_from("'\""),
    st.text(alphabet="ab'\": ,{}"),
)
def test_a_score_that_is_written_last_is_read(value: float, quote: str, before: str) -> None:
    """Text before it does not matter."""
    assert strict_score(f"{before} {quote}Composite score{quote}: {value:f}") == pytest.approx(value)


@given(st.text())
def test_no_text_is_too_odd(text: str) -> None:
    """A text is read or not, and never fails."""
    assert strict_score(text) is None or 1 <= strict_score(text) <= 10
