"""The power of the paired test for tasks with a known distribution of differences.

The test is `paired_difference` for independent tasks, written in the three sums that it needs, so that
thousands of comparisons take a moment and no library.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import accumulate
from math import sqrt
from random import Random
from statistics import NormalDist
from typing import Any, NamedTuple

from benchwright.stats.intervals import t_quantile

POWER, CONFIDENCE = 0.8, 0.95
FEWEST = 5  # tasks; with fewer, nothing is found
SEED, RUNS = 20_261_122, 1500
SIMULATED = 24  # up to so many tasks; with more, the normal approximation is within two points
LARGEST = 40.0  # shift at which every task is decided


class Differences(NamedTuple):
    """The distribution of the difference of two models' estimates on one task: values and probabilities."""

    values: Sequence[float]  # between -1 and 1, rising
    shares: Sequence[float]  # they add up to 1

    @property
    def mean(self) -> float:
        """The true difference of the models."""
        return sum(map(float.__mul__, self.values, self.shares))


Shifted = Callable[[float], Differences]  # by how much one model is ahead, on any scale from 0 to LARGEST


Power = Callable[[Differences], float]


def smallest_found(
    shifted: Shifted, tasks: int, *, simulated: Callable[[int], Power] | None = None
) -> float | None:
    """The smallest true difference detected with power 80 %; None if no difference is.

    Up to SIMULATED tasks by simulation with a fixed seed (standard error of the power: one point), which
    `simulated` may do faster.
    """
    power = (simulated or _simulated_power)(tasks) if tasks <= SIMULATED else _approximated(tasks)
    low, high = _bracket(shifted, power)
    if high is None:
        return None
    for _ in range(4):
        middle = _between(low, high)
        found = _Trial(middle, power(shifted(middle)))
        low, high = (found, high) if found.power < POWER else (low, found)
    return shifted(_between(low, high)).mean


class _Trial(NamedTuple):
    shift: float
    power: float


def _bracket(shifted: Shifted, power: Power) -> tuple[_Trial, _Trial | None]:
    """Two shifts around the required power; no second one if it is never reached.

    Not by bisection from the top: with few tasks that are all decided, the test detects less.
    """
    last = _Trial(0.0, 1 - CONFIDENCE)
    shift = LARGEST / 256
    while shift <= LARGEST:
        found = _Trial(shift, power(shifted(shift)))
        if found.power >= POWER:
            return last, found
        last, shift = found, shift * 1.5
    return last, None


def _between(low: _Trial, high: _Trial) -> float:
    """The shift at the required power, by linear interpolation of normal quantiles."""
    a, b, wanted = (NormalDist().inv_cdf(min(max(p, 1e-3), 1 - 1e-3)) for p in (low.power, high.power, POWER))
    return low.shift + (high.shift - low.shift) * min(max((wanted - a) / (b - a), 0.1), 0.9)


def is_found(total: Any, absolute: Any, squares: Any, tasks: int) -> Any:
    """Whether the test finds the first model better, from Σd, Σ|d| and Σd² over tasks; accepts arrays.

    It is the statistic of `paired_difference`, see there.
    """
    plain = total / tasks
    spread = squares - tasks * plain**2
    # Σd² ≤ Σ|d|, so of the two in the denominator there it is this one.
    size = (1 + spread) / (1 + absolute - tasks * plain**2)
    whole = tasks + 2 * size
    mean = total / whole
    own = (squares - 2 * mean * total + tasks * mean**2) / (1 - 1 / whole)
    added = size**2 * ((1 - mean) ** 2 + (1 + mean) ** 2) / (1 - size / whole)
    return mean > _critical(tasks) * ((1 - 1 / whole) * (own + added)) ** 0.5 / whole


@lru_cache
def _critical(tasks: int) -> float:
    return t_quantile(0.5 + CONFIDENCE / 2, tasks - 1)


def _simulated_power(tasks: int) -> Power:
    """The share of simulated comparisons that detect the difference, with fixed random numbers."""
    chance = Random(SEED).random
    draws = [[chance() for _ in range(tasks)] for _ in range(RUNS)]

    def power(differences: Differences) -> float:
        values = list(differences.values)
        bounds = list(accumulate(differences.shares))[:-1]
        sizes, squares = [abs(value) for value in values], [value * value for value in values]
        found = 0
        for run in draws:
            places = [bisect_right(bounds, each) for each in run]
            total, absolute, square = (
                sum([column[place] for place in places]) for column in (values, sizes, squares)
            )
            found += is_found(total, absolute, square, tasks)
        return found / RUNS

    return power


def _approximated(tasks: int) -> Power:
    """The power for many tasks: the mean is normal with its expected error."""

    def power(differences: Differences) -> float:
        pairs = list(zip(differences.values, differences.shares, strict=True))
        mean = differences.mean
        variance = sum(share * (value - mean) ** 2 for value, share in pairs)
        absolute = sum(share * abs(value) for value, share in pairs)
        spread = tasks * variance
        size = (1 + spread) / (1 + tasks * (absolute - mean**2))
        error = sqrt(variance * tasks + 2 * size**2)
        return NormalDist().cdf((tasks * mean - _critical(tasks) * error) / sqrt(variance * tasks or 1e-9))

    return power
