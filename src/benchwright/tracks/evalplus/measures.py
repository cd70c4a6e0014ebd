"""Measures of EvalPlus: pass@k of all tests, which EvalPlus ranks by, and of the base tests alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchwright.contracts import JudgedAnswer, JudgedAnswers, Measure, MeasureSet
from benchwright.records import Metric, Outcome, Task, TaskId
from benchwright.tracks.completion import PassAtK

BASE = "base"
_FAMILY = f"{BASE}_pass@k"
_BEFORE = f"{BASE}_"
_PASSING = PassAtK()


class PlusRates(MeasureSet):
    """pass@k and pass^k of base and plus tests together, and pass@k of the base tests."""

    measures = (
        *_PASSING.measures,
        Measure(name=_FAMILY, better="passes more of the base tests", paired=True, shown="group"),
    )

    def metrics(
        self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers, ks: Sequence[int]
    ) -> dict[str, Metric]:
        """Figures for each k with enough answers."""
        base = _PASSING.metrics(tasks, {task: _on_base(given) for task, given in answers.items()}, ks)
        told = {f"{_BEFORE}{name}": metric for name, metric in base.items() if "@" in name}
        return {**_PASSING.metrics(tasks, answers, ks), **told}

    def task_value(self, name: str, answers: Sequence[JudgedAnswer]) -> float | None:
        """Mean over the prompts of a task with at least k answers."""
        if name.startswith(_BEFORE):
            return _PASSING.task_value(name.removeprefix(_BEFORE), _on_base(answers))
        return _PASSING.task_value(name, answers)

    def notes(self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers, ks: Sequence[int]) -> list[str]:
        """Notes of pass@k, and the number of answers that fail on plus inputs only."""
        given = [each for each_task in answers.values() for each in each_task]
        found_out = _passed(_on_base(given)) - _passed(given)
        told = f"answers that pass the base tests and fail on a plus input: {found_out:,}"
        return [*_PASSING.notes(tasks, answers, ks), *([told] if found_out else [])]

    def curve(self, counts: Sequence[tuple[int, int]], ks: Sequence[int]) -> dict[str, Metric]:
        """Curve of pass@k."""
        return _PASSING.curve(counts, ks)


def _passed(answers: Sequence[JudgedAnswer]) -> int:
    return sum(each.outcome is Outcome.passed for each in answers)


def _on_base(answers: Sequence[JudgedAnswer]) -> list[JudgedAnswer]:
    """Answers with the outcome of the base tests; unchanged if nothing was executed."""
    return [each._replace(outcome=each.parts.get(BASE, each.outcome)) for each in answers]
