"""Words, stems, likeness and language of prose about code."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.text.words import natural_language, similarity, stem, stems, words

WORDS = st.lists(st.sampled_from(["area", "width", "height", "sum", "длина", "сумма"]), max_size=8).map(
    Counter
)


def test_identifiers_are_split() -> None:
    """At underscores, capitals and digits; ё becomes е."""
    assert words("maxWidth_px, HTTPServer2 Ёлка 1.5") == [
        "max",
        "width",
        "px",
        "http",
        "server",
        "2",
        "елка",
        "1.5",
    ]


@pytest.mark.parametrize(
    "forms",
    [
        "return returns returned returning",
        "value values",
        "line lines",
        "длина длины длину",
        "возвращает возвращаемое",
    ],
)
def test_forms_share_a_stem(forms: str) -> None:
    """The stems are rough, which is sufficient."""
    assert len({stem(word) for word in forms.split()}) == 1


def test_frequent_words_have_no_stem() -> None:
    """This holds in either language."""
    assert stems(words("The sum of all and each, и это всё")) == ["sum"]


@given(one=WORDS, other=WORDS)
def test_likeness_is_a_share(one: Counter[str], other: Counter[str]) -> None:
    """It is 1 exactly for equal counts, and 0 exactly if nothing is shared."""
    found = similarity(one, other)
    assert 0 <= found <= 1
    assert (found == 1) == (one == other)
    assert (found == 0) == (not one & other and one != other)


def test_recall_weighs_more() -> None:
    """Words of the reference that the text lacks cost more than the reverse."""
    short, long = Counter(["area"]), Counter(["area", "width"])
    assert similarity(short, long) > similarity(long, short)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Returns the product", "en"),
        ("возвращает произведение", "ru"),
        ("возвращает value", "ru"),
        ("das ist eine sehr gute und lange Sache", ""),
        ("це довга українська примітка щодо коду нижче", ""),
        ("返回两个数的乘积", "zh"),
        ("返回 value 的乘积和总和", "zh"),
        ("返回 a", "zh"),
        ("値を返します", "und"),
        ("값을 반환합니다", "und"),
        ("επιστρέφει την τιμή", "und"),
        ("returns 值", "en"),
        ("возвращает 值", "ru"),
        ("42 == 7", ""),
        ("", ""),
    ],
)
def test_the_language(text: str, language: str) -> None:
    """By script and frequent words."""
    assert natural_language(words(text)) == language
