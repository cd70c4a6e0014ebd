"""Partial correlation: the association of two values with a third held fixed, with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from math import atanh, fsum, sqrt, tanh

from benchwright.stats.intervals import Interval, normal_quantile

FEWEST = 5  # with four, Fisher's error is infinite


def partial_correlation(
    x: Sequence[float], y: Sequence[float], given: Sequence[float], *, confidence: float = 0.95
) -> Interval | None:
    """The correlation of x and y, each less its straight line on `given`; None where one does not vary.

    The interval is Fisher's, with one observation less for the one that is held fixed (Fisher 1924). Raises
    ValueError for fewer than FEWEST observations.

    >>> round(partial_correlation([1, 2, 3, 4, 6], [2, 3, 5, 4, 7], [0, 0, 0, 0, 0]).value, 3)
    0.933
    """
    n = len(x)
    if n < FEWEST or not n == len(y) == len(given):
        raise ValueError(f"at least {FEWEST} observations of all three variables are needed, not {n}")
    first, second = _residuals(x, given), _residuals(y, given)
    spread = fsum(a * a for a in first) * fsum(b * b for b in second)
    if spread <= 1e-18 * n * n:
        return None
    value = max(-1.0, min(1.0, fsum(a * b for a, b in zip(first, second, strict=True)) / sqrt(spread)))
    if abs(value) > 1 - 1e-12:
        return Interval(value=value, low=value, high=value, n=n)
    half = normal_quantile(0.5 + confidence / 2) / sqrt(n - 4)
    centre = atanh(value)
    return Interval(value=value, low=tanh(centre - half), high=tanh(centre + half), n=n)


def _residuals(values: Sequence[float], given: Sequence[float]) -> list[float]:
    """The residuals of values after linear regression on `given`."""
    mean, middle = fsum(values) / len(values), fsum(given) / len(given)
    spread = fsum((each - middle) ** 2 for each in given)
    slope = (
        fsum((v - mean) * (g - middle) for v, g in zip(values, given, strict=True)) / spread
        if spread
        else 0.0
    )
    return [v - mean - slope * (g - middle) for v, g in zip(values, given, strict=True)]
