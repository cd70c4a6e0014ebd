"""Judge Python answers: verdicts are made here.

The answer runs in the sandbox; everything that decides stays in this process: the expected values, the
asserts, the clock. Specs have three forms (see `contracts.specs`): calls, batch, mera.
"""

from __future__ import annotations

import marshal
import random
from abc import ABC, abstractmethod
from functools import partial
from typing import Any, Generic, TypeVar

import msgspec

from benchwright.contracts import (
    BatchSpec,
    CallsSpec,
    Extraction,
    Judgement,
    MeraSpec,
    Pending,
    ProgramSpec,
    RepliesSpec,
    ValuesSpec,
)
from benchwright.display.escape import escaped, escaped_start
from benchwright.errors import SandboxError
from benchwright.judges import assertions, reasons
from benchwright.judges.assertions import matches, matches_text
from benchwright.judges.judge_registry import Resources
from benchwright.judges.reasons import DETAIL_LIMIT, Call, said_of
from benchwright.judges.recorded_calls import (
    Check,
    RecordedCalls,
    RecordingSession,
    ReplayedSession,
    check_of,
    unpack_recorded,
)
from benchwright.records import Outcome
from benchwright.sandbox import untrusted
from benchwright.sandbox.box import KEPT_BYTES
from benchwright.sandbox.claims import CallBatch, Session, refused_end, tampered_end
from benchwright.sandbox.codec import CodecError, decode, encode
from benchwright.sandbox.environments import Environment, find_environment
from benchwright.sandbox.input_files import wait_for_files, with_files
from benchwright.sandbox.inside.wire import frame
from benchwright.sandbox.untrusted import UnguardedRead, UntrustedBytes
from benchwright.sandbox.zygote import AnswerEnded, RunningAnswer
from benchwright.sandbox.zygote import Job as SandboxJob
from benchwright.store.strict_json import replace_lone
from benchwright.text.syntax import compile_program, is_cheap_to_compile

MAX_STREAM = 1 << 20  # bytes of expected values that are compared at once
MAX_TEXT = 256 << 10  # characters of all collected values of one answer; far above any expected output
MAX_REPLY = 16 << 10  # bytes of one value that is stored whole; a larger one is stored as its digest
MAX_REPLIES = 256 << 10  # bytes of all values of one program that are stored whole
_HEAD = 5  # added bytes of a text: a reply longer than all texts together has too many characters
S = TypeVar("S", bound=ProgramSpec)


class PythonJudge(ABC, Generic[S]):
    """Judges programs, one at a time, in one sandbox; subclasses define what a spec requires.

    `compiles`: this process may compile a program if that is cheap.
    """

    spec: type[S]
    compiles = True

    def __init__(self, resources: Resources) -> None:
        self._sandbox, self._checking = resources.sandbox, resources.checking

    @abstractmethod
    def _job(self, ready: str | bytes, spec: S) -> SandboxJob:
        """Return the sandbox job of a spec."""

    def _is_as_expected(self, running: RunningAnswer, spec: S) -> bool:
        """Return whether plain bytes show that the program passed. Otherwise `_check` decides, on the whole
        output.

        Values of the program are not used here, so no bound is needed.
        """
        return False

    @abstractmethod
    def _check(self, running: RunningAnswer, spec: S) -> bytes:
        """Talk to the program; return the payload if the answer passed. Raises AnswerEnded if it did not."""

    def judge(self, taken: Extraction, spec: S) -> Judgement | Pending:
        """Compile the program if that is cheap; return a judgement, or one that executes it later."""
        ready = self._prepare(taken.program)
        return ready if isinstance(ready, Judgement) else partial(self._execute, ready, spec)

    def _prepare(self, program: str) -> str | bytes | Judgement:
        """Return the program in the sandbox's form; a judgement if it cannot be compiled."""
        try:
            return _compiled(program) if self.compiles and is_cheap_to_compile(program) else program
        except (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError) as error:
            return Judgement(outcome=Outcome.syntax_error, detail=escaped_start(said_of(error), DETAIL_LIMIT))

    def _execute(self, ready: str | bytes, spec: S) -> Judgement:
        outcome, detail, payload = Outcome.passed, "", b""
        raised, call_s = "", 0.0

        def work(running: RunningAnswer) -> None:
            nonlocal outcome, detail, payload, raised, call_s
            if spec.call_limit_s is not None:
                running.limit_call(spec.call_limit_s)
            if spec.observed:
                running.measure_calls()
            outcome, detail, payload, raised = self._decide(running, spec)
            call_s = running.slowest_s or 0.0

        usage = self._sandbox.execute(
            self._job(ready, spec), work, environment=environment_of(spec), cpu_s=spec.cpu_limit_s
        )
        if outcome is Outcome.exception and usage.printed >= self._sandbox.limits.output_bytes:
            outcome, detail = Outcome.output_limit, f"printed {usage.printed} bytes; then {detail}"
        trouble = "; ".join(self._sandbox.trouble)
        self._sandbox.trouble.clear()
        return Judgement(
            outcome=outcome,
            trouble=trouble,
            detail=escaped_start(detail, DETAIL_LIMIT),
            cpu_s=round(usage.cpu_s, 6),
            wall_s=round(usage.wall_s, 6),
            stdout="" if outcome is Outcome.passed else escaped(usage.stdout.decode("utf-8", "replace")),
            payload=payload,
            call_s=round(call_s, 6),
            traceback=escaped_start(raised, DETAIL_LIMIT) if outcome is Outcome.exception else "",
        )

    def _decide(self, running: RunningAnswer, spec: S) -> End:
        """Return the end of the answer. Any effect of its values on this process is an outcome of the
        answer."""
        clock = untrusted.ProcessorClock(0.0)
        try:
            if self._is_as_expected(running, spec):
                return Outcome.passed, "", b"", ""
            with self._checking() as clock:
                end = self._checked(running, spec)
        except AnswerEnded as ended:
            return ended.outcome, ended.detail, b"", ended.raised
        except untrusted.CpuTimeExceeded:
            return _busy(clock)
        except MemoryError:
            return Outcome.out_of_memory, "its values took more memory in the test than it may have", b"", ""
        passed_late = clock.expired and end[0] is Outcome.passed  # the test caught the exception
        return _busy(clock) if passed_late else end

    def _checked(self, running: RunningAnswer, spec: S) -> End:
        """Check within bounds: an error message may contain text that the answer chose."""
        try:
            return Outcome.passed, "", self._check(running, spec), ""
        except (AnswerEnded, SandboxError, MemoryError, UnguardedRead):
            raise
        except Exception as error:  # noqa: BLE001 (a right answer's values bring none about)
            return Outcome.wrong, f"its values could not be checked: {said_of(error)}", b"", ""


End = tuple[Outcome, str, bytes, str]  # outcome, detail, payload, and the exception that the answer reports


def _busy(clock: untrusted.ProcessorClock) -> End:
    return Outcome.timed_out, f"its values kept the test busy for {clock.seconds:g} s", b"", ""


def environment_of(spec: ProgramSpec) -> str | Environment:
    """Return the profile of a spec; its variation may need an interpreter with another hash seed, clock or
    zone.

    The folder of an answer is the same in all: it has no other one.
    """
    hash_seed, shift_s, zone = spec.variation.hash_seed, spec.variation.clock_shift_s, spec.variation.timezone
    if (hash_seed, shift_s, zone) == (0, 0, "UTC"):
        return spec.environment
    return msgspec.structs.replace(
        find_environment(spec.environment),
        name=f"{spec.environment}, hash seed {hash_seed}, {shift_s} s, {zone}",
        hash_seed=hash_seed,
        clock_shift_s=shift_s,
        timezone=zone,
    )


def _compiled(program: str) -> bytes:
    """Return the program's marshalled code object, so that the answer's side needs no compiler.

    Compiling runs nothing of the program. It costs 0.1 ms here and 0.5 ms in a new fork, where the compiler
    touches every page first. A program that is not cheap to compile is left to the answer's side.
    """
    return marshal.dumps(compile_program(program))


class CallsJudge(PythonJudge[CallsSpec]):
    """Runs the data set's own check, which calls the program."""

    spec = CallsSpec
    _known: tuple[Check, bytes, RecordedCalls | None] | None = None  # the last recording
    _replayed: ReplayedSession | None = None  # of the current execution

    def _job(self, ready: str | bytes, spec: CallsSpec) -> SandboxJob:
        return "calls", spec.entry_point, ready, b""

    def _execute(self, ready: str | bytes, spec: CallsSpec) -> Judgement:
        found = super()._execute(ready, spec)
        if self._replayed is not None and self._replayed.differs:
            found = super()._execute(ready, msgspec.structs.replace(spec, recorded=b""))
        return found

    def _is_as_expected(self, running: RunningAnswer, spec: CallsSpec) -> bool:
        recorded = self._recorded(spec) if spec.recorded else None
        self._replayed = recorded and ReplayedSession(running, recorded)
        return self._replayed is not None and self._replayed.is_same()

    def _recorded(self, spec: CallsSpec) -> RecordedCalls | None:
        check = check_of(spec)
        if self._known is None or self._known[:2] != (check, spec.recorded):
            self._known = check, spec.recorded, unpack_recorded(spec.recorded, check)
        return self._known[2]

    def _check(self, running: RunningAnswer, spec: CallsSpec) -> bytes:
        session = self._replayed or (RecordingSession if spec.observed else Session)(running)
        assertions.run(spec, session)
        if isinstance(session, ReplayedSession):
            session.differs = not session.is_complete
        if running.has_unread:
            raise tampered_end("a reply to no call")
        return session.packed(check_of(spec)) if isinstance(session, RecordingSession) else b""


class BatchJudge(PythonJudge[BatchSpec]):
    """Makes all calls at once and compares the values. A variation may change their order."""

    spec = BatchSpec
    _known: tuple[BatchSpec, tuple[bytes, ...]] | None = None  # the last spec's right replies

    def judge(self, taken: Extraction, spec: BatchSpec) -> Judgement | Pending:
        """Judge like the base class."""
        return super().judge(taken, spec if spec.variation.order_seed is None else _reordered(spec))

    def _job(self, ready: str | bytes, spec: BatchSpec) -> SandboxJob:
        return "batch", spec.entry_point, ready, spec.calls

    def _is_as_expected(self, running: RunningAnswer, spec: BatchSpec) -> bool:
        if spec.observed:
            return False  # each reply is read by itself
        if self._known is None or self._known[0] is not spec:
            self._known = spec, _right_replies(spec, self._sandbox.limits.reply_bytes)
        beginnings = self._known[1]
        return bool(beginnings) and all(map(running.begins_with, beginnings))

    def _check(self, running: RunningAnswer, spec: BatchSpec) -> bytes:
        for number, reply in enumerate(CallBatch(running, _count(spec)).replies()):
            kind, payload, error, _ = reply
            if kind == "value":
                _check_value(payload, number, spec)
            else:
                raise failure(kind, _call(spec, number), error)
        return b""


class MeraJudge(PythonJudge[MeraSpec]):
    """Loads and compares like MERA's harnesses, which compile source themselves."""

    spec = MeraSpec
    compiles = False

    def _job(self, ready: str | bytes, spec: MeraSpec) -> SandboxJob:
        return spec.harness, spec.entry_point, ready, spec.calls

    def _check(self, running: RunningAnswer, spec: MeraSpec) -> bytes:
        gold = spec.expected_text
        answers = mera_answers(running, len(gold))
        if len(answers) != len(gold):
            raise AnswerEnded(Outcome.wrong, f"{len(answers)} results for {len(gold)} tests")
        for number, (answer, expected) in enumerate(zip(answers, gold, strict=True)):
            if not matches_text(answer, expected):
                raise _wrong(_call(spec, number, answer), expected)
        return b""


class ValuesJudge(PythonJudge[ValuesSpec]):
    """Collects the values that MERA's harness would store. The outcome is "passed" for any values."""

    spec = ValuesSpec
    compiles = False

    def _job(self, ready: str | bytes, spec: ValuesSpec) -> SandboxJob:
        return "mera-code", spec.entry_point, ready, spec.calls

    def _check(self, running: RunningAnswer, spec: ValuesSpec) -> bytes:
        values = mera_answers(running, spec.count, kept=4 * MAX_TEXT + _HEAD * spec.count)
        if not isinstance(values, str):
            if sum(len(value) for value in values if value) > MAX_TEXT:
                raise AnswerEnded(Outcome.output_limit, "its results together are longer than is kept")
            values = [value and replace_lone(value) for value in values]
        return msgspec.msgpack.encode(values)


class RepliesJudge(PythonJudge[RepliesSpec]):
    """Collects the replies of a program to each call. The outcome is "passed" for any replies."""

    spec = RepliesSpec

    def _job(self, ready: str | bytes, spec: RepliesSpec) -> SandboxJob:
        job: SandboxJob = ("batch", spec.entry_point, ready, spec.calls)
        return with_files(job, files=spec.files, links=spec.links) if spec.files or spec.links else job

    def _check(self, running: RunningAnswer, spec: RepliesSpec) -> bytes:
        if spec.files or spec.links:
            wait_for_files(running)
        replies, room = list[tuple[str, bytes]](), MAX_REPLIES
        try:
            for kind, payload, error, _ in CallBatch(running, spec.count).replies():
                large = len(payload) > min(MAX_REPLY, room)
                replies.append(_reply(kind, payload, error, large=large))
                room -= 0 if large else len(payload)
        except AnswerEnded as ended:
            if ended.outcome in (Outcome.tampered, Outcome.sandbox_error):
                raise
            replies.append(("ended", f"{ended.outcome.value}: {ended.detail}".encode()[:DETAIL_LIMIT]))
        return msgspec.msgpack.encode(replies)


def _reply(kind: str, payload: UntrustedBytes, error: str, *, large: bool) -> tuple[str, bytes]:
    if kind != "value":
        return kind, error.encode("utf-8", "replace")[:DETAIL_LIMIT]
    return ("large", payload.digest()) if large else ("value", payload.reveal())


def _reordered(spec: BatchSpec) -> BatchSpec:
    """Return the same calls in the order of the variation's seed."""
    calls = decode(spec.calls)
    order = random.Random(spec.variation.order_seed).sample(range(len(calls)), len(calls))
    return msgspec.structs.replace(
        spec,
        calls=encode([calls[at] for at in order]),
        expected=[spec.expected[at] for at in order] if spec.expected else [],
        expected_text=[spec.expected_text[at] for at in order] if spec.expected_text else [],
    )


def _right_replies(spec: BatchSpec, most: int) -> tuple[bytes, ...]:
    """Return the replies of an answer whose values all equal the expected ones byte for byte: the first one,
    and all.

    The first one alone detects most wrong answers without waiting for their other values.
    Nothing if a value is known as text only, or may not be sent, or if all would be too large.
    """
    if not spec.expected or sum(map(len, spec.expected)) > MAX_STREAM or max(map(len, spec.expected)) > most:
        return ()
    loaded, *values = frame(b"L", b""), *(frame(b"V", value) for value in spec.expected)
    return loaded + values[0], b"".join([loaded, *values, frame(b"D", b"")])


def _count(spec: BatchSpec) -> int:
    return max(len(spec.expected), len(spec.expected_text))


def _call(spec: BatchSpec | MeraSpec, number: int, value: Any = None) -> Call:
    """Return a call of a batch, for the reason of a failure."""
    args, kwargs = decode(spec.calls)[number]
    return Call(number + 1, spec.entry_point, args, kwargs, value)


def failure(kind: str, call: Call, error: str) -> AnswerEnded:
    """Return the end of an answer whose call returned no value: `kind` and `error` as in
    `exchange.read_reply`."""
    if kind == "memory":
        return AnswerEnded(Outcome.out_of_memory, reasons.raised(call, error))
    if kind == "unsendable":
        message = f"{reasons.named(call)}: returned a value that cannot be compared: {error}"
        return AnswerEnded(Outcome.wrong, message)
    return AnswerEnded(Outcome.exception, reasons.raised(call, error), raised=error)


def _check_value(payload: UntrustedBytes, number: int, spec: BatchSpec) -> None:
    expected_bytes = spec.expected[number] if spec.expected else b""
    if payload == expected_bytes:
        return  # equal bytes are equal values of equal types, so most answers are never decoded
    value = read_value(payload)
    if expected_bytes:
        expected = decode(expected_bytes)
        if not matches(value, expected, how=spec.compare):
            raise _wrong(_call(spec, number, value), reasons.shown(expected))
    elif not matches_text(value, spec.expected_text[number]):
        raise _wrong(_call(spec, number, value), spec.expected_text[number])


def read_value(payload: UntrustedBytes) -> Any:
    """Return the value of a reply. Raises AnswerEnded if it is too large, or there is none."""
    try:
        return decode(payload)
    except CodecError as error:
        raise refused_end(error) from None


def _wrong(call: Call, expected: str) -> AnswerEnded:
    return AnswerEnded(Outcome.wrong, reasons.gave(call, expected))


def mera_answers(running: RunningAnswer, count: int, *, kept: int = KEPT_BYTES) -> str | list[str | None]:
    """Return MERA's list of results: a text each, None for an exception; a timeout is the string "timed out",
    which MERA then compares character by character.

    Raises AnswerEnded with `output_limit` if they exceed `kept` bytes together, since all are stored.
    """
    answers: list[str | None] = []
    try:
        for kind, payload, *_ in CallBatch(running, count).replies():
            answers.append(_mera_result(payload) if kind == "value" else None)
            kept -= len(payload)
            if kept < 0:
                raise AnswerEnded(Outcome.output_limit, "its results together are longer than is kept")
    except AnswerEnded as ended:
        if ended.outcome in (Outcome.tampered, Outcome.output_limit, Outcome.sandbox_error):
            raise
        if len(answers) < count:
            return [None] * count if running.usage is None and ended.outcome in _NOT_LOADED else "timed out"
    return answers


def _mera_result(payload: UntrustedBytes) -> str | None:
    """Return a text or None; a program that does not write to the channel itself sends nothing else."""
    if not payload.startswith((b"N", b"u")):  # as marshal encodes them, before anything else is built
        raise tampered_end("a result that is not a text")
    result: str | None = read_value(payload)
    return result


_NOT_LOADED = (Outcome.exception, Outcome.syntax_error, Outcome.no_entry_point)
