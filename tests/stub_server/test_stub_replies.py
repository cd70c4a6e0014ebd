"""Replies have the interface's shape, and each fault bends them in exactly one way."""

from __future__ import annotations

import json
from typing import Any

import pytest

from benchwright.stub_server.behaviour import ERRORS, Fault, Script
from benchwright.stub_server.replies import error_reply
from benchwright.stub_server.requests import CHAT, COMPLETIONS
from kit.stub_client import answered, asked

SCRIPT = Script.of({"def add(": ["one ", "two ", "three"], "def sub(": "four"})


def document(*kinds: str, path: str = COMPLETIONS, **fields: Any) -> dict[str, Any]:
    """The JSON of the answer to a question, with these faults."""
    reply = answered(asked(path, **fields), SCRIPT, *kinds)
    assert reply.status == 200
    return json.loads(reply.body)  # type: ignore[no-any-return]


def texts(answer: dict[str, Any]) -> list[Any]:
    """The text of each choice."""
    return [each["message"]["content"] if "message" in each else each["text"] for each in answer["choices"]]


def test_a_chat_reply() -> None:
    """All that clients read, and equal bytes for equal questions."""
    expected = {
        "id": "stub",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": "m",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": "two "},
                "logprobs": None,
                "finish_reason": "stop",
            }
        ],
        "usage": {"prompt_tokens": 4, "completion_tokens": 1, "total_tokens": 5},
    }

    assert expected == document(path=CHAT, seed=1)


def test_a_completions_reply() -> None:
    """The older shape: `text` in the place of a message."""
    answer = document(seed=2)

    assert (
        answer["object"],
        answer["choices"][0],
    ) == ("text_completion", {"index": 0, "text": "three", "logprobs": None, "finish_reason": "stop"})


def test_several_choices_have_seeds_of_their_own() -> None:
    """Choice i is drawn with the seed plus i."""
    assert texts(document(seed=1, n=4)) == ["two ", "three", "one ", "two "]


def test_several_prompts_are_answered_in_order() -> None:
    """The choices of the first prompt come first, and all are numbered through."""
    answer = document(prompt=["def add(", "def sub("], n=2)

    assert (
        texts(answer),
        [each["index"] for each in answer["choices"]],
    ) == (["one ", "two ", "four", "four"], [0, 1, 2, 3])


BENT = {
    "n-ignored": ["one "],
    "n-forced": ["one ", "two ", "three", "one "],
    "duplicates": ["one "] * 3,
    "empty": [""] * 3,
    "null": [None] * 3,
}


@pytest.mark.parametrize("path", [CHAT, COMPLETIONS])
@pytest.mark.parametrize(("kind", "expected"), BENT.items(), ids=BENT)
def test_a_fault_bends_the_choices(kind: str, expected: list[str | None], path: str) -> None:
    """Three choices were asked for; status 200 tells nothing."""
    assert expected == texts(document(kind, path=path, n=3))


def test_duplicates_ignore_the_seed() -> None:
    """Two requests with two seeds get one answer."""
    assert texts(document("duplicates", seed=1)) == texts(document("duplicates", seed=2))


@pytest.mark.parametrize("path", [CHAT, COMPLETIONS])
def test_logprobs_are_given_or_null(path: str) -> None:
    """Asked for they come, and with the fault they do not."""
    given = document(path=path, logprobs=1)["choices"][0]["logprobs"]
    missing = document("logprobs-null", path=path, logprobs=1)["choices"][0]["logprobs"]

    assert (bool(given), missing) == (True, None)


def test_usage_may_be_missing() -> None:
    """The key is gone, not null."""
    assert "usage" not in document("usage-missing")


def test_a_wrong_shape_is_json_all_the_same() -> None:
    """No choices anywhere."""
    assert document("wrong-shape") == {"object": "list", "data": []}


def test_wrong_json_is_cut_text() -> None:
    """The body is complete as HTTP counts and ends too early as JSON does."""
    body = answered(asked(), SCRIPT, "wrong-json").body
    with pytest.raises(json.JSONDecodeError):
        json.loads(body)

    assert body.startswith(b'{"id"')


def test_a_cut_reply_is_whole_here() -> None:
    """Only the connection cuts it."""
    reply = answered(asked(), SCRIPT, "cut")

    assert (reply.ending, texts(json.loads(reply.body))[0]) == ("cut", "one ")


@pytest.mark.parametrize("path", [CHAT, COMPLETIONS])
def test_a_huge_reply_holds_no_memory(path: str) -> None:
    """The filling is a number; with it written in its place the body is JSON."""
    reply = answered(asked(path), SCRIPT, "huge", size=1000)
    place, size = reply.fill
    whole = reply.body[:place] + b"x" * size + reply.body[place:]

    assert (["x" * 1000], len(whole)) == (texts(json.loads(whole)), reply.size)


def test_an_unknown_prompt_is_refused() -> None:
    """A script without a row for it is a fault of the test, so it is said aloud."""
    reply = answered(asked(prompt="def mul("), SCRIPT)

    assert (reply.status, b"def mul(" in reply.body) == (400, True)


@pytest.mark.parametrize("kind", ERRORS)
def test_an_error_has_the_interfaces_shape(kind: str) -> None:
    """Status, message, type and code."""
    reply = error_reply(Fault(kind=kind))
    error = json.loads(reply.body)["error"]

    assert (ERRORS[kind], {"message", "type", "param", "code"}) == (
        (reply.status, error["type"], error["code"]),
        set(error),
    )


@pytest.mark.parametrize(("kind", "expected"), [("429", "2.5"), ("429-bare", None), ("503", None)])
def test_only_429_says_when_to_come_again(kind: str, expected: str | None) -> None:
    """With Retry-After in seconds, or without."""
    assert expected == error_reply(Fault(kind=kind, seconds=2.5)).headers.get("Retry-After")
