"""The judge of EvalPlus's tasks: an execution for each set of inputs, compared as EvalPlus 0.3.1 compares.

EvalPlus decides in the process that runs the answer; here the process sends values, which are judged outside.
Its rules (https://github.com/evalplus/evalplus, evalplus/eval) are kept, including the unusual ones:

- equal is equal by ==; else floats may differ by `atol`, and by 1e-7 of the expected value, as numpy.allclose
  has it, where the value and the expected one are of one type, and of one length where they are lists;
- where a task has no `atol`, the first expected float, or list of floats, makes it 1e-6 from there on;
- a few tasks have their own comparison: ORACLES.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from typing import Any

import msgspec

from benchwright.contracts import Extraction, InputSet, Judgement, Pending, PlusSpec
from benchwright.judges import reasons
from benchwright.judges.python import PythonJudge, failure, read_value
from benchwright.judges.reasons import DETAIL_LIMIT, Call
from benchwright.records import Outcome
from benchwright.sandbox.claims import CallBatch, ReplyFrame
from benchwright.sandbox.codec import decode
from benchwright.sandbox.untrusted import UntrustedBytes
from benchwright.sandbox.zygote import AnswerEnded, RunningAnswer
from benchwright.sandbox.zygote import Job as SandboxJob

REL_TOL = 1e-7
FLOAT_ATOL = 1e-6
NOT_NONE = "not_none"  # whether there is a value at all: the expected one is only True or False
_LARGEST = 1 << 64  # integers from here on are objects to numpy, which it cannot compare within a tolerance


class PlusJudge(PythonJudge[PlusSpec]):
    """Passed if every set of inputs is, else the outcome of the first failing set. `parts` has each
    outcome."""

    spec = PlusSpec
    _known: tuple[InputSet, int] | None = None  # the last inputs, and the first with a tolerance

    def judge(self, taken: Extraction, spec: PlusSpec) -> Judgement | Pending:
        """Compile the program; return a judgement, or one that executes it later."""
        ready = self._prepare(taken.program)
        return ready if isinstance(ready, Judgement) else partial(self._execute_sets, ready, spec)

    def _execute_sets(self, ready: str | bytes, spec: PlusSpec) -> Judgement:
        judged = {name: self._execute(ready, _only(spec, name)) for name in spec.sets}
        first = next((each for each in judged.items() if each[1].outcome is not Outcome.passed), None)
        name, judgement = first or next(iter(judged.items()))
        return msgspec.structs.replace(
            judgement,
            detail=f"{name}: {judgement.detail}"[:DETAIL_LIMIT] if judgement.detail else "",
            parts={name: each.outcome for name, each in judged.items()},
            cpu_s=round(sum(each.cpu_s for each in judged.values()), 6),
            wall_s=round(sum(each.wall_s for each in judged.values()), 6),
            trouble="; ".join(each.trouble for each in judged.values() if each.trouble),
        )

    def _job(self, ready: str | bytes, spec: PlusSpec) -> SandboxJob:
        return "batch", spec.entry_point, ready, _one(spec).calls

    def _check(self, running: RunningAnswer, spec: PlusSpec) -> bytes:
        plus_calls = _PlusCalls(spec, self._first_float)
        for number, reply in enumerate(CallBatch(running, len(plus_calls.inputs.expected)).replies()):
            if not _holds(reply, number, plus_calls):
                raise _ended(reply, number, plus_calls)
        return b""

    def _first_float(self, inputs: InputSet) -> int:
        """Return the index of the first expected float, cached for all answers to a task."""
        if self._known is None or self._known[0] is not inputs:
            self._known = inputs, first_float(inputs.expected)
        return self._known[1]


class _PlusCalls:
    """The inputs of one execution, each part decoded on first use."""

    def __init__(self, spec: PlusSpec, first: Callable[[InputSet], int]) -> None:
        self.spec, self.inputs, self._first = spec, _one(spec), first

    @cached_property
    def calls(self) -> list[tuple[tuple[Any, ...], dict[str, Any]]]:
        """Return the arguments of each call."""
        calls: list[tuple[tuple[Any, ...], dict[str, Any]]] = decode(self.inputs.calls)
        return calls

    def later_atol(self, number: int) -> float:
        """Return the tolerance of a call in a task without one: it applies from the first expected float
        on."""
        return FLOAT_ATOL if number >= self._first(self.inputs) else 0.0


def _only(spec: PlusSpec, name: str) -> PlusSpec:
    inputs = spec.sets[name]
    return msgspec.structs.replace(spec, sets={name: inputs}, cpu_limit_s=inputs.cpu_limit_s)


def _one(spec: PlusSpec) -> InputSet:
    return next(iter(spec.sets.values()))


def _holds(reply: ReplyFrame, number: int, plus_calls: _PlusCalls) -> bool:
    """Return whether one call returned what it must."""
    kind, payload, _, _ = reply
    spec, expected = plus_calls.spec, plus_calls.inputs.expected[number]
    if spec.oracle == NOT_NONE:
        return _is_something(kind, payload) is bool(decode(expected))
    if kind != "value":
        return False
    if (digest := plus_calls.inputs.digests.get(number)) is not None:
        return bool(payload.digest() == digest)
    if payload == expected and spec.oracle not in ALWAYS:
        return True  # equal bytes are equal values of equal types, so most answers are never decoded
    args, _ = plus_calls.calls[number]
    check = partial(holds, read_value(payload), decode(expected), args, oracle=spec.oracle)
    return check(atol=spec.atol) or (not spec.atol and check(atol=plus_calls.later_atol(number)))


def _is_something(kind: str, payload: UntrustedBytes) -> bool:
    """Return what EvalPlus compares in tasks with match objects: a bool itself, otherwise whether there is a
    value."""
    if kind != "value":
        return kind == "unsendable"
    value = read_value(payload)
    return value if isinstance(value, bool) else value is not None


def _ended(reply: ReplyFrame, number: int, plus_calls: _PlusCalls) -> AnswerEnded:
    kind, payload, error, _ = reply
    args, kwargs = plus_calls.calls[number]
    call = Call(number + 1, plus_calls.spec.entry_point, args, kwargs, None)
    if kind != "value":
        return failure(kind, call, error)
    call = call._replace(value=read_value(payload))
    return AnswerEnded(Outcome.wrong, reasons.gave(call, _expected_text(plus_calls.inputs, number)))


def _expected_text(inputs: InputSet, number: int) -> str:
    if number in inputs.digests:
        return "another value, known only by its digest"
    return reasons.shown(decode(inputs.expected[number]))


def first_float(expected: Sequence[bytes]) -> int:
    """Return the index of the first value that is a float or a list of floats; the number of values if none
    is."""
    found = (number for number, each in enumerate(expected) if each and _are_floats(decode(each)))
    return next(found, len(expected))


def _are_floats(value: Any) -> bool:
    if isinstance(value, list | tuple) and value:
        return all(isinstance(each, float) for each in value)
    return isinstance(value, float)


def holds(value: Any, expected: Any, args: Sequence[Any], *, atol: float, oracle: str = "") -> bool:
    """Return whether a value is right for these arguments. A value that cannot be compared is not."""
    try:
        if oracle in ALWAYS:
            return ALWAYS[oracle](value, args, atol)
        exact = bool(ORACLES[oracle](value, expected, args, atol) if oracle else value == expected)
        return exact or (atol != 0 and _is_near(value, expected, atol))
    except (TypeError, ValueError, OverflowError, RecursionError, ZeroDivisionError):
        return False


def _is_near(value: Any, expected: Any, atol: float) -> bool:
    if type(value) is not type(expected):
        return False
    shape, numbers = _array(value)
    other, expected_numbers = _array(expected)
    return shape == other and all(map(partial(_is_close, atol=atol), numbers, expected_numbers))


def _is_close(value: Any, expected: Any, *, atol: float) -> bool:
    """Compare like numpy.allclose: infinities are close to themselves, NaN is close to nothing."""
    return bool(value == expected) or bool(
        math.isfinite(abs(expected)) and abs(value - expected) <= atol + REL_TOL * abs(expected)
    )


def _array(value: Any) -> tuple[tuple[int, ...], list[Any]]:
    """Return shape and numbers of the array that numpy would make. Raises TypeError for other values."""
    numbers = list[Any]()
    shape = _shape(value, numbers)
    whole = [each for each in numbers if isinstance(each, int)]
    if len(whole) == len(numbers) and any(abs(each) >= _LARGEST for each in whole):
        raise TypeError("integers of more than 64 bits")
    return shape, numbers


def _shape(value: Any, numbers: list[Any]) -> tuple[int, ...]:
    """Return the shape of nested lists; their numbers are added to `numbers`."""
    if isinstance(value, int | float | complex):
        numbers.append(value)
        return ()
    if not isinstance(value, list | tuple):
        raise TypeError(f"a {type(value).__name__} is not a number")
    inner = {_shape(each, numbers) for each in value}
    if len(inner) > 1:
        raise TypeError("rows of different lengths")
    return (len(value), *(inner.pop() if inner else ()))


def _same_set(value: Any, expected: Any, args: Sequence[Any], atol: float) -> bool:
    """Compare as sets: any order, any number of times."""
    return set(value) == set(expected)


def _anything(value: Any, expected: Any, args: Sequence[Any], atol: float) -> bool:
    """Accept any value: the text of Mbpp/164 does not determine one, so it only must not raise."""
    return True


def _or_zero(value: Any, expected: Any, args: Sequence[Any], atol: float) -> bool:
    """Accept 0 as well for the sum of divisors of a number without any (Mbpp/295)."""
    return bool(value == expected) or bool(value == 0)


def _pyramid(value: Any, expected: Any, args: Sequence[Any], atol: float) -> bool:
    """Accept the surface of a square pyramid with perpendicular height as well (Mbpp/581)."""
    edge, height = args
    slant = math.hypot(edge / 2, height)
    return bool(value == expected or abs(value - round(edge**2 + 2 * edge * slant)) <= atol)


def _digit_distance(value: Any, expected: Any, args: Sequence[Any], atol: float) -> bool:
    """Accept the difference digit by digit as well, the shorter number padded with zeros (Mbpp/558)."""
    width = max(len(str(number)) for number in args)
    one, other = (str(number).zfill(width) for number in args)
    apart: Iterator[int] = (abs(int(a) - int(b)) for a, b in zip(one, other, strict=True))
    return bool(value == expected) or bool(value == sum(apart))


def _is_root(value: Any, args: Sequence[Any], atol: float) -> bool:
    """Accept any root of the polynomial (HumanEval/32)."""
    return bool(abs(sum(factor * math.pow(value, power) for power, factor in enumerate(args[0]))) <= atol)


ORACLES: dict[str, Callable[[Any, Any, Sequence[Any], float], bool]] = {
    "same_set": _same_set,
    "anything": _anything,
    "or_zero": _or_zero,
    "pyramid": _pyramid,
    "digit_distance": _digit_distance,
}
ALWAYS: dict[str, Callable[[Any, Sequence[Any], float], bool]] = {"root": _is_root}  # for any expected value
