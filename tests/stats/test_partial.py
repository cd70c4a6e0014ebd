"""Partial correlation: compared with residuals by numpy, bounds, and coverage of its interval."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.stats.association import FEWEST, partial_correlation

ROWS = st.lists(st.tuples(*[st.integers(-9, 9)] * 3), min_size=FEWEST, max_size=30)


@given(ROWS)
def test_is_the_correlation_of_residuals(rows: list[tuple[int, int, int]]) -> None:
    """By numpy's least squares; None if a residual does not vary."""
    x, y, z = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    design = np.column_stack([np.ones(len(z)), z])
    left = [values - design @ np.linalg.lstsq(design, values, rcond=None)[0] for values in (x, y)]
    found = partial_correlation(x.tolist(), y.tolist(), z.tolist())

    if min(float((each**2).sum()) for each in left) < 1e-9:
        assert found is None
        return
    assert found is not None
    assert found.value == pytest.approx(float(np.corrcoef(*left)[0, 1]), abs=1e-7)
    assert -1 <= found.low <= found.value <= found.high <= 1


def test_what_only_goes_by_the_third_is_gone() -> None:
    """Both increase with the third variable only."""
    rng = Random(5)
    z = [rng.gauss(0, 1) for _ in range(400)]
    x, y = ([each + rng.gauss(0, 0.3) for each in z] for _ in range(2))
    plain, found = float(np.corrcoef(x, y)[0, 1]), partial_correlation(x, y, z)

    assert plain > 0.8
    assert found is not None and found.low < 0 < found.high


def test_intervals_hold_the_truth() -> None:
    """Of 1,000 samples of 40 with a partial correlation of 0.5, 93 to 97 %."""
    rng, held = Random(7), 0
    for _ in range(1000):
        z = [rng.gauss(0, 1) for _ in range(40)]
        x = [rng.gauss(0, 1) for _ in z]
        y = [0.5 * a + 0.75**0.5 * rng.gauss(0, 1) + b for a, b in zip(x, z, strict=True)]
        found = partial_correlation([a + b for a, b in zip(x, z, strict=True)], y, z)
        assert found is not None
        held += found.low <= 0.5 <= found.high

    assert 930 <= held <= 970


@pytest.mark.parametrize("lists", [([1, 2], [1, 2], [1, 2]), ([1] * 5, [1] * 5, [1] * 4)])
def test_too_few_are_refused(lists: tuple[list[float], list[float], list[float]]) -> None:
    """Columns of different length are refused too."""
    with pytest.raises(ValueError, match="at least 5 observations"):
        partial_correlation(*lists)
