"""Preferences with a length effect: a judge's preference at equal length."""

from __future__ import annotations

import pytest

from benchwright.stats.bradley_terry import at_equal_length, relative_difference
from kit.needs import need_module


def test_a_judge_that_only_likes_length_leaves_nothing() -> None:
    values, differences = [1.0] * 20 + [0.0] * 10, [0.4] * 20 + [-0.4] * 10
    share, weight = at_equal_length(values, differences)
    assert share == pytest.approx(0.5, abs=0.1) and weight > 3


def test_a_preference_that_length_does_not_explain_stays() -> None:
    values, differences = [1.0] * 24 + [0.0] * 6, [0.3, -0.3] * 15
    share, weight = at_equal_length(values, differences)
    assert share > 0.7 and abs(weight) < 1


def test_it_is_the_maximum_of_the_penalised_likelihood() -> None:
    """Compared with SciPy's minimiser."""
    optimize = need_module("scipy.optimize")
    np = need_module("numpy")
    values, differences = [1, 0, 0.5, 1, 1, 0, 0], [0.5, 0.2, 0.0, -0.1, 0.3, -0.6, 0.1]

    def loss(at: list[float]) -> float:
        p = 1 / (1 + np.exp(-(at[0] + at[1] * np.array(differences))))
        y = np.array(values)
        return float(-(y * np.log(p) + (1 - y) * np.log(1 - p)).sum() + 0.25 * (at[0] ** 2 + at[1] ** 2))

    best = optimize.minimize(loss, [0, 0]).x
    share, weight = at_equal_length(values, differences)
    assert (share, weight) == pytest.approx((1 / (1 + np.exp(-best[0])), best[1]), abs=1e-4)


def test_lengths() -> None:
    assert (relative_difference(3, 1), relative_difference(0, 0)) == (0.5, 0.0)
