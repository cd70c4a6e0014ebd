"""Statistical power: the difference that a comparison can detect, before a run and after it."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import accumulate
from math import exp, sqrt
from random import Random
from statistics import NormalDist
from typing import Any, NamedTuple

from benchwright.stats.intervals import t_quantile

# Assumptions on tasks before a run: the logit of a task's pass rate is normal around 0 with this
# deviation, which gives chances the variance of 1/8 (many tasks never solved, many always) ...
DEVIATION = 2.2
CORRELATION = 0.5  # ... and two models agree halfway on what is hard.
NODES = 24  # of each normal variable, at equal probabilities
MOST_SAMPLES = 50  # more answers to a task change the result by less than a hundredth


@lru_cache
def detectable_before(tasks: int, samples: int) -> float | None:
    """The smallest true difference of pass@1 that a paired comparison will find four times in five.

    None where no difference, however large, will be: always with fewer than five tasks. Two models answer
    the same tasks, `samples` times each, and stand as far above as below one half; what tasks are assumed to
    be like is above. After a run nothing needs to be assumed: see `detectable_after`.

    For pass@k give `samples` as n // k, the separate groups of k that n answers hold. Tasks count as
    independent; where they come in clusters, give the number of clusters to stay on the safe side.

    >>> round(detectable_before(164, 10), 2)
    0.08
    """
    if tasks < 1 or samples < 1:
        raise ValueError(f"at least one task and one answer are needed, not {tasks} and {samples}")
    if tasks < FEWEST:
        return None
    answers = min(samples, MOST_SAMPLES)
    return smallest_detectable(lambda shift: _differences(shift, answers), tasks)


@lru_cache(maxsize=64)
def _differences(shift: float, samples: int) -> Differences:
    """The difference of two models' pass rates on one task, with the first `shift` logits ahead."""
    normal = [NormalDist().inv_cdf((node + 0.5) / NODES) for node in range(NODES)]
    shares = [0.0] * (2 * samples + 1)
    ahead = [_right(shift / 2, common, normal, samples) for common in normal]
    for place in range(NODES):
        ours = ahead[place]
        theirs = ahead[-1 - place][::-1]  # as far behind as ours is ahead: hits and misses change places
        for right, share in enumerate(ours):
            weight = share / NODES
            start = samples + right
            for other, probability in enumerate(theirs):
                shares[start - other] += weight * probability
    return Differences([place / samples - 1 for place in range(2 * samples + 1)], shares)


def _right(centre: float, common: float, normal: list[float], samples: int) -> list[float]:
    """The probability of each number of correct answers to a task, given its common difficulty."""
    shares = [0.0] * (samples + 1)
    for own in normal:
        logit = centre + DEVIATION * (sqrt(CORRELATION) * common + sqrt(1 - CORRELATION) * own)
        odds = exp(logit)
        share = (1 + odds) ** -samples / NODES
        for right in range(samples + 1):
            shares[right] += share
            share *= odds * (samples - right) / (right + 1)
    return shares


def detectable(se: float, df: float, *, power: float = 0.8, confidence: float = 0.95) -> float:
    """The difference that a test with this standard error finds with this power, where errors are normal.

    It uses the error that was measured, never the difference that was: "observed power" computed from
    the latter only repeats the p value (Hoenig and Heisey 2001).
    """
    if se < 0 or df < 1:
        raise ValueError(f"the standard error must be at least 0 and df at least 1, not {se} and {df}")
    if not (0.5 <= power < 1 and 0 < confidence < 1):
        raise ValueError(f"power must be in [0.5, 1) and confidence in (0, 1), not {power} and {confidence}")
    whole = int(df)  # rounding down keeps the figure on the safe side
    return (t_quantile(0.5 + confidence / 2, whole) + t_quantile(power, whole)) * se


def detectable_after(np: Any, d: Any, *, piece: float) -> float | None:
    """The smallest true difference that the paired test finds four times in five on tasks such as these.

    `d` has the measured differences, task by task. A task is taken to differ as these do, one way as often
    as the other; and, with the weight of the test's own two pieces spread over all tasks, by more than any
    has, since what 24 tasks never show may still happen: by what is halfway from the largest difference to 1,
    and by 1 where none differs. A true lead makes d the likelier the larger it is, by exp(shift · d)
    (exponential tilting), so that more tasks differ than without one, and by more. (With differences of 0.2,
    pieces of 1 would take all of the tilt, and an easy lead would seem hard to find.)
    None where nothing would be found, however large. Tasks count as independent.
    """
    if len(d) < FEWEST:
        return None
    counts = Counter(d.tolist())
    counts.update((-d).tolist())
    shares = {value: number / 2 for value, number in counts.items()}
    largest = float(np.abs(d).max())
    edge = (1 + largest) / 2 if largest else 1.0
    for value in (-edge, edge):
        shares[value] = shares.get(value, 0.0) + piece / len(d)
    values = np.array(sorted(shares))
    weights = np.array([shares[value] for value in values.tolist()])

    def shifted(shift: float) -> Differences:
        tilted = weights * np.exp(shift * (values - 1))
        return Differences(values.tolist(), (tilted / tilted.sum()).tolist())

    return smallest_detectable(shifted, len(d), simulated=lambda tasks: _simulated(np, tasks))


def _simulated(np: Any, tasks: int) -> Power:
    """The share of simulated comparisons that detect a difference, with fixed random numbers."""
    draws = np.random.default_rng(SEED).random((RUNS, tasks))

    def power(differences: Differences) -> float:
        values = np.array(differences.values)
        d = values[np.searchsorted(np.cumsum(differences.shares)[:-1], draws, side="right")]
        found = is_significant(d.sum(axis=1), np.abs(d).sum(axis=1), (d**2).sum(axis=1), tasks)
        return float(found.mean())

    return power


POWER, CONFIDENCE = 0.8, 0.95
FEWEST = 5  # tasks; with fewer, nothing is found
SEED, RUNS = 20_261_122, 1500
SIMULATED = 24  # simulate up to this number of tasks; above it the normal approximation is within two points
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


def smallest_detectable(
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


def is_significant(total: Any, absolute: Any, squares: Any, tasks: int) -> Any:
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
            found += is_significant(total, absolute, square, tasks)
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
