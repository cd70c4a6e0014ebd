"""Audit tasks: a task with its canonical solution, and the test notation of its data set."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from benchwright.building.adequacy.examination_records import SolvedTask
from benchwright.cases.reading import resolve
from benchwright.contracts import BatchSpec, CallCase, LevelsSpec
from benchwright.sandbox.codec import decode
from benchwright.text.literal import parse_literal, source_text
from benchwright.text.syntax import ParseFault, parse_expression
from benchwright.tracks.aicodereval.entry import StandIn

SHAPES = ("humaneval", "ruhumaneval", "mbpp", "aicodereval", "own")


class StatedCall(NamedTuple):
    """A call with its stated value. `value` is NO_VALUE if none is stated."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    value: Any

    @property
    def text(self) -> str:
        """The arguments as they are written in a call."""
        return written_arguments(self.args, self.kwargs)


class AuditTask(NamedTuple):
    """A readable row. `solved.gold` is empty if the row has no solution.

    `lacks` says in words why it cannot be executed; such a row has static findings only.
    """

    solved: SolvedTask
    shape: str  # one of SHAPES
    origin: str  # "file:line"
    lacks: str = ""
    lacks_code: str = "not_executed"
    further_tests: str = ""  # ungraded asserts, such as MBPP's challenge tests
    stand_ins: Sequence[StandIn] = ()  # of the models that it loads

    @property
    def unit(self) -> str:
        """The name in findings."""
        return self.solved.unit


class NoValue:
    """The type of NO_VALUE, for a test that does not state the value of a call."""

    def __repr__(self) -> str:
        return "…"


NO_VALUE = NoValue()


def graded_calls(task: AuditTask) -> list[StatedCall]:
    """The calls of the tests if these are data; none if they are a program."""
    spec = task.solved.spec
    if isinstance(spec, LevelsSpec):
        return [call for case in spec.cases for call in _case_call(case)]
    if not isinstance(spec, BatchSpec):
        return []
    calls = decode(spec.calls)
    values = [decode(each) if each else NO_VALUE for each in spec.expected]
    values = values or [NO_VALUE] * len(calls)
    for number, text in enumerate(spec.expected_text):
        if values[number] is NO_VALUE:
            values[number] = _read(text)
    return [
        StatedCall(tuple(args), dict(kwargs), value)
        for (args, kwargs), value in zip(calls, values, strict=True)
    ]


def _case_call(case: CallCase) -> Iterator[StatedCall]:
    """The call of a case; None if it has a file among its arguments."""
    demanded = case.expected
    valued = not (demanded.raises or demanded.properties)
    try:
        args, kwargs = resolve(case.input.args), resolve(case.input.kwargs)
        yield StatedCall(tuple(args), kwargs, resolve(demanded.value) if valued else NO_VALUE)
    except ValueError:
        return


def _read(text: str) -> Any:
    """The value of a text whose type only the author of the data set knows: a number if it is one."""
    try:
        return parse_literal(text)
    except ValueError:
        return text


def written_arguments(args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """Arguments as source code: "1, b='x'"."""
    return ", ".join(
        [*map(source_text, args), *(f"{name}={source_text(value)}" for name, value in kwargs.items())]
    )


def proposed_test(task: AuditTask, call: str, value: str) -> str:
    """A test in the notation of this data set, from a call and its value as source texts."""
    if task.shape == "ruhumaneval":
        return f"tests: {_keywords(call)}, outputs: {_text(value)!r}"
    if task.shape == "aicodereval":
        return _case(call, value)
    if task.shape == "own" and (found := _own_call(task, call, value)):
        return found
    name = task.solved.entry_point
    called = "candidate" + call.removeprefix(name) if task.shape == "humaneval" else call
    if value in ("None", "True", "False"):
        return f"assert {called} is {value}"
    if _FLOAT.fullmatch(value):
        return (
            f"assert abs({called} - {value}) < 1e-9"
            if value[0] != "-"
            else f"assert abs({called} + {value[1:]}) < 1e-9"
        )
    return f"assert {called} == {value}"


_FLOAT = re.compile(r"-?\d+\.\d+(e[+-]?\d+)?|-?\d+e[+-]?\d+")


def _case(call: str, value: str) -> str:
    """A case as entries have it; values without a JSON form become a literal."""
    tree = parse_expression(call)
    assert isinstance(tree, ast.Call)
    document = {
        "level": "correctness",
        "input": {
            "args": [_json(ast.unparse(each)) for each in tree.args],
            "kwargs": {each.arg: _json(ast.unparse(each.value)) for each in tree.keywords},
        },
        "expected": {"value": _json(value), **({"rel_tol": 1e-6} if _holds_float(value) else {})},
    }
    return json.dumps(document, ensure_ascii=False)


def _own_call(task: AuditTask, call: str, value: str) -> str:
    """A call of an own task as JSON; empty if its tests are asserts, or a value has no JSON form."""
    spec = task.solved.spec
    tree = parse_expression(call)
    if not (isinstance(spec, BatchSpec) and spec.compare == "close" and isinstance(tree, ast.Call)):
        return ""
    args = [_json(ast.unparse(each)) for each in tree.args]
    kwargs = {each.arg: _json(ast.unparse(each.value)) for each in tree.keywords}
    document = {"args": args, **({"kwargs": kwargs} if kwargs else {}), "returns": _json(value)}
    text = json.dumps(document, ensure_ascii=False)
    return "" if '{"$literal": ' in text else text


def _holds_float(text: str) -> bool:
    tree = parse_expression(text)
    if isinstance(tree, ParseFault):
        return False
    return any(isinstance(node, ast.Constant) and isinstance(node.value, float) for node in ast.walk(tree))


def _json(text: str) -> Any:
    try:
        value = parse_literal(text)
        return value if json.loads(json.dumps(value)) == value else {"$literal": text}
    except (ValueError, TypeError):
        return {"$literal": text}


def _keywords(call: str) -> str:
    """The arguments of a call by name as a dict; unchanged if one is not by name."""
    tree = parse_expression(call)
    if not isinstance(tree, ast.Call) or tree.args:
        return call
    return "{" + ", ".join(f"{each.arg!r}: {ast.unparse(each.value)}" for each in tree.keywords) + "}"


def _text(value: str) -> str:
    try:
        return str(parse_literal(value))
    except ValueError:
        return value
