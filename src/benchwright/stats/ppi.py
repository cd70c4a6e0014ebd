"""Prediction-powered estimate of the mean human label, from few human labels and a judge's on all answers.

Prediction-powered inference with power tuning: PPI++ (Angelopoulos, Duchi and Zrnic 2023, arXiv 2311.01453).
The judge's mean over the answers without a label is corrected by how far people and judge are apart on those
with one. The result is right on average however wrong the judge is; a good judge only makes it tighter.
`power_tuned` is the estimate of the paper; `predicted_mean` is what a score prints, with strata, clusters,
and an interval that is valid with few labels. docs/design/41-agreement-and-calibration.md has its coverage.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import fsum, sqrt
from typing import NamedTuple

from benchwright.records import Record
from benchwright.stats.intervals import Interval, interval_at, mean_interval, normal_quantile, t_quantile
from benchwright.stats.paired import piece_size

FEWEST = 10  # labels of a stratum; one with fewer is taken together with others
PIECES = 0.5  # of the pieces of `paired_difference`: whole ones cover 99.9 % where the judge is right in 98 %
REST = "others"


class PpiEstimate(NamedTuple):
    """The estimate, its standard error, and the weight of the judge: lam from 0 to 1."""

    value: float
    se: float
    lam: float

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """The normal interval; it is too narrow with few labels, or near 0 or 1."""
        half = normal_quantile(0.5 + confidence / 2) * self.se
        return self.value - half, self.value + half


def power_tuned(
    human: Sequence[float], judge: Sequence[float], unlabelled: Sequence[float], *, lam: float | None = None
) -> PpiEstimate:
    """PPI++ of a mean: `judge` has its values of the answers people labelled, `unlabelled` those of others.

    Without `lam` the one that makes the variance least is estimated (the paper's section 6). Raises
    ValueError where a list is empty, or people's and the judge's differ in length.
    """
    if not human or len(human) != len(judge) or not unlabelled:
        raise ValueError(
            "PPI++ needs human labels, the judge's value for each, and answers without human labels"
        )
    n, rest = len(human), len(unlabelled)
    if lam is None:
        lam = _tuned([_Moments.of(human, judge, unlabelled, share=1.0)])
    rectified = [y - lam * f for y, f in zip(human, judge, strict=True)]
    value = lam * _mean(unlabelled) + _mean(rectified)
    variance = lam**2 * _squares(unlabelled) / rest**2 + _squares(rectified) / n**2
    return PpiEstimate(value, sqrt(variance), lam)


class LabelledItem(NamedTuple):
    """An answer: the judge's value and people's, from 0 to 1; None if missing."""

    judge: float | None
    human: float | None = None
    stratum: str = ""  # such as the language
    cluster: str = ""  # such as the task, where a task has several answers; else empty


class Stratum(Record, frozen=True, kw_only=True):
    """A stratum of `predicted_mean`: its number of answers and of labels."""

    name: str
    labelled: int
    items: int


class PredictedMean(Record, frozen=True, kw_only=True):
    """The mean of people's labels over all answers. The n of an interval is the number of its values.

    `predicted` uses people and judge, `human` only labels by people, `judge` only the judge, which is
    valid only if the judge is always right.
    """

    predicted: Interval
    human: Interval
    judge: Interval | None  # None where the judge said nothing of any answer
    lam: float  # how far the judge is relied on, from 0 (not at all) to 1
    labelled: int
    items: int
    unjudged: int = 0  # answers without a score of the judge; its mean replaces them
    strata: list[Stratum] = []


def predicted_mean(items: Sequence[LabelledItem], *, confidence: float = 0.95) -> PredictedMean:
    """PPI++ over strata, with an interval that is valid for few labels and near 0 and 1.

    Each stratum is estimated on its own and weighs as many as it has answers, so that people may label
    more of one language than of another; lam is one for all, as few labels tell no more. A stratum with
    fewer than FEWEST labels is taken together with others. Raises ValueError for fewer than two labels or a
    value outside 0 to 1.
    """
    _check(items)
    judged = [item.judge for item in items if item.judge is not None]
    stand_in = _mean(judged) if judged else 0.0
    groups = _strata(items, stand_in)
    lam = _tuned([group.moments(len(items)) for group in groups])
    labels = sum(len(group.human) for group in groups)
    return PredictedMean(
        predicted=_interval(groups, lam, len(items), confidence),
        human=_interval(groups, 0.0, labels, confidence),
        judge=_judge_only(items, judged, confidence),
        lam=lam,
        labelled=labels,
        items=len(items),
        unjudged=len(items) - len(judged),
        strata=[Stratum(name=group.name, labelled=len(group.human), items=group.size) for group in groups]
        if len(groups) > 1
        else [],
    )


def _check(items: Sequence[LabelledItem]) -> None:
    for at, item in enumerate(items):
        for value in (item.judge, item.human):
            if value is not None and not 0 <= value <= 1:
                raise ValueError(f"item {at} has {value}; labels must lie between 0 and 1")
    if sum(item.human is not None for item in items) < 2:
        raise ValueError("at least two human labels are needed")


class _Group(NamedTuple):
    name: str
    human: list[float]
    judge: list[float]  # parallel to `human`
    unlabelled: list[float]
    labelled_clusters: list[str]
    other_clusters: list[str]

    @property
    def size(self) -> int:
        return len(self.human) + len(self.unlabelled)

    def moments(self, whole: int) -> _Moments:
        return _Moments.of(self.human, self.judge, self.unlabelled, share=self.size / whole)


def _strata(items: Sequence[LabelledItem], stand_in: float) -> list[_Group]:
    """The strata in the order of their names; small ones are merged."""
    names = _merged(items)
    groups = {name: _Group(name, [], [], [], [], []) for name in sorted(set(names.values()))}
    for item in items:
        group = groups[names[item.stratum]]
        value = stand_in if item.judge is None else item.judge
        if item.human is None:
            group.unlabelled.append(value)
            group.other_clusters.append(item.cluster)
        else:
            group.human.append(item.human)
            group.judge.append(value)
            group.labelled_clusters.append(item.cluster)
    return list(groups.values())


def _merged(items: Sequence[LabelledItem]) -> dict[str, str]:
    """The name of the merged stratum of each stratum."""
    labels = Counter(item.stratum for item in items if item.human is not None)
    names = sorted({item.stratum for item in items}, key=lambda name: (labels[name], name))
    small = [name for name in names if labels[name] < FEWEST]
    large = names[len(small) :]
    while small and large and sum(labels[name] for name in small) < FEWEST:
        small.append(large.pop(0))
    if len(small) < 2 and not (small and not large):
        return {name: name for name in names}
    return dict.fromkeys(small, REST if large else "") | {name: name for name in large}


class _Moments(NamedTuple):
    """The covariance of people and judge, and the judge's variance, for lam."""

    covariance: float
    variance: float

    @classmethod
    def of(
        cls, human: Sequence[float], judge: Sequence[float], unlabelled: Sequence[float], *, share: float
    ) -> _Moments:
        n, rest = len(human), len(unlabelled)
        if not n or not rest:
            return cls(0.0, 0.0)
        ours, theirs = _mean(human), _mean(judge)
        covariance = fsum((y - ours) * (f - theirs) for y, f in zip(human, judge, strict=True)) / n
        variance = _squares([*judge, *unlabelled]) / (n + rest - 1)
        return cls(share**2 * covariance / n, share**2 * variance * (1 / n + 1 / rest))


def _tuned(moments: Sequence[_Moments]) -> float:
    """The lam of least variance, limited to 0 to 1; 0 if the judge gives all answers the same value."""
    variance = fsum(each.variance for each in moments)
    if variance <= 0:
        return 0.0
    return min(1.0, max(0.0, fsum(each.covariance for each in moments) / variance))


class _Part(NamedTuple):
    """One term of the estimate: the influence of each answer, its cluster, degrees of freedom."""

    moves: list[float]
    clusters: list[str]
    degrees: int


class _Estimate(NamedTuple):
    """The contribution of a group: its mean, the mean with pseudo-labels, and its terms."""

    value: float
    centre: float
    parts: tuple[_Part, ...]


def _interval(groups: Sequence[_Group], lam: float, n: int, confidence: float) -> Interval:
    """Wilson's interval at the number of 0/1 labels with the same precision."""
    whole = sum(group.size for group in groups)
    found = [_estimate(group, lam, group.size / whole) for group in groups]
    value = min(1.0, max(0.0, fsum(each.value for each in found)))
    centre = min(1.0, max(0.0, fsum(each.centre for each in found)))
    variance, degrees = _variance([part for each in found for part in each.parts])
    ratio = normal_quantile(0.5 + confidence / 2) / t_quantile(0.5 + confidence / 2, degrees)
    trials = max(1.0, centre * (1 - centre) / variance * ratio**2)
    return interval_at(value, trials, n=n, confidence=confidence)


def _estimate(group: _Group, lam: float, share: float) -> _Estimate:
    """The estimate of one group, which is this share of all answers.

    Two pseudo-labels are added, one where people say 1 and the judge 0 and one the other way round, of
    half the size u of `paired_difference`. A judge that was right 50 times in 50 may still be wrong, and
    would otherwise be assumed always right.
    """
    lam = lam if group.unlabelled else 0.0
    rectified = [y - lam * f for y, f in zip(group.human, group.judge, strict=True)]
    piece = PIECES * piece_size(
        [y - f for y, f in zip(group.human, group.judge, strict=True)] if lam else group.human
    )
    size = len(rectified) + 2 * piece
    moved = (fsum(rectified) + piece * (1 - lam)) / size
    added = [sqrt(piece) * (1 - moved), sqrt(piece) * (-lam - moved)]
    weight = share / sqrt(size * (size - 1))
    moves = [weight * each for each in (*(value - moved for value in rectified), *added)]
    people = _Part(moves, [*group.labelled_clusters, "", ""], len(rectified) - 1)
    if not lam:
        return _Estimate(share * _mean(rectified), share * moved, (people,))
    base = lam * _mean(group.unlabelled)
    judged = _judge_part(group, share * lam)
    return _Estimate(share * (base + _mean(rectified)), share * (base + moved), (people, judged))


def _judge_part(group: _Group, weight: float) -> _Part:
    """The judge's mean over unlabelled answers; its variance also uses labelled ones."""
    values = [*group.judge, *group.unlabelled]
    mean, factor = _mean(values), sqrt(len(values) / (len(values) - 1))
    moves = [weight * factor * (value - mean) / len(group.unlabelled) for value in group.unlabelled]
    return _Part(moves, group.other_clusters, len(values) - 1)


def _variance(parts: Sequence[_Part]) -> tuple[float, int]:
    """Variance, and Satterthwaite's degrees of freedom (1946), at most one less than the number of
    clusters.
    """
    clusters: dict[str, float] = {}
    alone = 0.0
    for part in parts:
        for move, cluster in zip(part.moves, part.clusters, strict=True):
            if cluster:
                clusters[cluster] = clusters.get(cluster, 0.0) + move
            else:
                alone += move**2
    own = [fsum(move**2 for move in part.moves) for part in parts]
    pooled = sum(each**2 / part.degrees for each, part in zip(own, parts, strict=True))
    degrees = fsum(own) ** 2 / pooled
    cluster_names = {cluster for part in parts[:1] for cluster in part.clusters if cluster}
    if cluster_names:
        degrees = min(degrees, len(cluster_names) - 1)
    return alone + fsum(each**2 for each in clusters.values()), max(1, int(degrees))


def _judge_only(items: Sequence[LabelledItem], judged: Sequence[float], confidence: float) -> Interval | None:
    """The judge's mean, with the interval that it would have if the judge were always right."""
    if not judged:
        return None
    clusters = [item.cluster or f"\0{at}" for at, item in enumerate(items) if item.judge is not None]
    draws = 1 if set(judged) <= {0.0, 1.0} else len(judged)
    return mean_interval(judged, samples_per_task=draws, confidence=confidence, clusters=clusters)


def _mean(values: Sequence[float]) -> float:
    return fsum(values) / len(values)


def _squares(values: Sequence[float]) -> float:
    """The sum of squares about the mean."""
    mean = _mean(values)
    return fsum((value - mean) ** 2 for value in values)
