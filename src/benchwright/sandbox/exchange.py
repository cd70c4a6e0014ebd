"""The two conversations with an answer: batch (all calls in, all values out) and call by call.

Both end with `AnswerEnded` when the answer can say no more, and call a frame that no honest answer sends
`tampered`: the answer has then written to the channel by itself.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from typing import Any

from benchwright.records import Outcome
from benchwright.sandbox.codec import CodecError, TooLarge, Unsendable, decode, decode_two, encode
from benchwright.sandbox.zygote import AnswerEnded, Running

# What tells a caller that a loop is over. Raised in a test, they would end its `map`, `zip` or generator
# before anything is compared, and the test would end well.
_ENDS_OF_LOOPS = (StopIteration, StopAsyncIteration, GeneratorExit)
_STAGES = {"compile": Outcome.syntax_error, "entry": Outcome.no_entry_point, "load": Outcome.exception}


class Remote(Exception):
    """The answer raised what is no built-in exception, or no error for a test but the end of a loop.

    The exception's name and text are in the message.
    """


def tampered(what: str) -> AnswerEnded:
    """The end of an answer that wrote to the channel itself; `what` it wrote."""
    return AnswerEnded(Outcome.tampered, f"wrote to the verdict's channel: {what}")


def refused(error: CodecError) -> AnswerEnded:
    """The end of an answer whose value is not read: too large, which is its own fault, or malformed."""
    if isinstance(error, TooLarge):
        return AnswerEnded(Outcome.output_limit, f"returned too large a value: {error}")
    return tampered(f"a malformed value ({error})")


def read_loaded(running: Running) -> None:
    """Wait for the program to be loaded. Raises AnswerEnded when it failed to load."""
    kind, payload = running.read()
    if kind == b"L" and not payload:
        return
    if kind != b"E":
        raise tampered(f"a frame {kind!r} before it was loaded")
    stage, text, memory = read_claim(payload)
    if memory:
        raise AnswerEnded(Outcome.out_of_memory, text)
    if stage == "entry":
        text = "the program does not define the entry point"
    raise AnswerEnded(_STAGES.get(stage, Outcome.exception), text)


def read_claim(payload: bytes) -> tuple[str, str, bool]:
    """What an answer says it raised: stage, "Type: text (line n)", and whether it was for want of memory."""
    try:
        stage, name, text, line = decode(payload)
    except (CodecError, TypeError, ValueError):
        raise tampered("an unreadable error report") from None
    if not (type(stage) is type(name) is type(text) is str and type(line) is int):
        raise tampered("an error report with fields of the wrong type")
    place = f" (line {line})" if line else ""
    return stage, f"{name}: {text}{place}" if text else f"{name}{place}", name == "MemoryError"


class CallBatch:
    """All calls at once. The values come one by one, so that what was right before a hang is known."""

    def __init__(self, running: Running, count: int) -> None:
        self._running, self._count = running, count

    def replies(self) -> Iterator[tuple[str, bytes, str]]:
        """(kind, payload, error) for each call in order. Raises AnswerEnded."""
        read_loaded(self._running)
        for _ in range(self._count):
            yield read_reply(self._running)
        kind, _ = self._running.read()
        if kind != b"D":
            raise tampered("more replies than calls")


def read_reply(running: Running) -> tuple[str, bytes, str]:
    """One reply: ("value", bytes, "") or ("exception" | "unsendable" | "memory", b"", what it said)."""
    kind, payload = running.read()
    if kind == b"V":
        return "value", payload, ""
    if kind not in (b"X", b"T"):
        raise tampered(f"a frame {kind!r} instead of a reply")
    _, text, memory = read_claim(payload)
    if memory:
        return "memory", b"", text
    return ("exception" if kind == b"X" else "unsendable"), b"", text


class Session:
    """Call by call. After an end (`ended` is set) every further call raises it again."""

    def __init__(self, running: Running) -> None:
        self._running = running
        self.calls = 0
        self.sent = self.received = b""  # of the last call: what went in, and the value that came out
        self.ended: AnswerEnded | None = None
        self.raised: BaseException | None = None

    def call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The value of one call; arguments the answer changed are changed here too.

        Raises AnswerEnded, or an exception of the built-in type that the answer raised (else Remote).
        """
        if self.ended is not None:
            raise self.ended
        try:
            return self._call(args, kwargs)
        except AnswerEnded as ended:
            self.ended = ended
            raise

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if self.calls == 0:
            read_loaded(self._running)
        elif self._running.has_unread:
            raise tampered("a reply to no call")
        self.calls += 1
        self.sent, self.received = self._encoded(args, kwargs), b""
        self._running.send(self.sent)
        kind, payload, error = read_reply(self._running)
        if kind == "value":
            self.received = payload
            return self._value(payload, args, kwargs)
        if kind == "memory":
            raise AnswerEnded(Outcome.out_of_memory, error)
        if kind == "unsendable":
            raise AnswerEnded(
                Outcome.wrong, f"call {self.calls}: returned a value that cannot be compared: {error}"
            )
        self.raised = _as_exception(error)
        raise self.raised

    def _encoded(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bytes:
        try:
            return encode((args, kwargs))
        except (Unsendable, ValueError) as error:
            # After the first call an argument may be made of what the answer returned: then it is no
            # failure of the sandbox, which would turn a wrong answer into a missing one.
            outcome = Outcome.sandbox_error if self.calls == 1 else Outcome.wrong
            raise AnswerEnded(outcome, f"an argument of call {self.calls} cannot be sent: {error}") from None

    def _value(self, payload: bytes, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        try:
            value, changed = decode_two(payload)
        except CodecError as error:
            raise refused(error) from None
        if changed is not None:
            _write_back(args, kwargs, changed)
        return value


def _as_exception(error: str) -> BaseException:
    """A built-in Exception of the type the answer named, so that a test may expect it; else Remote."""
    name = error.partition(":")[0].partition(" ")[0]
    kind = getattr(builtins, name, None)
    if isinstance(kind, type) and issubclass(kind, Exception) and not issubclass(kind, _ENDS_OF_LOOPS):
        try:
            return kind(error)
        except TypeError:  # UnicodeDecodeError and its kin want five arguments
            return Remote(error)
    return Remote(error)


def _write_back(args: tuple[Any, ...], kwargs: dict[str, Any], changed: Any) -> None:
    if not (type(changed) is tuple and len(changed) == 2):
        raise tampered("malformed arguments")
    new_args, new_kwargs = changed
    if not (type(new_args) is tuple and type(new_kwargs) is dict and len(new_args) == len(args)):
        raise tampered("malformed arguments")
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
