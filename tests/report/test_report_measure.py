"""Widths of texts: bounds for existing fonts, shortened names that fit, labels that do not overlap."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.report.chart_layout import CUT, fitted_text, is_bounded, shortened_text, text_width

NAMES = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=40)


@given(NAMES, st.integers(8, 30))
def test_a_cut_fits(name: str, room: int) -> None:
    """A text that fits is unchanged; others keep beginning and end, within the width."""
    label = fitted_text(name, room)
    head, mark, tail = label.partition(CUT)

    assert text_width(label) <= room
    assert label == name if text_width(name) <= room else (name.startswith(head) and mark == CUT)
    assert label == name or name.endswith(tail)


@given(st.lists(NAMES | st.just("x" * 90), max_size=12), st.integers(10, 30))
def test_labels_stay_apart(names: list[str], room: int) -> None:
    """Each name has a unique label within the width, even for equal names."""
    labels = shortened_text(names, room)

    assert len(set(labels)) == len(labels) == len(names)
    assert all(text_width(label) <= room + 1e-9 for label in labels)


def test_labels_are_cut_in_the_middle() -> None:
    """Models of one family differ at the end of their names."""
    names = ["some-family-of-models-7b", "some-family-of-models-70b"]

    assert shortened_text(names, 11) == ["some-…odels-7b", "some-…dels-70b"]


def test_many_long_names_are_cheap() -> None:
    """A thousand names of ten thousand characters: only parts that may fit are measured."""
    labels = shortened_text(["x" * 10_000] * 1_000, 20)

    assert len(set(labels)) == 1_000


@pytest.mark.parametrize("emoji", ["\U0001f600", "\U0001f469\u200d\U0001f52c", "e\u0301"])
def test_no_character_is_halved(emoji: str) -> None:
    """A cut is between code points, and no mark is separated from its letter."""
    label = fitted_text(emoji * 40, 20)

    assert label.encode("utf-16-le").decode("utf-16-le") == label
    assert not label.partition(CUT)[2].startswith("\u0301")


def test_bounds_are_known_for_common_scripts() -> None:
    """Others are drawn with a fixed width."""
    assert is_bounded(string.printable[:95] + "Модель-7 \u03b1") and text_width("i") < text_width(
        "a"
    ) < text_width("W")
    assert not any(map(is_bounded, ["\u05e9\u05dc", "\U0001f600", "\ufdfd", "e\u0301", "\u6a21"]))
