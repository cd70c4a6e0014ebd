"""Quantiles against tables; intervals: edges, symmetry, and agreement with Wilson's formula."""

from __future__ import annotations

from math import gamma, pi, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.stats.intervals import mean_interval, normal_quantile, t_quantile, wilson

SHARES = st.integers(0, 20).map(lambda i: i / 20)
Z = 1.959963984540054


def ends(interval):
    return (interval.low, interval.high)


def mean95(values, samples=10):
    return mean_interval(values, samples_per_task=samples)


def wilson_by_roots(c: int, n: int) -> tuple[float, float]:
    """Return Wilson's limits as the roots of (p - c/n)² = z² p(1-p)/n."""
    a, b, d = 1 + Z * Z / n, -(2 * c / n + Z * Z / n), (c / n) ** 2
    root = sqrt(max(0.0, b * b - 4 * a * d))
    return ((-b - root) / (2 * a), (-b + root) / (2 * a))


@pytest.mark.parametrize(("c", "n"), [(0, 10), (1, 10), (5, 10), (10, 10), (82, 164), (1360, 1361)])
def test_wilson_solves_its_equation(c, n):
    """The limits are the two roots of the score equation."""
    actual = ends(wilson(c, n))

    assert wilson_by_roots(c, n) == pytest.approx(actual, abs=1e-12)


def test_wilson_known_value():
    """8 of 10 gives 0.4902 to 0.9433, as in many publications."""
    actual = ends(wilson(8, 10))

    assert pytest.approx((0.4902, 0.9433), abs=1e-4) == actual


def test_wilson_at_the_edges_is_exact_there_and_wide():
    """No success: low is exactly 0 and high is z²/(n + z²); mirrored at all successes."""
    far = Z * Z / (164 + Z * Z)

    assert [(0.0, pytest.approx(far)), (pytest.approx(1 - far), 1.0)] == [
        ends(wilson(0, 164)),
        ends(wilson(164, 164)),
    ]


def test_wilson_widens_with_confidence():
    """99 % is wider than 95 %, on both sides."""
    narrow, wide = wilson(3, 10), wilson(3, 10, confidence=0.99)

    assert wide.low < narrow.low < narrow.high < wide.high


@pytest.mark.parametrize(("c", "n"), [(-1, 10), (11, 10), (0, 0)])
def test_wilson_refuses_impossible_counts(c, n):
    """Impossible counts are an error."""
    with pytest.raises(ValueError, match="0 <= c <= n"):
        wilson(c, n)


@pytest.mark.parametrize("confidence", [0.0, 1.0, 95])
def test_confidence_must_be_a_share(confidence):
    """A confidence of 95 is a typing error for 95 %."""
    with pytest.raises(ValueError, match=r"confidence must be between 0 and 1, for example 0\.95"):
        mean_interval([0.5], samples_per_task=1, confidence=confidence)


@pytest.mark.parametrize("n", [4, 5, 40, 164])
@pytest.mark.parametrize("value", [0.0, 1.0])
def test_all_zero_or_all_one_has_width(value, n):
    """The interval is Wilson's over tasks and is never a point."""
    expected = ends(wilson(int(value) * n, n))

    assert expected == pytest.approx(ends(mean95([value] * n)), abs=1e-12)


def test_zero_one_values_give_wilson_over_tasks():
    """For 0/1 values with more than three of each kind it is Wilson's interval, for any number of samples."""
    expected = ends(wilson(12, 40))
    values = [1.0] * 12 + [0.0] * 28

    assert [pytest.approx(expected)] * 2 == [ends(mean95(values, samples=1)), ends(mean95(values))]


def test_one_success_uses_the_poisson_limit_below():
    """With one success in 164 the lower limit is near -ln(0.95)/164, below Wilson's."""
    actual = mean95([1.0] + [0.0] * 163, samples=1)

    assert 0.7 * 0.0513 / 164 < actual.low < 0.0513 / 164 < wilson(1, 164).low


def test_few_successes_leave_the_upper_limit_alone():
    """Only the limit next to the edge is corrected."""
    expected = wilson(2, 164).high

    assert expected == pytest.approx(mean95([1.0] * 2 + [0.0] * 162, samples=1).high)


def test_equal_interior_values_use_all_samples():
    """If all tasks have 0.5 the interval is that of N times n draws, not a point."""
    expected = ends(wilson(200, 400))

    assert expected == pytest.approx(ends(mean95([0.5] * 40)), abs=1e-12)


def test_values_that_vary_little_give_a_narrower_interval_than_wilson_over_tasks():
    """If tasks are alike, ten samples per task add information."""
    actual = mean95([0.4, 0.5, 0.6, 0.5] * 10)
    over_tasks = wilson(20, 40)

    assert actual.high - actual.low < 0.5 * (over_tasks.high - over_tasks.low)


def test_interior_interval_is_close_to_student():
    """Away from the edges it agrees with mean ± t·s/√N within a few per cent of its width."""
    values = [0.2, 0.8, 0.5, 0.3, 0.7] * 40
    spread = sqrt(sum((v - 0.5) ** 2 for v in values) / 199)
    half = 1.97196 * spread / sqrt(200)

    actual = mean95(values)

    assert pytest.approx((0.5 - half, 0.5 + half), abs=0.001) == ends(actual)


def test_one_task_says_next_to_nothing():
    """A single task leaves nearly the whole range open, for any number of samples."""
    actual = mean95([0.5], samples=1000)

    assert actual.low < 0.1
    assert actual.high > 0.9


@given(st.lists(SHARES, min_size=1, max_size=30), st.integers(1, 20))
def test_interval_holds_the_mean_and_has_width(values, samples):
    """0 <= low <= mean <= high <= 1 with low < high, for any values."""
    actual = mean95(values, samples=samples)

    assert 0 <= actual.low <= actual.value <= actual.high <= 1 and actual.low < actual.high


@given(st.lists(SHARES, min_size=1, max_size=30), st.integers(1, 20))
def test_upper_limit_is_never_above_wilson_over_tasks(values, samples):
    """No values on [0, 1] vary more than 0/1 values; only few failures, below 3.5, widen it."""
    actual = mean95(values, samples=samples)
    p, n = actual.value, len(values)
    centre, half = p + Z * Z / (2 * n), Z * sqrt(p * (1 - p) / n + Z * Z / (4 * n * n))
    upper = (centre + half) / (1 + Z * Z / n)

    assert actual.high <= upper + 1e-9 or (1 - p) * n < 3.5


@given(st.lists(SHARES, min_size=1, max_size=30), st.integers(1, 20))
def test_mirrored_values_give_the_mirrored_interval(values, samples):
    """Counting failures instead of successes mirrors the interval."""
    here = mean95(values, samples=samples)
    there = mean95([1 - value for value in values], samples=samples)

    assert (1 - here.high, 1 - here.low) == pytest.approx(ends(there), abs=1e-6)


@given(st.integers(4, 60), st.integers(1, 20), st.booleans())
def test_rounding_decides_nothing_where_there_are_three_and_a_half_successes(tasks, samples, alike):
    """At the border between both lower limits the intervals of p and of 1 - p are still mirrored."""
    values = [3.5 / (tasks * samples)] * tasks if alike else [1.0, 1.0, 1.0, 0.5] + [0.0] * (tasks - 4)
    here = mean95(values, samples=samples)
    there = mean95([1 - value for value in values], samples=samples)

    assert (1 - here.high, 1 - here.low) == pytest.approx(ends(there), abs=1e-9)


@given(st.lists(SHARES, min_size=2, max_size=20), st.randoms(use_true_random=False))
def test_order_of_tasks_does_not_matter(values, random):
    """The interval is equal, except for rounding in the last bit."""
    shuffled = random.sample(values, len(values))

    assert ends(mean95(values)) == pytest.approx(ends(mean95(shuffled)), abs=1e-9)


def test_more_confidence_is_wider_for_means_too():
    """The 80 % interval is inside the 95 % one, which is inside the 99 % one."""
    values = [0.1, 0.4, 0.9, 0.6, 0.2, 1.0]
    low, mid, high = (mean_interval(values, samples_per_task=10, confidence=c) for c in (0.8, 0.95, 0.99))

    assert high.low < mid.low < low.low < low.high < mid.high < high.high


@pytest.mark.parametrize(
    ("values", "samples", "words"),
    [
        ([], 10, "at least one value"),
        ([0.5, 1.1], 10, "value 1 is 1.1"),
        ([-0.1], 10, "value 0 is -0.1"),
        ([float("nan")], 10, "value 0 is nan"),
        ([0.5], 0, "samples_per_task must be at least 1"),
    ],
)
def test_values_outside_the_unit_interval_are_refused(values, samples, words):
    """A value outside [0, 1] is an error with its position, and so is an empty list."""
    with pytest.raises(ValueError) as caught:
        mean95(values, samples=samples)

    assert words in str(caught.value)


def t_probability(t: float, df: int) -> float:
    """Return P(T <= t) by the trapezoid rule over Student's density."""
    x = np.linspace(0, t, 200_001)
    scale = gamma((df + 1) / 2) / (sqrt(df * pi) * gamma(df / 2))
    return 0.5 + float(np.trapezoid(scale * (1 + x * x / df) ** (-(df + 1) / 2), x))


@pytest.mark.parametrize(("df", "expected"), [(1, 12.7062), (2, 4.30265), (5, 2.57058), (39, 2.02269)])
def test_t_of_printed_tables(df, expected):
    """The two-sided 95 % values of textbooks."""
    assert expected == pytest.approx(t_quantile(0.975, df), rel=2e-4)


@pytest.mark.parametrize("df", [1, 2, 3, 4, 5, 9, 19, 39, 163])
@pytest.mark.parametrize("probability", [0.9, 0.95, 0.975])
def test_t_inverts_the_distribution(df, probability):
    """The distribution function of the quantile is the given probability."""
    actual = t_probability(t_quantile(probability, df), df)

    assert probability == pytest.approx(actual, abs=2e-4)


def test_t_error_at_three_degrees_is_as_documented():
    """At df 3 the expansion is 0.12 % low, at df 5 and above within 0.02 %."""
    low = 1 - t_quantile(0.975, 3) / 3.182446
    five = 1 - t_quantile(0.975, 5) / 2.570582

    assert (0.0011 < low < 0.0013, abs(five) < 2e-4) == (True, True)


def test_t_tends_to_the_normal():
    """With many degrees of freedom Student's t is close to the normal."""
    expected = normal_quantile(0.975)

    assert expected == pytest.approx(t_quantile(0.975, 10**7), rel=1e-6)


def test_normal_of_printed_tables():
    """1.959964 is the quantile for 95 %."""
    assert pytest.approx(1.959964, abs=1e-6) == normal_quantile(0.975)
