"""Several models in order, with the places that each could have.

rank(load(["runs/a", "runs/b", "runs/c"])).sentence
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Collection, MutableMapping, Sequence
from itertools import combinations, pairwise
from typing import Literal

import msgspec

from benchwright.display.notebook import HtmlTable, fragment
from benchwright.display.wording import counted, joined
from benchwright.errors import UsageError
from benchwright.rank.comparability import SharedTasks, check_comparable, common_metric, shared_tasks
from benchwright.rank.comparison import FEW_CLUSTERS
from benchwright.rank.contestant import Contestant
from benchwright.records import Metric, Record
from benchwright.stats.paired import PairedDifference, paired_difference
from benchwright.stats.ranks import PairedTest, RankRange, bootstrap_ranks, holm, ranks_by_tests

Method = Literal["each", "all", "bootstrap"]
METHODS: tuple[Method, ...] = ("each", "all", "bootstrap")
_LISTED = 6  # up to this number of models the sentence names every pair

# The meaning of rank ranges by method: completes "The rank ranges …".
MEANING = {
    "each": "are correct for each model separately in {share} of cases: paired tests, Holm's correction",
    "all": "are correct for all models together in {share} of cases: paired tests, Holm's correction",
    "bootstrap": "cover {share} of bootstrap resamples of tasks: too narrow for equal models",
}


PairCache = MutableMapping[tuple[bytes, bytes, bytes], PairedDifference]  # by digests of the input


class ModelPair(Record, frozen=True, kw_only=True):
    """Two models of a standing, the higher one first. `p` is corrected over all pairs (Holm)."""

    above: str  # the names
    below: str
    difference: PairedDifference  # above less below; its own p and interval are not adjusted
    p: float
    separated: bool


class StandingRow(Record, frozen=True, kw_only=True):
    """A model, its range of ranks, and its metric as its own run reports it."""

    name: str
    model: str
    path: str
    best: int
    worst: int
    value: float  # over the tasks that all runs share
    metric: Metric

    @property
    def range(self) -> str:
        """ "1", or "1–3"."""
        return str(RankRange(self.best, self.worst))


class Standing(Record, frozen=True, kw_only=True):
    """Models from best to worst by their means; `sentence` states which of them are separated."""

    metric: str
    method: Method
    confidence: float
    tasks: int
    clusters: int
    grouping: str  # grouping of the tasks; empty if each is separate
    places: list[StandingRow]
    pairs: list[ModelPair]  # all of them, in the order of the places
    notes: list[str]
    sentence: str

    def pair(self, above: str, below: str) -> ModelPair:
        """The comparison of two models, by their names in the order of the table."""
        return next(pair for pair in self.pairs if (pair.above, pair.below) == (above, below))

    def __str__(self) -> str:
        lines = [
            f"{each.range:>5}  {each.name}  {self.metric} {each.metric.value:.4f} "
            f"({each.metric.low:.4f} to {each.metric.high:.4f}, {counted(each.metric.n, 'task')})"
            for each in self.places
        ]
        return "\n".join([self.sentence, *lines, *self.notes])

    def _repr_html_(self) -> str:
        rows = [
            (each.range, each.name, each.metric.value, each.metric.low, each.metric.high, each.metric.n)
            for each in self.places
        ]
        table = HtmlTable(("ranks", "model", self.metric, "low", "high", "tasks"), rows)
        shared = f"ranked by the {counted(self.tasks, 'task')} that all runs share"
        return fragment(self.sentence, tables=[table], lines=[shared, *self.notes])


def rank(
    contestants: Sequence[Contestant],
    *,
    metric: str | None = None,
    method: Method = "each",
    confidence: float = 0.95,
    allow: Collection[str] = (),
    known: PairCache | None = None,
) -> Standing:
    """Rank two or more runs by a metric, or by the first that all have.

    `method` is the meaning of the rank ranges: "each" covers each model separately, "all" covers all
    models together, "bootstrap" shows how ranks vary when tasks are resampled. `known` keeps paired
    differences for later calls, so that a further run is only compared with the others. Raises as `compare`.
    """
    if method not in METHODS:
        raise UsageError(f"unknown method of rank ranges: {method!r}", hint=f"one of: {', '.join(METHODS)}")
    if len(contestants) < 2:
        raise UsageError("a ranking needs at least two runs", hint="give two or more run folders")
    notes = check_comparable(contestants, allow=allow)
    metric = common_metric(contestants, metric)
    shared = shared_tasks(contestants, metric)
    means = [sum(row) / len(row) for row in shared.estimates]
    sign = 1 if contestants[0].measure(metric).higher_is_better else -1
    order = sorted(range(len(contestants)), key=lambda index: -sign * round(means[index], 12))
    shared = msgspec.structs.replace(shared, estimates=[shared.estimates[index] for index in order])
    names = [contestants[index].name for index in order]
    pairs = _pairs(names, shared, confidence=confidence, known={} if known is None else known)
    ranges = _ranges(pairs, shared, sign, method=method, confidence=confidence)
    places = [
        _place(contestants[index], metric, value=means[index], found=found)
        for index, found in zip(order, ranges, strict=True)
    ]
    clusters = pairs[0].difference.clusters
    return Standing(
        metric=metric,
        method=method,
        confidence=confidence,
        tasks=len(shared.tasks),
        clusters=clusters,
        grouping=shared.grouping,
        places=places,
        pairs=pairs,
        notes=[*notes, *_notes(places, pairs, clusters=clusters, grouping=shared.grouping)],
        sentence=_sentence(places, pairs),
    )


def _place(run: Contestant, metric: str, *, value: float, found: RankRange) -> StandingRow:
    return StandingRow(
        name=run.name,
        model=run.model,
        path=run.path,
        best=found.best,
        worst=found.worst,
        value=value,
        metric=run.score.metrics[metric],
    )


def _pairs(
    names: Sequence[str], shared: SharedTasks, *, confidence: float, known: PairCache
) -> list[ModelPair]:
    both = list(combinations(range(len(names)), 2))
    rows = [hashlib.sha256(array("d", row)).digest() for row in shared.estimates]
    setting = hashlib.sha256(repr((shared.clusters, confidence)).encode()).digest()
    found = []
    for i, j in both:
        key = (rows[i], rows[j], setting)
        if key not in known:
            known[key] = paired_difference(
                shared.estimates[i], shared.estimates[j], clusters=shared.clusters, confidence=confidence
            )
        found.append(known[key])
    adjusted = holm([each.p for each in found])
    return [
        ModelPair(above=names[i], below=names[j], difference=each, p=p, separated=p < 1 - confidence)
        for (i, j), each, p in zip(both, found, adjusted, strict=True)
    ]


def _ranges(
    pairs: Sequence[ModelPair], shared: SharedTasks, sign: int, *, method: Method, confidence: float
) -> list[RankRange]:
    """The rank ranges; `sign` is -1 if lower estimates are better."""
    models = len(shared.estimates)
    if method == "bootstrap":
        estimates = [[sign * value for value in row] for row in shared.estimates]
        return bootstrap_ranks(estimates, clusters=shared.clusters, confidence=confidence)
    tested = [
        PairedTest(i, j, sign * pair.difference.value, pair.difference.p)
        for (i, j), pair in zip(combinations(range(models), 2), pairs, strict=True)
    ]
    return ranks_by_tests(tested, models, family=method, confidence=confidence)


def _notes(
    places: Sequence[StandingRow], pairs: Sequence[ModelPair], *, clusters: int, grouping: str
) -> list[str]:
    """Notes where single intervals would mislead, and on few groups."""
    notes = []
    if grouping and clusters < FEW_CLUSTERS:
        notes.append(f"the tasks come from only {clusters} groups, which weakens the tests")
    metrics = {place.name: place.metric for place in places}
    neighbours = {(above.name, below.name) for above, below in pairwise(places)}
    for pair in pairs:
        above, below = metrics[pair.above], metrics[pair.below]
        overlap = above.low <= below.high and below.low <= above.high
        if pair.separated and overlap and (pair.above, pair.below) in neighbours:
            names = joined([pair.above, pair.below])
            notes.append(f"the intervals of {names} overlap, but the paired test separates them")
    return notes


def _sentence(places: Sequence[StandingRow], pairs: Sequence[ModelPair]) -> str:
    names = [place.name for place in places]
    apart = [pair for pair in pairs if pair.separated]
    if not apart and len(names) == 2:
        return f"{joined(names)} are not separated: their order may be due to chance."
    if not apart:
        return f"No two of these {len(names)} models are separated: their order may be chance."
    if len(apart) == len(pairs):
        return f"Every model is separated from every other: {' above '.join(names)}."
    if len(names) <= _LISTED:
        return f"Separated: {_name_list(apart)}. Not separated: {_tied_models(pairs)}."
    following = set(pairwise(names))
    neighbours = [pair for pair in apart if (pair.above, pair.below) in following]
    among = f"of neighbours {_name_list(neighbours)}" if neighbours else "no neighbours are"
    return (
        f"{len(apart)} of {len(pairs)} pairs are separated; {among}. The others' order may be due to chance."
    )


def _name_list(pairs: Sequence[ModelPair]) -> str:
    """ "A above C and D; B above D"."""
    below: dict[str, list[str]] = {}
    for pair in pairs:
        below.setdefault(pair.above, []).append(pair.below)
    return "; ".join(f"{above} above {joined(names)}" for above, names in below.items())


def _tied_models(pairs: Sequence[ModelPair]) -> str:
    return "; ".join(joined([pair.above, pair.below]) for pair in pairs if not pair.separated)
