"""chrF++ equals sacreBLEU's."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.text.chrf import LIMIT, chrf

AREA = "Returns the product of length and width, which is the area of the rectangle."
# Values of sacreBLEU 2.6.0: CHRF(word_order=2).sentence_score(text, [reference]).score
STORED = [
    ("Returns the sum of length and width, which is the area of the rectangle.", AREA, 86.76512648401244),
    ("Multiplies both sides to get how much surface the rectangle covers.", AREA, 24.053229932161265),
    ("Returns the value.", AREA, 16.097333605923446),
    (
        "Возвращает произведение длины и ширины.",
        "Возвращает произведение длины и ширины, то есть площадь прямоугольника.",
        56.28080291559311,
    ),
    ("a", "a", 100.0),
    ("ab", "ba", 33.33333333333333),
    ("x", "", 0.0),
    ("(f(x), y)!", "f(x) y", 34.10247377485518),
    ("same words here", "same words here", 100.0),
]


@pytest.mark.parametrize(("text", "reference", "theirs"), STORED)
def test_of_one_pair(text: str, reference: str, theirs: float) -> None:
    """The score equals sacreBLEU's for a sentence."""
    assert 100 * chrf([(text, reference)]) == pytest.approx(theirs, abs=1e-9)


def test_of_all_pairs() -> None:
    """The score equals sacreBLEU's corpus_score of the same pairs."""
    assert 100 * chrf((text, reference) for text, reference, _ in STORED) == pytest.approx(
        48.518837670691774, abs=1e-9
    )


@given(text=st.text(max_size=80), reference=st.text(max_size=80))
def test_it_is_a_share(text: str, reference: str) -> None:
    """It is 1 for equal texts, and there is none for empty ones."""
    assert 0 <= chrf([(text, reference)]) <= 1 + 1e-12
    assert chrf([(text, text)]) == pytest.approx(1.0 if text.split() else 0.0)
    assert chrf([]) == chrf([("", reference)]) == 0.0


def test_long_texts_are_cut() -> None:
    """Text after the limit is not compared."""
    assert chrf([("a b" * LIMIT + "x", "a b" * LIMIT + "y")]) == pytest.approx(1.0)
