"""pass@k of all tests, which is what EvalPlus ranks by, and of the base tests alone beside it."""

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
        """All of them, for each k that there are answers enough for."""
        base = _PASSING.metrics(tasks, {task: _on_base(given) for task, given in answers.items()}, ks)
        told = {f"{_BEFORE}{name}": metric for name, metric in base.items() if "@" in name}
        return {**_PASSING.metrics(tasks, answers, ks), **told}

    def task_value(self, name: str, answers: Sequence[JudgedAnswer]) -> float | None:
        """The mean over a task's prompts that were answered often enough."""
        if name.startswith(_BEFORE):
            return _PASSING.task_value(name.removeprefix(_BEFORE), _on_base(answers))
        return _PASSING.task_value(name, answers)

    def notes(self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers, ks: Sequence[int]) -> list[str]:
        """As of pass@k, and how many answers the plus inputs alone found to be wrong."""
        given = [each for each_task in answers.values() for each in each_task]
        found_out = _passed(_on_base(given)) - _passed(given)
        told = f"answers that pass the base tests and fail on a plus input: {found_out:,}"
        return [*_PASSING.notes(tasks, answers, ks), *([told] if found_out else [])]

    def curve(self, counts: Sequence[tuple[int, int]], ks: Sequence[int]) -> dict[str, Metric]:
        """As of pass@k."""
        return _PASSING.curve(counts, ks)


def _passed(answers: Sequence[JudgedAnswer]) -> int:
    return sum(each.outcome is Outcome.passed for each in answers)


def _on_base(answers: Sequence[JudgedAnswer]) -> list[JudgedAnswer]:
    """The answers as the base tests ended; as a whole where nothing was executed."""
    return [each._replace(outcome=each.parts.get(BASE, each.outcome)) for each in answers]
