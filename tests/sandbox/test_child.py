"""Reports of an answer's process on errors and arguments, including hostile ones."""

from __future__ import annotations

import json
from typing import Any

import pytest

from benchwright.sandbox.codec import decode, encode
from benchwright.sandbox.inside import child


class _Silent(Exception):
    def __str__(self) -> str:
        raise SystemExit(0)


class _Odd(str):
    """A text whose slices have another value."""

    def __getitem__(self, index: Any) -> str:
        return "forged"


class _Meta(type):
    def __getattribute__(cls, name: str) -> Any:
        raise RuntimeError(name)


class _Hidden(Exception, metaclass=_Meta):
    pass


def claimed(error: BaseException, stage: str = "value") -> Any:
    return decode(child.claim(stage, error))


@pytest.mark.parametrize(
    ("error", "claim"),
    [
        (ValueError("no"), ("value", "ValueError", "no", 0)),
        (ValueError("x" * 1000), ("value", "ValueError", "x" * 400, 0)),
        (ValueError("\ud800\0"), ("value", "ValueError", "\ud800\0", 0)),
        (KeyError("k"), ("value", "KeyError", "'k'", 0)),
        (_Silent(), ("value", "_Silent", "", 0)),
        (_Hidden("text"), ("value", "_Hidden", "text", 0)),
        (SyntaxError("bad", ("f", 7, 1, "x")), ("value", "SyntaxError", "bad (f, line 7)", 7)),
        (type("N" * 1000, (Exception,), {})(), ("value", "N" * 80, "", 0)),
        (ValueError(_Odd("true")), ("value", "ValueError", "true", 0)),
    ],
    ids=["plain", "long", "surrogate", "quoted", "silent", "hidden", "syntax", "name", "subclass"],
)
def test_what_is_said_of_an_error(error: BaseException, claim: Any) -> None:
    """Stage, name, the start of its text, and its line, whatever the error's class does."""
    assert claim == claimed(error)


def test_the_line_is_the_programs_innermost() -> None:
    """Of the frames of an error, the last one in the program counts."""
    code = compile("def f():\n    return g()\ndef g():\n    return [].pop()\n", "<solution>", "exec")
    names: dict[str, Any] = {}
    exec(code, names)
    with pytest.raises(IndexError) as caught:
        names["f"]()

    assert claimed(caught.value)[3] == 4


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ((([1, 2],), {}), (([2, 1],), {})),
        (({"a": 1}, {}), None),
        (((1, "x", None), {"k": 2.5}), None),
        ((([1],), {"k": {1}}), None),
    ],
)
def test_changed_arguments_are_sent_once_changed(before: Any, after: Any) -> None:
    """A reply contains no unchanged arguments."""
    args, kwargs = after or before
    sent = child._changed_arguments(args, kwargs, encode(before))

    assert (b"" if after is None else encode(after)) == sent


def test_arguments_that_became_unsendable_are_left_out() -> None:
    """If the program put a function into a list, the caller's list is unchanged."""
    sent = child._changed_arguments(([print],), {}, encode((([],), {})))

    assert sent == b""


def test_only_the_first_process_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fork of the program that returns into the harness's code ends silently."""
    ends: list[int] = []

    def leave(status: int) -> None:
        ends.append(status)
        raise SystemExit

    monkeypatch.setattr(child.os, "_exit", leave)
    with pytest.raises(SystemExit):
        child._send(b"V", b"")

    assert ends == [0]


def test_flushing_survives_what_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streams that were replaced by any object do not prevent the end of a process."""
    monkeypatch.setattr(child.sys, "stdout", None)
    monkeypatch.setattr(child.sys, "stderr", _Silent())
    said = child.flush_output()  # type: ignore[func-returns-value]

    assert said is None


class _Numbered(ValueError):
    pass


_Numbered.__module__ = 7  # type: ignore[assignment]


@pytest.mark.parametrize(
    ("error", "kinds"),
    [
        (FileNotFoundError(), ("FileNotFoundError", "OSError", "Exception", "BaseException", "object")),
        (
            json.JSONDecodeError("no", "x", 0),
            ("json.decoder.JSONDecodeError", "ValueError", "Exception", "BaseException", "object"),
        ),
        (_Numbered(), ("ValueError", "Exception", "BaseException", "object")),
    ],
)
def test_an_exception_of_a_call_names_its_bases(error: BaseException, kinds: tuple[str, ...]) -> None:
    """Built-in classes have their names, others their modules too; a class that hides its bases is left out."""
    assert kinds == claimed(error, "call")[4:]


def test_what_names_a_class_is_bounded() -> None:
    """This holds for any length of names and any number of bases."""
    kind: type = Exception
    for number in range(50):
        kind = type("N" * 500 + str(number), (kind,), {})

    kinds = claimed(kind(), "call")[4:]

    assert (len(kinds), max(map(len, kinds))) == (20, 160)
