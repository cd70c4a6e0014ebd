"""Confidence intervals for a mean over tasks of estimates between 0 and 1, and for figures of counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from math import fsum, pi, sqrt, tan

from benchwright.records import Record


def normal_quantile(probability: float) -> float:
    """The quantile of the standard normal distribution."""
    from statistics import NormalDist  # noqa: PLC0415 (5 ms, and workers know tracks but no intervals)

    return NormalDist().inv_cdf(probability)


def t_quantile(probability: float, df: int) -> float:
    """The t below which Student's distribution with `df` degrees of freedom falls.

    Exact for df 1 and 2. Else the Cornish-Fisher expansion in 1/df (Abramowitz and Stegun 1964,
    26.7.5); at 0.975 it is within 0.13 % for df = 3 and within 0.01 % from df = 5.
    """
    if df == 1:
        return tan(pi * (probability - 0.5))
    if df == 2:
        return (2 * probability - 1) / sqrt(2 * probability * (1 - probability))
    z = normal_quantile(probability)
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return fsum(term / df**power for power, term in enumerate(terms))


# Up to three successes, and the fractions nearest to three, Wilson's lower limit is too high: see `_low`.
# Where there are exactly 3.5, rounding must not decide: p and 1 - p would no longer mirror each other.
FEW = 3.5 - 1e-9


class Interval(Record, frozen=True, kw_only=True):
    """A mean with its confidence interval; `n` is the number of tasks."""

    value: float
    low: float
    high: float
    n: int


def wilson(c: int, n: int, *, confidence: float = 0.95) -> Interval:
    """Wilson's score interval (Wilson 1927) for c successes in n independent trials."""
    if n < 1 or not 0 <= c <= n:
        raise ValueError(f"an interval needs 0 <= c <= n and n >= 1, not c = {c}, n = {n}")
    z = _two_sided_z(confidence)
    high = 1.0 - _wilson_low(1 - c / n, n, z=z)
    return Interval(value=c / n, low=_wilson_low(c / n, n, z=z), high=high, n=n)


def mean_interval(
    values: Sequence[float],
    *,
    samples_per_task: float,
    confidence: float = 0.95,
    clusters: Sequence[str] | None = None,
) -> Interval:
    """A confidence interval for the mean that an unlimited supply of such tasks would have.

    `values` holds one estimate per task. `samples_per_task` is the number of independent 0/1 draws that each
    estimate is based on: n for pass@1, n // k for pass@k, since n answers hold n // k separate groups of k;
    where tasks have different n, the harmonic mean of these.

    It is Wilson's interval at an effective number of tasks, with the lower limit corrected near 0 and,
    mirrored, the upper limit near 1. For values that are all 0 or 1 that number is the number of tasks.

    `clusters` names the cluster of each task; tasks of one name are seen together, see `_clustered_size`.
    """
    _check(values, samples_per_task)
    value = min(1.0, max(0.0, fsum(values) / len(values)))
    if clusters is None or len(set(clusters)) == len(values):
        size = _effective_size(values, value, samples_per_task, confidence=confidence)
    else:
        size = _clustered_size(values, clusters, value, samples_per_task, confidence=confidence)
    return interval_at(value, size, n=len(values), confidence=confidence)


def interval_at(value: float, size: float, *, n: int, confidence: float = 0.95) -> Interval:
    """Wilson's interval, corrected at the edges, of a mean that is as precise as `size` independent 0/1
    trials.
    """
    z = _two_sided_z(confidence)
    low = _low(value, size, z=z, confidence=confidence)
    high = 1.0 - _low(1.0 - value, size, z=z, confidence=confidence)
    return Interval(value=value, low=min(low, value), high=max(high, value), n=n)


def _effective_size(
    values: Sequence[float], mean: float, samples_per_task: float, *, confidence: float
) -> float:
    """How many independent 0/1 trials would pin the mean as well as these tasks do.

    p(1-p) / (s²/N), shrunk by (z/t)² because s² is itself uncertain (Korn and Graubard 1998). It is kept
    at or above N, since nothing on [0, 1] with mean p varies more than p(1-p), and at or below N times
    the samples, since no task tells more than its own draws, however equal the tasks look.
    """
    tasks = len(values)
    largest = float(tasks * samples_per_task)
    spread = fsum((value - mean) ** 2 for value in values)
    if tasks == 1 or mean in (0.0, 1.0):
        return float(tasks)
    if spread <= 1e-12 * tasks:
        return largest
    ratio = _two_sided_z(confidence) / t_quantile(0.5 + confidence / 2, tasks - 1)
    size = tasks * (tasks - 1) * mean * (1 - mean) / spread * ratio**2
    return min(max(size, float(tasks)), largest)


def _clustered_size(
    values: Sequence[float],
    clusters: Sequence[str],
    mean: float,
    samples_per_task: float,
    *,
    confidence: float,
) -> float:
    """The same where tasks come in clusters: p(1-p) / V, with V the variance of the mean over clusters.

    V = G/(G-1) Σ (Σ (x - p))² / N², the outer sum over G clusters, the inner over the tasks of one (Cochran
    1977, section 9A). The number lies between N²/Σm², which is what clusters of m tasks that all end alike
    are worth, and what `_effective_size` allows. Where every task ends alike nothing shows how far tasks of
    a cluster hang together, so they count as if wholly.
    """
    sums: dict[str, float] = {}
    sizes: dict[str, int] = {}
    for name, value in zip(clusters, values, strict=True):
        sums[name] = sums.get(name, 0.0) + value - mean
        sizes[name] = sizes.get(name, 0) + 1
    groups, tasks = len(sums), len(values)
    least = tasks**2 / sum(size**2 for size in sizes.values())
    if groups == 1 or mean in (0.0, 1.0):
        return least
    largest = float(tasks * samples_per_task)
    spread = fsum(each**2 for each in sums.values()) * groups / (groups - 1)
    if spread <= 1e-12 * tasks:
        return largest
    ratio = _two_sided_z(confidence) / t_quantile(0.5 + confidence / 2, groups - 1)
    return min(max(tasks**2 * mean * (1 - mean) / spread * ratio**2, least), largest)


def _low(p: float, size: float, *, z: float, confidence: float) -> float:
    """Wilson's lower limit, or the lower Poisson limit where there are only a few successes.

    With one success in `size` Wilson's lower limit is too high and real coverage drops to 84 %. Brown,
    Cai and DasGupta (2001, section 4) take the one-sided Poisson limit there. Byar's closed form of it
    (Breslow and Day 1987, page 69) also serves the fractions of a success that an effective size gives.
    """
    low = _wilson_low(p, size, z=z)
    successes = p * size
    if not 0 < successes < FEW:
        return low
    root = 1 - 1 / (9 * successes) - normal_quantile(confidence) / (3 * sqrt(successes))
    return min(low, successes * max(0.0, root) ** 3 / size)


def _wilson_low(p: float, size: float, *, z: float) -> float:
    if p == 0:
        return 0.0  # exact; the formula leaves rounding noise
    centre = p + z * z / (2 * size)
    half = z * sqrt(p * (1 - p) / size + z * z / (4 * size * size))
    return max(0.0, (centre - half) / (1 + z * z / size))


def _two_sided_z(confidence: float) -> float:
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, for example 0.95, not {confidence}")
    return normal_quantile(0.5 + confidence / 2)


def _check(values: Sequence[float], samples_per_task: float) -> None:
    if not values:
        raise ValueError("an interval needs at least one value")
    if samples_per_task < 1:
        raise ValueError(f"samples_per_task must be at least 1, not {samples_per_task}")
    for position, value in enumerate(values):
        if not 0 <= value <= 1:  # also catches NaN
            raise ValueError(f"value {position} is {value}; estimates must lie between 0 and 1")


Table = tuple[float, ...]  # counts, in an order that the function of them knows


def cluster_tables(cells: Iterable[tuple[str, Table]]) -> list[Table]:
    """The sum of the tables of each cluster, from the table and the cluster of each task."""
    sums: dict[str, Table] = {}
    for name, table in cells:
        had = sums.get(name)
        sums[name] = table if had is None else tuple(a + b for a, b in zip(had, table, strict=True))
    return list(sums.values())


def jackknife_half_width(
    tables: Sequence[Table], function: Callable[[Table], float], *, confidence: float = 0.95
) -> float:
    """Half the width of a t interval for `function` of the summed tables, one table a cluster.

    Each cluster in turn is left out (Quenouille 1956, Tukey 1958); the standard error is the root of
    (G-1)/G times the sum of squares about their mean. It covers any dependence within a cluster, and that one
    wrong answer affects two classes. It is 0 where nothing differs, so it may only widen an interval that has
    a width without it. A cluster without which the function has no value (it raises ZeroDivisionError) is not
    left out. Equal tables are evaluated once.
    """
    total = tuple(map(fsum, zip(*tables, strict=True)))
    found: list[tuple[float, int]] = []
    for table, count in Counter(tables).items():
        try:
            value = function(tuple(whole - part for whole, part in zip(total, table, strict=True)))
        except ZeroDivisionError:
            continue
        found.append((value, count))
    groups = sum(count for _, count in found)
    if groups < 2:
        return 0.0
    mean = fsum(value * count for value, count in found) / groups
    spread = fsum(count * (value - mean) ** 2 for value, count in found)
    return t_quantile(0.5 + confidence / 2, groups - 1) * sqrt(spread * (groups - 1) / groups)
