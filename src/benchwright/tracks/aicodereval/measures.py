"""Measures of AICoderEval: SR@All, SR@Any, pass@k and pass^k by domain, level and library, and code size."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean, median
from typing import Any

import msgspec

from benchwright.contracts import (
    CaseLevel,
    Grouping,
    JudgedAnswer,
    JudgedAnswers,
    Measure,
    MeasureSet,
    Sections,
)
from benchwright.records import Metric, Outcome, Task, TaskId
from benchwright.tracks.aicodereval.entry import entry_of, libraries_of
from benchwright.tracks.functions.completion import PassAtK

SR_ALL, SR_ANY = "sr_all", "sr_any"
SIZES = ("code_lines", "code_tokens")
_PASSING = PassAtK()
_RATE = _PASSING.measures[0].at(1)  # name of the share of passed answers


class SuccessRates(MeasureSet):
    """Share of answers that pass all levels, share that pass any level, and pass@k of all levels.

    A task's value is the mean over its answers, so SR@All is pass@1. An answer that was not executed passes
    no level; without parts in the verdicts, a passed answer passes all levels.
    """

    measures = (
        Measure(name=SR_ALL, label="SR@All", better="solves more", paired=True, shown="group"),
        Measure(name=SR_ANY, label="SR@Any", better="gets more done", paired=True, shown="group"),
        *(msgspec.structs.replace(each, shown="score") for each in _PASSING.measures),
    )

    def metrics(
        self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers, ks: Sequence[int]
    ) -> dict[str, Metric]:
        """SR@All, SR@Any, and pass@k for each k with enough answers."""
        if not answers:
            return {}
        return {**_rates(tasks, answers), **_PASSING.metrics(tasks, answers, ks)}

    def task_value(self, name: str, answers: Sequence[JudgedAnswer]) -> float | None:
        """The mean over a task's prompts of what the measure is of."""
        if name in (SR_ALL, SR_ANY):
            counted = [_any_level(each) for each in answers] if name == SR_ANY else answers
            return _PASSING.task_value(_RATE, counted)
        return _PASSING.task_value(name, answers)

    def notes(self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers, ks: Sequence[int]) -> list[str]:
        """As of pass@k."""
        return _PASSING.notes(tasks, answers, ks)

    def curve(self, counts: Sequence[tuple[int, int]], ks: Sequence[int]) -> dict[str, Metric]:
        """As of pass@k."""
        return _PASSING.curve(counts, ks)

    def in_order(self, names: Iterable[str]) -> list[str]:
        """Both rates precede pass@k, so that runs are compared by SR@All by default."""
        return sorted(super().in_order(names), key=lambda name: name not in (SR_ALL, SR_ANY))

    def details(self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers) -> dict[str, Any]:
        """Rates by domain, level and library; how each level ended; code lines and tokens of the answers.

        {"groups": {"domain" | "level" | "library": {name: {metric: …}}}, "levels": {level: {outcome:
        answers}}, "code": {"code_lines" | "code_tokens": {"mean", "median", "answers"}}, "findings": […]}.
        """
        if not answers:
            return {}
        entries = {task_id: entry_of(task) for task_id, task in tasks.items() if task_id in answers}
        groups = {
            "domain": _rates_by_group(tasks, answers, lambda task: [entries[task].domain.value]),
            "level": _by_level(tasks, answers, _levels_of(entries)),
            "library": _rates_by_group(tasks, answers, lambda task: libraries_of(entries[task])),
        }
        sizes = _sizes(answers)
        document = {
            "findings": _findings(sizes),
            "groups": {kind: rows for kind, rows in groups.items() if rows},
            "levels": _outcome_counts(answers, _levels_of(entries)),
            "code": sizes,
        }
        built: dict[str, Any] = msgspec.to_builtins(document)
        return built

    def groups_of(self, task: Task) -> dict[str, list[str]]:
        """Domain of a task, and libraries that its canonical solution imports."""
        entry = entry_of(task)
        return {"domain": [entry.domain.value], "library": list(libraries_of(entry))}

    def sections(self, details: Mapping[str, Any]) -> Sections:
        """All sections, with the levels in their usual order, which a stored score does not keep."""
        found = super().sections(details)
        return msgspec.structs.replace(
            found, title="Success rates", groupings=[_in_order(each) for each in found.groupings]
        )


def _in_order(grouping: Grouping) -> Grouping:
    if grouping.kind != "level":
        return grouping
    rows = {level.value: grouping.rows[level.value] for level in CaseLevel if level.value in grouping.rows}
    return msgspec.structs.replace(grouping, rows=rows)


def _any_level(answer: JudgedAnswer) -> JudgedAnswer:
    """The answer with the outcome passed if any of its levels passed."""
    passed = answer.outcome is Outcome.passed or Outcome.passed in answer.parts.values()
    return answer._replace(outcome=Outcome.passed) if passed else answer


def _at_level(answer: JudgedAnswer, level: str) -> JudgedAnswer:
    """The answer with the outcome of one level; unchanged if the verdict has no parts."""
    return answer._replace(outcome=answer.parts.get(level, answer.outcome))


def _rates(tasks: Mapping[TaskId, Task], answers: JudgedAnswers) -> dict[str, Metric]:
    any_level = {task: [_any_level(each) for each in given] for task, given in answers.items()}
    answers_by_rate = {SR_ALL: answers, SR_ANY: any_level}
    return {name: _PASSING.metrics(tasks, counted, (1,))[_RATE] for name, counted in answers_by_rate.items()}


def _rates_by_group(
    tasks: Mapping[TaskId, Task], answers: JudgedAnswers, names_of: Callable[[TaskId], Iterable[str]]
) -> dict[str, dict[str, Metric]]:
    """Rates by group of tasks; a task may be in several groups."""
    groups: dict[str, dict[TaskId, Sequence[JudgedAnswer]]] = {}
    for task, given in answers.items():
        for name in names_of(task):
            groups.setdefault(name, {})[task] = given
    return {name: _rates(tasks, groups[name]) for name in sorted(groups)}


def _levels_of(entries: Mapping[TaskId, Any]) -> dict[TaskId, list[str]]:
    """Levels of each task, in order."""
    return {
        task: [level.value for level in CaseLevel if any(case.level is level for case in entry.cases)]
        for task, entry in entries.items()
    }


def _by_level(
    tasks: Mapping[TaskId, Task], answers: JudgedAnswers, levels: Mapping[TaskId, list[str]]
) -> dict[str, dict[str, Metric]]:
    """SR@All of each level: the share of answers that pass all of its cases."""
    rows = {}
    for level in (each.value for each in CaseLevel):
        given = {
            task: [_at_level(each, level) for each in answers[task]]
            for task in answers
            if level in levels[task]
        }
        if given:
            rows[level] = {SR_ALL: _PASSING.metrics(tasks, given, (1,))[_RATE]}
    return rows


def _outcome_counts(answers: JudgedAnswers, levels: Mapping[TaskId, list[str]]) -> dict[str, dict[str, int]]:
    counts: dict[str, Counter[str]] = {}
    for task, given in answers.items():
        for level in levels[task]:
            counts.setdefault(level, Counter()).update(_at_level(each, level).outcome.value for each in given)
    return {level: dict(sorted(ends.items())) for level, ends in counts.items()}


def _sizes(answers: JudgedAnswers) -> dict[str, dict[str, float]]:
    """Mean and median over answers that are programs; empty if there is none."""
    found = {
        name: [each.scores[name] for given in answers.values() for each in given if name in each.scores]
        for name in SIZES
    }
    return {
        name: {"mean": round(fmean(values), 2), "median": median(values), "answers": len(values)}
        for name, values in found.items()
        if values
    }


def _findings(sizes: Mapping[str, Mapping[str, float]]) -> list[str]:
    if not sizes:
        return []
    lines, tokens = (sizes[name] for name in SIZES)
    return [
        f"code lines (CL): {lines['mean']:.1f} on average, median {lines['median']:g}; "
        f"code tokens (CT): {tokens['mean']:.1f}, median {tokens['median']:g}; "
        f"of {lines['answers']:,.0f} answers that are programs, with the imports and the head they were given"
    ]
