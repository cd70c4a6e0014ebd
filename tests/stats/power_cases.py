"""True power of differences that are claimed to be found four times in five; a program prints the tables.

Two models answer tasks with normal logits, as `detectable_before` assumes: a common component and a separate
one of each model. One leads by the number of logits that gives the claimed difference. Then thousands of
comparisons are drawn and tested by `is_significant`, the test of `paired_difference`.

Print the tables of the design note with `python tests/stats/power_cases.py [TASKS…]`.
"""

from __future__ import annotations

import sys
from functools import cache

import numpy as np

from benchwright.stats.paired import paired_difference
from benchwright.stats.power import CORRELATION, DEVIATION, detectable_before, is_significant

SEED = 20_261_123
TASKS = (3, 4, 5, 8, 12, 24, 50, 100, 164)
SAMPLES = (1, 2, 10)
Pair = tuple[np.ndarray, np.ndarray]


def _logits(rng: np.random.Generator, size: tuple[int, int], deviation: float) -> np.ndarray:
    common, own = rng.normal(size=size), rng.normal(size=(2, *size))
    return np.asarray(deviation * (np.sqrt(CORRELATION) * common + np.sqrt(1 - CORRELATION) * own))


def _chances(logits: np.ndarray, shift: float) -> Pair:
    return 1 / (1 + np.exp(-logits[0] - shift / 2)), 1 / (1 + np.exp(-logits[1] + shift / 2))


@cache
def _many_logits(deviation: float, _correlation: float) -> np.ndarray:
    return _logits(np.random.default_rng(SEED), (1, 50_000), deviation)


def shift_of(difference: float, deviation: float) -> float:
    """Return the lead in logits that gives a true difference, by bisection."""
    logits = _many_logits(deviation, CORRELATION)
    low, high = 0.0, 80.0
    for _ in range(17):
        middle = (low + high) / 2
        ours, theirs = _chances(logits, middle)
        low, high = (middle, high) if (ours - theirs).mean() < difference else (low, middle)
    return low


def estimates(tasks: int, n: int, *, shift: float, runs: int, deviation: float) -> Pair:
    """Draw both models' shares of right answers, a row per comparison."""
    rng = np.random.default_rng(SEED + tasks)
    ours, theirs = _chances(_logits(rng, (runs, tasks), deviation), shift)
    return rng.binomial(n, ours) / n, rng.binomial(n, theirs) / n


def power(tasks: int, n: int, difference: float, *, runs: int, deviation: float = DEVIATION) -> float:
    """Return the share of comparisons, in per cent, that find the leading model better."""
    shift = shift_of(difference, deviation)
    ours, theirs = estimates(tasks, n, shift=shift, runs=runs, deviation=deviation)
    d = ours - theirs
    found = is_significant(d.sum(axis=1), abs(d).sum(axis=1), (d**2).sum(axis=1), tasks)
    return float(100 * found.mean())


def claimed_after(tasks: int, n: int, *, runs: int, deviation: float) -> float | None:
    """Return the mean detectable difference that comparisons of two equal models report; None if most report
    none."""
    drawn = estimates(tasks, n, shift=0.0, runs=runs, deviation=deviation)
    said = [paired_difference(*pair).detectable for pair in zip(*drawn, strict=True)]
    found = [each for each in said if each is not None]
    return float(np.mean(found)) if 2 * len(found) > runs else None


def _cell(claimed: float | None, true: float | None) -> str:
    return "none" if claimed is None else f"{100 * claimed:.1f}: {true:.1f} %"


def main(sizes: list[int]) -> None:
    """Write both tables in Markdown: the claimed difference, in points, and its true power."""
    sys.stdout.write(f"before a run; columns: answers a task {SAMPLES}\n")
    for tasks in sizes:
        cells = []
        for n in SAMPLES:
            claimed = detectable_before(tasks, n)
            cells.append(_cell(claimed, claimed and power(tasks, n, claimed, runs=4000)))
        sys.stdout.write(f"| {tasks} | {' | '.join(cells)} |\n")
        sys.stdout.flush()
    sys.stdout.write(f"after a comparison; deviations of the logits 3 and 1, answers a task {SAMPLES}\n")
    for tasks in sizes:
        cells = []
        for deviation in (3.0, 1.0):
            for n in SAMPLES:
                claimed = claimed_after(tasks, n, runs=40, deviation=deviation)
                true = claimed and power(tasks, n, claimed, runs=2000, deviation=deviation)
                cells.append(_cell(claimed, true))
        sys.stdout.write(f"| {tasks} | {' | '.join(cells)} |\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1:]] or list(TASKS))
