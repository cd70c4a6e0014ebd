"""The two protocols of an answer: accepted frames, and tampering."""

from __future__ import annotations

import marshal
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from benchwright.records import Outcome
from benchwright.sandbox.claims import (
    CallBatch,
    RemoteError,
    ReplyFrame,
    Session,
    is_kind,
    read_claim,
    read_loaded,
)
from benchwright.sandbox.codec import encode
from benchwright.sandbox.zygote import AnswerEnded

Frame = tuple[bytes, bytes]
LOADED: Frame = (b"L", b"")
DONE: Frame = (b"D", b"")


def value(thing: Any, after: Any = None) -> Frame:
    return b"V", encode(thing) + (b"" if after is None else encode(after))


def claim(kind: bytes, stage: str, name: str, text: str = "", line: int = 0, *kinds: str) -> Frame:
    return kind, marshal.dumps((stage, name, text, line, *kinds), 2)


class Script:
    """Replaces a running answer: sends scripted frames, and records requests."""

    def __init__(self, *frames: Frame, unread: bool = False) -> None:
        self._frames = list(frames)
        self.has_unread = unread
        self.requests: list[bytes] = []

    def read(self) -> Frame:
        if not self._frames:
            raise AnswerEnded(Outcome.timed_out, "nothing more came")
        return self._frames.pop(0)

    def send(self, payload: bytes) -> None:
        self.requests.append(payload)


def session(*frames: Frame) -> Session:
    return Session(Script(*frames))  # type: ignore[arg-type]


def batch(count: int, *frames: Frame) -> list[ReplyFrame]:
    return list(CallBatch(Script(*frames), count).replies())  # type: ignore[arg-type]


def ended(action: Callable[[], Any]) -> tuple[Outcome, str]:
    with pytest.raises(AnswerEnded) as caught:
        action()
    return caught.value.outcome, caught.value.detail


def test_a_batch_gives_its_replies_in_order() -> None:
    """Values as bytes, errors as text."""
    replies = batch(2, LOADED, value(3), claim(b"X", "call", "ValueError", "no", 4), DONE)

    assert [("value", encode(3), "", ()), ("exception", b"", "ValueError: no (line 4)", ())] == replies


def test_a_value_that_cannot_be_sent() -> None:
    """The answer's report names the type."""
    replies = batch(1, LOADED, claim(b"T", "value", "Unsendable", "generator"), DONE)

    assert replies == [("unsendable", b"", "Unsendable: generator", ())]


@pytest.mark.parametrize("kind", [b"X", b"T"])
def test_want_of_memory_is_told_apart(kind: bytes) -> None:
    """A MemoryError has its own outcome."""
    replies = batch(1, LOADED, claim(kind, "call", "MemoryError"), DONE)

    assert replies == [("memory", b"", "MemoryError", ())]


@pytest.mark.parametrize(
    ("frames", "what"),
    [
        ([DONE], "a frame b'D' before it was loaded"),
        ([value(3)], "a frame b'V' before it was loaded"),
        ([(b"L", b"x")], "a frame b'L' before it was loaded"),
        ([LOADED, LOADED], "a frame b'L' instead of a reply"),
        ([LOADED, DONE], "a frame b'D' instead of a reply"),
        ([LOADED, claim(b"E", "load", "X")], "a frame b'E' instead of a reply"),
        ([LOADED, value(3), value(3)], "more replies than calls"),
        ([LOADED, (b"X", b"junk")], "an unreadable error report"),
        ([LOADED, (b"X", encode((1, 2, 3)))], "an unreadable error report"),
        ([LOADED, (b"X", encode("four"))], "an error report with fields of the wrong type or length"),
        ([LOADED, (b"X", encode((1, 2, 3, 4)))], "an error report with fields of the wrong type or length"),
        (
            [LOADED, (b"X", encode(("a", "b", "c", "4")))],
            "an error report with fields of the wrong type or length",
        ),
        ([LOADED, (b"X", encode(3))], "an unreadable error report"),
    ],
)
def test_frames_no_honest_answer_sends(frames: list[Frame], what: str) -> None:
    """Each is named, and counts as writing to the verdict's channel."""
    outcome = ended(lambda: batch(1, *frames))

    assert (Outcome.tampered, f"wrote to the verdict's channel: {what}") == outcome


@pytest.mark.parametrize(
    ("stage", "name", "outcome", "detail"),
    [
        ("compile", "SyntaxError", Outcome.syntax_error, "SyntaxError: text"),
        ("load", "NameError", Outcome.exception, "NameError: text"),
        ("entry", "KeyError", Outcome.no_entry_point, "the program does not define the entry point"),
        ("other", "Error", Outcome.exception, "Error: text"),
        ("load", "MemoryError", Outcome.out_of_memory, "MemoryError: text"),
    ],
)
def test_why_a_program_did_not_load(stage: str, name: str, outcome: Outcome, detail: str) -> None:
    """The stage decides the outcome, only between kinds of failure."""
    script = Script(claim(b"E", stage, name, "text"))
    seen = ended(lambda: read_loaded(script))  # type: ignore[arg-type]

    assert (outcome, detail) == seen


def test_a_claim_without_text_is_its_name() -> None:
    """An error without text has its name and line only."""
    said = read_claim(claim(b"X", "call", "KeyError", "", 7)[1])

    assert said == ("call", "KeyError (line 7)", False, ())


def test_a_session_asks_call_by_call() -> None:
    """Each call is a request with its arguments, and returns the value."""
    script = Script(LOADED, value(3), value("x"))
    asked = Session(script)  # type: ignore[arg-type]
    given = [asked.call((1, 2), {}), asked.call((), {"a": [1]})]

    assert ([3, "x"], [encode(((1, 2), {})), encode(((), {"a": [1]}))], 2) == (
        given,
        script.requests,
        asked.calls,
    )


def test_changed_arguments_are_changed_here() -> None:
    """Changes of lists, dicts and sets by the answer are made in place, by position and by name."""
    rows, table, seen = [3, 1], {"a": 1}, {1}
    after = (([1, 3], {"b": 2}), {"seen": {1, 2}})
    session(LOADED, value(None, after)).call((rows, table), {"seen": seen})

    assert ([1, 3], {"b": 2}, {1, 2}) == (rows, table, seen)


@pytest.mark.parametrize("after", [(([1],), {}), (("no list",), {}), (({1: 1},), {"x": 1})])
def test_arguments_of_another_type_stay(after: Any) -> None:
    """An answer can neither turn a dict into a list here, nor add an argument."""
    table = {"a": 1}
    session(LOADED, value(None, after)).call((table,), {})
    expected = after[0][0] if type(after[0][0]) is dict else {"a": 1}

    assert expected == table


@pytest.mark.parametrize("after", [[], [[1], {}], ((), {}), ([1], {}), (([1],), []), "text", (([1],), {}, 1)])
def test_malformed_arguments_are_tampering(after: Any) -> None:
    """A reply must have the shape of its request."""
    outcome, detail = ended(lambda: session(LOADED, value(3, after)).call(([1],), {}))

    assert (Outcome.tampered, "wrote to the verdict's channel: malformed arguments") == (outcome, detail)


def test_a_malformed_value_is_tampering() -> None:
    """The harness's own code does not write invalid bytes."""
    outcome, _ = ended(lambda: session(LOADED, (b"V", b"junk")).call((), {}))

    assert outcome is Outcome.tampered


def test_a_reply_to_no_call_is_tampering() -> None:
    """Bytes that arrive before the next request answer no request."""
    script = Script(LOADED, value(3), value(3))
    asked = Session(script)  # type: ignore[arg-type]
    asked.call((), {})
    script.has_unread = True
    outcome, detail = ended(lambda: asked.call((), {}))

    assert (Outcome.tampered, "wrote to the verdict's channel: a reply to no call") == (outcome, detail)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("ValueError", ValueError),
        ("ZeroDivisionError", ZeroDivisionError),
        ("AssertionError", AssertionError),
        ("UnicodeDecodeError", RemoteError),
        ("SystemExit", RemoteError),
        ("KeyboardInterrupt", RemoteError),
        ("StopIteration", RemoteError),
        ("StopAsyncIteration", RemoteError),
        ("GeneratorExit", RemoteError),
        ("IndexError", IndexError),
        ("print", RemoteError),
        ("MyError", RemoteError),
        ("", RemoteError),
        ("__import__", RemoteError),
    ],
)
def test_errors_come_back_as_built_in_ones(name: str, kind: type[BaseException]) -> None:
    """A test may expect a ValueError; one that would end this process, or is no exception, is only named."""
    asked = session(LOADED, claim(b"X", "call", name, "text"))
    with pytest.raises(Exception, match="text") as caught:
        asked.call((), {})

    assert (kind, True) == (type(caught.value), asked.raised is caught.value)


def _called(asked: Session, *args: Any) -> Any:
    return asked.call(args, {})


@pytest.mark.parametrize("name", ["StopIteration", "StopAsyncIteration", "GeneratorExit"])
def test_no_exception_of_an_answer_ends_a_loop_of_the_test(name: str) -> None:
    """In `map`, a generator or `iter` it is an error and not the end, so that every value is compared."""
    ways: list[Callable[[Callable[..., Any]], Any]] = [
        lambda candidate: list(map(candidate, [1, 2])),
        lambda candidate: list(iter(candidate, 5)),
        lambda candidate: [*zip(map(candidate, [1]), [1], strict=False)],
        lambda candidate: next(map(candidate, [1]), "nothing"),
    ]
    for way in ways:
        asked = session(LOADED, claim(b"X", "call", name))
        with pytest.raises(RemoteError, match=name):
            way(partial(_called, asked))


def test_a_value_that_is_only_too_large_is_no_tampering() -> None:
    """An honest answer can return it by mistake."""
    outcome, detail = ended(lambda: session(LOADED, value(range(10**9))).call((), {}))

    assert (outcome, "a range of more than" in detail) == (Outcome.output_limit, True)


def test_after_an_end_every_call_ends_the_same() -> None:
    """A test that catches everything cannot hide how the answer ended."""
    asked = session(LOADED)
    first = ended(lambda: asked.call((), {}))
    second = ended(lambda: asked.call((), {}))

    assert (first, second) == ((Outcome.timed_out, "nothing more came"),) * 2


def test_an_unsendable_value_ends_a_session() -> None:
    """A value that cannot be compared is wrong, not an exception of the answer."""
    outcome, detail = ended(
        lambda: session(LOADED, claim(b"T", "value", "Unsendable", "object")).call((), {})
    )
    expected = "call 1: returned a value that cannot be compared: Unsendable: object"

    assert (Outcome.wrong, expected) == (outcome, detail)


def test_memory_ends_a_session() -> None:
    """Out of memory in a call is its own outcome."""
    outcome, _ = ended(lambda: session(LOADED, claim(b"X", "call", "MemoryError")).call((), {}))

    assert outcome is Outcome.out_of_memory


def test_a_test_that_cannot_be_asked_is_our_failure() -> None:
    """An argument that cannot be sent in the first call is the data set's fault, not the model's."""
    outcome, detail = ended(lambda: session(LOADED).call((object(),), {}))

    assert (Outcome.sandbox_error, "an argument of call 1 cannot be sent: object") == (outcome, detail)


def test_an_answers_own_value_cannot_become_our_failure() -> None:
    """A test may pass a value back; one that is nested too deep is a wrong answer, not a missing verdict."""
    deep: list[Any] = []
    for _ in range(199):
        deep = [deep]
    asked = session(LOADED, value(deep))
    back = asked.call((1,), {})
    outcome, _ = ended(lambda: asked.call((back,), {}))

    assert outcome is Outcome.wrong


KINDS = ("json.decoder.JSONDecodeError", "ValueError", "Exception", "BaseException", "object")


@pytest.mark.parametrize(
    ("wanted", "kinds", "answer"),
    [
        ("ValueError", KINDS, True),
        ("Exception", KINDS, True),
        ("KeyError", KINDS, False),
        ("JSONDecodeError", KINDS, True),
        ("json.JSONDecodeError", KINDS, True),
        ("json.decoder.JSONDecodeError", KINDS, True),
        ("js.JSONDecodeError", KINDS, False),
        ("decoder.JSONDecodeError", KINDS, False),
        ("ValueError", ("solution.ValueError", "Exception"), False),
        ("IOError", ("FileNotFoundError", "OSError"), True),
        ("ValueError", (), False),
    ],
)
def test_an_exception_is_of_a_type_or_of_a_subclass(
    wanted: str, kinds: tuple[str, ...], answer: bool
) -> None:
    """A built-in name means that class only; any other is found by package and name."""
    assert answer == is_kind(wanted, kinds)


def test_the_bases_of_an_exception_come_with_its_reply() -> None:
    """They are in the reply, next to its text."""
    replies = batch(1, LOADED, claim(b"X", "call", "E", "no", 0, "solution.E", "ValueError"), DONE)

    assert replies == [("exception", b"", "E: no", ("solution.E", "ValueError"))]
