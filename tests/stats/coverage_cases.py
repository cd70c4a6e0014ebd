"""Coverage of the interval of pass@k: cases, and a program that prints the design note's table.

A case is a distribution of per-task chances. A model of that kind answers N tasks n times; the truth is the
mean over the distribution of 1 - (1 - p)^k. If values are 0 or 1 (k = n), coverage is summed exactly over the
binomial distribution; otherwise it is simulated with a fixed seed.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from math import exp, lgamma, log, log1p, prod

import numpy as np

from benchwright.stats.intervals import mean_interval
from benchwright.stats.passk import pass_at_k

SEED = 20_240_917


@dataclass(frozen=True)
class Chances:
    """A share of tasks never solved, a share always solved, and Beta(a, b) or one point between."""

    a: float = 0.0
    b: float = 0.0
    point: float | None = None
    zeros: float = 0.0
    ones: float = 0.0

    def draw(self, rng: np.random.Generator, size: tuple[int, int]) -> np.ndarray:
        """Draw chances of `size` tasks."""
        pick = rng.random(size)
        middle = rng.beta(self.a, self.b, size) if self.point is None else np.full(size, self.point)
        return np.where(pick < self.zeros, 0.0, np.where(pick < self.zeros + self.ones, 1.0, middle))

    def truth(self, k: int) -> float:
        """Return the mean of 1 - (1 - p)^k; for a Beta the mean of (1 - p)^k is prod (b + i) / (a + b + i)."""
        if self.point is None:
            miss = prod((self.b + i) / (self.a + self.b + i) for i in range(k))
        else:
            miss = (1 - self.point) ** k
        return 1 - self.zeros - (1 - self.zeros - self.ones) * miss


CASES = {
    "Beta(0.5, 0.5)": Chances(a=0.5, b=0.5),
    "Beta(2, 1)": Chances(a=2, b=1),
    "Beta(1, 2)": Chances(a=1, b=2),
    "40 % at 0, 40 % at 1": Chances(a=1.5, b=1.5, zeros=0.4, ones=0.4),
    "10 % at 0, 60 % at 1": Chances(a=1.5, b=1.5, zeros=0.1, ones=0.6),
    "80 % at 0": Chances(a=1.5, b=1.5, zeros=0.8),
    "Beta(0.1, 0.9)": Chances(a=0.1, b=0.9),
    "all 0.5": Chances(point=0.5),
    "all 0.2": Chances(point=0.2),
    "all 0.02": Chances(point=0.02),
    "all 0.98": Chances(point=0.98),
}


def coverage(case: str, *, tasks: int, n: int, k: int, runs: int) -> float:
    """Return the share of runs, in per cent, whose 95 % interval includes the truth."""
    chances = CASES[case]
    if k == n:
        return exact_coverage(chances.truth(k), tasks)
    rng = np.random.default_rng(SEED)
    right = rng.binomial(n, chances.draw(rng, (runs, tasks)))
    estimates = np.array([pass_at_k(n, c, k) for c in range(n + 1)])[right]
    intervals = [mean_interval(row, samples_per_task=n // k) for row in estimates.tolist()]
    return 100 * sum(i.low <= chances.truth(k) <= i.high for i in intervals) / runs


def exact_coverage(p: float, tasks: int) -> float:
    """Return the exact coverage if each task is 1 with chance p, else 0; counts rarer than 1e-9 are left out."""
    total = 0.0
    for c in range(tasks + 1):
        ways = lgamma(tasks + 1) - lgamma(c + 1) - lgamma(tasks - c + 1)
        weight = exp(ways + c * log(p) + (tasks - c) * log1p(-p)) if 0 < p < 1 else float(c == tasks * p)
        if weight > 1e-9:
            interval = mean_interval([1.0] * c + [0.0] * (tasks - c), samples_per_task=1)
            total += weight * (interval.low <= p <= interval.high)
    return 100 * total


def main(sizes: list[int]) -> None:
    """Write the table in Markdown: a line per case, a column per (n, k), the sizes in one cell."""
    kinds = [(10, 1), (10, 5), (10, 10), (1, 1)]
    sys.stdout.write(f"sizes {sizes}, columns (n, k) {kinds}\n")
    for case in CASES:
        cells = []
        for n, k in kinds:
            cells.append(", ".join(f"{coverage(case, tasks=t, n=n, k=k, runs=4000):.1f}" for t in sizes))
        sys.stdout.write(f"| {case} | {' | '.join(cells)} |\n")


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1:]] or [40, 164, 1361])
