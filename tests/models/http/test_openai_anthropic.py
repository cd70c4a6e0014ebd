"""Anthropic's interface: what is asked, and how each reply is read."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.contracts import Prompt, RequestOptions
from benchwright.contracts.asking import Message
from benchwright.models.http.failures import FAULTS, RequestFailure
from benchwright.models.http.interfaces import AnthropicForm
from benchwright.models.http.messages import ReplyContent
from kit.examples import examples
from kit.provider_replies import anthropic_reply

PROMPT = Prompt(key="k", task_id=1, sample=0, text="Write it.")


def body_of(prompt: Prompt = PROMPT, **asked: Any) -> dict[str, Any]:
    """What is sent."""
    sent: dict[str, Any] = json.loads(AnthropicForm("claude-x", RequestOptions(**asked)).body(prompt))
    return sent


def read_message(reply: Any, *, stop: tuple[str, ...] = ()) -> ReplyContent:
    """What a reply says."""
    data = reply if isinstance(reply, bytes) else json.dumps(reply).encode()
    return AnthropicForm("claude-x", RequestOptions(stop=stop)).read(data, model="claude-x")


def test_a_prompt_becomes_a_message() -> None:
    """Without a seed, which the interface has not."""
    assert body_of(temperature=0.0, max_tokens=10) == {
        "model": "claude-x",
        "max_tokens": 10,
        "temperature": 0.0,
        "messages": [{"role": "user", "content": "Write it."}],
    }
    assert AnthropicForm("claude-x", RequestOptions()).seed(PROMPT) is None


def test_further_fields_and_a_history_are_sent() -> None:
    """What the system says stands apart."""
    history = (
        Message(role="system", content="Be brief."),
        Message(role="user", content="Hi"),
        Message(role="assistant", content="Hello"),
    )
    prompt = Prompt(key="k", task_id=1, sample=0, text="Write it.", history=history)

    sent = body_of(prompt, body={"top_k": 5, "temperature": None}, top_p=0.9)

    assert (sent["system"], sent["top_k"], sent["top_p"]) == ("Be brief.", 5, 0.9)
    assert "temperature" not in sent
    assert [each["role"] for each in sent["messages"]] == ["user", "assistant", "user"]


def test_a_message_is_read_with_its_thoughts_and_tokens() -> None:
    """Tokens from a cache are paid for too; a dated name is the model that was asked."""
    found = read_message(anthropic_reply("def f(): pass"))

    assert (found.text, found.reasoning, found.finish_reason) == ("def f(): pass", "hm", "stop")
    assert (found.tokens_in, found.tokens_out, found.faults) == (9, 3, {})


@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        ("max_tokens", "length"),
        ("stop_sequence", "stop"),
        ("refusal", "refusal"),
        ("pause_turn", "pause_turn"),
    ],
)
def test_why_a_message_ended(reason: str, expected: str) -> None:
    assert read_message(anthropic_reply(stop_reason=reason)).finish_reason == expected


def test_a_stop_string_is_cut_here() -> None:
    found = read_message(anthropic_reply("one\nclass two"), stop=("\nclass",))

    assert (found.text, found.tail) == ("one", "\nclass two")


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({"usage": None}, "usage-missing"),
        ({"stop_reason": None}, "finish-reason-missing"),
        ({"model": "claude-y"}, "other-model"),
        ({"content": []}, "empty"),
    ],
)
def test_a_fault_of_a_message_is_named(changed: dict[str, Any], fault: str) -> None:
    assert fault in read_message(anthropic_reply(**changed)).faults


@pytest.mark.parametrize(
    ("reply", "fault"),
    [
        (b"<html>", "wrong-json"),
        (b"\xff", "not-utf8"),
        ({"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}, "error-in-reply"),
        ({"content": None}, "wrong-shape"),
        ({"content": "text"}, "wrong-shape"),
        ({"content": [{"type": "text", "text": 5}]}, "wrong-shape"),
    ],
)
def test_a_message_without_an_answer_has_failed(reply: Any, fault: str) -> None:
    with pytest.raises(RequestFailure) as caught:
        read_message(reply)

    assert (caught.value.fault, caught.value.course) == (fault, "again")
    assert fault in FAULTS


@given(
    st.recursive(
        st.none() | st.text() | st.integers(),
        lambda inner: st.dictionaries(
            st.sampled_from(["content", "type", "text", "usage", "stop_reason", "error"]),
            inner | st.lists(inner),
        ),
        max_leaves=8,
    )
)
@settings(max_examples=examples(100))
def test_any_message_is_an_answer_or_a_failure(reply: Any) -> None:
    try:
        read_message(reply)
    except RequestFailure as failed:
        assert failed.fault in FAULTS
