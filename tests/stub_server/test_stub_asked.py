"""Requests are read strictly: what a real server refuses is refused here."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.stub_server.requests import CHAT, COMPLETIONS, RefusedRequest, loose, read_asked
from kit.stub_client import asked


def test_a_chat_is_one_prompt() -> None:
    """Texts of all messages, in order; content may come in parts."""
    parts = [{"type": "text", "text": "b"}, {"type": "text", "text": "c"}]
    messages = [{"role": "system", "content": "a"}, {"role": "user", "content": parts}]

    assert asked(CHAT, messages=messages).prompts == ["a\n\nbc"]


def test_several_prompts_at_once() -> None:
    """The completions interface takes a list."""
    question = asked(prompt=["a", "b"])

    assert (question.prompts, question.prompt) == (["a", "b"], "a\n\nb")


def test_what_is_left_out_has_the_interfaces_defaults() -> None:
    """One choice at temperature 1, without a limit or a stop."""
    question = asked()
    actual = (
        question.n,
        question.temperature,
        question.max_tokens,
        question.stops,
        question.seed,
        question.logprobs,
    )

    assert actual == (1, 1.0, None, [], None, False)


FIELDS = {
    "null is left out": ({"n": None, "temperature": None, "stop": None}, ("n", 1)),
    "one stop": ({"stop": "\ndef"}, ("stops", ["\ndef"])),
    "stops": ({"stop": ["a", "b"]}, ("stops", ["a", "b"])),
    "the newer limit": ({"max_completion_tokens": 5}, ("max_tokens", 5)),
    "the older limit": ({"max_tokens": 6}, ("max_tokens", 6)),
    "logprobs of chat": ({"logprobs": True}, ("logprobs", True)),
    "no logprobs": ({"logprobs": False}, ("logprobs", False)),
    "logprobs of completions": ({"logprobs": 0}, ("logprobs", True)),
    "temperature 0": ({"temperature": 0}, ("temperature", 0.0)),
    "unknown fields": ({"top_k": 5, "seed": 3}, ("seed", 3)),
}


@pytest.mark.parametrize(("fields", "expected"), FIELDS.values(), ids=FIELDS)
def test_fields_are_read(fields: dict[str, Any], expected: tuple[str, Any]) -> None:
    """Each field in the spellings that clients use."""
    assert expected[1] == getattr(asked(**fields), expected[0])


BODIES = {
    "not JSON": (CHAT, b"{"),
    "not UTF-8": (CHAT, b'{"model": "\xff"}'),
    "not an object": (CHAT, b"[]"),
    "no model": (COMPLETIONS, b'{"prompt": "a"}'),
    "no messages": (CHAT, b'{"model": "m", "prompt": "a"}'),
    "no prompt": (COMPLETIONS, b'{"model": "m", "messages": []}'),
    "tokens": (COMPLETIONS, b'{"model": "m", "prompt": [1, 2]}'),
    "no choice": (COMPLETIONS, b'{"model": "m", "prompt": "a", "n": 0}'),
    "a million choices": (COMPLETIONS, b'{"model": "m", "prompt": "a", "n": 1000000}'),
    "too hot": (COMPLETIONS, b'{"model": "m", "prompt": "a", "temperature": 2.5}'),
    "no token": (COMPLETIONS, b'{"model": "m", "prompt": "a", "max_tokens": 0}'),
    "a stream": (COMPLETIONS, b'{"model": "m", "prompt": "a", "stream": true}'),
    "an echo": (COMPLETIONS, b'{"model": "m", "prompt": "a", "echo": true}'),
    "n is text": (COMPLETIONS, b'{"model": "m", "prompt": "a", "n": "2"}'),
}


@pytest.mark.parametrize(("path", "body"), BODIES.values(), ids=BODIES)
def test_a_wrong_body_is_refused(path: str, body: bytes) -> None:
    """With a reason, and never by another exception."""
    with pytest.raises(RefusedRequest, match=r"\w+"):
        read_asked(path, body)


@settings(deadline=None)
@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(body: bytes) -> None:
    """No body raises anything but Refused."""
    try:
        actual = bool(read_asked(COMPLETIONS, body).prompts)
    except RefusedRequest:
        actual = True

    assert actual


@pytest.mark.parametrize(("body", "expected"), [(b'{"a": 1}', {"a": 1}), (b"{", None), (b"\xff", None)])
def test_a_body_is_kept_as_it_came(body: bytes, expected: object) -> None:
    """Fields that the server does not know are part of the record; what is no JSON is None."""
    assert expected == loose(body)
