"""What a comparison that was made could have found: from how its tasks differed, not from how much."""

from __future__ import annotations

from collections import Counter
from typing import Any

from benchwright.stats.finding import (
    FEWEST,
    RUNS,
    SEED,
    Differences,
    Power,
    is_found,
    smallest_found,
)


def detectable_after(np: Any, d: Any, *, piece: float) -> float | None:
    """The smallest true difference that the paired test finds four times in five on tasks such as these.

    `d` has the measured differences, task by task. A task is taken to differ as these do, one way as often
    as the other; and, with the weight of the test's own two pieces spread over all tasks, by more than any
    has, since what 24 tasks never show may still happen: by what is halfway from the largest difference to 1,
    and by 1 where none differs. A true lead makes d the likelier the larger it is, by exp(shift · d)
    (exponential tilting), so that more tasks differ than without one, and by more. (Pieces of 1 beside
    differences of 0.2 would be all that is tilted, and a lead seem hard to find that never is.)
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

    return smallest_found(shifted, len(d), simulated=lambda tasks: _simulated(np, tasks))


def _simulated(np: Any, tasks: int) -> Power:
    """The share of comparisons that find a difference, always with the same random numbers."""
    draws = np.random.default_rng(SEED).random((RUNS, tasks))

    def power(differences: Differences) -> float:
        values = np.array(differences.values)
        d = values[np.searchsorted(np.cumsum(differences.shares)[:-1], draws, side="right")]
        found = is_found(d.sum(axis=1), np.abs(d).sum(axis=1), (d**2).sum(axis=1), tasks)
        return float(found.mean())

    return power
