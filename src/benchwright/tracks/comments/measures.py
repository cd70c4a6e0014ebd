"""Measures of comments: total, format, accuracy and logic, with details."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

import msgspec

from benchwright.contracts import (
    Indicator,
    JudgedAnswer,
    JudgedAnswers,
    Measure,
    MeasureSet,
)
from benchwright.display.wording import counted, joined
from benchwright.records import Metric, Outcome, Task, TaskId
from benchwright.stats.score import graded_metric
from benchwright.tracks import grade_indicators as indicators
from benchwright.tracks.comments.assessed import (
    ACCURACY,
    FORMAT,
    JUDGES_SHARE,
    LOGIC,
    PARTS,
    TOTAL,
    WEIGHTS,
)
from benchwright.tracks.comments.rows import spec_of
from benchwright.tracks.grade_notes import by_key, notes_on_judges, shares
from benchwright.tracks.judged_parts import are_judged

RULES_ONLY = "rules only: not a ranking"
UNCHANGED = "code_unchanged"
CHRF = "chrf"
_GRADES = (TOTAL, *PARTS)
# Over answers that have them: an answer without comments has no names to check.
_DETAILS = (
    Measure(name="annotation_precision"),
    Measure(name="annotation_recall"),
    Measure(name="annotation_f1", label="annotation F1"),
    Measure(name="entity_truth"),
    Measure(name="key_lines", label="key lines explained"),
    Measure(name="echo", label="comments that echo code", higher_is_better=False),
    Measure(name=CHRF, label="chrF++ (not ranked)"),
)


class CommentMeasures(MeasureSet):
    """Means over tasks of the means over decided answers. `weights` are those of the total."""

    measures = (
        Measure(name=TOTAL, better="comments better", paired=True, shown="group"),
        Measure(name=FORMAT, better="keeps to the format better", paired=True, shown="ranking"),
        Measure(name=ACCURACY, better="comments more accurately", paired=True, shown="ranking"),
        Measure(name=LOGIC, better="explains better", paired=True, shown="ranking"),
        Measure(name=UNCHANGED, label="code unchanged", shown="ranking"),
        *_DETAILS,
    )
    grade = TOTAL

    def __init__(self, weights: Mapping[str, float] = WEIGHTS) -> None:
        self.weights = weights

    def metrics(
        self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers, ks: Sequence[int]
    ) -> dict[str, Metric]:
        """Each figure over the tasks that have a value."""
        names = [*PARTS, UNCHANGED, *(each.name for each in _DETAILS)]
        found = {TOTAL: self._metric(TOTAL, _ranked(tasks, answers))}
        found |= {name: self._metric(name, answers) for name in names}
        return {name: metric for name, metric in found.items() if metric is not None}

    def compared(self, names: Iterable[str]) -> list[str]:
        """Empty for runs without a total, whose parts are by rule only and without a reference."""
        found = super().compared(names)
        return found if TOTAL in found else []

    def _metric(self, name: str, answers: JudgedAnswers) -> Metric | None:
        found = [
            (value, len(given))
            for given in answers.values()
            if (value := self.task_value(name, given)) is not None
        ]
        if not found:
            return None
        return graded_metric([value for value, _ in found], samples=min(number for _, number in found))

    def task_value(self, name: str, answers: Sequence[JudgedAnswer]) -> float | None:
        """Mean over a task's answers that have the value; an undecided answer has no grade."""
        of = _grade if name in _GRADES else _unchanged if name == UNCHANGED else _detail
        values = [value for each in answers if (value := of(each, name)) is not None]
        return fmean(values) if values else None

    def notes(self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers, ks: Sequence[int]) -> list[str]:
        """Notes on the shares of rules and judges, on the weights, and on undecided answers."""
        return [*self._on_shares(tasks, answers), *notes_on_judges(answers)]

    def _on_shares(self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers) -> list[str]:
        unranked = len(answers) - len(_ranked(tasks, answers))
        if unranked == len(answers):
            return (
                [f"{RULES_ONLY}: no {TOTAL}, since there was no reference and no judge (--judge)"]
                if answers
                else []
            )
        alone = (
            [f"{counted(unranked, 'task')} without a reference and a judge: in no {TOTAL}"]
            if unranked
            else []
        )
        return alone + self._on_parts(answers)

    def _on_parts(self, answers: JudgedAnswers) -> list[str]:
        weights = ", ".join(f"{name} {self.weights[name]:.2g}" for name in PARTS)
        made = f"{TOTAL} is the weighted mean of its parts: {weights}"
        if not are_judged(each.parts for given in answers.values() for each in given):
            return [f"{made}; all of them are by rule alone, since no judge was asked (--judge)"]
        return [f"{made}; {joined(f'{name} is {_share(name)}' for name in PARTS)}"]

    def details(self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers) -> dict[str, Any]:
        """{"groups": {"language" | "comments in" | "unit": {name: {metric: …}}}, "shares": {part: {"rule",
        "judge"}}, "weights": {part: …}, "distribution": answers by tenth of the total}."""
        if not answers:
            return {}
        groups = {task: self.groups_of(tasks[task]) for task in answers}
        kinds = next(iter(groups.values()))
        judged = are_judged(each.parts for given in answers.values() for each in given)
        document = {
            "groups": {kind: self._by(tasks, answers, groups, kind) for kind in kinds},
            "shares": {name: shares(JUDGES_SHARE[name] if judged else 0.0) for name in PARTS},
            "weights": dict(self.weights),
            "distribution": _tenths(_ranked(tasks, answers)),
        }
        built: dict[str, Any] = msgspec.to_builtins(document)
        return built

    def groups_of(self, task: Task) -> dict[str, list[str]]:
        """Programming language, language of the comments, and unit (file, class or function) of a task."""
        spec = spec_of(task)
        return {
            "language": [spec.lang],
            "comments in": [spec.language or "any language"],
            "unit": [spec.unit],
        }

    def _by(
        self,
        tasks: Mapping[TaskId, Task],
        answers: JudgedAnswers,
        groups: Mapping[TaskId, Mapping[str, Sequence[str]]],
        kind: str,
    ) -> dict[str, dict[str, Metric]]:
        rows = {}
        for name, group in by_key(answers, lambda task: groups[task][kind][0]).items():
            found = {grade: self._metric(grade, group) for grade in PARTS}
            found = {TOTAL: self._metric(TOTAL, _ranked(tasks, group)), **found}
            rows[name] = {grade: metric for grade, metric in found.items() if metric is not None}
        return {name: row for name, row in rows.items() if row}

    def indicators(
        self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers, outcomes: Mapping[str, int]
    ) -> list[Indicator]:
        """Indicators of functionality, reliability and interpretability of a run."""
        metrics = self.metrics(tasks, answers, ())
        return [
            indicators.of_metric(
                metrics, UNCHANGED, "functionality", "the code is as it was", indicators.SHARE
            ),
            indicators.of_metric(metrics, TOTAL, "functionality", "mean total of answers"),
            indicators.of_metric(
                metrics, CHRF, "functionality", "mean likeness to the reference comments, not ranked"
            ),
            indicators.unmeasured("tests", "functionality", "tests that pass", "nothing is executed"),
            *indicators.reliability(tasks, answers, outcomes, grade=self.grade, refusals=False),
            indicators.of_metric(metrics, LOGIC, "interpretability", "mean logic of answers"),
            indicators.of_metric(metrics, ACCURACY, "interpretability", "mean accuracy of answers"),
            indicators.of_metric(
                metrics, "entity_truth", "interpretability", "names in comments that the code has"
            ),
            indicators.unmeasured(
                "evidence", "interpretability", "cited evidence that resolves", "comments cite no places"
            ),
        ]


def _ranked(tasks: Mapping[TaskId, Task], answers: JudgedAnswers) -> JudgedAnswers:
    """Answers that can have a total: with a reference, or decided by a judge or people."""
    return {
        task: given
        for task, given in answers.items()
        if _has_reference(tasks[task]) or are_judged(each.parts for each in given)
    }


def _has_reference(task: Task) -> bool:
    spec = spec_of(task)
    return bool(spec.annotations or spec.comment)


def _grade(answer: JudgedAnswer, name: str) -> float | None:
    """Value of an answer; 0 if it is unusable or its code was changed."""
    if not answer.outcome.is_decided:
        return None
    return answer.scores.get(name) if answer.outcome is Outcome.scored or answer.scores else 0.0


def _unchanged(answer: JudgedAnswer, name: str) -> float | None:
    """Whether answers with code left it unchanged; the outcome is `wrong` if not."""
    if answer.outcome is Outcome.wrong:
        return 0.0
    return 1.0 if answer.outcome in (Outcome.scored, Outcome.undecided) else None


def _detail(answer: JudgedAnswer, name: str) -> float | None:
    return answer.scores.get(name) if answer.outcome in (Outcome.scored, Outcome.undecided) else None


def _share(name: str) -> str:
    judge = JUDGES_SHARE[name]
    return f"{100 * judge:.0f} % judge and {100 * (1 - judge):.0f} % rule" if judge else "all rule"


def _tenths(answers: JudgedAnswers) -> list[int]:
    """Number of decided answers by tenth of the total; the last tenth includes 1."""
    tenths = [0] * 10
    for given in answers.values():
        for each in given:
            if (value := _grade(each, TOTAL)) is not None:
                tenths[min(9, int(10 * value + 1e-9))] += 1
    return tenths
