"""Calls on which another program gives something else than the canonical solution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from benchwright.building.adequacy.inputs import Arguments, grow, own_calls
from benchwright.building.adequacy.nouns import Witness
from benchwright.building.adequacy.promises import Promises
from benchwright.building.solved import SolvedTask
from benchwright.cases.reading import files_of
from benchwright.contracts import LevelsSpec, RepliesSpec
from benchwright.executing.trials import Trial, Trials, Tried
from benchwright.judges.compare import matches
from benchwright.sandbox.codec import CodecError, decode, encode
from benchwright.text.source_text import source_text

ROUNDS = 8  # inputs on which the canonical solution does not end are taken out so often
SPARE = 1.5  # so many times the inputs wanted are grown: on some the canonical solution gives nothing
_LONGEST = 500  # characters of a value or a text that is shown
Reply = tuple[str, bytes]  # see `contracts.RepliesSpec`


class Grown(NamedTuple):
    """Calls of one task on which its canonical solution gives a value, and those values."""

    task: SolvedTask
    calls: list[Arguments]
    gold: list[bytes]  # encoded
    cpu_s: float = 0.0  # what the canonical solution took for all of them
    raising: tuple[tuple[Arguments, str], ...] = ()  # calls on which it raises, and the exception's type

    def spec(self, cpu_s: float) -> RepliesSpec:
        """What asks a program for its values, in the task's own profile."""
        return _spec(self.task, self.calls, cpu_s)


def grow_inputs(tasks: Sequence[SolvedTask], trials: Trials, *, inputs: int, cpu_s: float) -> list[Grown]:
    """For each task grown calls and what its canonical solution gives; none where no call is data."""
    waiting = [Grown(task, _wanted(task, inputs), []) for task in tasks]
    found: dict[int, Grown] = {}
    for left in reversed(range(ROUNDS)):
        asked = [at for at, each in enumerate(waiting) if at not in found and each.calls]
        tried = trials.run(
            [Trial(waiting[at].task.gold, waiting[at].spec(cpu_s)) for at in asked], name="inputs"
        )
        for at, end in zip(asked, tried, strict=True):
            given, calls = read_replies(end), waiting[at].calls
            if len(given) == len(calls) or not left:
                found[at] = _with_values(waiting[at], given, inputs)._replace(cpu_s=end.cpu_s)
            else:  # it did not end, or the sandbox failed
                waiting[at] = waiting[at]._replace(calls=_shorter(calls, len(given)))
    return [found.get(at, each._replace(calls=[], gold=[])) for at, each in enumerate(waiting)]


def replies(trials: Trials, programs: Sequence[tuple[Grown, str, float]]) -> list[list[Reply]]:
    """What each program gives on the calls of a task, within a limit of processor seconds."""
    return [read_replies(each) for each in try_replies(trials, programs)]


def try_replies(trials: Trials, programs: Sequence[tuple[Grown, str, float]]) -> list[Tried]:
    """The trials behind `replies`."""
    specs: dict[tuple[str, float], RepliesSpec] = {}
    wanted = []
    for grown, program, cpu_s in programs:
        key = (grown.task.revision, cpu_s)
        if key not in specs:
            specs[key] = grown.spec(cpu_s)
        wanted.append(Trial(program, specs[key]))
    return trials.run(wanted, name="witnesses")


def read_replies(tried: Tried) -> list[Reply]:
    """The replies of a trial of a RepliesSpec; none where the sandbox failed."""
    if not tried.payload:
        return []
    found = msgspec.msgpack.decode(tried.payload, type=list[Reply])
    return found[:-1] if found and found[-1][0] == "ended" else found


def find_witness(grown: Grown, given: Sequence[Reply]) -> Witness | None:
    """The first call on which a program gives another value, or raises; within the tests' range if it can."""
    for call, gold, reply in zip(grown.calls, grown.gold, given, strict=False):
        if is_different(gold, reply):
            return witness_of(grown.task, call, gold, reply)
    return None


def is_different(gold: bytes, reply: Reply) -> bool:
    """Whether a reply is another value than the encoded one; not so where it cannot be told."""
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
    """Without a call on which the solution did not end, and without those that are like it.

    Those are all with a number of no more than 0 where it has one, else those of as large numbers.
    """
    if at >= len(calls):
        return [*calls]
    ended = calls[at]
    if ended.least <= 0:
        return [call for call in calls if call.least > 0]
    most = max(ended.size, 10.0)
    return [*calls[:at], *(call for call in calls[at + 1 :] if call.size < most)]


def _wanted(task: SolvedTask, inputs: int) -> list[Arguments]:
    """As many calls as are wanted that keep what the task says of its inputs."""
    allowed = Promises(task).are_kept
    return grow(own_calls(task.spec), int(SPARE * inputs), seed=task.revision, allowed=allowed)


def _spec(task: SolvedTask, calls: Sequence[Arguments], cpu_s: float) -> RepliesSpec:
    levels = task.spec if isinstance(task.spec, LevelsSpec) else None
    return RepliesSpec(
        entry_point=task.entry_point,
        environment=task.spec.environment,
        cpu_limit_s=cpu_s,
        calls=encode([(call.args, call.kwargs) for call in calls]),
        count=len(calls),
        files=files_of(levels.cases) if levels else {},
        links=levels.links if levels else {},
    )


def _with_values(grown: Grown, given: Sequence[Reply], inputs: int) -> Grown:
    kept = [
        (call, payload)
        for call, (kind, payload) in zip(grown.calls, given, strict=False)
        if kind == "value" and _is_plain(payload)
    ][:inputs]
    raising = tuple(
        (call, error_type(payload))
        for call, (kind, payload) in zip(grown.calls, given, strict=False)
        if kind == "exception"
    )
    return Grown(grown.task, [call for call, _ in kept], [payload for _, payload in kept], raising=raising)


def error_type(payload: bytes) -> str:
    """The type of the exception that a reply reports."""
    return payload.decode("utf-8", "replace").partition(":")[0]


def raises_alike(grown: Grown, given: Sequence[Reply]) -> bool:
    """Whether a program raises the same types on the calls on which the canonical solution raises."""
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


def witness_of(task: SolvedTask, call: Arguments, gold: bytes, reply: Reply) -> Witness:
    """What the gold, as it is encoded, and another program give for a call."""
    kind, payload = reply
    text = call.text(task.entry_point)
    other = (
        source_text(decode(payload)) if kind == "value" else f"raises {payload.decode('utf-8', 'replace')}"
    )
    return Witness(
        call=text,
        gold=source_text(decode(gold))[:_LONGEST],
        other=other[:_LONGEST],
        beyond=call.beyond,
    )
