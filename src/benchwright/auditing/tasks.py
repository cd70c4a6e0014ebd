"""What an audit knows of a row: the task with its canonical solution, and how its data set writes a test."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from benchwright.building.solved import SolvedTask
from benchwright.contracts import BatchSpec
from benchwright.sandbox.codec import decode
from benchwright.text.literal import parse_literal

SHAPES = ("humaneval", "ruhumaneval", "mbpp", "aicodereval")


class GivenCall(NamedTuple):
    """A call with the value that somebody says it must give. `value` is NO_VALUE where nobody does."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    value: Any

    @property
    def text(self) -> str:
        """The arguments, as they are written in a call."""
        return written_arguments(self.args, self.kwargs)


class AuditTask(NamedTuple):
    """A row that could be read. `solved.gold` is empty where the row has none.

    `lacks` says why it cannot be executed, in words; such a row has its static findings only.
    """

    solved: SolvedTask
    shape: str  # one of SHAPES
    origin: str  # "file:line"
    lacks: str = ""
    further_tests: str = ""  # asserts that are not graded, as MBPP's challenge tests

    @property
    def unit(self) -> str:
        """How findings name it."""
        return self.solved.unit


class NoValue:
    """What a test demands of a call whose value it does not write down."""

    def __repr__(self) -> str:
        return "…"


NO_VALUE = NoValue()


def test_calls(task: AuditTask) -> list[GivenCall]:
    """The calls of the tests where these are data; none where they are a program."""
    spec = task.solved.spec
    if not isinstance(spec, BatchSpec):
        return []
    calls = decode(spec.calls)
    values = [decode(each) if each else NO_VALUE for each in spec.expected]
    values = values or [NO_VALUE] * len(calls)
    for number, text in enumerate(spec.expected_text):
        if values[number] is NO_VALUE:
            values[number] = _read(text)
    return [
        GivenCall(tuple(args), dict(kwargs), value)
        for (args, kwargs), value in zip(calls, values, strict=True)
    ]


def _read(text: str) -> Any:
    """The value of a text that only the data set's author knows the type of: a number where it is one."""
    try:
        return parse_literal(text)
    except ValueError:
        return text


def written_arguments(args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """Arguments as source code: "1, b='x'"."""
    return ", ".join([*map(written, args), *(f"{name}={written(value)}" for name, value in kwargs.items())])


def written(value: Any) -> str:
    """A value as source code; an integer of more digits than Python prints is an ellipsis."""
    try:
        return repr(value)
    except (ValueError, RecursionError):
        return "…"


def proposed_test(task: AuditTask, args: tuple[Any, ...], kwargs: dict[str, Any], value: Any) -> str:
    """A test as the author of this data set writes one, which the gold passes."""
    if task.shape == "ruhumaneval":
        return f"tests: {written(kwargs)}, outputs: {written(str(value))}"
    name = "candidate" if task.shape == "humaneval" else task.solved.entry_point
    call = f"{name}({written_arguments(args, kwargs)})"
    if isinstance(value, float) and math.isfinite(value):
        return f"assert abs({call} - {_operand(value)}) < 1e-9"
    if value is None or isinstance(value, bool):
        return f"assert {call} is {value}"
    return f"assert {call} == {written(value)}"


def _operand(value: float) -> str:
    return f"({value!r})" if value < 0 else repr(value)
