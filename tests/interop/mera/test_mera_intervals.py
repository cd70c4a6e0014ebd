"""Intervals of MERA's scores: those of the same metrics of a run, and none that the rows do not support."""

from __future__ import annotations

import pytest

from benchwright.interop.mera.score_intervals import (
    chrf_intervals,
    grade_intervals,
    pass_intervals,
    share_intervals,
)
from benchwright.stats.intervals import wilson


def test_pass_at_k_needs_k_answers_to_each_row() -> None:
    """MERA counts a row with fewer than k answers as 1."""
    found = pass_intervals([(10, 3), (5, 5), (10, 0)], (1, 5, 10))

    assert list(found) == ["pass@1", "pass@5"]
    assert found["pass@1"][0] < (0.3 + 1 + 0) / 3 < found["pass@1"][1]
    assert pass_intervals([], (1,)) == pass_intervals([(0, 0)], (1,)) == {}


def test_shares_and_grades() -> None:
    """A share has Wilson's interval; chrF and BLEU are scaled to 100; equal grades have a width."""
    expected = wilson(10, 20)
    assert share_intervals("acc", 10, 20)["acc"] == pytest.approx((expected.low, expected.high))
    low, high = grade_intervals("bleu", [0.5, 0.5, 0.5], scale=100)["bleu"]
    assert 0 < low < 50 < high < 100

    pairs = [("return a list", "return the list"), ("sort rows", "sort all rows"), ("x", "open a file")]
    low, high = chrf_intervals("chrf", pairs)["chrf"]
    assert 0 <= low < high <= 100
    assert chrf_intervals("chrf", pairs[:1]) == chrf_intervals("chrf", [("x", "x")] * 3) == {}
    assert chrf_intervals("chrf", []) == share_intervals("acc", 0, 0) == {}
