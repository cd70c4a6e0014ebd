"""AICoderEval: functions that use AI libraries, tested in three levels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from benchwright.contracts import Question, Spec
from benchwright.records import Task
from benchwright.tracks.aicodereval.measures import SuccessRates
from benchwright.tracks.aicodereval.preparing import make_stand_ins
from benchwright.tracks.aicodereval.program import program_of, spec_of
from benchwright.tracks.aicodereval.rows import build, entry_of, to_row
from benchwright.tracks.completion import CompletionTrack, check_profile
from benchwright.tracks.only_form import check_form
from benchwright.tracks.rows import Refuse, load_tasks, task_error
from benchwright.tracks.wordings import fence, questions, wordings_in

FORM = "levels"  # of judging: one execution a level
STUB = "    raise KeyboardInterrupt\n"  # which no case asks for, while `Exception` may well be
_NO_LIBRARY = {"en": "the standard library", "ru": "стандартная библиотека"}


class AICoderEval(CompletionTrack):
    """The track of entries about AI libraries, judged by levels."""

    name = "aicodereval"
    title = "AICoderEval"
    language = "en"
    default_n = 1
    temperature = 0.0
    measures = SuccessRates()

    def in_form(self, form: str) -> AICoderEval:
        """The track itself: "levels" is its only form."""
        check_form(self.name, form, only=FORM)
        return self

    def load(self, source: str | Path, *, refuse: Refuse | None = None) -> Iterator[Task]:
        """Read and check a data set of entries."""
        return load_tasks(source, build, refuse=refuse)

    def prompt(self, task: Task) -> str:
        """The task in a sentence and what is installed, as remarks, then the head of the function."""
        remarks = f"# Task: {task.inputs['description']}\n# Installed: {_installed(task, self.language)}\n"
        return f"{remarks}\n{task.inputs['function']}"

    def questions(self, task: Task, *, language: str, form: str) -> list[Question]:
        """Ten ways to ask for the function; none shows a test."""
        wordings = wordings_in("aicodereval", language=language, form=form)
        function: str = task.inputs["function"]
        values = {
            "task": task.inputs["description"],
            "libraries": _installed(task, language),
            "function": function if form == "base" else function.strip("\n"),
            "fence": fence(function),
        }
        return questions(wordings, values, language=language)

    def gold(self, task: Task) -> str | None:
        """The whole program with the canonical solution."""
        return program_of(entry_of(task))

    def stub(self, task: Task) -> str:
        """A body that raises what no function should."""
        return STUB

    def spec(self, task: Task, *, profile: str) -> Spec:
        """The cases of a task. Raises DataError for a task with a fault."""
        check_profile(profile)
        try:
            return spec_of(entry_of(task))
        except ValueError as error:
            raise task_error(task, str(error)) from None

    def prepare(self, tasks: Iterable[Task], *, note: Callable[[str], object]) -> None:
        """Make the stand-ins of models that are not on this machine."""
        make_stand_ins(map(entry_of, tasks), note=note)

    def to_row(self, task: Task) -> dict[str, Any]:
        """The row that the task was read from."""
        return to_row(task)


def _installed(task: Task, language: str) -> str:
    return ", ".join(task.inputs["libraries"]) or _NO_LIBRARY[language]


TRACK = AICoderEval()
