"""Figures in sentences."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.display.wording import about, confidence_text, counted, joined, p_value, points


@pytest.mark.parametrize(
    ("shares", "texts"),
    [
        ([0.123, 0.041, 0.204], ["+12.3", "+4.1", "+20.4"]),
        ([0.012, -0.03, 0.054], ["+1.2", "−3.0", "+5.4"]),
        ([0.0, -0.5, 1.0], ["0.0", "−50.0", "+100.0"]),
        ([0.02, 0.0004, 0.05], ["+2.00", "+0.04", "+5.00"]),
        ([0.02, 0.00004, 0.05], ["+2.000", "+0.004", "+5.000"]),
        ([1e-17, 0.05], ["0.0", "+5.0"]),
    ],
)
def test_points(shares, texts):
    """One digit, or as many as keep the smallest from looking like zero; a true minus sign."""
    assert points(*shares) == texts


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=3))
def test_points_keep_their_sign(shares):
    """What is printed as not zero has the sign of the share."""
    signs = {"+": 1, "−": -1}
    actual = [signs.get(text[0], 0) for text in points(*shares)]

    assert all(sign in (0, (share > 0) - (share < 0)) for sign, share in zip(actual, shares, strict=True))


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (0.0031, "p = 0.003"),
        (0.0004, "p < 0.001"),
        (0.0496, "p = 0.0496"),
        (0.0503, "p = 0.0503"),
        (1.0, "p = 1.000"),
    ],
)
def test_p_values(p, text):
    """Three digits, more near 0.05, and none of false precision below 0.001."""
    assert p_value(p) == text


@pytest.mark.parametrize(("share", "text"), [(0.0613, "6.1"), (0.0996, "10"), (0.241, "24"), (1.0, "100")])
def test_about(share, text):
    """Whole points from ten on."""
    assert about(share) == text


def test_counts_and_lists():
    """One task, 1,361 tasks; A; A and B; A, B and C."""
    actual = [
        counted(1, "task"),
        counted(1361, "task"),
        joined("A"),
        joined("AB"),
        joined("ABC"),
        confidence_text(0.95),
    ]

    assert actual == ["1 task", "1,361 tasks", "A", "A and B", "A, B and C", "95 %"]
