"""Entries on the second twin: a program that passes there must have called the model, not a table.

Expected values come from twin A. On twin B they are the results of the canonical solution there. So a right
program passes on both, and a program with A's values as constants fails on B. If it passes, no case shows
whether the model was used.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

import msgspec

from benchwright.building.aicodereval.drafted_cases import Reply, as_json
from benchwright.building.gates import gate
from benchwright.building.solved import SolvedTask
from benchwright.cases.reading import LITERAL, calls_of, files_of
from benchwright.contracts import CallCase, Decision, GateOpener, LevelsSpec, RepliesSpec
from benchwright.executing.trials import Trial, Trials, Tried, varied
from benchwright.sandbox.codec import CodecError, decode, encode
from benchwright.tracks.aicodereval.twins import TwinName, on_twin

EXECUTIONS = 2  # executions of the canonical solution on the second twin
_UNSTEADY = "fails_on_other_twin"
_GOLD, _TABLE = "the canonical solution", "a table of the first stand-in's values"


class OtherTwin(NamedTuple):
    """The result of one task: the decision of the gate, and a trial for which the sandbox failed.

    `cases` are the task's own cases with the expected values on the second twin; None without stable values.
    """

    decision: Decision
    missing: Tried | None = None
    cases: list[CallCase] | None = None


@gate("weights")
def weights_gate(task: SolvedTask, bounds: object) -> Decision:
    """A right program follows its model; otherwise `ignores_weights` or `fails_on_other_twin`."""
    found: OtherTwin | None = bounds.on_other(task)  # type: ignore[attr-defined]
    return Decision() if found is None else found.decision


WEIGHTS_GATES: tuple[GateOpener, ...] = (weights_gate,)


def tried_on_other(tasks: Sequence[SolvedTask], trials: Trials) -> list[OtherTwin]:
    """The results of each task's programs on the second twin; its spec is that of the first."""
    specs = [task.spec for task in tasks if isinstance(task.spec, LevelsSpec)]
    asked = [_replies_spec(on_twin(spec, name)) for spec in specs for name in TwinName]
    golds = [task.gold for task in tasks for _ in TwinName]
    ends = iter(trials.run(map(Trial, golds, asked), name="values of both stand-ins"))
    pairs = [(next(ends), next(ends)) for _ in tasks]
    wanted = [_programs(*each) for each in zip(tasks, specs, pairs, strict=True)]
    done = iter(trials.run([trial for each in wanted for trial in each.trials], name="the other stand-ins"))
    found = [_found(each, list(islice(done, len(each.trials)))) for each in wanted]
    return [_with_cases(*each) for each in zip(found, specs, wanted, strict=True)]


class _TwinPrograms(NamedTuple):
    """The programs of one task to try, by name; or the reason why there are none."""

    names: list[str]
    trials: list[Trial]
    cpu_s: float
    fault: str = ""
    missing: Tried | None = None
    there: Sequence[CallCase] = ()  # the cases with the values of the second twin


def _replies_spec(spec: LevelsSpec) -> RepliesSpec:
    calls = [calls_of(case)[0] for case in spec.cases]
    return RepliesSpec(
        entry_point=spec.entry_point,
        environment=spec.environment,
        cpu_limit_s=spec.cpu_limit_s,
        calls=encode(calls),
        count=len(calls),
        files=files_of(spec.cases),
        links=spec.links,
    )


def _programs(task: SolvedTask, spec: LevelsSpec, ended: tuple[Tried, Tried]) -> _TwinPrograms:
    cpu_s = sum(each.cpu_s for each in ended)
    if (missing := next((each for each in ended if each.outcome.is_missing), None)) is not None:
        return _TwinPrograms([], [], cpu_s, missing=missing)
    first, other = (_replies(each) for each in ended)
    try:
        table = table_program(spec, first)
        there = msgspec.structs.replace(on_twin(spec, TwinName.b), cases=cases_of(spec.cases, other))
    except (ValueError, CodecError) as error:
        return _TwinPrograms([], [], cpu_s, fault=str(error))
    golds = varied(task.gold, there, EXECUTIONS)
    more = {_TABLE: table, **{f"alternative {at}": text for at, text in enumerate(task.alternatives, 1)}}
    trials = [*golds, *(Trial(program, there) for program in more.values())]
    return _TwinPrograms([*[_GOLD] * len(golds), *more], trials, cpu_s, there=there.cases)


def _replies(tried: Tried) -> list[Reply]:
    return msgspec.msgpack.decode(tried.payload, type=list[Reply]) if tried.payload else []


def cases_of(cases: Sequence[CallCase], replies: Sequence[Reply]) -> list[CallCase]:
    """The cases with the given replies as expected values; exceptions and properties hold on any twin.

    Raises ValueError for a reply that cannot be an expected value.
    """
    if len(replies) != len(cases):
        raise ValueError(f"{len(replies)} of {len(cases)} calls were answered")
    return [_case(case, reply) for case, reply in zip(cases, replies, strict=True)]


def _case(case: CallCase, reply: Reply) -> CallCase:
    if case.expected.raises or case.expected.properties:
        return case
    kind, payload = reply
    if kind != "value":
        raise ValueError(f"case {case.name}: {kind} {payload[:200].decode('utf-8', 'replace')}")
    try:
        value = as_json(decode(payload))
    except TypeError as error:
        raise ValueError(f"case {case.name}: gives {error}") from None
    expected = msgspec.structs.replace(case.expected, value=value, twin_value=None)
    return msgspec.structs.replace(case, expected=expected)


def table_program(spec: LevelsSpec, replies: Sequence[Reply]) -> str:
    """A program that loads no model and returns the given replies. Raises ValueError, CodecError."""
    table = {}
    for case, (kind, payload) in zip(spec.cases, replies, strict=False):
        value = decode(payload) if kind == "value" else payload.decode("utf-8", "replace").partition(":")[0]
        args, kwargs = calls_of(case)[0]
        table[repr((args, kwargs))] = (kind, value)
    return (
        f"import builtins\n\n_TABLE = {table!r}\n\n\n"
        f"def {spec.entry_point}(*args, **kwargs):\n"
        "    kind, value = _TABLE[repr((args, kwargs))]\n"
        "    if kind != 'value':\n"
        "        raise getattr(builtins, value, ValueError)(value)\n"
        "    return value\n"
    )


def _found(wanted: _TwinPrograms, ended: Sequence[Tried]) -> OtherTwin:
    cpu_s = wanted.cpu_s + sum(each.cpu_s for each in ended)
    missing = wanted.missing or next((each for each in ended if each.outcome.is_missing), None)
    if missing is not None:
        return OtherTwin(Decision(), missing)
    if wanted.fault:
        return OtherTwin(_refused(_UNSTEADY, wanted.fault, cpu_s))
    ends = list(zip(wanted.names, ended, strict=True))
    if failed := [each for name, each in ends if name == _GOLD and not each.passed]:
        detail = f"{failed[0].outcome.value} {failed[0].detail}".strip()
        return OtherTwin(_refused(_UNSTEADY, detail, cpu_s))
    ignoring = [name for name, each in ends if each.passed is (name == _TABLE) and name != _GOLD]
    if ignoring:
        outcome = "passes" if ignoring[0] == _TABLE else "fails"
        return OtherTwin(_refused("ignores_weights", f"{ignoring[0]} {outcome} on the other stand-in", cpu_s))
    return OtherTwin(Decision(evidence={"executions": EXECUTIONS, "tried": len(ends)}, cpu_s=cpu_s))


def _with_cases(found: OtherTwin, spec: LevelsSpec, wanted: _TwinPrograms) -> OtherTwin:
    """The task with the values of both twins, if the canonical solution gives stable values on each."""
    if found.missing is not None or found.decision.reason == _UNSTEADY:
        return found
    return found._replace(cases=[_both(*each) for each in zip(spec.cases, wanted.there, strict=True)])


def _both(here: CallCase, there: CallCase) -> CallCase:
    if here.expected.value is None:
        return here
    value = {LITERAL: "None"} if there.expected.value is None else there.expected.value
    return msgspec.structs.replace(here, expected=msgspec.structs.replace(here.expected, twin_value=value))


def _refused(reason: str, detail: str, cpu_s: float) -> Decision:
    return Decision(reason=reason, detail=detail[:300], cpu_s=cpu_s)
