"""Indicators of both graded tracks, each with its definition, or with the reason for its absence.

Infrastructure errors are counted separately and are in no other figure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from statistics import fmean
from typing import NamedTuple

from benchwright.contracts import Indicator, JudgedAnswer, JudgedAnswers, worth
from benchwright.contracts.indicators import Quality
from benchwright.records import Metric, Outcome, Task, TaskId
from benchwright.stats.intervals import wilson
from benchwright.stats.score import as_metric, graded_metric

REFUSAL = "refusal"  # score by rule of an answer that refuses
VARIANT_OF = "variant_of"  # in a row's meta: id of the row that it rephrases
_UNUSABLE = (Outcome.no_code, Outcome.unparsable, Outcome.syntax_error, Outcome.no_entry_point)
_MOST = 50  # maximum of answers to one question that are compared with each other


class IndicatorKind(NamedTuple):
    """Facts about an indicator: definition, unit, reason for absence, and direction."""

    about: str
    unit: str
    absent: str = "no answer has it"
    higher_is_better: bool = True


MEAN, SHARE = "mean over tasks, 0 to 1", "share of answers, mean over tasks"
_RELIABILITY = {
    "stability": IndicatorKind(
        "1 less the mean difference of two answers to the same question",
        MEAN,
        "each question was asked once, or has one decided answer: --n 3",
    ),
    "robustness": IndicatorKind(
        "1 less the mean difference of a task's means by wording",
        MEAN,
        "each task was asked in one wording, and no row is a variant of another: --prompts all",
    ),
    "usable": IndicatorKind("answers that could be read", SHARE),
    "refusals": IndicatorKind(
        "answers that refuse", SHARE, "no rule recognises a refusal", higher_is_better=False
    ),
    "failures": IndicatorKind(
        "requests that timed out or failed, in no other figure", "share of requests", higher_is_better=False
    ),
}


def of_metric(
    metrics: Mapping[str, Metric], name: str, quality: Quality, about: str, unit: str = MEAN
) -> Indicator:
    """An indicator from a figure of the score."""
    return _made(name, quality, IndicatorKind(about, unit), metrics.get(name))


def unmeasured(name: str, quality: Quality, about: str, why: str) -> Indicator:
    """An indicator that a track cannot measure."""
    return _made(name, quality, IndicatorKind(about, SHARE, why), None)


def reliability(
    tasks: Mapping[TaskId, Task],
    answers: JudgedAnswers,
    outcomes: Mapping[str, int],
    *,
    grade: str,
    refusals: bool,
) -> list[Indicator]:
    """Indicators of reliability: consistent answers, usable answers, and completed requests.

    `grade` is the name of an answer's score; `refusals`: whether rules recognise refusals.
    """
    values = {
        "stability": _alike(answers, grade),
        "robustness": _robust(tasks, answers, grade),
        "usable": _shares(answers, lambda each: each.outcome not in _UNUSABLE),
        "refusals": _shares(answers, lambda each: REFUSAL in each.scores) if refusals else [],
    }
    metrics = {name: graded_metric(each, samples=1) for name, each in values.items() if each}
    total = sum(outcomes.values())
    missing = sum(number for name, number in outcomes.items() if Outcome(name).is_missing)
    if total:
        metrics["failures"] = as_metric(wilson(missing, total), 1)
    return [_made(name, "reliability", kind, metrics.get(name)) for name, kind in _RELIABILITY.items()]


def _made(name: str, quality: Quality, kind: IndicatorKind, metric: Metric | None) -> Indicator:
    return Indicator(
        quality=quality,
        name=name,
        about=kind.about,
        unit=kind.unit,
        metric=metric,
        absent="" if metric else kind.absent,
        higher_is_better=kind.higher_is_better,
    )


def _alike(answers: JudgedAnswers, grade: str) -> list[float]:
    """Mean similarity of two answers to the same question, for each task with several decided answers."""
    found = []
    for given in answers.values():
        pairs = [_likeness(grades) for grades in _by_wording(given, grade).values() if len(grades) > 1]
        found += [fmean(pairs)] if pairs else []
    return found


def _robust(tasks: Mapping[TaskId, Task], answers: JudgedAnswers, grade: str) -> list[float]:
    """Similarity of the means by prompt, for each task with several prompts."""
    found = []
    for group in _variants(tasks, answers):
        means = [fmean(grades) for given in group for grades in _by_wording(given, grade).values() if grades]
        found += [_likeness(means)] if len(means) > 1 else []
    return found


def _variants(tasks: Mapping[TaskId, Task], answers: JudgedAnswers) -> Iterator[list[Sequence[JudgedAnswer]]]:
    """Answers of each task, together with those of rows that rephrase it."""
    groups: dict[str, list[Sequence[JudgedAnswer]]] = {}
    for task, given in answers.items():
        origin = tasks[task].meta.get(VARIANT_OF, task)
        groups.setdefault(str(origin), []).append(given)
    yield from groups.values()


def _by_wording(given: Sequence[JudgedAnswer], grade: str) -> dict[str, list[float]]:
    grades: dict[str, list[float]] = {}
    for each in given:
        if (good := worth(each, grade)) is not None:
            grades.setdefault(each.variant, []).append(good)
    return grades


def _likeness(values: Sequence[float]) -> float:
    """1 minus the mean absolute difference of two values; for values 0 and 1, the chance that two agree."""
    return 1 - fmean(abs(a - b) for a, b in combinations(values[:_MOST], 2))


def _shares(answers: JudgedAnswers, holds: Callable[[JudgedAnswer], bool]) -> list[float]:
    """Share of a task's answers for which a condition holds, for each task."""
    return [fmean(map(holds, given)) for given in answers.values()]
