"""MBPP: a sentence and asserts, judged by those asserts.

The prompt shows all asserts of a task, as in Austin et al. 2021 (https://arxiv.org/abs/2108.07732), because
the sentence names neither the function nor its parameters. `challenge_test_list` is ignored, as is usual in
the field. `mbpp_rows` describes the rows.
"""

from __future__ import annotations

from typing import Any

from benchwright.contracts import Question, Spec
from benchwright.records import Task
from benchwright.store.keys import content_key
from benchwright.tracks.completion import CompletionTrack, check_profile
from benchwright.tracks.functions import MBPP
from benchwright.tracks.mbpp_rows import MbppRow, read_row
from benchwright.tracks.rows import Fields
from benchwright.tracks.wordings import fence, questions, wordings_in

STUB = "    raise NotImplementedError\n"


class Mbpp(CompletionTrack, declaration=MBPP):
    """Track of MBPP rows, of the full set and of the sanitized set."""

    def read_row(self, fields: Fields) -> Task:
        """Read a task from a row. Raises DataError with file, line, field and hint."""
        return read_task(fields)

    def prompt(self, task: Task) -> str:
        """The sentence and the asserts as a docstring, for a base model to continue."""
        text: str = task.inputs["function"]
        return text

    def questions(self, task: Task, *, language: str, form: str) -> list[Question]:
        """Ten prompts, each with the sentence and all asserts."""
        return asked(task.inputs["task"], task.inputs["tests"], language=language, form=form)

    def gold(self, task: Task) -> str | None:
        """The row's solution, a whole program."""
        solution = task.meta.get("code")  # missing in some copies of the data set
        return solution if isinstance(solution, str) and solution else None

    def stub(self, task: Task) -> str:
        """A function that always raises."""
        return stub_of(task)

    def refusal(self, task: Task) -> str:
        """Why a task cannot be judged without its own solution; empty for nearly all tasks."""
        why: str = _row_of(task).lacks
        return why

    def spec(self, task: Task, *, profile: str) -> Spec:
        """The asserts as calls and values if they are data, else as a `check` on the trusted side."""
        check_profile(profile)
        return _row_of(task).spec

    def to_row(self, task: Task) -> dict[str, Any]:
        """The row of a task."""
        return {"task_id": task.task_id, **{key: task.meta[key] for key in task.meta if key != "entry_point"}}


def docstring(sentence: str, asserts: str) -> str:
    """A module with only a docstring: the sentence and the asserts."""
    return f'"""\n{sentence.strip()}\n{asserts}\n"""\n'


def asked(sentence: str, asserts: str, *, language: str, form: str) -> list[Question]:
    """All prompts that ask for a function by a sentence and the asserts that it must pass."""
    wordings = wordings_in("mbpp", language=language, form=form)
    values = {"task": sentence.strip(), "tests": asserts, "fence": fence(sentence, asserts)}
    return questions(wordings, values, language=language)


def stub_of(task: Task) -> str:
    """A function with the task's name that raises."""
    return f"def {task.meta['entry_point']}(*args, **kwargs):\n{STUB}"


def read_task(fields: Fields) -> Task:
    """Read a task from a row. Raises DataError with file, line, field and hint."""
    row = read_row(fields)
    tests = "\n".join(row.shown)
    rest = {key: value for key, value in fields.data.items() if key != "task_id"}
    return Task(
        task_id=row.task_id,
        instruction="",
        inputs={"function": docstring(row.prompt, tests), "task": row.prompt, "tests": tests},
        outputs=None,
        meta={**rest, "entry_point": row.entry_point},
        revision=content_key("mbpp", row.prompt, row.tests, row.entry_point),
        origin=f"{fields.path}:{fields.line}",
    )


def _row_of(task: Task) -> MbppRow:
    """Parse the row of a loaded task again."""
    data = {"task_id": task.task_id, **task.meta}
    return read_row(Fields(data, task.origin, 0))


TRACK = Mbpp()
