"""Calibrate a model judge against people: how often it is right, its bias, and the worth of its score."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from math import log2
from statistics import fmean
from typing import NamedTuple

from benchwright.contracts import Assessment
from benchwright.judges.people.agreement import Figures, LabelScale, pair_figures
from benchwright.judges.people.records import DECISION, DECISIONS, PREFERENCE, Vote
from benchwright.judges.people.results import ENOUGH, RELIABLE, PeopleResult
from benchwright.records import KeyedRow, Record, TaskId
from benchwright.stats.agreement import DRAWS, Label
from benchwright.stats.association import FEWEST as FEWEST_LENGTHS
from benchwright.stats.association import partial_correlation
from benchwright.stats.intervals import Interval, wilson
from benchwright.stats.label_planning import FEWEST as FEWEST_LABELS
from benchwright.stats.label_planning import LabelVariance, observed_variance
from benchwright.stats.paired import PairedDifference, paired_difference
from benchwright.stats.ppi import LabelledItem, PredictedMean, predicted_mean

RIGHT = DECISIONS[0]
_SIDES = ("a", "b")


class AnswerFacts(NamedTuple):
    """Facts about an answer that calibration needs, in addition to its labels."""

    task_id: TaskId
    length: int  # in characters
    stratum: str = ""  # such as the language


class JudgeCalibration(Record, frozen=True, kw_only=True):
    """Calibration of one judge against people on one field. Figures that need more labels are None.

    `confusion` counts by people's label, then by the judge's. Sensitivity is the share of answers that people
    call right and the judge too, specificity the share of the others that the judge calls wrong. `lead` is
    how much higher than people it grades, from -1 to 1. `length` is the partial correlation of that with the
    logarithm of the answer's length, given people's label. `estimate` is people's mean over all answers,
    disputed ones by the mean of their votes. `alpha` is the agreement of people; None if no two judged an
    answer.
    """

    judge: str
    field: str
    labels: int  # answers with a result by people and a value by the judge
    blind: int  # labels by people that rest on a blind vote
    calibrated: bool
    confusion: dict[str, dict[str, int]]
    agreement: Figures
    disputed: int = 0  # answers on which people disagree: no label, and in `estimate` by their mean vote
    alpha: float | None = None
    sensitivity: Interval | None = None
    specificity: Interval | None = None
    lead: PairedDifference | None = None
    length: Interval | None = None
    estimate: PredictedMean | None = None
    spread: LabelVariance | None = None  # variance of the labels, for a plan


class Drift(Record, frozen=True, kw_only=True):
    """Two ways of judging, such as two versions of a prompt, on the same answers; `lead` is a less b."""

    a: str
    b: str
    field: str
    answers: int
    agreement: Figures
    lead: PairedDifference | None = None


class PositionBias(Record, frozen=True, kw_only=True):
    """Share of votes for the first side, of all votes that prefer one; 0.5 means no bias."""

    judge: str  # empty for all judges together
    first: Interval


def is_calibrated(blind: int, alpha: float | None) -> bool:
    """Return whether a figure by a model judge counts: enough blind labels, by people who agree well enough.

    `alpha` is None if no two people judged one answer, so that their agreement is unknown.
    """
    return blind >= ENOUGH and (alpha is None or alpha >= RELIABLE)


def worth(field: str, value: float | str) -> float | None:
    """Return a label as a share: a grade of the best, a decision as in `acc`; None if it decides nothing."""
    if field == DECISION:
        return None if value == DECISIONS[-1] else float(value == RIGHT)
    return (float(value) - 1) / 4


def said_of(assessment: Assessment, field: str) -> float | None:
    """Return the value of a model judge for a field of an answer, from 0 to 1; None for none."""
    if field == DECISION:
        return (
            worth(DECISION, assessment.label) if assessment.status == "judged" and assessment.label else None
        )
    return assessment.scores.get(field)


def label_of(field: str, assessment: Assessment) -> Label | None:
    """Return the judge's label on people's scale; a mean of several votes is rounded to the nearest grade."""
    if field == DECISION:
        return assessment.label or None
    value = assessment.scores.get(field)
    return None if value is None else int(4 * value + 1.5)


def calibrate(
    results: Iterable[PeopleResult],
    assessments: Iterable[Assessment],
    answers: Mapping[KeyedRow, AnswerFacts],
    *,
    alphas: Mapping[str, float | None],
    draws: int = DRAWS,
) -> list[JudgeCalibration]:
    """Calibrate each judge of these assessments against people, field by field.

    `answers` are the run's, `alphas` the agreement of people on each field.

    An answer is identified by key and task, since answers to two tasks of equal content have equal keys.
    """
    by_field: dict[str, dict[KeyedRow, PeopleResult]] = {}
    for each in results:
        if each.opinions and each.field != PREFERENCE and len(each.answers) == 1:
            by_field.setdefault(each.field, {})[each.rows[0]] = each
    judges = by_judge(assessments)
    return [
        _calibration(judge, field, own, assessed, answers, alphas.get(field), draws)
        for judge, assessed in judges.items()
        for field, own in by_field.items()
        if any(said_of(each, field) is not None for each in assessed.values())
    ]


def by_judge(assessments: Iterable[Assessment]) -> dict[str, dict[KeyedRow, Assessment]]:
    """Return the assessments of each judge by the answer's key and task, the judges in the order of their
    names."""
    found: dict[str, dict[KeyedRow, Assessment]] = {}
    for each in assessments:
        found.setdefault(each.judge, {})[each.answer, each.task_id] = each
    return {judge: found[judge] for judge in sorted(found)}


class _Both(NamedTuple):
    """One answer that people and the judge have labelled."""

    human: float
    judge: float
    facts: AnswerFacts


def _calibration(
    judge: str,
    field: str,
    people: Mapping[KeyedRow, PeopleResult],
    assessed: Mapping[KeyedRow, Assessment],
    answers: Mapping[KeyedRow, AnswerFacts],
    alpha: float | None,
    draws: int,
) -> JudgeCalibration:
    agreed = {row: each for row, each in people.items() if each.value is not None}
    labels = [
        (_nearest(agreed[row]), label_of(field, assessed[row]))
        for row in answers
        if row in agreed and row in assessed
    ]
    both = [
        _Both(human, judge_value, answers[row])
        for row in answers
        if (human := _worth(agreed, row, field)) is not None
        and row in assessed
        and (judge_value := said_of(assessed[row], field)) is not None
    ]
    blind = sum(agreed[row].votes > 0 for row in answers if row in agreed)
    pairs = [(human_label, judge_label) for human_label, judge_label in labels if judge_label is not None]
    return JudgeCalibration(
        judge=judge,
        field=field,
        labels=len(both),
        blind=blind,
        calibrated=is_calibrated(blind, alpha),
        confusion=_confusion(pairs),
        agreement=pair_figures(pairs, LabelScale.of(field), draws=draws),
        disputed=sum(row in answers for row in people if row not in agreed),
        alpha=alpha,
        sensitivity=_share(both, 1.0) if field == DECISION else None,
        specificity=_share(both, 0.0) if field == DECISION else None,
        lead=_lead([(each.judge, each.human, each.facts.task_id) for each in both]),
        length=_length(both),
        estimate=_estimate(field, people, assessed, answers),
        spread=observed_variance([each.human for each in both], [each.judge for each in both])
        if len(both) >= FEWEST_LABELS
        else None,
    )


def _nearest(result: PeopleResult) -> Label:
    value = result.value
    assert value is not None
    return value if isinstance(value, str) else int(value + 0.5)


def _worth(people: Mapping[KeyedRow, PeopleResult], row: KeyedRow, field: str) -> float | None:
    """Return the mean worth of the opinions on an answer; None if none decides anything."""
    opinions = people[row].opinions if row in people else []
    shares = [value for each in opinions if (value := worth(field, each)) is not None]
    return fmean(shares) if shares else None


def _confusion(labels: Iterable[tuple[Label, Label]]) -> dict[str, dict[str, int]]:
    counts: dict[str, Counter[str]] = {}
    for ours, theirs in labels:
        counts.setdefault(str(ours), Counter())[str(theirs)] += 1
    return {ours: dict(sorted(row.items())) for ours, row in sorted(counts.items())}


def _share(both: Sequence[_Both], human: float) -> Interval | None:
    """Return the share of answers that people call right (1) or not (0) and the judge calls the same."""
    own = [each.judge == human for each in both if each.human == human]
    return wilson(sum(own), len(own)) if own else None


def _lead(pairs: Sequence[tuple[float, float, TaskId]]) -> PairedDifference | None:
    """Return the mean difference, tasks as clusters; None with fewer than two tasks."""
    if len({task for _, _, task in pairs}) < 2:
        return None
    clusters = [str(task) for _, _, task in pairs]
    return paired_difference(
        [one for one, _, _ in pairs],
        [other for _, other, _ in pairs],
        clusters=None if len(set(clusters)) == len(clusters) else clusters,
    )


def _length(both: Sequence[_Both]) -> Interval | None:
    if len(both) < FEWEST_LENGTHS:
        return None
    return partial_correlation(
        [each.judge - each.human for each in both],
        [log2(1 + each.facts.length) for each in both],
        [each.human for each in both],
    )


def _estimate(
    field: str,
    people: Mapping[KeyedRow, PeopleResult],
    assessed: Mapping[KeyedRow, Assessment],
    answers: Mapping[KeyedRow, AnswerFacts],
) -> PredictedMean | None:
    """Return people's mean over the answers that the judge was asked about or people have labelled."""
    open_ones = [row for row in answers if row in assessed or row in people]
    tasks = Counter(answers[row].task_id for row in open_ones)
    items = [
        LabelledItem(
            judge=said_of(assessed[row], field) if row in assessed else None,
            human=_worth(people, row, field),
            stratum=answers[row].stratum,
            cluster=str(answers[row].task_id) if tasks[answers[row].task_id] > 1 else "",
        )
        for row in open_ones
    ]
    return predicted_mean(items) if sum(each.human is not None for each in items) >= 2 else None


def drift(assessments: Iterable[Assessment], *, draws: int = DRAWS) -> list[Drift]:
    """Compare each two ways of judging on the answers that both judged: other prompts, parameters or
    models."""
    judges = by_judge(assessments)
    found = []
    for a, b in combinations(judges, 2):
        shared = [(judges[a][key], judges[b][key]) for key in judges[a] if key in judges[b]]
        fields = dict.fromkeys(
            name for one, _ in shared for name in ([DECISION] if one.label else list(one.scores))
        )
        found += [_drift(a, b, field, shared, draws) for field in fields]
    return found


def _drift(a: str, b: str, field: str, shared: Sequence[tuple[Assessment, Assessment]], draws: int) -> Drift:
    labels = [(label_of(field, one), label_of(field, other)) for one, other in shared]
    pairs = [row for row in labels if None not in row]
    values = [
        (ours, theirs, one.task_id)
        for one, other in shared
        if (ours := said_of(one, field)) is not None and (theirs := said_of(other, field)) is not None
    ]
    figures = pair_figures(pairs, LabelScale.of(field), draws=draws)
    return Drift(a=a, b=b, field=field, answers=len(pairs), agreement=figures, lead=_lead(values))


def position_bias(votes: Iterable[Vote]) -> list[PositionBias]:
    """Return how often the first side is preferred: of all votes, then of each judge.

    Votes without the order of the sides, ties, and votes that were not given blind are omitted.
    """
    first: dict[str, list[bool]] = {}
    for vote in votes:
        if vote.field == PREFERENCE and vote.round == "first" and vote.value in _SIDES and vote.shown:
            stood_first = vote.shown.startswith(str(vote.value))
            first.setdefault("", []).append(stood_first)
            first.setdefault(vote.judge, []).append(stood_first)
    return [
        PositionBias(judge=judge, first=wilson(sum(own), len(own))) for judge, own in sorted(first.items())
    ]
