"""Coverage of intervals of differences and of rank ranges; a program prints the tables.

Two models of a case answer the same tasks: on a share `same` of them they have the same chance, on the others
separate chances. `Chances.truth` gives the truth in closed form. Ranks are tested on equal models, where a
range must include the most ranks, and on models with a small lead each.

Print the tables of the design note with `python tests/stats/comparing_cases.py [SIZES]`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np
from coverage_cases import Chances
from scipy.special import ndtr

from benchwright.stats.paired import paired_difference
from benchwright.stats.passk import pass_at_k
from benchwright.stats.ranks import PairedTest, RankRange, bootstrap_ranks, ranks_by_tests

SEED = 20_250_311


@dataclass(frozen=True)
class Duel:
    """Two models: the chances of each on the tasks where they differ, and the share where they do not."""

    a: Chances
    b: Chances
    same: float

    def truth(self, k: int) -> float:
        """Return the true lead of a."""
        return (1 - self.same) * (self.a.truth(k) - self.b.truth(k))

    def draw(self, rng: np.random.Generator, size: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
        """Draw chances of both on the same tasks."""
        a, b = self.a.draw(rng, size), self.b.draw(rng, size)
        return a, np.where(rng.random(size) < self.same, a, b)


_HALVES, _SPIKES = Chances(a=0.5, b=0.5), Chances(a=1.5, b=1.5, zeros=0.1, ones=0.6)
# Cases as in benchmarks: the models differ on many tasks.
DUELS = {
    "Beta(0.5, 0.5), half the tasks alike": Duel(_HALVES, _HALVES, 0.5),
    "Beta(1, 0.5) against Beta(0.5, 0.5)": Duel(Chances(a=1, b=0.5), _HALVES, 0.5),
    "Beta(2, 1), no task alike": Duel(Chances(a=2, b=1), Chances(a=2, b=1), 0.0),
    "the same chances throughout": Duel(_HALVES, _HALVES, 1.0),
    "all 0.6 against all 0.5": Duel(Chances(point=0.6), Chances(point=0.5), 0.0),
    "Beta(6, 1) against Beta(1, 3)": Duel(Chances(a=6, b=1), Chances(a=1, b=3), 0.0),
}
# Extreme cases: few tasks, or answers, differ.
EDGES = {
    "all 0.98 against all 0.95": Duel(Chances(point=0.98), Chances(point=0.95), 0.0),
    "60 % at 1, nine tasks in ten alike": Duel(_SPIKES, _SPIKES, 0.9),
    "60 % at 1, 49 tasks in 50 alike": Duel(_SPIKES, _SPIKES, 0.98),
    "one fails 5 % of tasks, the other none": Duel(Chances(point=1.0), Chances(point=0.99, zeros=0.05), 0.0),
}


def _estimates(rng: np.random.Generator, chances: np.ndarray, n: int, k: int) -> np.ndarray:
    return np.array([pass_at_k(n, c, k) for c in range(n + 1)])[rng.binomial(n, chances)]


def paired_coverage(case: str, *, tasks: int, n: int, k: int, runs: int) -> float:
    """Return the share of runs, in per cent, whose 95 % interval of the difference includes the truth."""
    duel, rng = {**DUELS, **EDGES}[case], np.random.default_rng(SEED)
    a, b = (_estimates(rng, chances, n, k) for chances in duel.draw(rng, (runs, tasks)))
    found = [paired_difference(ours, theirs) for ours, theirs in zip(a, b, strict=True)]
    truth = duel.truth(k)
    return 100 * sum(each.low - 1e-12 <= truth <= each.high + 1e-12 for each in found) / runs


def sizes_of(groups: int, tasks: int, *, even: bool) -> np.ndarray:
    """Return sizes of clusters: all equal, or decreasing as 1, 1/2, 1/3, …, where the largest has a third."""
    shares = np.ones(groups) if even else 1 / np.arange(1, groups + 1)
    return np.maximum(1, np.round(shares / shares.sum() * tasks)).astype(int)


def clustered_coverage(sizes: np.ndarray, *, use: bool, likeness: float, n: int, runs: int) -> float:
    """Return the same for tasks in clusters, with and without use of the clusters.

    A task's score is normal and its chance is the normal distribution function of it; the cluster contributes
    a share `likeness`. The second model's score has a lead and another such component. The truth is the mean
    over two million tasks.
    """
    rng = np.random.default_rng(SEED)
    index = np.repeat(np.arange(len(sizes)), sizes)
    names = [f"group {number}" for number in index]
    truth, held = _clustered_truth(likeness), 0
    for _ in range(runs):
        a, b = (_estimates(rng, chances[0], n, 1) for chances in _clustered(rng, index[None, :], likeness))
        found = paired_difference(b, a, clusters=names if use else None)
        held += found.low <= truth <= found.high
    return 100 * held / runs


@cache
def _clustered_truth(likeness: float) -> float:
    a, b = _clustered(np.random.default_rng(SEED + 1), np.arange(2_000_000)[None, :], likeness)
    return float((b - a).mean())


def _clustered(rng: np.random.Generator, index: np.ndarray, likeness: float) -> tuple[np.ndarray, np.ndarray]:
    def score() -> np.ndarray:
        groups = rng.normal(size=int(index.max()) + 1)[index]
        return np.sqrt(likeness) * groups + np.sqrt(1 - likeness) * rng.normal(size=index.shape)

    base = score()
    return ndtr(1.5 * base), ndtr(1.5 * (base + 0.2 + 0.7 * score()))


def rank_coverage(
    models: int, *, tasks: int, runs: int, n: int = 10, k: int = 1, lead: float = 0.0, method: str = "each"
) -> float:
    """Return the share of all models' ranges, in per cent, that include the model's true ranks.

    All models have Beta(0.5, 0.5) chances, equal on half of the tasks. Model i solves a further share i ·
    lead of the tasks with certainty; with lead 0 all are equal and share the ranks 1 to m.
    """
    rng, held = np.random.default_rng(SEED), 0
    for _ in range(runs):
        base, own = _HALVES.draw(rng, (1, tasks)), _HALVES.draw(rng, (models, tasks))
        chances = np.where(rng.random((models, tasks)) < 0.5, base, own)
        sure = rng.random((models, tasks)) < lead * np.arange(models)[:, None]
        ranges = _ranges(_estimates(rng, np.where(sure, 1.0, chances), n, k), method)
        for model, found in enumerate(ranges):
            true = RankRange(models - model, models - model) if lead else RankRange(1, models)
            held += found.best <= true.best and true.worst <= found.worst
    return 100 * held / (runs * models)


def _ranges(estimates: np.ndarray, method: str) -> list[RankRange]:
    if method == "bootstrap":
        return bootstrap_ranks(estimates, draws=500)
    tested = []
    for i, j in combinations(range(len(estimates)), 2):
        found = paired_difference(estimates[i], estimates[j])
        tested.append(PairedTest(i, j, found.value, found.p))
    return ranks_by_tests(tested, len(estimates), family="all" if method == "all" else "each")


CLUSTERS = [(5, 164, True), (12, 164, True), (40, 1361, True), (12, 164, False), (40, 1361, False)]
RANKS = [
    (2, 0.0, 10, 1),
    (5, 0.0, 10, 1),
    (10, 0.0, 10, 1),
    (5, 0.0, 10, 10),
    (5, 0.0, 1, 1),
    (5, 0.01, 10, 1),
]


def main(sizes: list[int]) -> None:
    """Write the tables in Markdown: the sizes in one cell."""
    _say(f"difference: sizes {sizes}, columns (n, k) (10, 1), (10, 5), (10, 10), (1, 1)")
    for case in [*DUELS, *EDGES]:
        cells = [
            _cell(paired_coverage(case, tasks=tasks, n=n, k=k, runs=4000) for tasks in sizes)
            for n, k in [(10, 1), (10, 5), (10, 10), (1, 1)]
        ]
        _say(f"| {case} | {' | '.join(cells)} |")
    _say("clusters: likeness 0, 0.3, 0.7, used and not used")
    for groups, tasks, even in CLUSTERS:
        sized = sizes_of(groups, tasks, even=even)
        cells = [
            _cell(clustered_coverage(sized, use=use, likeness=x, n=10, runs=3000) for x in (0.0, 0.3, 0.7))
            for use in (True, False)
        ]
        _say(f"| {groups} groups of {sized.sum()} tasks, even: {even} | {' | '.join(cells)} |")
    _say(f"ranks: sizes {sizes}, columns each, all, bootstrap")
    for models, lead, n, k in RANKS:
        runs = {"each": 2000 if models < 10 else 800, "all": 2000 if models < 10 else 800, "bootstrap": 400}
        cells = [
            _cell(
                rank_coverage(models, tasks=tasks, runs=runs[method], n=n, k=k, lead=lead, method=method)
                for tasks in sizes
            )
            for method in runs
        ]
        _say(f"| {models} models, lead {lead}, n {n}, k {k} | {' | '.join(cells)} |")


def _cell(shares: Iterable[float]) -> str:
    return " / ".join(f"{share:.1f}" for share in shares)


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1:]] or [40, 164, 1361])
