"""Balanced accuracy, F1 and Matthews' correlation, against sums done by hand and against a correlation."""

from __future__ import annotations

import doctest
from math import sqrt

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from benchwright.stats import confusion
from benchwright.stats.confusion import Confusion, balanced_accuracy, macro_f1, matthews

COUNTS = st.integers(0, 40)
TABLES = st.builds(Confusion, *([COUNTS] * 6)).filter(lambda table: table.first > 0 and table.second > 0)


@pytest.mark.parametrize(
    ("table", "balanced", "f1", "correlation"),
    [
        # 8 of 10 and 3 of 5; F1 of the first 16/20, of the second 6/10; (8*3 - 2*2)/sqrt(10*5*10*5)
        (Confusion(8, 2, 0, 2, 3, 0), 0.7, 0.7, 20 / 50),
        # two without a label: 6 of 10 and 3 of 5, F1 12/(6+2+10) and 6/(3+2+5), R_K with s=15, c=9, p=8,5,2
        (Confusion(6, 2, 2, 2, 3, 0), 0.6, (12 / 18 + 6 / 10) / 2, (135 - 105) / sqrt((225 - 93) * 100)),
        (Confusion(10, 0, 0, 0, 5, 0), 1.0, 1.0, 1.0),
        (Confusion(0, 10, 0, 5, 0, 0), 0.0, 0.0, -1.0),
        (Confusion(10, 0, 0, 5, 0, 0), 0.5, (20 / 25) / 2, 0.0),
        (Confusion(0, 0, 10, 0, 0, 5), 0.0, 0.0, 0.0),
    ],
)
def test_known_tables(table: Confusion, balanced: float, f1: float, correlation: float) -> None:
    """Good, bad, constant and silent answers."""
    found = (balanced_accuracy(table), macro_f1(table), matthews(table))

    assert found == pytest.approx((balanced, f1, correlation))


@given(TABLES)
@settings(deadline=None)  # the first call imports numpy
def test_matthews_is_the_correlation_of_two_indicators(table: Confusion) -> None:
    """Without answers that hold no label it is Pearson's correlation of truth and prediction as 0 and 1."""
    correlation = pytest.importorskip("numpy").corrcoef
    whole = table._replace(first_as_none=0, second_as_none=0)
    assume(whole.first > 0 and whole.second > 0)
    assume(0 < whole.first_as_first + whole.second_as_first < whole.first + whole.second)
    counts = [int(count) for count in whole]
    truth = [1] * (counts[0] + counts[1]) + [0] * (counts[3] + counts[4])
    said = [1] * counts[0] + [0] * counts[1] + [1] * counts[3] + [0] * counts[4]

    assert correlation(truth, said)[0][1] == pytest.approx(matthews(whole), abs=1e-9)


@given(TABLES)
@settings(deadline=None)
def test_classes_may_change_places(table: Confusion) -> None:
    """No metric prefers one class."""
    swapped = Confusion(table[4], table[3], table[5], table[1], table[0], table[2])
    found = [
        function(each) for each in (table, swapped) for function in (balanced_accuracy, macro_f1, matthews)
    ]

    assert found[:3] == pytest.approx(found[3:])


@given(TABLES, st.integers(2, 9))
@settings(deadline=None)
def test_only_shares_count(table: Confusion, times: int) -> None:
    """Each count times a number changes nothing."""
    larger = Confusion(*(count * times for count in table))
    found = [
        function(each) for each in (table, larger) for function in (balanced_accuracy, macro_f1, matthews)
    ]

    assert found[:3] == pytest.approx(found[3:])


@given(TABLES)
@settings(deadline=None)
def test_values_stay_in_their_range(table: Confusion) -> None:
    """From 0 to 1, and the correlation from -1."""
    inside = [
        0 <= balanced_accuracy(table) <= 1,
        0 <= macro_f1(table) <= 1,
        abs(matthews(table)) <= 1 + 1e-12,
    ]

    assert inside == [True] * 3


@given(TABLES.filter(lambda table: table.first_as_first > 0))
@settings(deadline=None)
def test_a_label_is_never_worse_than_none(table: Confusion) -> None:
    """Taking a right answer's label away lowers balanced accuracy and F1."""
    silent = table._replace(first_as_first=table.first_as_first - 1, first_as_none=table.first_as_none + 1)
    fell = [balanced_accuracy(silent) < balanced_accuracy(table), macro_f1(silent) < macro_f1(table)]

    assert fell == [True, True]


def test_the_examples_hold() -> None:
    """Those in the docstrings."""
    result = doctest.testmod(confusion)

    assert (result.failed, result.attempted) == (0, 3)
