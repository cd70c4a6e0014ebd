"""McNemar's test, a paired difference and a probability of superiority, compared with scipy and known
properties."""

from __future__ import annotations

import doctest

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from benchwright.stats import association
from benchwright.stats.association import dominance, mcnemar, paired_proportions
from benchwright.stats.paired import paired_difference
from kit.needs import need_module


@given(st.integers(0, 400), st.integers(0, 400))
def test_is_the_binomial_test_at_one_half(only_a, only_b):
    """The p value is that of scipy's exact binomial test of the discordant tasks."""
    expected = binomtest(only_a, only_a + only_b).pvalue if only_a + only_b else 1.0

    assert expected == pytest.approx(mcnemar(only_a, only_b), rel=1e-9)


@pytest.mark.parametrize(
    ("counts", "expected"),
    [((5, 0), 0.0625), ((6, 0), 0.03125), ((8, 1), 0.0390625), ((3, 3), 1.0), ((0, 0), 1.0)],
)
def test_printed_values(counts, expected):
    """Five to nothing is not yet significant, six is."""
    assert mcnemar(*counts) == expected


def test_large_counts_do_not_overflow():
    """Integers with one division work for any data set."""
    assert 0 < mcnemar(700, 900) < 1e-6


def test_negative_counts_are_refused():
    """A count below zero is an error."""
    with pytest.raises(ValueError, match="at least 0"):
        mcnemar(-1, 3)


VALUES = st.lists(st.integers(0, 6).map(float), min_size=1, max_size=20)


@pytest.mark.parametrize(("only_a", "only_b", "n"), [(12, 5, 60), (0, 0, 30), (3, 0, 500), (20, 20, 40)])
def test_it_is_the_interval_of_two_models_on_the_same_tasks(only_a: int, only_b: int, n: int) -> None:
    """The comparison of models gives 0/1 estimates the same interval, with t instead of z."""
    need_module("scipy")
    both = n - only_a - only_b
    pairs = [(1.0, 0.0)] * only_a + [(0.0, 1.0)] * only_b + [(1.0, 1.0)] * both
    wanted = paired_difference([a for a, _ in pairs], [b for _, b in pairs])
    found = paired_proportions(only_a, only_b, n)

    assert (found.low, found.high) == pytest.approx((wanted.low, wanted.high), abs=0.01)
    assert found.value == pytest.approx(wanted.value)


@given(st.integers(0, 50), st.integers(0, 50), st.integers(1, 50))
@settings(deadline=None)
def test_the_difference_has_a_sign_and_a_width(only_a: int, only_b: int, rest: int) -> None:
    """Swapping the two swaps the limits; the value is inside."""
    n = only_a + only_b + rest
    found, other = paired_proportions(only_a, only_b, n), paired_proportions(only_b, only_a, n)

    assert (found.low, found.high) == pytest.approx((-other.high, -other.low))
    assert (found.low < found.high, found.low <= found.value <= found.high) == (True, True)


@pytest.mark.parametrize(("only_a", "only_b", "n"), [(0, 0, 0), (-1, 0, 5), (3, 3, 5)])
def test_impossible_counts_are_refused(only_a: int, only_b: int, n: int) -> None:
    """More differences than tasks, or a negative number."""
    with pytest.raises(ValueError, match="are not counts"):
        paired_proportions(only_a, only_b, n)


@given(VALUES, VALUES)
@settings(deadline=None)
def test_dominance_is_mann_and_whitney_s_share(a: list[float], b: list[float]) -> None:
    """It is counted pair by pair."""
    wins = sum((x > y) + 0.5 * (x == y) for x in a for y in b)

    assert dominance(a, b).value == pytest.approx(wins / (len(a) * len(b)))


@given(VALUES, VALUES)
@settings(deadline=None)
def test_dominance_is_turned_round_with_its_samples(a: list[float], b: list[float]) -> None:
    """Swapping gives the complement; the value is inside the interval."""
    found, other = dominance(a, b), dominance(b, a)

    assert found.value == pytest.approx(1 - other.value)
    assert (0 <= found.low <= found.value <= found.high <= 1, found.low < found.high) == (True, True)


def test_equal_samples_have_an_interval_around_a_half() -> None:
    """The width is about 1.96 sqrt((n + m + 1) / 12nm), the known deviation under equality."""
    values = [float(value) for value in range(100)]
    found = dominance(values, values)

    assert (found.value, found.high - found.low) == (
        0.5,
        pytest.approx(2 * 1.96 * (201 / 120_000) ** 0.5, rel=0.02),
    )


def test_an_empty_sample_is_refused() -> None:
    """There is no value to exceed."""
    with pytest.raises(ValueError, match="at least one value"):
        dominance([], [1.0])


def test_the_examples_hold() -> None:
    """Executes the examples of the docstrings."""
    assert tuple(doctest.testmod(association)) == (0, 5)
