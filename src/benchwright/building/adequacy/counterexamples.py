"""Counterexamples: calls on which another program differs from the canonical solution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from benchwright.building.adequacy.examination_records import Counterexample, SolvedTask
from benchwright.building.adequacy.generated_inputs import Arguments, calls_of_tests, generate_inputs
from benchwright.building.adequacy.preconditions import Preconditions
from benchwright.building.adequacy.trial_limits import call_limit
from benchwright.cases.reading import files_of
from benchwright.contracts import LevelsSpec, RepliesSpec
from benchwright.executing.trials import Trial, TrialResult, Trials
from benchwright.judges.assertions import matches
from benchwright.sandbox.codec import CodecError, decode, encode
from benchwright.sandbox.zygote import cpu_time_exceeded
from benchwright.text.literal import source_text

ROUNDS = 8  # retries after removing inputs on which the canonical solution does not end
SPARE = 1.5  # factor for generated inputs, since the canonical solution fails on some
_LONGEST = 500  # maximum length of a shown value or text
Reply = tuple[str, bytes]  # see `contracts.RepliesSpec`


class InputLimits(NamedTuple):
    """Limits of a canonical solution on generated calls of its task, in processor seconds."""

    all_s: float
    call_s: float | None = None  # of one call; None: only the limit of all

    def all_used(self, tried: TrialResult) -> bool:
        """Whether a program used the time for all calls without exceeding that for one."""
        spent = cpu_time_exceeded(self.all_s)
        return self.call_s is not None and _end(tried) == f"{spent.outcome.value}: {spent}".encode()


class GeneratedInputs(NamedTuple):
    """Generated calls of one task on which its canonical solution gives a value, and those values."""

    task: SolvedTask
    calls: list[Arguments]
    gold: list[bytes]  # encoded
    cpu_s: float = 0.0  # time of the canonical solution for all of them
    call_s: float = 0.0  # and for the slowest
    raising: tuple[tuple[Arguments, str], ...] = ()  # calls on which it raises, and the exception's type

    def spec(self, cpu_s: float, call_s: float | None = None) -> RepliesSpec:
        """The spec that asks a program for its values, in the task's own profile."""
        return _spec(self.task, self.calls, cpu_s, call_s)


def reference_inputs(
    tasks: Sequence[SolvedTask],
    trials: Trials,
    *,
    inputs: int,
    limits: Sequence[InputLimits],
) -> list[GeneratedInputs]:
    """For each task its generated calls with the values of its canonical solution; none if no call is
    data.
    """
    waiting = [GeneratedInputs(task, _allowed_calls(task, inputs), []) for task in tasks]
    found: dict[int, GeneratedInputs] = {}
    for left in reversed(range(ROUNDS)):
        places = [at for at, each in enumerate(waiting) if at not in found and each.calls]
        specs = [waiting[at].spec(*limits[at]) for at in places]
        wanted = [
            Trial(waiting[at].task.gold, spec, observed=True) for at, spec in zip(places, specs, strict=True)
        ]
        tried = trials.run(wanted, name="inputs")
        for at, end in zip(places, tried, strict=True):
            given, calls = read_replies(end), waiting[at].calls
            if len(given) == len(calls) or not left:
                found[at] = _with_values(waiting[at], given, inputs)._replace(
                    cpu_s=end.cpu_s, call_s=end.call_s
                )
            elif limits[at].all_used(end):
                waiting[at] = waiting[at]._replace(calls=_part(calls, len(given)))
            else:  # a call did not end, or the sandbox failed
                waiting[at] = waiting[at]._replace(calls=_shorter(calls, len(given)))
    return [found.get(at, each._replace(calls=[], gold=[])) for at, each in enumerate(waiting)]


def replies(trials: Trials, programs: Sequence[tuple[GeneratedInputs, str, float]]) -> list[list[Reply]]:
    """The replies of each program to the calls of a task, within a limit of processor seconds."""
    return [read_replies(each) for each in try_replies(trials, programs)]


def try_replies(
    trials: Trials, programs: Sequence[tuple[GeneratedInputs, str, float]], *, by_call: bool = False
) -> list[TrialResult]:
    """Run the trials that `replies` reads.

    `by_call`: a call is limited too, by the slowest one of the canonical solution.
    """
    specs: dict[tuple[str, float], RepliesSpec] = {}
    wanted = []
    for grown, program, cpu_s in programs:
        key = (grown.task.revision, cpu_s)
        if key not in specs:
            specs[key] = grown.spec(cpu_s, call_limit(grown.call_s, cpu_s) if by_call else None)
        wanted.append(Trial(program, specs[key]))
    return trials.run(wanted, name="witnesses")


def read_replies(tried: TrialResult) -> list[Reply]:
    """The replies of a RepliesSpec trial; none if the sandbox failed."""
    if not tried.payload:
        return []
    found = msgspec.msgpack.decode(tried.payload, type=list[Reply])
    return found[:-1] if found and found[-1][0] == "ended" else found


def _end(tried: TrialResult) -> bytes:
    """Return the reason of the end of a program before its last reply; empty if it replied to all calls."""
    found = msgspec.msgpack.decode(tried.payload, type=list[Reply]) if tried.payload else []
    return found[-1][1] if found and found[-1][0] == "ended" else b""


def find_counterexample(grown: GeneratedInputs, given: Sequence[Reply]) -> Counterexample | None:
    """The first call on which a program gives another value or raises, preferably within the test range."""
    for call, gold, reply in zip(grown.calls, grown.gold, given, strict=False):
        if is_different(gold, reply):
            return counterexample_of(grown.task, call, gold, reply)
    return None


def is_different(gold: bytes, reply: Reply) -> bool:
    """Whether a reply differs from the encoded value; False if that cannot be decided."""
    kind, payload = reply
    if kind in ("exception", "unsendable"):
        return True
    if kind != "value" or payload == gold:
        return False
    try:
        value, expected = decode(payload), decode(gold)
    except CodecError:
        return False
    return not matches(value, expected, how="close")


def _shorter(calls: Sequence[Arguments], at: int) -> list[Arguments]:
    """The calls without one on which the solution did not end, and without similar ones.

    Similar are all calls with a number of at most 0 if it has one, otherwise those with equally large
    numbers.
    """
    if at >= len(calls):
        return [*calls]
    ended = calls[at]
    if ended.least <= 0:
        return [call for call in calls if call.least > 0]
    most = max(ended.size, 10.0)
    return [*calls[:at], *(call for call in calls[at + 1 :] if call.size < most)]


def _part(calls: Sequence[Arguments], replied: int) -> list[Arguments]:
    """The largest half, quarter, eighth, ... of the calls that was replied in time.

    So the number of calls hardly depends on the speed of a machine. The part contains the first calls within
    the range of the tests and the first beyond, in equal shares: those have the smallest numbers, which take
    the least time.
    """
    halvings = 0
    while len(calls) >> halvings > max(1, replied):
        halvings += 1
    kinds = [[call for call in calls if call.beyond is beyond] for beyond in (False, True)]
    return [call for kind in kinds for call in kind[: len(kind) >> halvings]] or [*calls[:1]]


def _allowed_calls(task: SolvedTask, inputs: int) -> list[Arguments]:
    """The required number of calls that satisfy the preconditions of the task."""
    allowed = Preconditions(task).are_kept
    return generate_inputs(
        calls_of_tests(task.spec), int(SPARE * inputs), seed=task.revision, allowed=allowed
    )


def _spec(task: SolvedTask, calls: Sequence[Arguments], cpu_s: float, call_s: float | None) -> RepliesSpec:
    levels = task.spec if isinstance(task.spec, LevelsSpec) else None
    return RepliesSpec(
        entry_point=task.entry_point,
        environment=task.spec.environment,
        cpu_limit_s=cpu_s,
        call_limit_s=call_s,
        calls=encode([(call.args, call.kwargs) for call in calls]),
        count=len(calls),
        files=files_of(levels.cases) if levels else {},
        links=levels.links if levels else {},
    )


def _with_values(grown: GeneratedInputs, given: Sequence[Reply], inputs: int) -> GeneratedInputs:
    answered = [
        (call, payload)
        for call, (kind, payload) in zip(grown.calls, given, strict=False)
        if kind == "value" and _is_plain(payload)
    ][:inputs]
    raising = tuple(
        (call, error_type(payload))
        for call, (kind, payload) in zip(grown.calls, given, strict=False)
        if kind == "exception"
    )
    return GeneratedInputs(
        grown.task, [call for call, _ in answered], [payload for _, payload in answered], raising=raising
    )


def error_type(payload: bytes) -> str:
    """The exception type that a reply reports."""
    return payload.decode("utf-8", "replace").partition(":")[0]


def raises_alike(grown: GeneratedInputs, given: Sequence[Reply]) -> bool:
    """Whether a program raises the same types as the canonical solution on the calls on which that raises."""
    return len(given) == len(grown.raising) and all(
        kind == "exception" and error_type(payload) == wanted
        for (_, wanted), (kind, payload) in zip(grown.raising, given, strict=True)
    )


def _is_plain(payload: bytes) -> bool:
    try:
        decode(payload)
    except CodecError:
        return False
    return True


def counterexample_of(task: SolvedTask, call: Arguments, gold: bytes, reply: Reply) -> Counterexample:
    """The values of the gold (encoded) and of another program for a call."""
    kind, payload = reply
    text = call.text(task.entry_point)
    other = (
        source_text(decode(payload)) if kind == "value" else f"raises {payload.decode('utf-8', 'replace')}"
    )
    return Counterexample(
        call=text,
        gold=source_text(decode(gold))[:_LONGEST],
        other=other[:_LONGEST],
        beyond=call.beyond,
    )
