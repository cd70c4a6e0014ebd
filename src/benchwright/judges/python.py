"""Where a verdict on a Python answer is made.

The answer runs in the sandbox; everything that decides stays in this process: the expected values,
the asserts, the clock. Three forms of the same question (see `contracts.CallSpec`): calls, batch, mera.
"""

from __future__ import annotations

import marshal
import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from benchwright.contracts import CallSpec
from benchwright.display.escape import escaped
from benchwright.errors import SandboxError
from benchwright.judges import bounds, checks, reasons
from benchwright.judges.compare import matches, matches_text
from benchwright.judges.reasons import Call
from benchwright.records import Isolation, Outcome, Record
from benchwright.sandbox.box import KEPT_BYTES, Sandbox
from benchwright.sandbox.codec import CodecError, decode
from benchwright.sandbox.exchange import Batch, Session, refused, tampered
from benchwright.sandbox.zygote import Ended, Running

DETAIL_LIMIT = 500
MAX_COMPILED = 32 << 10


class Judgement(Record, frozen=True, kw_only=True):
    """What came out of judging one program, before it is tied to an answer.

    `rule`, `truncated` and `suspicious` say how the program was read, where it was taken from a text.
    """

    outcome: Outcome
    isolation: Isolation = Isolation.separated
    detail: str = ""
    cpu_s: float = 0.0
    wall_s: float = 0.0
    stdout: str = ""
    trouble: str = ""  # a failure of the sandbox that another attempt got over
    rule: str = ""
    truncated: bool = False
    suspicious: str = ""


Bound = Callable[[], AbstractContextManager[bounds.Clock]]


class PythonJudge:
    """Judges programs against specs, one at a time, in one sandbox.

    `checking` is entered for as long as an answer's values are at work in this process: what they may take
    of it is bounded there, by default their processor time alone.
    """

    def __init__(self, sandbox: Sandbox, *, checking: Bound = bounds.processor_limit) -> None:
        self._sandbox, self._checking = sandbox, checking
        self._forms: dict[str, Callable[[Running, CallSpec], None]] = {
            "calls": _judge_calls,
            "batch": _judge_batch,
            "mera-code": _judge_mera,
            "mera-text": _judge_mera,
        }

    def judge(self, program: str, spec: CallSpec) -> Judgement:
        """Run the program and say how it ended. Raises SandboxError when the sandbox failed repeatedly."""
        ready = prepare(program, spec)
        return ready if isinstance(ready, Judgement) else self.execute(ready, spec)

    def execute(self, ready: str | bytes, spec: CallSpec) -> Judgement:
        """As `judge`, of what `prepare` made of a program."""
        outcome, detail = Outcome.passed, ""

        def work(running: Running) -> None:
            nonlocal outcome, detail
            outcome, detail = self._decide(running, spec)

        job = (spec.form, spec.entry_point, ready, spec.calls)
        usage = self._sandbox.execute(job, work, environment=spec.environment, cpu_s=spec.cpu_limit_s)
        if outcome is Outcome.exception and usage.printed >= self._sandbox.limits.output_bytes:
            outcome, detail = Outcome.output_limit, f"printed {usage.printed} bytes; then {detail}"
        trouble = "; ".join(self._sandbox.trouble)
        self._sandbox.trouble.clear()
        return Judgement(
            outcome=outcome,
            trouble=trouble,
            detail=escaped(detail[:DETAIL_LIMIT])[:DETAIL_LIMIT],
            cpu_s=round(usage.cpu_s, 6),
            wall_s=round(usage.wall_s, 6),
            stdout="" if outcome is Outcome.passed else escaped(usage.stdout.decode("utf-8", "replace")),
        )

    def _decide(self, running: Running, spec: CallSpec) -> tuple[Outcome, str]:
        """How the answer ends. Whatever its values do to this process is an outcome of the answer."""
        decide, clock = self._forms[spec.form], bounds.Clock(0.0)
        try:
            with self._checking() as clock:
                decide(running, spec)
        except Ended as ended:
            return ended.outcome, ended.detail
        except bounds.TimeUsedUp:
            return Outcome.timed_out, f"its values kept the test busy for {clock.seconds:g} s"
        except MemoryError:
            return Outcome.out_of_memory, "its values took more memory in the test than it may have"
        except SandboxError:
            raise
        except Exception as error:  # noqa: BLE001 (a right answer's values bring none about)
            return Outcome.wrong, f"its values could not be checked: {said_of(error)}"
        if clock.expired:  # the test caught what ended it
            return Outcome.timed_out, f"its values kept the test busy for {clock.seconds:g} s"
        return Outcome.passed, ""


def prepare(program: str, spec: CallSpec) -> str | bytes | Judgement:
    """The program as the sandbox takes it, compiled where that is cheap; a judgement where it cannot be."""
    try:
        return _compiled(program) if _is_cheap_to_compile(program, spec.form) else program
    except (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError) as error:
        return Judgement(outcome=Outcome.syntax_error, detail=escaped(said_of(error))[:DETAIL_LIMIT])


def _is_cheap_to_compile(program: str, form: str) -> bool:
    """Whether this process may compile it: the time and memory it takes are bounded by the length.

    Not so with `finally`: the compiler writes such a block once for each way out of it. All else grows with
    the length. MERA's forms load source, as MERA does.
    """
    return not form.startswith("mera") and len(program) <= MAX_COMPILED and "finally" not in program


def _compiled(program: str) -> bytes:
    """The program's code object, marshalled: the answer's side then needs no compiler.

    Compiling runs nothing of the program, costs 0.1 ms here and 0.5 ms in a fresh fork, whose every page
    the compiler would be the first to touch. What is not cheap to compile is left to the answer's side.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return marshal.dumps(compile(program, "<solution>", "exec", dont_inherit=True, optimize=0))


def said_of(error: Exception) -> str:
    """An error in a line: its type, its text, and the line of a program that does not compile."""
    line = f" (line {error.lineno})" if isinstance(error, SyntaxError) and error.lineno else ""
    text = error.msg if isinstance(error, SyntaxError) else reasons.text_of(error)
    return f"{type(error).__name__}: {text}{line}"


def _judge_calls(running: Running, spec: CallSpec) -> None:
    session = Session(running)
    checks.run(spec, session)
    if running.has_unread:
        raise tampered("a reply to no call")


def _judge_batch(running: Running, spec: CallSpec) -> None:
    for number, reply in enumerate(Batch(running, _count(spec)).replies()):
        kind, payload, error = reply
        if kind == "value":
            _check_value(payload, number, spec)
        else:
            raise _failure(kind, _call(spec, number), error)


def _count(spec: CallSpec) -> int:
    return max(len(spec.expected), len(spec.expected_text))


def _call(spec: CallSpec, number: int, value: Any = None) -> Call:
    """A call of a batch, for the reason why it failed."""
    args, kwargs = decode(spec.calls)[number]
    return Call(number + 1, spec.entry_point, args, kwargs, value)


def _failure(kind: str, call: Call, error: str) -> Ended:
    if kind == "memory":
        return Ended(Outcome.out_of_memory, reasons.raised(call, error))
    if kind == "unsendable":
        said = f"{reasons.named(call)}: returned a value that cannot be compared: {error}"
        return Ended(Outcome.wrong, said)
    return Ended(Outcome.exception, reasons.raised(call, error))


def _check_value(payload: bytes, number: int, spec: CallSpec) -> None:
    expected_bytes = spec.expected[number] if spec.expected else b""
    if payload == expected_bytes:
        return  # equal bytes are equal values of equal types, so most answers are never decoded
    value = _decode(payload)
    if expected_bytes:
        expected = decode(expected_bytes)
        if not matches(value, expected, how=spec.compare):
            raise _wrong(_call(spec, number, value), reasons.shown(expected))
    elif not matches_text(value, spec.expected_text[number]):
        raise _wrong(_call(spec, number, value), spec.expected_text[number])


def _decode(payload: bytes) -> Any:
    try:
        return decode(payload)
    except CodecError as error:
        raise refused(error) from None


def _wrong(call: Call, expected: str) -> Ended:
    return Ended(Outcome.wrong, reasons.gave(call, expected))


def _judge_mera(running: Running, spec: CallSpec) -> None:
    gold = spec.expected_text
    answers = mera_answers(running, len(gold))
    if len(answers) != len(gold):
        raise Ended(Outcome.wrong, f"{len(answers)} results for {len(gold)} tests")
    for number, (given, expected) in enumerate(zip(answers, gold, strict=True)):
        if not matches_text(given, expected):
            raise _wrong(_call(spec, number, given), expected)


def mera_answers(running: Running, count: int, *, kept: int = KEPT_BYTES) -> str | list[str | None]:
    """MERA's list of results: a text each, None for an exception; a timeout is the string "timed out",
    which MERA then compares character by character.

    Raises Ended with `output_limit` when they take more than `kept` bytes together, since all are held.
    """
    answers: list[str | None] = []
    try:
        for kind, payload, _ in Batch(running, count).replies():
            answers.append(_mera_result(payload) if kind == "value" else None)
            kept -= len(payload)
            if kept < 0:
                raise Ended(Outcome.output_limit, "its results together are longer than is kept")
    except Ended as ended:
        if ended.outcome in (Outcome.tampered, Outcome.output_limit, Outcome.sandbox_error):
            raise
        if len(answers) < count:
            return [None] * count if running.usage is None and ended.outcome in _NOT_LOADED else "timed out"
    return answers


def _mera_result(payload: bytes) -> str | None:
    """A text or None: nothing else is sent there by who does not write to the channel himself."""
    if payload[:1] not in (b"N", b"u"):  # as marshal spells them, before anything else is built
        raise tampered("a result that is no text")
    result: str | None = _decode(payload)
    return result


_NOT_LOADED = (Outcome.exception, Outcome.syntax_error, Outcome.no_entry_point)
