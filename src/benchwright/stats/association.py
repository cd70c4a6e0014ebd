"""Tests of association: exact tests of counts, paired shares, dominance, partial correlation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import atanh, exp, fsum, lgamma, sqrt, tanh

from benchwright.stats.intervals import Interval, normal_quantile


def mcnemar(only_a: int, only_b: int) -> float:
    """The two-sided p value of McNemar's exact test (1947), from the tasks that only A or only B solved.

    Tasks that both or neither solved say nothing about the difference. The others are tosses of a fair
    coin if the models are equally good, so the p value is twice the smaller tail of a binomial at 1/2,
    in whole numbers with one division. It never rejects too often, and with few tasks too rarely.

    >>> mcnemar(8, 1)
    0.0390625
    """
    if only_a < 0 or only_b < 0:
        raise ValueError(f"counts of tasks must be at least 0, not {only_a} and {only_b}")
    tosses = only_a + only_b
    ways = tail = 1
    for heads in range(min(only_a, only_b)):
        ways = ways * (tosses - heads) // (heads + 1)  # "tosses choose heads + 1", without factorials
        tail += ways
    return min(1.0, 2 * tail / (1 << tosses))


def paired_proportions(only_a: int, only_b: int, n: int, *, confidence: float = 0.95) -> Interval:
    """The difference of two shares over the same n tasks, A less B, from what only one of them got right.

    Bonett and Price's adjusted interval (2012): one task is added that only A gets right, and one that
    only B does, so the interval has a width where the two never differ.

    >>> paired_proportions(0, 0, 100).low < 0
    True
    """
    if n < 1 or only_a < 0 or only_b < 0 or only_a + only_b > n:
        raise ValueError(f"{only_a} and {only_b} are not counts out of {n} tasks")
    z = normal_quantile(0.5 + confidence / 2)
    a, b = (only_a + 1) / (n + 2), (only_b + 1) / (n + 2)
    half = z * sqrt((a + b - (a - b) ** 2) / (n + 2))
    value = (only_a - only_b) / n
    return Interval(
        value=value, low=max(-1.0, min(a - b - half, value)), high=min(1.0, max(a - b + half, value)), n=n
    )


def dominance(a: Sequence[float], b: Sequence[float], *, confidence: float = 0.95) -> Interval:
    """The chance that a value of `a` exceeds one of `b`, ties counting half: the area under the ROC curve.

    From ranks (Mann and Whitney 1947), with Hanley and McNeil's standard error (1982), the area in it
    drawn towards 1/2 by one pair so that it is not 0 where all of `a` exceed all of `b`.

    >>> dominance([2.0, 3.0], [1.0, 2.0]).value
    0.875
    """
    if not a or not b:
        raise ValueError("both samples need at least one value")
    ranks = _ranks([*a, *b])
    value = (sum(ranks[: len(a)]) - len(a) * (len(a) + 1) / 2) / (len(a) * len(b))
    pairs = len(a) * len(b)
    area = (value * pairs + 0.5) / (pairs + 1)
    first, second = area / (2 - area), 2 * area**2 / (1 + area)
    spread = area * (1 - area) + (len(a) - 1) * (first - area**2) + (len(b) - 1) * (second - area**2)
    half = normal_quantile(0.5 + confidence / 2) * sqrt(max(0.0, spread) / pairs)
    return Interval(value=value, low=max(0.0, value - half), high=min(1.0, value + half), n=len(a) + len(b))


def _ranks(values: Sequence[float]) -> list[float]:
    """Ranks from 1; ties share the mean rank."""
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks = [0.0] * len(values)
    start = 0
    while start < len(order):
        end = start
        while end < len(order) and values[order[end]] == values[order[start]]:
            end += 1
        for at in order[start:end]:
            ranks[at] = (start + 1 + end) / 2
        start = end
    return ranks


_ROUNDING = 1e-7  # tables as likely as the one seen, but for rounding


def fisher_exact(table: Mapping[tuple[bool, bool], int]) -> float:
    """The two-sided p value of Fisher's exact test (1934): all tables at most as likely as the one seen.

    Counts by the two facts; a missing one is 0. Raises ValueError for a count below 0.

    >>> fisher_exact({(True, True): 3, (False, False): 3})
    0.1
    """
    both, first, second, neither = (table.get(key, 0) for key in _CELLS)
    if min(both, first, second, neither) < 0:
        raise ValueError(f"counts must be at least 0, not {dict(table)}")
    return round(_two_sided(both, first, second, neither), 15)


_CELLS = ((True, True), (True, False), (False, True), (False, False))


@lru_cache(maxsize=1 << 16)
def _two_sided(both: int, first: int, second: int, neither: int) -> float:
    drawn, marked, whole = both + first, both + second, both + first + second + neither
    least, most = max(0, drawn + marked - whole), min(drawn, marked)
    logs = [_log_ways(marked, at) + _log_ways(whole - marked, drawn - at) for at in range(least, most + 1)]
    every = _log_ways(whole, drawn)
    seen = exp(logs[both - least] - every)
    chances = (exp(each - every) for each in logs)
    return min(1.0, sum(chance for chance in chances if chance <= seen * (1 + _ROUNDING)))


def _log_ways(of: int, chosen: int) -> float:
    return lgamma(of + 1) - lgamma(chosen + 1) - lgamma(of - chosen + 1)


FEWEST = 5  # with four, Fisher's error is infinite


def partial_correlation(
    x: Sequence[float], y: Sequence[float], given: Sequence[float], *, confidence: float = 0.95
) -> Interval | None:
    """The correlation of x and y, each less its straight line on `given`; None where one does not vary.

    The interval is Fisher's, with one observation less for the one that is held fixed (Fisher 1924). Raises
    ValueError for fewer than FEWEST observations.

    >>> round(partial_correlation([1, 2, 3, 4, 6], [2, 3, 5, 4, 7], [0, 0, 0, 0, 0]).value, 3)
    0.932
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
