"""Grades of model judges and people: parts of a verdict, notes on a score, and indicators of quality."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from statistics import fmean
from typing import NamedTuple

from benchwright.contracts import Assessment, AssessmentStatus, Indicator, JudgedAnswer, JudgedAnswers, worth
from benchwright.contracts.measures import Quality
from benchwright.display.wording import counted
from benchwright.records import Metric, Outcome, Task, TaskId, Verdict
from benchwright.stats.intervals import wilson
from benchwright.stats.metrics import as_metric, graded_metric

UNCALIBRATED, WHY = "uncalibrated", "no labels by people say how often it is right"


def shares(judge: float) -> dict[str, float]:
    """Shares of rules and judges in a number; their sum is 1."""
    return {"rule": round(1 - judge, 12), "judge": judge}


def by_key(answers: JudgedAnswers, key: Callable[[TaskId], str]) -> dict[str, JudgedAnswers]:
    """Group the answers of tasks by key, sorted by key."""
    groups: dict[str, dict[TaskId, Sequence[JudgedAnswer]]] = {}
    for task, given in answers.items():
        groups.setdefault(key(task), {})[task] = given
    return {name: groups[name] for name in sorted(groups)}


def notes_on_judges(answers: JudgedAnswers) -> list[str]:
    """Notes on undecided answers with the reason, and on the number of answers that each judge judged."""
    given = [each for of_task in answers.values() for each in of_task]
    judges: dict[str, Counter[Outcome]] = {}
    for each in given:
        for judge, end in by_judge(each.parts).items():
            judges.setdefault(judge, Counter())[end] += 1
    undecided = sum(each.outcome is Outcome.undecided for each in given)
    notes = []
    if undecided:
        reason = (
            "no judge who was asked could tell"
            if judges
            else "rules alone cannot tell, and no judge was asked (--judge)"
        )
        share = f"{undecided:,} of {counted(len(given), 'answer')}"
        notes.append(
            f"{share} {'is' if undecided == 1 else 'are'} undecided, in no figure and no zero: {reason}"
        )
    return notes + [_of_judge(judge, ends) for judge, ends in sorted(judges.items())]


def _of_judge(judge: str, ends: Counter[Outcome]) -> str:
    if judge == PEOPLE:
        judged = ends.total() - ends[Outcome.undecided]
        amount = counted(ends.total(), "answer")
        return f"people: {judged:,} of {amount} judged, {ends[Outcome.undecided]:,} undecided"
    return f"judge {judge}: {_summary_of_ends(ends)}"


def held_against(notes: Sequence[str], labels: int, *, enough: int, unreliable: str = "") -> list[str]:
    """Update the notes of a run after people have labelled `labels` answers: judges are calibrated.

    `unreliable` is the reason why people's labels cannot calibrate a judge, whatever their number.
    """
    previous = f"{UNCALIBRATED}, since {WHY}"
    comparison = f"held against {counted(labels, 'label')} by people"
    short = "" if labels >= enough else f"fewer than {enough}"
    reason = ", ".join(filter(None, (short, unreliable)))
    current = f"{UNCALIBRATED}: {comparison}, {reason}" if reason else comparison
    return [note.replace(previous, current) for note in notes]


def _summary_of_ends(ends: Counter[Outcome]) -> str:
    silent = {
        "undecided": Outcome.undecided,
        "unparsable": Outcome.unparsable,
        "missing": Outcome.model_error,
    }
    judged = ends.total() - sum(ends[end] for end in silent.values())
    rest = ", ".join(f"{ends[end]:,} {name}" for name, end in silent.items())
    return f"{judged:,} of {counted(ends.total(), 'answer')} judged, {rest}; {UNCALIBRATED}, since {WHY}"


PEOPLE = "people"  # name of the judge that stands for all people
JUDGE = "judge "  # begins the name of each such part; the judge's own name follows
_ENDS: Mapping[AssessmentStatus, Outcome] = {
    "undecided": Outcome.undecided,
    "unparsable": Outcome.unparsable,
    "missing": Outcome.model_error,
}
_LABELS = {"correct": Outcome.passed, "partly": Outcome.scored, "wrong": Outcome.wrong}


def with_judges(verdict: Verdict, assessments: Sequence[Assessment]) -> dict[str, Outcome]:
    """The verdict's parts with one part per judge: its decision or rating, or why there is none."""
    judge_parts = {f"{JUDGE}{each.judge}": _end(each) for each in assessments}
    return {**by_rule(verdict.parts), **dict(sorted(judge_parts.items()))}


def by_rule(parts: Mapping[str, Outcome]) -> dict[str, Outcome]:
    """The parts that are not by a judge."""
    return {name: end for name, end in parts.items() if not name.startswith(JUDGE)}


def by_judge(parts: Mapping[str, Outcome]) -> dict[str, Outcome]:
    """The parts by judges, by name of the judge."""
    return {name.removeprefix(JUDGE): end for name, end in parts.items() if name.startswith(JUDGE)}


def are_judged(answers: Iterable[Mapping[str, Outcome]]) -> bool:
    """Whether any of the answers has a part by a judge."""
    return any(name.startswith(JUDGE) for parts in answers for name in parts)


def _end(assessment: Assessment) -> Outcome:
    if assessment.status == "judged":
        return _LABELS.get(assessment.label, Outcome.scored)
    return _ENDS[assessment.status]


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
    return _indicator(name, quality, IndicatorKind(about, unit), metrics.get(name))


def unmeasured(name: str, quality: Quality, about: str, why: str) -> Indicator:
    """An indicator that a track cannot measure."""
    return _indicator(name, quality, IndicatorKind(about, SHARE, why), None)


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
    return [_indicator(name, "reliability", kind, metrics.get(name)) for name, kind in _RELIABILITY.items()]


def _indicator(name: str, quality: Quality, kind: IndicatorKind, metric: Metric | None) -> Indicator:
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


def _shares(answers: JudgedAnswers, condition: Callable[[JudgedAnswer], bool]) -> list[float]:
    """Share of a task's answers for which a condition holds, for each task."""
    return [fmean(map(condition, given)) for given in answers.values()]
