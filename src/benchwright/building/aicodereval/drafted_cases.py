"""Test cases from proposed inputs: the solution is executed, and its results become the expected values."""

from __future__ import annotations

import builtins
import json
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from benchwright.building.aicodereval.drafting_prompts import ProposedCase
from benchwright.cases.reading import calls_of, faults_of
from benchwright.contracts import CallCase, CaseLevel, ExpectedResult, RepliesSpec
from benchwright.executing.trials import TrialResult
from benchwright.sandbox.codec import CodecError, decode, encode

REL_TOL, ABS_TOL = 1e-6, 1e-9
MAX_VALUE = 20_000  # maximum length of an expected value
CPU_S = 20.0  # of all inputs together
_MAX_SHOWN = 200
Reply = tuple[str, bytes]  # see `contracts.RepliesSpec`


class ExecutedCases(NamedTuple):
    """The cases, with a line about each for the model; or the reason why there are none."""

    cases: list[CallCase]
    lines: list[str]
    fault: str = ""


def spec_for(
    proposed: Sequence[ProposedCase], entry_point: str, environment: str, links: dict[str, str]
) -> RepliesSpec | str:
    """The spec that asks a program for its values on these inputs, or what is wrong with them."""
    cases = [_case(each, ExpectedResult()) for each in proposed]
    for fault in faults_of(cases):
        return f"{fault.field}: {fault.message}; {fault.hint}"
    if absent := [level.value for level in CaseLevel if not any(each.level is level for each in proposed)]:
        return f"there is no case of level {', '.join(absent)}"
    try:
        calls = encode([call for case in cases for call in calls_of(case)])
    except (CodecError, ValueError, TypeError, RecursionError) as error:
        return f"an input cannot be given to the function: {error}"
    return RepliesSpec(
        entry_point=entry_point,
        environment=environment,
        cpu_limit_s=CPU_S,
        calls=calls,
        count=len(cases),
        links=links,
    )


def read_cases(proposed: Sequence[ProposedCase], tried: Sequence[TrialResult]) -> ExecutedCases:
    """The cases of several executions; the first gives the values, and the others must agree."""
    given = [_replies(each) for each in tried]
    if not given[0]:
        return _fault(f"the program cannot be executed: {tried[0].outcome.value}, {tried[0].detail}")
    cases, lines = [], []
    for number, each in enumerate(proposed):
        replies = [every[number] if number < len(every) else every[-1] for every in given]
        where = f"case {each.name!r} ({each.level.value}), {_call(each)}"
        expected = expected_of(each.level, replies[0])
        if isinstance(expected, str):
            return _fault(f"{where}: {expected}")
        if any(other != replies[0] for other in replies[1:]):
            return _fault(f"{where}: another execution of the same call gave another result")
        cases.append(_case(each, expected))
        lines.append(f"- {where} {_outcome(expected)}")
    for fault in faults_of(cases):
        return _fault(f"{fault.field}: {fault.message}")
    return ExecutedCases(cases, lines)


def _fault(why: str) -> ExecutedCases:
    return ExecutedCases([], [], why)


def _replies(tried: TrialResult) -> list[Reply]:
    """The reply to each call; the last may be the end of the program."""
    return msgspec.msgpack.decode(tried.payload, type=list[Reply]) if tried.payload else []


def _case(proposed: ProposedCase, expected: ExpectedResult) -> CallCase:
    return CallCase(
        name=proposed.name,
        level=proposed.level,
        input=proposed.input,
        expected=expected,
        description=proposed.description,
    )


def expected_of(level: CaseLevel, reply: Reply) -> ExpectedResult | str:
    """The expected value of a case of a level, or the reason why its result cannot be one."""
    kind, payload = reply
    if kind == "value":
        return _expected_value(payload)
    text = payload.decode("utf-8", "replace")
    if kind != "exception":
        return "its result is too large" if kind == "large" else text
    name = text.partition(":")[0].strip()
    if level is not CaseLevel.edge_case:
        return f"raised {text}; only edge cases may raise"
    own = getattr(builtins, name, None)
    if not (isinstance(own, type) and issubclass(own, Exception)):
        return f"raised {text}; refuse an argument with a built-in exception"
    return ExpectedResult(raises=name)


def _expected_value(payload: bytes) -> ExpectedResult | str:
    try:
        value = decode(payload)
        written = as_json(value)
        text = json.dumps(written, allow_nan=False)
    except (CodecError, ValueError, TypeError, RecursionError) as error:
        return f"its result is no plain data: {error}"
    if len(text) > MAX_VALUE:
        return f"its result has {len(text):,} characters, over {MAX_VALUE:,}"
    floats = _has_float(value)
    return ExpectedResult(
        value=written, rel_tol=REL_TOL if floats else 0.0, abs_tol=ABS_TOL if floats else 0.0
    )


def as_json(value: Any) -> Any:
    """A value as cases write it; values without a JSON form become a literal.

    Raises ValueError for NaN and infinity, and TypeError for a value without a literal.
    """
    if value is None or isinstance(value, bool | str | int):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{value} is no number that is asked for")
        return value
    if isinstance(value, list):
        return [as_json(each) for each in value]
    if isinstance(value, dict) and all(isinstance(key, str) and not key.startswith("$") for key in value):
        return {key: as_json(each) for key, each in value.items()}
    if isinstance(value, bytes | tuple | set | frozenset | dict):
        return {"$literal": repr(value)}
    raise TypeError(f"a {type(value).__name__}")


def _has_float(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_has_float, value.values()))
    if isinstance(value, list | tuple | set | frozenset):
        return any(map(_has_float, value))
    return isinstance(value, float)


def _call(case: ProposedCase) -> str:
    words = [json.dumps(each, ensure_ascii=False) for each in case.args]
    words += [f"{name}={json.dumps(each, ensure_ascii=False)}" for name, each in case.kwargs.items()]
    return f"called with ({', '.join(words)[:_MAX_SHOWN]})"


def _outcome(expected: ExpectedResult) -> str:
    if expected.raises:
        return f"raises {expected.raises}"
    return f"gives {json.dumps(expected.value, ensure_ascii=False)[:_MAX_SHOWN]}"
