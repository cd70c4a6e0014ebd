"""Measures of answers to review remarks: resolved, and the parts that explain it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import Any

import msgspec

from benchwright.contracts import TAG, Indicator, JudgedAnswer, JudgedAnswers, Measure, MeasureSet
from benchwright.display.wording import counted
from benchwright.records import Metric, Outcome, Task, TaskId
from benchwright.stats.intervals import wilson
from benchwright.stats.metrics import as_metric, graded_metric, mean_metric
from benchwright.tracks import grades as indicators
from benchwright.tracks.refine.rows import TEXT, row_of, spec_of

RESOLVED, APPLIES, TOUCHES = "resolved", "applies", "touches"
EXACT, EQUAL, TESTS, CHRF = "exact", "equal", "tests", "chrf"
_SHARES = (APPLIES, TOUCHES, EXACT, EQUAL)  # 0 for an answer without a usable hunk
BY_TESTS, BY_REFERENCE = "tests", "the reference"


class RefineMeasures(MeasureSet):
    """Means over tasks of the shares of decided answers; with one answer per task, Wilson's interval."""

    measures = (
        Measure(
            name=RESOLVED,
            label="equal or tests pass",
            better="resolves more remarks",
            paired=True,
            shown="group",
        ),
        Measure(name=APPLIES, better="writes more hunks that apply", paired=True, shown="group"),
        Measure(name=TOUCHES, label="touches the remarked lines", shown="ranking"),
        Measure(name=EQUAL, label="equal to the reference", shown="ranking"),
        Measure(name=EXACT, label="equal with its white space"),
        Measure(name=TESTS, label="tests pass"),
        Measure(name=CHRF, label="chrF++ (not ranked)"),
    )

    def metrics(
        self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers, ks: Sequence[int]
    ) -> dict[str, Metric]:
        """Each figure over the tasks that have a value."""
        names = [each.name for each in self.measures]
        return {name: metric for name in names if (metric := _metric(name, answers)) is not None}

    def task_value(self, name: str, answers: Sequence[JudgedAnswer]) -> float | None:
        """Share among a task's decided answers; None if there is none with the value."""
        values = _values(name, answers)
        return fmean(values) if values else None

    def notes(self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers, ks: Sequence[int]) -> list[str]:
        """A note on the tasks without tests, whose other right answers count as wrong."""
        without = sum(row_of(tasks[task]).tests is None for task in answers)
        if not without:
            return []
        some = "no task has tests" if without == len(answers) else f"{counted(without, 'task')} without tests"
        return [f"{some}: there only an answer equal to the reference passes, so the score is a lower bound"]

    def details(self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers) -> dict[str, Any]:
        """{"groups": {"language" | "judged by" | "tag": {name: {metric: …}}}, each with at least two names,
        "indicators"}."""
        groups: dict[str, dict[str, dict[TaskId, Sequence[JudgedAnswer]]]] = {}
        for task, given in answers.items():
            for kind, names in self.groups_of(tasks[task]).items():
                for name in names:
                    groups.setdefault(kind, {}).setdefault(name, {})[task] = given
        rows = {
            kind: {name: self.metrics(tasks, found[name], ()) for name in sorted(found)}
            for kind, found in groups.items()
            if len(found) > 1
        }
        built: dict[str, Any] = msgspec.to_builtins({"groups": rows} if rows else {})
        return built

    def groups_of(self, task: Task) -> dict[str, list[str]]:
        """Language, what judges the answers, and tags of a task."""
        row = row_of(task)
        by = BY_REFERENCE if row.tests is None else BY_TESTS
        return {
            "language": [spec_of(task).lang or TEXT],
            "judged by": [by],
            TAG: list(dict.fromkeys(row.tags)),
        }

    def indicators(
        self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers, outcomes: Mapping[str, int]
    ) -> list[Indicator]:
        """Indicators of functionality, reliability and interpretability of a run."""
        metrics, share = self.metrics(tasks, answers, ()), indicators.SHARE
        indicator: Callable[..., Indicator] = indicators.of_metric
        return [
            indicator(metrics, APPLIES, "functionality", "new lines that fit and parse", share),
            indicator(
                metrics,
                RESOLVED,
                "functionality",
                "answers equal to the reference, or whose tests pass",
                share,
            ),
            *indicators.reliability(tasks, answers, outcomes, grade=RESOLVED, refusals=False),
            indicator(metrics, TOUCHES, "interpretability", "answers that change the remarked lines", share),
        ]


def _metric(name: str, answers: JudgedAnswers) -> Metric | None:
    cells = [values for given in answers.values() if (values := _values(name, given))]
    if not cells:
        return None
    means, samples = [fmean(values) for values in cells], min(map(len, cells))
    if name == CHRF:
        return graded_metric(means, samples=samples)
    if all(len(values) == 1 for values in cells):
        return as_metric(wilson(round(sum(means)), len(means)), samples)
    return mean_metric(means, draws=samples, samples=samples)


def _values(name: str, answers: Sequence[JudgedAnswer]) -> list[float]:
    decided = [each for each in answers if each.outcome.is_decided]
    if name == RESOLVED:
        return [float(each.outcome is Outcome.passed) for each in decided]
    if name in _SHARES:
        return [each.scores.get(name, 0.0) for each in decided]
    return [each.scores[name] for each in decided if name in each.scores]
