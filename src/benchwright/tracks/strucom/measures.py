"""Measures of StRuCom: those of comments by rules and judges, and chrF over the whole data set."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import fsum
from typing import Any

import msgspec

from benchwright.contracts import CommentSpec, JudgedAnswer, JudgedAnswers, Measure, Sections
from benchwright.records import Metric, Task, TaskId
from benchwright.stats.intervals import jackknife_half_width
from benchwright.text.chrf import CHARACTERS, chrf_counts, chrf_of_counts
from benchwright.tracks.comments.measures import CommentMeasures
from benchwright.tracks.strucom.rows import strict_spec

CHRF = "chrf"
_COUNTS = tuple(f"chrf_{at:02}" for at in range(3 * CHARACTERS))  # scores of `judges.documentation`
_FORMAT = "rule_format"  # a score of answers that were judged by rules
_ABOUT = "chrF of answers that need no skill, on the same tasks"


class DocumentationMeasures(CommentMeasures):
    """Measures of comments, and chrF from 0 to 100 as MERA computes it: n-grams of all answers together."""

    measures = (
        *(each for each in CommentMeasures.measures if each.name != CHRF),
        Measure(name=CHRF, label="chrF", scale="points", shown="group"),
    )

    def comment_spec(self, task: Task) -> CommentSpec:
        """The function and its reference; without the latter if its language cannot be read."""
        return strict_spec(task).comments or CommentSpec(code="", lang=str(task.meta["language"]))

    def metrics(
        self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers, ks: Sequence[int]
    ) -> dict[str, Metric]:
        """Figures by rules, if there are any, and chrF over the tasks with judged answers."""
        found = super().metrics(tasks, answers, ks) if _by_rules(answers) else {}
        counted = [table for given in answers.values() if (table := _counts(given)) is not None]
        return {**found, **({CHRF: chrf_metric(counted)} if counted else {})}

    def notes(self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers, ks: Sequence[int]) -> list[str]:
        """chrF of the baselines, and the notes of comments."""
        figures = [f"{name} {100 * metric.value:.1f}" for name, metric in _baselines(tasks, answers).items()]
        first = [f"chrF without skill: {', '.join(figures)}"] if figures else []
        return [*first, *(super().notes(tasks, answers, ks) if _by_rules(answers) else [])]

    def details(self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers) -> dict[str, Any]:
        """Those of comments, and {"baselines": {name: {"chrf": metric}}}."""
        found = {name: {CHRF: metric} for name, metric in _baselines(tasks, answers).items()}
        rules = super().details(tasks, answers) if _by_rules(answers) else {}
        return {**rules, **({"baselines": msgspec.to_builtins(found)} if found else {})}

    def sections(self, details: Mapping[str, Any]) -> Sections:
        """The baselines with their explanation."""
        return msgspec.structs.replace(super().sections(details), about_baselines=_ABOUT)


def chrf_metric(tables: Sequence[tuple[float, ...]]) -> Metric:
    """chrF of summed counts, one table a task, as a share, with a jackknife interval over tasks."""
    value = chrf_of_counts([fsum(column) for column in zip(*tables, strict=True)])
    half = jackknife_half_width(tables, chrf_of_counts)
    return Metric(
        value=value, low=max(0.0, value - half), high=min(1.0, value + half), n=len(tables), samples=1
    )


def _counts(given: Sequence[JudgedAnswer]) -> tuple[float, ...] | None:
    """Sum of the counts of a task's answers; None if no judge saw any."""
    tables = [[each.scores[name] for name in _COUNTS] for each in given if _COUNTS[0] in each.scores]
    return tuple(map(fsum, zip(*tables, strict=True))) if tables else None


def _by_rules(answers: JudgedAnswers) -> bool:
    """Whether answers were judged by rules: those by MERA's metric alone have no outcome but `scored`."""
    return any(
        _FORMAT in each.scores or each.outcome.value != "scored"
        for given in answers.values()
        for each in given
    )


def _baselines(tasks: Mapping[TaskId, Task], answers: JudgedAnswers) -> dict[str, Metric]:
    """chrF of an empty answer, and of the function in place of its documentation."""
    texts: dict[str, Callable[[Task], str]] = {
        "an empty answer": lambda task: "",
        "the function itself": lambda task: str(task.inputs["function"]),
    }
    scored = [tasks[task] for task in answers if tasks[task].outputs]
    return {
        name: chrf_metric(
            [tuple(map(float, chrf_counts(text(task), task.outputs, words=0))) for task in scored]
        )
        for name, text in texts.items()
        if scored
    }
