"""McNemar's exact test against scipy's binomial test."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from benchwright.stats.mcnemar import mcnemar


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
    """Whole numbers with one division hold for any data set."""
    assert 0 < mcnemar(700, 900) < 1e-6


def test_negative_counts_are_refused():
    """A count below zero is a slip."""
    with pytest.raises(ValueError, match="at least 0"):
        mcnemar(-1, 3)
