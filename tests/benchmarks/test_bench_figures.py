"""The arithmetic of a comparison."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.figures import Spread, paired_ratio, split, spread

SECONDS = st.floats(min_value=0.01, max_value=1000)


def test_spread_of_an_odd_number_of_values():
    """The median is the middle value, in whatever order the values come."""
    found = spread([3.0, 1.0, 2.0])

    assert Spread(median=2.0, low=1.0, high=3.0) == found


def test_spread_of_an_even_number_of_values():
    """The median of an even number of values is the mean of the middle two."""
    found = spread([4.0, 1.0, 2.0, 3.0])

    assert Spread(median=2.5, low=1.0, high=4.0) == found


def test_spread_reads_as_a_median_with_its_range():
    """A figure is never shown without its range."""
    text = Spread(median=1.234, low=1.0, high=2.5).text(1)

    assert text == "1.2 (1.0–2.5)"


@given(st.lists(SECONDS, min_size=1))
def test_the_median_lies_within_the_range(values):
    """low ≤ median ≤ high for all values."""
    found = spread(values)

    assert found.low <= found.median <= found.high


def test_ratios_are_taken_within_a_round():
    """A load that doubles one whole round leaves the ratio as it is."""
    found = paired_ratio([10.0, 20.0, 10.0], [2.0, 4.0, 2.0])

    assert Spread(median=5.0, low=5.0, high=5.0) == found


def test_the_median_of_ratios_is_not_the_ratio_of_medians():
    """With medians 4 and 2 the pairs still say 1."""
    found = paired_ratio([1.0, 4.0, 9.0], [1.0, 4.0, 2.0])

    assert Spread(median=1.0, low=1.0, high=4.5) == found


def test_rounds_without_a_partner_are_refused():
    """A round that only one of the two finished cannot be paired."""
    with pytest.raises(ValueError, match="zip"):
        paired_ratio([1.0, 2.0], [1.0])


def test_split_finds_the_line_through_two_points():
    """164 executions in 1 s and 1,640 in 6.904 s: 4 ms each and 0.344 s once."""
    found = split(1.0, 6.904, small=164, large=1640)

    assert (pytest.approx(found.fixed_s), pytest.approx(found.marginal_ms)) == (0.344, 4.0)


@given(
    fixed=st.floats(min_value=0, max_value=10),
    each_ms=st.floats(min_value=0.1, max_value=100),
    small=st.integers(min_value=1, max_value=200),
    more=st.integers(min_value=50, max_value=5000),
)
def test_split_recovers_what_made_the_times(fixed, each_ms, small, more):
    """Times made from a fixed and a marginal cost give both back."""
    large = small + more
    found = split(fixed + small * each_ms / 1000, fixed + large * each_ms / 1000, small=small, large=large)

    assert (pytest.approx(fixed, abs=1e-6), pytest.approx(each_ms, rel=1e-6)) == (
        found.fixed_s,
        found.marginal_ms,
    )


def test_split_needs_two_sizes():
    """Two runs of one size do not make a line."""
    with pytest.raises(ValueError, match="larger"):
        split(1.0, 2.0, small=164, large=164)
