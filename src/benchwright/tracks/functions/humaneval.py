"""HumanEval and its translations: the head of a function, and a `check(candidate)` with asserts.

Row: {task_id, prompt, entry_point, canonical_solution, test}; other keys are kept in `Task.meta`.
Format: https://github.com/openai/human-eval; HumanEval-XL adds the languages.
A row whose asserts are data can be converted into a ruHumanEval row. Its calls enter the sandbox, which
returns their values; no expected value enters. A row that is not data is reported with its reason.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any, Literal

from benchwright.contracts import BatchSpec, CallsSpec, Spec
from benchwright.errors import DataError
from benchwright.records import Record, Task, TaskId
from benchwright.store.keys import content_key
from benchwright.store.strict_json import replace_lone
from benchwright.text.literal import parse_literal
from benchwright.text.prompt_frame import prelude_of
from benchwright.tracks.functions import HUMANEVAL
from benchwright.tracks.functions.completion import CompletionTrack, check_profile
from benchwright.tracks.python_source import (
    MAX_SOURCE,
    MAX_TEST,
    AssertCase,
    NotData,
    Reason,
    Signature,
    find_check,
    read_cases,
    read_signature,
)
from benchwright.tracks.row_detection import track_of_row
from benchwright.tracks.rows import Fields, encoded

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
        self._batches: dict[tuple[str, str], BatchSpec | None] = {}  # by entry point and test

    def in_form(self, form: str) -> HumanEval:
        """The track judged by "calls" or as a "batch"."""
        super().in_form(form)
        return HumanEval(form="batch" if form == "batch" else "calls")

    def read_row(self, fields: Fields) -> Task:
        """Read a task from a row. Raises DataError with file, line, field and hint."""
        if self.form != "batch":
            return _read_own(fields, _check_test)
        cases: list[AssertCase] | None = None

        def read_test(fields: Fields, test: str) -> None:
            nonlocal cases
            cases = _read_cases(fields, test)

        task = _read_own(fields, read_test)
        with suppress(DataError):  # of a value that cannot be sent: `spec` raises it
            self._batches[_deciding(task)] = None if cases is None else _batch(task, cases)
        return task

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
        if self.form == "batch":
            if (key := _deciding(task)) not in self._batches:
                cases = _cases(task)
                self._batches[_deciding(task)] = None if cases is None else _batch(task, cases)
            if (batch := self._batches[key]) is not None:
                return batch
        entry_point: str = task.meta["entry_point"]
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


def _deciding(task: Task) -> tuple[str, str]:
    return task.meta["entry_point"], task.inputs["test"]


def _batch(task: Task, cases: list[AssertCase]) -> BatchSpec:
    """The spec with arguments as in the asserts, because a right answer may rename its parameters."""
    return BatchSpec(
        entry_point=task.meta["entry_point"],
        calls=encoded(task, [(case.args, case.kwargs) for case in cases], field="test"),
        expected=[encoded(task, case.expected, field="test") for case in cases],
    )


def read_task(fields: Fields, check: Callable[[Fields, str], None] | None = None) -> Task:
    """Read a task from a row. Raises DataError with file, line, field and hint.

    `check` is called with the test, and raises DataError; by default where it has no `check` in Python.
    """
    if "instruction" in fields.data and "inputs" in fields.data:
        hint = f"use the track `{track_of_row(fields.data) or 'ruhumaneval'}` for it"
        raise fields.error("this is a MERA row, not a HumanEval row", hint=hint)
    task_id = fields.identity("task_id")
    fields = fields.named(task_id)
    prompt = fields.text("prompt", limit=MAX_SOURCE)
    test = fields.text("test", limit=MAX_TEST)
    entry_point = fields.identifier("entry_point")
    fields.text("canonical_solution", limit=MAX_SOURCE)
    (check or _check_test)(fields, test)
    return Task(
        task_id=task_id,
        instruction="",
        inputs={"function": prompt, "test": test},
        outputs=None,
        meta={name: value for name, value in fields.data.items() if name not in _OWN},
        revision=content_key("humaneval", prompt, test, entry_point),
        origin=f"{fields.path}:{fields.line}",
    )


def _read_own(fields: Fields, check: Callable[[Fields, str], None]) -> Task:
    """Like `read_task`, but refuses HumanEval+ rows, whose plus inputs this track would not judge."""
    if "plus_input" in fields.data:
        hint = "use the track `evalplus` for it"
        raise fields.error("this is a HumanEval+ row, whose plus inputs are not judged here", hint=hint)
    return read_task(fields, check)


def _check_test(fields: Fields, test: str) -> None:
    try:
        find_check(test)
    except NotData as error:
        if error.reason in (Reason.unparsable, Reason.no_check):
            raise _bad_test(fields, error) from None


def _read_cases(fields: Fields, test: str) -> list[AssertCase] | None:
    """The asserts as data; None if the test is a program. Raises DataError as `_check_test`."""
    try:
        return read_cases(test)
    except NotData as error:
        if error.reason in (Reason.unparsable, Reason.no_check):
            raise _bad_test(fields, error) from None
        return None


def _bad_test(fields: Fields, error: NotData) -> DataError:
    place = f" (line {error.line} of the test)" if error.line else ""
    hint = "the test must be Python code with one `def check(candidate):` of asserts"
    return fields.error(f"{error}{place}", field="test", hint=hint)


TRACK = HumanEval()


DEFAULT_INSTRUCTION = "{function}"
_NUMBER = re.compile(r"[0-9]{1,18}\Z")


class ConvertedTask(Record, frozen=True, kw_only=True):
    """A task as a MERA row, with its calls by keyword and their typed expected values."""

    task_id: TaskId
    row: dict[str, Any]
    calls: list[dict[str, Any]]
    expected: list[Any]


class ConversionFailure(Record, frozen=True, kw_only=True):
    """A task that is not data: the reason, the construct, and its line in the test (0: no single line)."""

    task_id: TaskId
    origin: str
    line: int
    reason: Reason
    detail: str


def convert(
    tasks: Iterable[Task], *, instruction: str = DEFAULT_INSTRUCTION
) -> Iterator[ConvertedTask | ConversionFailure]:
    """Convert HumanEval tasks into MERA rows, in order; a task that cannot be converted gives the reason.

    MERA requires integer ids: the number at the end of the task's id (`HumanEval/12` becomes 12, as in
    ruHumanEval), or the next free number. `meta.source_id` keeps the original id.
    """
    used: set[int] = set()
    for task in tasks:
        result = convert_task(task, number=_free_number(task, used), instruction=instruction)
        if isinstance(result, ConvertedTask):
            used.add(result.row["meta"]["id"])
        yield result


def convert_task(
    task: Task, *, number: int = 0, instruction: str = DEFAULT_INSTRUCTION
) -> ConvertedTask | ConversionFailure:
    """Convert one HumanEval task into a MERA row with this id, or return the reason why not."""
    try:
        cases = read_cases(task.inputs["test"])
        signature = read_signature(task.inputs["function"], task.meta["entry_point"])
        calls = [_by_name(signature, case) for case in cases]
        outputs = [_text(case) for case in cases]
        tests = _literal(calls)
    except NotData as error:
        return ConversionFailure(
            task_id=task.task_id,
            origin=task.origin,
            line=error.line,
            reason=error.reason,
            detail=error.detail,
        )
    expected = [case.expected for case in cases]
    meta = {
        **task.meta,
        "id": number,
        "source_id": task.task_id,
        "typed_outputs": [literal_text(value) for value in expected],
    }
    inputs = {"function": task.inputs["function"], "tests": tests}
    row = {"instruction": instruction, "inputs": inputs, "outputs": outputs, "meta": meta}
    return ConvertedTask(task_id=task.task_id, row=row, calls=calls, expected=expected)


def literal_text(value: Any) -> str:
    """The `repr` of a value with sorted sets, because the order of strings in a set varies by process."""
    if isinstance(value, set) and value:
        return "{" + ", ".join(sorted(map(literal_text, value))) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(literal_text, value)) + "]"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(literal_text, value)) + (",)" if len(value) == 1 else ")")
    if isinstance(value, dict):
        pairs = (f"{literal_text(key)}: {literal_text(item)}" for key, item in value.items())
        return "{" + ", ".join(pairs) + "}"
    return repr(value)


def _free_number(task: Task, used: set[int]) -> int:
    match = _NUMBER.search(str(task.task_id))
    number = int(match.group()) if match else len(used)
    return number if number not in used else max(used) + 1


def _by_name(signature: Signature | None, case: AssertCase) -> dict[str, Any]:
    if signature is None:
        raise NotData(Reason.signature, "the head of the function does not parse", case.line)
    try:
        return signature.by_name(case.args, case.kwargs)
    except ValueError as error:
        raise NotData(Reason.signature, str(error), case.line) from None


def _text(case: AssertCase) -> str:
    """The `str` of an expected value. Raises NotData if equal values may have different texts."""
    if _order_matters(case.expected):
        raise NotData(Reason.ambiguous, "the order of a set or a dict is free", case.line)
    _check_literal(case.expected, case.line)
    if (text := str(case.expected)) != replace_lone(text):
        raise NotData(Reason.no_literal, "half of a surrogate pair is not text", case.line)
    return text


def _literal(calls: list[dict[str, Any]]) -> str:
    _check_literal(calls, 0)
    return literal_text(calls)


def _order_matters(value: Any) -> bool:
    if isinstance(value, set | dict) and len(value) > 1:
        return True
    if isinstance(value, dict):
        return any(map(_order_matters, value.values()))
    return isinstance(value, list | tuple) and any(map(_order_matters, value))


def _check_literal(value: Any, line: int) -> None:
    """Raise NotData for a value that its text does not reproduce: infinities, NaN, very long integers."""
    try:
        text = literal_text(value)
        is_same = literal_text(parse_literal(text)) == text
    except (ValueError, RecursionError) as error:
        raise NotData(Reason.no_literal, str(error), line) from None
    if not is_same:
        raise NotData(Reason.no_literal, "the text reads as another value", line)
