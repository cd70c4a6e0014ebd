"""HumanEval and its translations: the head of a function, and a `check(candidate)` with asserts.

Row: {task_id, prompt, entry_point, canonical_solution, test}; other keys are kept in `Task.meta`.
Format: https://github.com/openai/human-eval; HumanEval-XL adds the languages.
"""

from __future__ import annotations

from typing import Any, Literal

from benchwright.contracts import BatchSpec, CallsSpec, Spec
from benchwright.errors import DataError
from benchwright.records import Task
from benchwright.store.keys import content_key
from benchwright.text.frame import prelude_of
from benchwright.tracks.asserts import MAX_TEST, AssertCase, NotData, Reason, find_check, read_cases
from benchwright.tracks.completion import CompletionTrack, check_profile
from benchwright.tracks.functions import HUMANEVAL
from benchwright.tracks.rows import Fields, encoded
from benchwright.tracks.signature import MAX_SOURCE

STUB = "    raise NotImplementedError\n"
_OWN = frozenset({"task_id", "prompt", "test"})


class HumanEval(CompletionTrack, declaration=HUMANEVAL):
    """Track of rows in HumanEval's format.

    A task whose asserts are data is judged in one of two forms: "calls" runs `check` on the trusted side
    against a proxy of the answer's function; "batch" sends all calls at once, which is faster. A task whose
    asserts are a program is always judged by "calls".
    """

    def __init__(self, *, form: Literal["calls", "batch"] = "calls") -> None:
        self.form = form

    def in_form(self, form: str) -> HumanEval:
        """The track judged by "calls" or as a "batch"."""
        super().in_form(form)
        return HumanEval(form="batch" if form == "batch" else "calls")

    def read_row(self, fields: Fields) -> Task:
        """Read a task from a row. Raises DataError with file, line, field and hint."""
        return _read_own(fields)

    def prompt(self, task: Task) -> str:
        """The head of the function, for a base model to continue."""
        text: str = task.inputs["function"]
        return text

    def gold(self, task: Task) -> str | None:
        """The canonical completion of the prompt; None if it is empty."""
        solution: str = task.meta["canonical_solution"]
        return solution or None

    def stub(self, task: Task) -> str:
        """A body that raises; `pass` would return None, which some tasks expect."""
        return STUB

    def spec(self, task: Task, *, profile: str) -> Spec:
        """Calls and values of a task, or its `check` with the prompt as prelude."""
        check_profile(profile)
        entry_point: str = task.meta["entry_point"]
        if self.form == "batch" and (cases := _cases(task)) is not None:
            return _batch(task, cases, entry_point)
        prelude = prelude_of(task.inputs["function"], entry_point)
        return CallsSpec(entry_point=entry_point, prelude=prelude, test=task.inputs["test"])

    def to_row(self, task: Task) -> dict[str, Any]:
        """The row of a task."""
        return {
            "task_id": task.task_id,
            "prompt": task.inputs["function"],
            "test": task.inputs["test"],
            **task.meta,
        }


def _cases(task: Task) -> list[AssertCase] | None:
    """The asserts as data; None if the test is a program."""
    try:
        return read_cases(task.inputs["test"])
    except NotData:
        return None


def _batch(task: Task, cases: list[AssertCase], entry_point: str) -> BatchSpec:
    """The spec with arguments as in the asserts, because a right answer may rename its parameters."""
    return BatchSpec(
        entry_point=entry_point,
        calls=encoded(task, [(case.args, case.kwargs) for case in cases], field="test"),
        expected=[encoded(task, case.expected, field="test") for case in cases],
    )


def read_task(fields: Fields) -> Task:
    """Read a task from a row. Raises DataError with file, line, field and hint."""
    if "instruction" in fields.data and "inputs" in fields.data:
        hint = "use the track `ruhumaneval` for it"
        raise fields.error("this is a MERA row, not a HumanEval row", hint=hint)
    task_id = fields.identity("task_id")
    fields = fields.named(task_id)
    prompt = fields.text("prompt", limit=MAX_SOURCE)
    test = fields.text("test", limit=MAX_TEST)
    entry_point = fields.identifier("entry_point")
    fields.text("canonical_solution", limit=MAX_SOURCE)
    _check_test(fields, test)
    return Task(
        task_id=task_id,
        instruction="",
        inputs={"function": prompt, "test": test},
        outputs=None,
        meta={name: value for name, value in fields.data.items() if name not in _OWN},
        revision=content_key("humaneval", prompt, test, entry_point),
        origin=f"{fields.path}:{fields.line}",
    )


def _read_own(fields: Fields) -> Task:
    """Like `read_task`, but refuses HumanEval+ rows, whose plus inputs this track would not judge."""
    if "plus_input" in fields.data:
        hint = "use the track `evalplus` for it"
        raise fields.error("this is a HumanEval+ row, whose plus inputs are not judged here", hint=hint)
    return read_task(fields)


def _check_test(fields: Fields, test: str) -> None:
    try:
        find_check(test)
    except NotData as error:
        if error.reason in (Reason.unparsable, Reason.no_check):
            raise _bad_test(fields, error) from None


def _bad_test(fields: Fields, error: NotData) -> DataError:
    place = f" (line {error.line} of the test)" if error.line else ""
    hint = "the test must be Python code with one `def check(candidate):` of asserts"
    return fields.error(f"{error}{place}", field="test", hint=hint)


TRACK = HumanEval()
