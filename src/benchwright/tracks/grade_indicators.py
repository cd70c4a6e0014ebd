"""Indicators that both graded tracks have, each with its definition, or the reason why it is not there.

What the harness failed at is counted, and is in none of the other figures.
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

REFUSAL = "refusal"  # a score that rules give to an answer that refuses
VARIANT_OF = "variant_of"  # in a row's meta: the id of the row that it asks in other words
_UNUSABLE = (Outcome.no_code, Outcome.unparsable, Outcome.syntax_error, Outcome.no_entry_point)
_MOST = 50  # answers of one question that are held against each other


class IndicatorKind(NamedTuple):
    """What an indicator is: its definition, its unit, why it may be absent, and which end is the good one."""

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
    """A figure of the score as an indicator."""
    return _made(name, quality, IndicatorKind(about, unit), metrics.get(name))


def unmeasured(name: str, quality: Quality, about: str, why: str) -> Indicator:
    """An indicator that a track cannot have."""
    return _made(name, quality, IndicatorKind(about, SHARE, why), None)


def reliability(
    tasks: Mapping[TaskId, Task],
    answers: JudgedAnswers,
    outcomes: Mapping[str, int],
    *,
    grade: str,
    refusals: bool,
) -> list[Indicator]:
    """Whether answers are alike when they should be, can be used, and come at all.

    `grade` names the score of an answer, `refusals` says whether rules recognise one.
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
    """Of each task with a question that has several decided answers, the mean likeness of two of them."""
    found = []
    for given in answers.values():
        pairs = [_likeness(grades) for grades in _by_wording(given, grade).values() if len(grades) > 1]
        found += [fmean(pairs)] if pairs else []
    return found


def _robust(tasks: Mapping[TaskId, Task], answers: JudgedAnswers, grade: str) -> list[float]:
    """Of each task that was asked in several wordings, the likeness of their means."""
    found = []
    for group in _variants(tasks, answers):
        means = [fmean(grades) for given in group for grades in _by_wording(given, grade).values() if grades]
        found += [_likeness(means)] if len(means) > 1 else []
    return found


def _variants(tasks: Mapping[TaskId, Task], answers: JudgedAnswers) -> Iterator[list[Sequence[JudgedAnswer]]]:
    """The answers of each task together with those of the rows that are its variants."""
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
    """1 less the mean absolute difference of two of the values: for 0 and 1 the chance that two agree."""
    return 1 - fmean(abs(a - b) for a, b in combinations(values[:_MOST], 2))


def _shares(answers: JudgedAnswers, holds: Callable[[JudgedAnswer], bool]) -> list[float]:
    """Of each task the share of its answers for which it holds."""
    return [fmean(map(holds, given)) for given in answers.values()]
