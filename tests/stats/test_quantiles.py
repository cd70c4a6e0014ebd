"""Quantiles against tables and against numerical integration."""

from math import gamma, pi, sqrt

import numpy as np
import pytest

from benchwright.stats.quantiles import normal_quantile, t_quantile


def t_probability(t: float, df: int) -> float:
    """P(T <= t) by the trapezoid rule over Student's density."""
    x = np.linspace(0, t, 200_001)
    scale = gamma((df + 1) / 2) / (sqrt(df * pi) * gamma(df / 2))
    return 0.5 + float(np.trapezoid(scale * (1 + x * x / df) ** (-(df + 1) / 2), x))


@pytest.mark.parametrize(("df", "expected"), [(1, 12.7062), (2, 4.30265), (5, 2.57058), (39, 2.02269)])
def test_t_of_printed_tables(df, expected):
    """The two-sided 95 % values that every textbook prints."""
    assert expected == pytest.approx(t_quantile(0.975, df), rel=2e-4)


@pytest.mark.parametrize("df", [1, 2, 3, 4, 5, 9, 19, 39, 163])
@pytest.mark.parametrize("probability", [0.9, 0.95, 0.975])
def test_t_inverts_the_distribution(df, probability):
    """The probability below the quantile is the one asked for."""
    actual = t_probability(t_quantile(probability, df), df)

    assert probability == pytest.approx(actual, abs=2e-4)


def test_t_error_at_three_degrees_is_as_documented():
    """At df 3 the expansion is 0.12 % low, at df 5 and above within 0.02 %."""
    low = 1 - t_quantile(0.975, 3) / 3.182446
    five = 1 - t_quantile(0.975, 5) / 2.570582

    assert (0.0011 < low < 0.0013, abs(five) < 2e-4) == (True, True)


def test_t_tends_to_the_normal():
    """With many degrees of freedom Student's t is the normal."""
    expected = normal_quantile(0.975)

    assert expected == pytest.approx(t_quantile(0.975, 10**7), rel=1e-6)


def test_normal_of_printed_tables():
    """1.959964 is the number behind 95 %."""
    assert pytest.approx(1.959964, abs=1e-6) == normal_quantile(0.975)
