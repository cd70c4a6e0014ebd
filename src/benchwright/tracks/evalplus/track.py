"""HumanEval+ and MBPP+: EvalPlus's tasks, judged by base inputs and additional (plus) inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from benchwright.contracts import PlusSpec, Question, Spec
from benchwright.records import Task
from benchwright.tracks.completion import CompletionTrack, check_profile, completion_questions
from benchwright.tracks.evalplus import EVALPLUS
from benchwright.tracks.evalplus.expected import TOO_LARGE, ExpectedValues, gold_program, oracle_of
from benchwright.tracks.evalplus.measures import PlusRates
from benchwright.tracks.evalplus.rows import read_task
from benchwright.tracks.mbpp import asked, stub_of
from benchwright.tracks.rows import Refuse, load_tasks


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
            return asked(task.inputs["task"], task.inputs["tests"], language=language, form=form)
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
