"""The judge of EvalPlus's tasks: an execution for each set of inputs, compared as EvalPlus 0.3.1 compares.

EvalPlus decides in the process that runs the answer; here values come out and everything is decided outside.
Its rules (https://github.com/evalplus/evalplus, evalplus/eval) are kept, the odd ones too:

- equal is equal by ==; else floats may differ by `atol`, and by 1e-7 of the expected value, as numpy.allclose
  has it, where the value and the expected one are of one type, and of one length where they are lists;
- where a task has no `atol`, the first expected float, or list of floats, makes it 1e-6 from there on;
- a few tasks have a comparison of their own: ORACLES.
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
from benchwright.sandbox.codec import decode
from benchwright.sandbox.exchange import CallBatch, ReplyFrame
from benchwright.sandbox.untrusted import Untrusted
from benchwright.sandbox.zygote import AnswerEnded, Running
from benchwright.sandbox.zygote import Job as SandboxJob

REL_TOL = 1e-7
FLOAT_ATOL = 1e-6
NOT_NONE = "not_none"  # whether there is a value at all: what the expected one tells is True or False
_LARGEST = 1 << 64  # integers from here on are objects to numpy, which it cannot compare within a tolerance


class PlusJudge(PythonJudge[PlusSpec]):
    """Passed if every set of inputs is, else the outcome of the first that is not. `parts` has each."""

    spec = PlusSpec
    _known: tuple[InputSet, int] | None = None  # the last inputs, and where their tolerance begins

    def judge(self, taken: Extraction, spec: PlusSpec) -> Judgement | Pending:
        """Compile the program; its executions are what comes later."""
        ready = self._prepare(taken.program)
        return ready if isinstance(ready, Judgement) else partial(self._execute_sets, ready, spec)

    def _execute_sets(self, ready: str | bytes, spec: PlusSpec) -> Judgement:
        judged = {name: self._execute(ready, _only(spec, name)) for name in spec.sets}
        first = next((each for each in judged.items() if each[1].outcome is not Outcome.passed), None)
        name, ended = first or next(iter(judged.items()))
        return msgspec.structs.replace(
            ended,
            detail=f"{name}: {ended.detail}"[:DETAIL_LIMIT] if ended.detail else "",
            parts={name: each.outcome for name, each in judged.items()},
            cpu_s=round(sum(each.cpu_s for each in judged.values()), 6),
            wall_s=round(sum(each.wall_s for each in judged.values()), 6),
            trouble="; ".join(each.trouble for each in judged.values() if each.trouble),
        )

    def _job(self, ready: str | bytes, spec: PlusSpec) -> SandboxJob:
        return "batch", spec.entry_point, ready, _one(spec).calls

    def _check(self, running: Running, spec: PlusSpec) -> bytes:
        asked = _PlusCalls(spec, self._first_float)
        for number, reply in enumerate(CallBatch(running, len(asked.inputs.expected)).replies()):
            if not _holds(reply, number, asked):
                raise _ended(reply, number, asked)
        return b""

    def _first_float(self, inputs: InputSet) -> int:
        """The number of the first expected float: found once for all answers to a task."""
        if self._known is None or self._known[0] is not inputs:
            self._known = inputs, first_float(inputs.expected)
        return self._known[1]


class _PlusCalls:
    """What one execution is asked, each part decoded when it is first needed, and once."""

    def __init__(self, spec: PlusSpec, first: Callable[[InputSet], int]) -> None:
        self.spec, self.inputs, self._first = spec, _one(spec), first

    @cached_property
    def calls(self) -> list[tuple[tuple[Any, ...], dict[str, Any]]]:
        """Arguments of each call."""
        calls: list[tuple[tuple[Any, ...], dict[str, Any]]] = decode(self.inputs.calls)
        return calls

    def later_atol(self, number: int) -> float:
        """The tolerance that a task without one has at this call: from its first expected float on."""
        return FLOAT_ATOL if number >= self._first(self.inputs) else 0.0


def _only(spec: PlusSpec, name: str) -> PlusSpec:
    inputs = spec.sets[name]
    return msgspec.structs.replace(spec, sets={name: inputs}, cpu_limit_s=inputs.cpu_limit_s)


def _one(spec: PlusSpec) -> InputSet:
    return next(iter(spec.sets.values()))


def _holds(reply: ReplyFrame, number: int, asked: _PlusCalls) -> bool:
    """Whether one call gave what it must."""
    kind, payload, _, _ = reply
    spec, expected = asked.spec, asked.inputs.expected[number]
    if spec.oracle == NOT_NONE:
        return _is_something(kind, payload) is bool(decode(expected))
    if kind != "value":
        return False
    if (digest := asked.inputs.digests.get(number)) is not None:
        return bool(payload.digest() == digest)
    if payload == expected and spec.oracle not in ALWAYS:
        return True  # equal bytes are equal values of equal types, so most answers are never decoded
    args, _ = asked.calls[number]
    check = partial(holds, read_value(payload), decode(expected), args, oracle=spec.oracle)
    return check(atol=spec.atol) or (not spec.atol and check(atol=asked.later_atol(number)))


def _is_something(kind: str, payload: Untrusted) -> bool:
    """What EvalPlus compares of tasks that give a match object: a bool itself, of all else whether it is."""
    if kind != "value":
        return kind == "unsendable"
    value = read_value(payload)
    return value if isinstance(value, bool) else value is not None


def _ended(reply: ReplyFrame, number: int, asked: _PlusCalls) -> AnswerEnded:
    kind, payload, error, _ = reply
    args, kwargs = asked.calls[number]
    call = Call(number + 1, asked.spec.entry_point, args, kwargs, None)
    if kind != "value":
        return failure(kind, call, error)
    call = call._replace(value=read_value(payload))
    return AnswerEnded(Outcome.wrong, reasons.gave(call, _wanted(asked.inputs, number)))


def _wanted(inputs: InputSet, number: int) -> str:
    if number in inputs.digests:
        return "another value, of which the digest alone is known"
    return reasons.shown(decode(inputs.expected[number]))


def first_float(expected: Sequence[bytes]) -> int:
    """The number of the first of these values that is a float or a list of floats; beyond them if none is."""
    found = (number for number, each in enumerate(expected) if each and _are_floats(decode(each)))
    return next(found, len(expected))


def _are_floats(value: Any) -> bool:
    if isinstance(value, list | tuple) and value:
        return all(isinstance(each, float) for each in value)
    return isinstance(value, float)


def holds(value: Any, expected: Any, args: Sequence[Any], *, atol: float, oracle: str = "") -> bool:
    """Whether a value is right for these arguments. What a comparison cannot be made of is not."""
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
    other, wanted = _array(expected)
    return shape == other and all(map(partial(_is_close, atol=atol), numbers, wanted))


def _is_close(value: Any, wanted: Any, *, atol: float) -> bool:
    """As numpy.allclose: infinities are close to themselves, what is not a number to nothing."""
    return bool(value == wanted) or bool(
        math.isfinite(abs(wanted)) and abs(value - wanted) <= atol + REL_TOL * abs(wanted)
    )


def _array(value: Any) -> tuple[tuple[int, ...], list[Any]]:
    """Shape and numbers of what numpy would make an array of numbers of. Raises TypeError for all else."""
    numbers = list[Any]()
    shape = _shape(value, numbers)
    whole = [each for each in numbers if isinstance(each, int)]
    if len(whole) == len(numbers) and any(abs(each) >= _LARGEST for each in whole):
        raise TypeError("integers of more than 64 bits")
    return shape, numbers


def _shape(value: Any, numbers: list[Any]) -> tuple[int, ...]:
    """The shape of nested lists; their numbers are added to `numbers`."""
    if isinstance(value, int | float | complex):
        numbers.append(value)
        return ()
    if not isinstance(value, list | tuple):
        raise TypeError(f"a {type(value).__name__} is no number")
    inner = {_shape(each, numbers) for each in value}
    if len(inner) > 1:
        raise TypeError("rows of different lengths")
    return (len(value), *(inner.pop() if inner else ()))


def _same_set(value: Any, expected: Any, args: Sequence[Any], atol: float) -> bool:
    """Any order, and any number of times."""
    return set(value) == set(expected)


def _anything(value: Any, expected: Any, args: Sequence[Any], atol: float) -> bool:
    """Mbpp/164: the task says too little for one value to be right, so that none raises is all."""
    return True


def _or_zero(value: Any, expected: Any, args: Sequence[Any], atol: float) -> bool:
    """Mbpp/295: the sum of divisors of what has none."""
    return bool(value == expected) or bool(value == 0)


def _pyramid(value: Any, expected: Any, args: Sequence[Any], atol: float) -> bool:
    """Mbpp/581: the surface of a square pyramid; its height may be the perpendicular one as well."""
    edge, height = args
    slant = math.hypot(edge / 2, height)
    return bool(value == expected or abs(value - round(edge**2 + 2 * edge * slant)) <= atol)


def _digit_distance(value: Any, expected: Any, args: Sequence[Any], atol: float) -> bool:
    """Mbpp/558: place by place as well, the shorter number with zeros before it."""
    width = max(len(str(number)) for number in args)
    one, other = (str(number).zfill(width) for number in args)
    apart: Iterator[int] = (abs(int(a) - int(b)) for a, b in zip(one, other, strict=True))
    return bool(value == expected) or bool(value == sum(apart))


def _is_root(value: Any, args: Sequence[Any], atol: float) -> bool:
    """HumanEval/32: any root of the polynomial is one."""
    return bool(abs(sum(factor * math.pow(value, power) for power, factor in enumerate(args[0]))) <= atol)


ORACLES: dict[str, Callable[[Any, Any, Sequence[Any], float], bool]] = {
    "same_set": _same_set,
    "anything": _anything,
    "or_zero": _or_zero,
    "pyramid": _pyramid,
    "digit_distance": _digit_distance,
}
ALWAYS: dict[str, Callable[[Any, Sequence[Any], float], bool]] = {"root": _is_root}  # whatever is expected
