"""Conversion of HumanEval rows into ruHumanEval rows, if their asserts are data.

A converted task is judged by values: calls enter the sandbox and values leave it; no expected value enters.
A row that is not data is reported with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from benchwright.records import Record, Task, TaskId
from benchwright.store.strict_json import replace_lone
from benchwright.text.literal import parse_literal
from benchwright.tracks.asserts import AssertCase, NotData, Reason, read_cases
from benchwright.tracks.signature import Signature, read_signature

DEFAULT_INSTRUCTION = "{function}"
_NUMBER = re.compile(r"[0-9]{1,18}\Z")


class Converted(Record, frozen=True, kw_only=True):
    """A task as a MERA row, with its calls by keyword and their typed expected values."""

    task_id: TaskId
    row: dict[str, Any]
    calls: list[dict[str, Any]]
    expected: list[Any]


class NotConverted(Record, frozen=True, kw_only=True):
    """A task that is not data: the reason, the construct, and its line in the test (0: no single line)."""

    task_id: TaskId
    origin: str
    line: int
    reason: Reason
    detail: str


def convert(
    tasks: Iterable[Task], *, instruction: str = DEFAULT_INSTRUCTION
) -> Iterator[Converted | NotConverted]:
    """Convert HumanEval tasks into MERA rows, in order; a task that cannot be converted gives the reason.

    MERA requires integer ids: the number at the end of the task's id (`HumanEval/12` becomes 12, as in
    ruHumanEval), or the next free number. `meta.source_id` keeps the original id.
    """
    used: set[int] = set()
    for task in tasks:
        result = convert_task(task, number=_free_number(task, used), instruction=instruction)
        if isinstance(result, Converted):
            used.add(result.row["meta"]["id"])
        yield result


def convert_task(
    task: Task, *, number: int = 0, instruction: str = DEFAULT_INSTRUCTION
) -> Converted | NotConverted:
    """Convert one HumanEval task into a MERA row with this id, or return the reason why not."""
    try:
        cases = read_cases(task.inputs["test"])
        signature = read_signature(task.inputs["function"], task.meta["entry_point"])
        calls = [_by_name(signature, case) for case in cases]
        outputs = [_text(case) for case in cases]
        tests = _literal(calls)
    except NotData as error:
        return NotConverted(
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
    return Converted(task_id=task.task_id, row=row, calls=calls, expected=expected)


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
        same = literal_text(parse_literal(text)) == text
    except (ValueError, RecursionError) as error:
        raise NotData(Reason.no_literal, str(error), line) from None
    if not same:
        raise NotData(Reason.no_literal, "the text reads as another value", line)
