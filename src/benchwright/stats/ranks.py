"""The ranks that each of several models could have. Rank 1 is the best; equal models share ranks.

A model's true ranks reach from 1 + (number of better models) to m - (number of worse models): a single
rank for a model without an equal. A published range is right if it includes all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

from benchwright.stats.optional_imports import numpy


def holm(ps: Sequence[float]) -> list[float]:
    """p values adjusted by Holm's method (1979), in their order.

    Rejecting where the adjusted value is below 0.05 makes even one false rejection in the whole family
    no likelier than 5 %, however the tests depend on one another. It rejects whatever Bonferroni does,
    and more. Benjamini and Hochberg's correction does not replace it: it bounds the share of false
    rejections, but a table of models is read claim by claim.

    >>> [round(p, 3) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    for position, p in enumerate(ps):
        if not 0 <= p <= 1:  # also catches NaN
            raise ValueError(f"p value {position} is {p}; p values must lie between 0 and 1")
    adjusted, largest = [1.0] * len(ps), 0.0
    for step, position in enumerate(sorted(range(len(ps)), key=lambda index: ps[index])):
        largest = max(largest, min(1.0, ps[position] * (len(ps) - step)))
        adjusted[position] = largest
    return adjusted


SEED = 20_241_107
DRAWS = 4000
_BLOCK = 256  # draws at a time: a block of weights over 1,361 tasks is 3 MB

Family = Literal["each", "all"]


class RankRange(NamedTuple):
    """The best and the worst rank that a model could have."""

    best: int
    worst: int

    def __str__(self) -> str:
        return str(self.best) if self.best == self.worst else f"{self.best}–{self.worst}"


class PairedTest(NamedTuple):
    """Two models by position, the first one's lead, and the p value of their comparison."""

    first: int
    second: int
    lead: float
    p: float


def ranks_by_tests(
    pairs: Sequence[PairedTest], models: int, *, family: Family = "each", confidence: float = 0.95
) -> list[RankRange]:
    """Rank ranges: from 1 + (significantly better models) to m - (significantly worse models).

    The p values are adjusted by Holm. With "each" the family is the m - 1 comparisons of one model, so
    each range alone has 95 % confidence, as has each interval in a table (the marginal confidence
    set of Mogstad, Romano, Shaikh and Wilhelm 2024). With "all" it is all m(m-1)/2 comparisons, and
    the 95 % are for all ranges together.
    """
    alpha = 1 - confidence
    together = holm([pair.p for pair in pairs])
    owns: list[list[int]] = [[] for _ in range(models)]
    for index, pair in enumerate(pairs):
        owns[pair.first].append(index)
        owns[pair.second].append(index)
    ranges = []
    for model, own in enumerate(owns):
        alone = dict(zip(own, holm([pairs[index].p for index in own]), strict=True))
        sure = [pairs[i] for i in own if (alone[i] if family == "each" else together[i]) < alpha]
        leads = [pair.lead if pair.first == model else -pair.lead for pair in sure]
        ranges.append(
            RankRange(1 + sum(lead < 0 for lead in leads), models - sum(lead > 0 for lead in leads))
        )
    return ranges


def bootstrap_ranks(
    estimates: Sequence[Sequence[float]],
    *,
    clusters: Sequence[str] | None = None,
    draws: int = DRAWS,
    seed: int = SEED,
    confidence: float = 0.95,
) -> list[RankRange]:
    """Rank ranges by the paired bootstrap: tasks or clusters are resampled and all models ranked.

    The range excludes half of 1 - confidence of the draws at either end. The same input and seed give the
    same ranges. Not the default: for equal models it is far too narrow, because a draw starts from the
    observed order. It shows how the table varies, not where the models stand.
    """
    np = numpy()
    blocks = resampled_means(estimates, clusters=clusters, draws=draws, seed=seed)
    best, worst = zip(*(_ranked(means) for means in blocks), strict=True)
    tail = (1 - confidence) / 2
    low = np.quantile(np.concatenate(best), tail, axis=0, method="lower")
    high = np.quantile(np.concatenate(worst), 1 - tail, axis=0, method="higher")
    return [RankRange(int(first), int(last)) for first, last in zip(low, high, strict=True)]


def resampled_means(
    estimates: Sequence[Sequence[float]],
    *,
    clusters: Sequence[str] | None = None,
    draws: int = DRAWS,
    seed: int = SEED,
) -> Iterator[Any]:
    """Blocks of the models' means (draws by models); each draw has as many clusters as the data."""
    np = numpy()
    values = np.asarray(estimates, dtype=float)
    if values.ndim != 2 or not values.size or draws < 1:
        raise ValueError("ranks need at least one model, one task and one draw, and equal numbers of tasks")
    sums, sizes = _by_cluster(np, values, clusters)
    rng, count = np.random.default_rng(seed), len(sizes)
    for start in range(0, draws, _BLOCK):
        block = min(_BLOCK, draws - start)
        weights = rng.multinomial(count, np.full(count, 1 / count), size=block)
        yield (weights @ sums) / (weights @ sizes)[:, None]


def _by_cluster(np: Any, values: Any, clusters: Sequence[str] | None) -> tuple[Any, Any]:
    """The sums of each cluster's estimates (clusters by models), and its number of tasks."""
    if clusters is None:
        return values.T, np.ones(values.shape[1])
    numbers: dict[str, int] = {}
    index = [numbers.setdefault(name, len(numbers)) for name in clusters]
    sums = np.stack([np.bincount(index, weights=row) for row in values], axis=1)
    return sums, np.bincount(index).astype(float)


def _ranked(means: Any) -> tuple[Any, Any]:
    """The best and the worst rank of each model in each draw; equal means share ranks."""
    lead = (means[:, :, None] - means[:, None, :]).round(12)
    return 1 + (lead < 0).sum(axis=2), means.shape[1] - (lead > 0).sum(axis=2)
