"""AICoderEval: functions that use AI libraries, tested in three levels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from benchwright.contracts import Spec
from benchwright.records import Task
from benchwright.tracks.aicodereval import AICODEREVAL
from benchwright.tracks.aicodereval.entry import build, entry_of, program_of, spec_of, to_row
from benchwright.tracks.aicodereval.measures import SuccessRates
from benchwright.tracks.aicodereval.stand_in_models import make_stand_ins
from benchwright.tracks.functions.completion import CompletionTrack, check_profile
from benchwright.tracks.prompt_templates import fence
from benchwright.tracks.rows import Fields, task_error

STUB = "    raise KeyboardInterrupt\n"  # no case expects it, whereas a case may expect `Exception`
_NO_LIBRARY = {"en": "the standard library", "ru": "стандартная библиотека"}


class AICoderEval(CompletionTrack, declaration=AICODEREVAL):
    """Track of entries about AI libraries, judged by levels."""

    prompt_kind = "aicodereval"
    default_n = 1
    temperature = 0.0
    measures = SuccessRates()

    def read_row(self, fields: Fields) -> Task:
        """Read a task from a row. Raises DataError with file, line, field and hint."""
        return build(fields)

    def prompt(self, task: Task) -> str:
        """Comments with the task and the installed libraries, then the head of the function."""
        remarks = (
            f"# Task: {task.inputs['description']}\n# Installed: {_library_names(task, self.language)}\n"
        )
        return f"{remarks}\n{task.inputs['function']}"

    def prompt_values(self, task: Task, *, language: str, form: str) -> Mapping[str, str]:
        """The task, the installed libraries and the head of the function; no test."""
        function: str = task.inputs["function"]
        return {
            "task": task.inputs["description"],
            "libraries": _library_names(task, language),
            "function": function if form == "base" else function.strip("\n"),
            "fence": fence(function),
        }

    def gold(self, task: Task) -> str | None:
        """The whole program with the canonical solution."""
        return program_of(entry_of(task))

    def stub(self, task: Task) -> str:
        """A body that raises an exception that no task expects."""
        return STUB

    def spec(self, task: Task, *, profile: str) -> Spec:
        """The cases of a task. Raises DataError for an invalid task."""
        check_profile(profile)
        try:
            return spec_of(entry_of(task))
        except ValueError as error:
            raise task_error(task, str(error)) from None

    def prepare(self, tasks: Iterable[Task], *, note: Callable[[str], object]) -> None:
        """Create missing stand-in models on this machine."""
        make_stand_ins(map(entry_of, tasks), note=note)

    def to_row(self, task: Task) -> dict[str, Any]:
        """The row of a task."""
        return to_row(task)


def _library_names(task: Task, language: str) -> str:
    return ", ".join(task.inputs["libraries"]) or _NO_LIBRARY[language]


TRACK = AICoderEval()
