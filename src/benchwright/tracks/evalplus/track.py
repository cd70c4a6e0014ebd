"""HumanEval+ and MBPP+: EvalPlus's tasks, judged by base inputs and by additional (plus) inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchwright.contracts import JudgedAnswer, JudgedAnswers, Measure, MeasureSet, PlusSpec, Question, Spec
from benchwright.records import Metric, Outcome, Task, TaskId
from benchwright.tracks.evalplus import EVALPLUS
from benchwright.tracks.evalplus.rows import TOO_LARGE, ExpectedValues, gold_program, oracle_of, read_task
from benchwright.tracks.functions.completion import (
    CompletionTrack,
    PassAtK,
    check_profile,
    completion_questions,
)
from benchwright.tracks.functions.mbpp import mbpp_questions, stub_of
from benchwright.tracks.rows import Refuse, load_tasks

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
        base_metrics = {f"{_BEFORE}{name}": metric for name, metric in base.items() if "@" in name}
        return {**_PASSING.metrics(tasks, answers, ks), **base_metrics}

    def task_value(self, name: str, answers: Sequence[JudgedAnswer]) -> float | None:
        """Mean over the prompts of a task with at least k answers."""
        if name.startswith(_BEFORE):
            return _PASSING.task_value(name.removeprefix(_BEFORE), _on_base(answers))
        return _PASSING.task_value(name, answers)

    def notes(self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers, ks: Sequence[int]) -> list[str]:
        """Notes of pass@k, and the number of answers that fail on plus inputs only."""
        given = [each for each_task in answers.values() for each in each_task]
        found_out = _pass_count(_on_base(given)) - _pass_count(given)
        note = f"answers that pass the base tests and fail on a plus input: {found_out:,}"
        return [*_PASSING.notes(tasks, answers, ks), *([note] if found_out else [])]

    def curve(self, counts: Sequence[tuple[int, int]], ks: Sequence[int]) -> dict[str, Metric]:
        """Curve of pass@k."""
        return _PASSING.curve(counts, ks)


def _pass_count(answers: Sequence[JudgedAnswer]) -> int:
    return sum(each.outcome is Outcome.passed for each in answers)


def _on_base(answers: Sequence[JudgedAnswer]) -> list[JudgedAnswer]:
    """Answers with the outcome of the base tests; unchanged if nothing was executed."""
    return [each._replace(outcome=each.parts.get(BASE, each.outcome)) for each in answers]


class EvalPlus(CompletionTrack, declaration=EVALPLUS):
    """Track of EvalPlus's rows: HumanEval+ shows the head of a function, MBPP+ an assert."""

    measures = PlusRates()

    def __init__(self) -> None:
        self._expected = ExpectedValues()

    def load(self, source: str | Path, *, refuse: Refuse | None = None) -> Iterator[Task]:
        """Read and check a data set. Some inputs are infinities, which JSON lacks but Python writes."""
        return load_tasks(source, read_task, refuse=refuse, numbers="any")

    def prompt(self, task: Task) -> str:
        """The row's prompt: the head of a function, or a docstring with a sentence and an assert."""
        text: str = task.inputs["function"]
        return text

    def questions(self, task: Task, *, language: str, form: str) -> list[Question]:
        """Ten prompts that ask for the rest of the function, or for the whole function."""
        if task.inputs["tests"]:
            return mbpp_questions(task.inputs["task"], task.inputs["tests"], language=language, form=form)
        return completion_questions(task.inputs["function"], language=language, form=form)

    def gold(self, task: Task) -> str | None:
        """The canonical solution as a whole program."""
        return gold_program(task) if task.meta["canonical_solution"] else None

    def stub(self, task: Task) -> str:
        """A function that always raises."""
        return stub_of(task)

    def refusal(self, task: Task) -> str:
        """Why answers to a task cannot be judged; empty for nearly all tasks."""
        return TOO_LARGE.get(str(task.task_id), "")

    def spec(self, task: Task, *, profile: str) -> Spec:
        """Both input sets, with the results of the canonical solution."""
        check_profile(profile)
        return PlusSpec(
            entry_point=task.meta["entry_point"],
            sets=self._expected.of(task),
            atol=task.meta["atol"],
            oracle=oracle_of(task),
        )

    def prepare(self, tasks: Iterable[Task], *, note: Callable[[str], object]) -> None:
        """Execute the canonical solutions of tasks whose values are unknown."""
        self._expected.prepare(tasks, note=note)

    def to_row(self, task: Task) -> dict[str, Any]:
        """The row of a task."""
        inputs = {key: value for key, value in task.inputs.items() if key.endswith("_input")}
        return {"task_id": task.task_id, "prompt": task.inputs["function"], **task.meta, **inputs}


TRACK = EvalPlus()
