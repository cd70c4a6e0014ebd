"""What own tasks measure: pass@k of all decided answers, by the kind of task and by tag."""

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
    """An answer passes where its calls, its asserts, its label or a judge of its rubric say so.

    One that nobody could tell of is in no figure, and a task without any decided answer is not either.
    """

    def metrics(
        self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers, ks: Sequence[int]
    ) -> dict[str, Metric]:
        """pass@k and pass^k of the decided answers, for each k that every question has enough for."""
        decided = _decided(answers)
        return super().metrics(tasks, decided, ks) if decided else {}

    def task_value(self, name: str, answers: Sequence[JudgedAnswer]) -> float | None:
        """As there, of the decided ones."""
        return super().task_value(name, [each for each in answers if each.outcome.is_decided])

    def notes(self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers, ks: Sequence[int]) -> list[str]:
        """What is said of pass@k, and what is undecided or was decided by judges."""
        decided = _decided(answers)
        return [*(super().notes(tasks, decided, ks) if decided else []), *notes_on_judges(answers)]

    def details(self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers) -> dict[str, Any]:
        """{"groups": {"judged by" | "tag": {name: {metric: …}}}}, each where there are two or more."""
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
