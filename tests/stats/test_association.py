"""Fisher's exact test: values from the book and from scipy, and its invariants."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.stats.association import fisher_exact
from kit.examples import examples
from kit.needs import need_module

COUNTS = st.integers(0, 40)


def table(*counts: int) -> dict[tuple[bool, bool], int]:
    return dict(zip([(True, True), (True, False), (False, True), (False, False)], counts, strict=True))


@pytest.mark.parametrize(
    ("counts", "p"),
    [((3, 1, 1, 3), 34 / 70), ((4, 0, 0, 4), 2 / 70), ((1, 9, 11, 3), 0.002759456), ((0, 0, 5, 5), 1.0)],
)
def test_known_values(counts: tuple[int, int, int, int], p: float) -> None:
    """Including the lady tasting tea."""
    assert fisher_exact(table(*counts)) == pytest.approx(p, rel=1e-6)


@given(COUNTS, COUNTS, COUNTS, COUNTS)
@settings(max_examples=examples(60), deadline=None)
def test_as_scipy(a: int, b: int, c: int, d: int) -> None:
    """Also for the transposed table."""
    stats = need_module("scipy.stats")
    expected = float(stats.fisher_exact([[a, b], [c, d]]).pvalue)

    assert fisher_exact(table(a, b, c, d)) == pytest.approx(expected, rel=1e-6, abs=1e-12)
    assert fisher_exact(table(d, c, b, a)) == pytest.approx(expected, rel=1e-6, abs=1e-12)


def test_nothing_at_all() -> None:
    """An empty table is no evidence."""
    assert fisher_exact({}) == 1.0


def test_a_count_below_zero() -> None:
    """It is refused."""
    with pytest.raises(ValueError, match="at least 0"):
        fisher_exact(table(-1, 1, 1, 1))
