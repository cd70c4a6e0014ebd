"""Gemini's interface: what is asked, and how each reply is read."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.contracts import Prompt, RequestOptions
from benchwright.contracts.asking import Message
from benchwright.models.http.failures import FAULTS, RequestFailure
from benchwright.models.http.interfaces import GeminiForm
from benchwright.models.http.messages import ReplyContent
from kit.examples import examples
from kit.provider_replies import gemini_reply

PROMPT = Prompt(key="k", task_id=1, sample=0, text="Write it.")
NAMES = ["candidates", "content", "parts", "text", "usageMetadata", "finishReason", "error", "promptFeedback"]


def content_of(prompt: Prompt = PROMPT, **asked: Any) -> dict[str, Any]:
    """What is sent."""
    sent: dict[str, Any] = json.loads(GeminiForm("gemini-x", RequestOptions(**asked)).body(prompt))
    return sent


def read_content(reply: Any) -> ReplyContent:
    """What a reply says."""
    data = reply if isinstance(reply, bytes) else json.dumps(reply).encode()
    return GeminiForm("gemini-x", RequestOptions()).read(data, model="gemini-x")


def test_a_prompt_becomes_content() -> None:
    """Each request has a different seed."""
    sent = content_of(temperature=0.0, max_tokens=10)
    seed = sent["generationConfig"].pop("seed")

    assert sent == {
        "contents": [{"role": "user", "parts": [{"text": "Write it."}]}],
        "generationConfig": {"temperature": 0.0, "maxOutputTokens": 10},
    }
    assert 0 < seed < 2**31
    assert seed == GeminiForm("gemini-x", RequestOptions()).seed(PROMPT)


def test_further_settings_join_ours() -> None:
    """A null leaves a field out; what the system says stands apart."""
    history = (Message(role="system", content="Be brief."), Message(role="assistant", content="Hello"))
    prompt = Prompt(key="k", task_id=1, sample=0, text="Write it.", history=history)
    config = {"topK": 40, "temperature": None}

    sent = content_of(prompt, body={"generationConfig": config, "safetySettings": [], "seed": None})

    assert sent["generationConfig"] == {"maxOutputTokens": 2048, "topK": 40}
    assert sent["systemInstruction"] == {"parts": [{"text": "Be brief."}]}
    assert [each["role"] for each in sent["contents"]] == ["model", "user"]
    assert sent["safetySettings"] == []


def test_content_is_read_with_its_thoughts_and_tokens() -> None:
    found = read_content(gemini_reply("def f(): pass"))

    assert (found.text, found.reasoning, found.finish_reason) == ("def f(): pass", "hm", "stop")
    assert (found.tokens_in, found.tokens_out, found.faults) == (7, 5, {})


@pytest.mark.parametrize(("reason", "expected"), [("MAX_TOKENS", "length"), ("SAFETY", "SAFETY")])
def test_why_content_ended(reason: str, expected: str) -> None:
    candidate = {"content": {"parts": [{"text": "x"}]}, "finishReason": reason}

    assert read_content(gemini_reply(candidates=[candidate])).finish_reason == expected


def test_a_refused_prompt_is_an_empty_answer() -> None:
    """It counts as the model's, and says why."""
    found = read_content(gemini_reply(candidates=None, promptFeedback={"blockReason": "SAFETY"}))

    assert (found.text, found.finish_reason, found.faults) == (
        "",
        "SAFETY",
        {"empty": "finish_reason SAFETY"},
    )


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({"usageMetadata": None}, "usage-missing"),
        ({"modelVersion": "gemini-y"}, "other-model"),
        ({"candidates": [{"finishReason": "MAX_TOKENS"}]}, "empty"),
        ({"candidates": [{"content": {"parts": [{"text": "x"}]}}]}, "finish-reason-missing"),
    ],
)
def test_a_fault_of_content_is_named(changed: dict[str, Any], fault: str) -> None:
    assert fault in read_content(gemini_reply(**changed)).faults


@pytest.mark.parametrize(
    ("reply", "fault"),
    [
        (b"<html>", "wrong-json"),
        ({"error": {"code": 500, "message": "busy", "status": "INTERNAL"}}, "error-in-reply"),
        ({}, "wrong-shape"),
        ({"candidates": []}, "wrong-shape"),
        ({"candidates": [{"content": {"parts": [{"text": 5}]}}]}, "wrong-shape"),
        ({"candidates": "x"}, "wrong-shape"),
    ],
)
def test_content_without_an_answer_has_failed(reply: Any, fault: str) -> None:
    with pytest.raises(RequestFailure) as caught:
        read_content(reply)

    assert (caught.value.fault, caught.value.course) == (fault, "again")


@given(
    st.recursive(
        st.none() | st.text() | st.integers(),
        lambda inner: st.dictionaries(st.sampled_from(NAMES), inner | st.lists(inner)),
        max_leaves=8,
    )
)
@settings(max_examples=examples(100))
def test_any_content_is_an_answer_or_a_failure(reply: Any) -> None:
    try:
        read_content(reply)
    except RequestFailure as failed:
        assert failed.fault in FAULTS
