"""Measures of own tasks: pass@k of decided answers, by kind of task and by tag."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from benchwright.contracts import TAG, JudgedAnswer, JudgedAnswers
from benchwright.records import Metric, Task, TaskId
from benchwright.tracks.completion import PassAtK
from benchwright.tracks.grade_notes import notes_on_judges
from benchwright.tracks.own.rows import row_of


class OwnMeasures(PassAtK):
    """pass@k of answers judged by calls, asserts, a label, or judges of a rubric.

    Undecided answers, and tasks without a decided answer, are excluded.
    """

    def metrics(
        self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers, ks: Sequence[int]
    ) -> dict[str, Metric]:
        """pass@k and pass^k of decided answers, for each k with enough answers."""
        decided = _decided(answers)
        return super().metrics(tasks, decided, ks) if decided else {}

    def task_value(self, name: str, answers: Sequence[JudgedAnswer]) -> float | None:
        """Value of a task over its decided answers."""
        return super().task_value(name, [each for each in answers if each.outcome.is_decided])

    def notes(self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers, ks: Sequence[int]) -> list[str]:
        """Notes of pass@k, and notes on undecided answers and on judges."""
        decided = _decided(answers)
        return [*(super().notes(tasks, decided, ks) if decided else []), *notes_on_judges(answers)]

    def details(self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers) -> dict[str, Any]:
        """{"groups": {"judged by" | "tag": {name: {metric: …}}}}, each if there are at least two."""
        kinds: dict[str, dict[TaskId, Sequence[JudgedAnswer]]] = {}
        tags: dict[str, dict[TaskId, Sequence[JudgedAnswer]]] = {}
        for task, given in _decided(answers).items():
            row = row_of(tasks[task])
            kinds.setdefault(row.kind, {})[task] = given
            for tag in dict.fromkeys(row.tags):
                tags.setdefault(tag, {})[task] = given
        groups = {kind: found for kind, found in {"judged by": kinds, TAG: tags}.items() if len(found) > 1}
        built: dict[str, Any] = msgspec.to_builtins(
            {"groups": {kind: self._rows(tasks, found) for kind, found in groups.items()}} if groups else {}
        )
        return built

    def _rows(
        self, tasks: Mapping[TaskId, Task], groups: Mapping[str, JudgedAnswers]
    ) -> dict[str, dict[str, Metric]]:
        return {name: super(OwnMeasures, self).metrics(tasks, groups[name], (1,)) for name in sorted(groups)}


def _decided(answers: JudgedAnswers) -> JudgedAnswers:
    kept = {task: [each for each in given if each.outcome.is_decided] for task, given in answers.items()}
    return {task: given for task, given in kept.items() if given}
