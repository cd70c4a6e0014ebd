"""The jackknife over clusters, compared with its known result for a mean."""

from __future__ import annotations

from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.stats.intervals import cluster_tables, jackknife_half_width, t_quantile


@given(st.lists(st.integers(0, 9), min_size=2, max_size=30))
def test_of_a_mean_it_is_the_textbook_s_interval(values: list[int]) -> None:
    """t times s / sqrt(n)."""
    tables = [(float(value), 1.0) for value in values]
    size, mean = len(values), sum(values) / len(values)
    spread = sqrt(sum((value - mean) ** 2 for value in values) / (size - 1))
    half = jackknife_half_width(tables, lambda table: table[0] / table[1])

    assert half == pytest.approx(t_quantile(0.975, size - 1) * spread / sqrt(size), abs=1e-9)


def test_tasks_of_a_cluster_are_added_up() -> None:
    """The order is that of their first task."""
    assert cluster_tables([("a", (1.0, 2.0)), ("b", (5.0, 0.0)), ("a", (1.0, 1.0))]) == [
        (2.0, 3.0),
        (5.0, 0.0),
    ]


def test_a_cluster_that_holds_all_of_something_stays() -> None:
    """If the function has no value without it, only the others are left out; if none remains, there is no
    width."""
    tables = [(1.0, 1.0), (0.0, 0.0), (0.0, 0.0)]

    assert jackknife_half_width(tables, lambda table: table[0] / table[1]) == 0.0
    assert jackknife_half_width(tables[:1], lambda table: table[0]) == 0.0
