"""Protocols with an answer: batch (all calls in, all values out) and single calls.

Both raise `AnswerEnded` at the end of the answer. A frame that no honest answer sends is reported as
`tampered`: the answer then wrote to the channel itself.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from typing import Any, NamedTuple

from benchwright.records import Outcome
from benchwright.sandbox.codec import CodecError, TooLarge, Unsendable, decode, decode_two, encode
from benchwright.sandbox.inside.wire import CLAIM_KIND, CLAIM_KINDS, CLAIM_NAME, CLAIM_TEXT
from benchwright.sandbox.untrusted import UntrustedBytes, default_limit
from benchwright.sandbox.zygote import AnswerEnded, RunningAnswer

# Exceptions that end loops. Raised in a test, they would end its `map`, `zip` or generator before any
# comparison, and the test would pass.
_ENDS_OF_LOOPS = (StopIteration, StopAsyncIteration, GeneratorExit)
ReplyFrame = tuple[
    str, UntrustedBytes, str, tuple[str, ...]
]  # kind, payload, what it said, kinds of an exception
MAX_CLAIM = 16 << 10  # bytes: four for each character of the longest claim, and separators
_MAX_LINE = 1 << 31
_NOTHING = UntrustedBytes(b"")
_STAGES = {"compile": Outcome.syntax_error, "entry": Outcome.no_entry_point, "load": Outcome.exception}


class RemoteError(Exception):
    """The answer raised an exception that is not built in, or one that would end a loop.

    The message contains its name and text.
    """


def tampered_end(what: str) -> AnswerEnded:
    """Return the end of an answer that wrote `what` to the channel itself."""
    return AnswerEnded(Outcome.tampered, f"wrote to the verdict's channel: {what}")


def refused_end(error: CodecError) -> AnswerEnded:
    """Return the end of an answer whose value is too large or malformed."""
    if isinstance(error, TooLarge):
        return AnswerEnded(Outcome.output_limit, f"returned too large a value: {error}")
    return tampered_end(f"a malformed value ({error})")


def read_loaded(running: RunningAnswer) -> None:
    """Wait until the program is loaded. Raises AnswerEnded if that fails."""
    kind, payload = running.read()
    if kind == b"L" and not payload:
        return
    if kind != b"E":
        raise tampered_end(f"a frame {kind!r} before it was loaded")
    claim = read_claim(payload)
    if claim.memory:
        raise AnswerEnded(Outcome.out_of_memory, claim.text)
    text = "the program does not define the entry point" if claim.stage == "entry" else claim.text
    raise AnswerEnded(_STAGES.get(claim.stage, Outcome.exception), text, raised=claim.text)


class Claim(NamedTuple):
    """An exception as reported by an answer: `text` is "Type: text (line n)", `memory` marks a MemoryError.

    `kinds` are the names of the exception's class and its bases, in this order, with modules except for
    built-in classes. They are known for exceptions in calls only. Fields are not longer than the answer's
    side of this package makes them (`inside.wire`): longer ones were written to the channel by the answer.
    """

    stage: str
    text: str
    memory: bool
    kinds: tuple[str, ...]


def read_claim(payload: UntrustedBytes) -> Claim:
    """Read an error report with limits on fields. Raises AnswerEnded (`tampered`) for an invalid one."""
    if len(payload) > MAX_CLAIM:
        raise tampered_end(f"an error report of {len(payload)} bytes")
    try:
        stage, name, text, line, *kinds = decode(payload)
    except (CodecError, TypeError, ValueError):
        raise tampered_end("an unreadable error report") from None
    if not (
        _is_text(stage, CLAIM_NAME)
        and _is_text(name, CLAIM_NAME)
        and _is_text(text, CLAIM_TEXT)
        and type(line) is int
        and len(kinds) <= CLAIM_KINDS
        and all(_is_text(each, CLAIM_KIND) for each in kinds)
    ):
        raise tampered_end("an error report with fields of the wrong type or length")
    place = f" (line {line})" if 0 < line < _MAX_LINE else ""
    message = f"{name}: {text}{place}" if text else f"{name}{place}"
    return Claim(stage, message, name == "MemoryError", tuple(kinds))


def _is_text(value: Any, most: int) -> bool:
    return type(value) is str and len(value) <= most


def is_kind(wanted: str, kinds: tuple[str, ...]) -> bool:
    """Return whether an exception with these kinds is of the wanted type or a subclass.

    The name of a built-in class means that class; other names mean a class of that name, in the package or
    module before the last dot, if any.

    >>> is_kind("ValueError", ("json.decoder.JSONDecodeError", "ValueError", "Exception"))
    True
    >>> is_kind("json.JSONDecodeError", ("json.decoder.JSONDecodeError", "ValueError", "Exception"))
    True
    """
    if (own := getattr(builtins, wanted, None)) is not None:
        return own.__name__ in kinds  # `IOError` is a second name of OSError
    module, _, name = wanted.rpartition(".")
    return any(
        found == name and (not module or f"{where}.".startswith(f"{module}."))
        for where, _, found in (each.rpartition(".") for each in kinds)
    )


class CallBatch:
    """All calls at once. Values arrive one by one, so those before a hang are known."""

    def __init__(self, running: RunningAnswer, count: int) -> None:
        self._running, self._count = running, count

    def replies(self) -> Iterator[ReplyFrame]:
        """Yield the reply to each call in order. Raises AnswerEnded."""
        read_loaded(self._running)
        for _ in range(self._count):
            yield read_reply(self._running)
        kind, _ = self._running.read()
        if kind != b"D":
            raise tampered_end("more replies than calls")


def read_reply(running: RunningAnswer) -> ReplyFrame:
    """Read a reply: ("value", payload, "", ()), or "exception", "unsendable" or "memory" with its text."""
    kind, payload = running.read()
    if kind == b"V":
        return "value", payload, "", ()
    if kind not in (b"X", b"T"):
        raise tampered_end(f"a frame {kind!r} instead of a reply")
    claim = read_claim(payload)
    if claim.memory:
        return "memory", _NOTHING, claim.text, claim.kinds
    return ("exception" if kind == b"X" else "unsendable"), _NOTHING, claim.text, claim.kinds


class Session:
    """Single calls. After the end of the answer (`ended` is set), every call raises it again."""

    def __init__(self, running: RunningAnswer) -> None:
        self._running = running
        self.calls = 0
        self.sent, self.received = b"", _NOTHING  # request and result of the last call
        self.ended: AnswerEnded | None = None
        self.raised: BaseException | None = None
        self.report = ""  # the answer's report of its last exception

    def call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return the value of a call; arguments that the answer changed are changed here too.

        Raises AnswerEnded, or an exception of the built-in type that the answer raised (else Remote).
        """
        if self.ended is not None:
            raise self.ended
        try:
            with default_limit():
                return self._call(args, kwargs)
        except AnswerEnded as ended:
            self.ended = ended
            raise

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        self._begin()
        self.calls += 1
        self.sent, self.received = self._encoded(args, kwargs), _NOTHING
        kind, payload, error, _ = self._exchange()
        if kind == "value":
            self.received = payload
            return self._value(payload, args, kwargs)
        if kind == "memory":
            raise AnswerEnded(Outcome.out_of_memory, error)
        if kind == "unsendable":
            raise AnswerEnded(
                Outcome.wrong, f"call {self.calls}: returned a value that cannot be compared: {error}"
            )
        self.raised, self.report = _as_exception(error), error
        raise self.raised

    def _begin(self) -> None:
        """Wait until the program is loaded; later, require that it has sent nothing."""
        if self.calls == 0:
            read_loaded(self._running)
        elif self._running.has_unread:
            raise tampered_end("a reply to no call")

    def _exchange(self) -> ReplyFrame:
        """Send the call, and return the reply."""
        self._running.send(self.sent)
        return read_reply(self._running)

    def _encoded(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bytes:
        try:
            return encode((args, kwargs))
        except (Unsendable, ValueError) as error:
            # After the first call, an argument may contain a value that the answer returned. Then the answer
            # is wrong; a sandbox failure would count it as missing.
            outcome = Outcome.sandbox_error if self.calls == 1 else Outcome.wrong
            raise AnswerEnded(outcome, f"an argument of call {self.calls} cannot be sent: {error}") from None

    def _value(self, payload: UntrustedBytes, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        try:
            value, changed = decode_two(payload)
        except CodecError as error:
            raise refused_end(error) from None
        if changed is not None:
            _write_back(args, kwargs, changed)
        return value


def _as_exception(error: str) -> BaseException:
    """Return a built-in Exception of the type that the answer named, which a test may expect; else Remote."""
    name = error.partition(":")[0].partition(" ")[0]
    kind = getattr(builtins, name, None)
    if isinstance(kind, type) and issubclass(kind, Exception) and not issubclass(kind, _ENDS_OF_LOOPS):
        try:
            return kind(error)
        except TypeError:  # UnicodeDecodeError and its kin want five arguments
            return RemoteError(error)
    return RemoteError(error)


def _write_back(args: tuple[Any, ...], kwargs: dict[str, Any], changed: Any) -> None:
    if not (type(changed) is tuple and len(changed) == 2):
        raise tampered_end("malformed arguments")
    new_args, new_kwargs = changed
    if not (type(new_args) is tuple and type(new_kwargs) is dict and len(new_args) == len(args)):
        raise tampered_end("malformed arguments")
    for old, new in zip(args, new_args, strict=True):
        _replace(old, new)
    for name, old in kwargs.items():
        _replace(old, new_kwargs.get(name))


def _replace(old: Any, new: Any) -> None:
    if type(old) is not type(new):
        return
    if type(old) is list:
        old[:] = new
    elif type(old) in (dict, set):
        old.clear()
        old.update(new)
