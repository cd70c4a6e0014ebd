"""Requests have one prompt, one answer, a separate seed, and only parameters that the caller set."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.asking.parameters import seed_of
from benchwright.contracts import Message, Prompt, RequestOptions
from benchwright.errors import UsageError
from benchwright.models.http.messages import Form, check_body
from kit.asking_kit import prompts


def body(*, prompt: Prompt | None = None, **settings: Any) -> dict[str, Any]:
    """The body for a prompt."""
    sent: dict[str, Any] = json.loads(Form("m", RequestOptions(**settings)).body(prompt or prompts()[0]))
    return sent


def test_a_chat_request_is_one_message() -> None:
    """The whole body, so that nothing slips in: no n, no stream, no stop strings, no null."""
    actual = body(temperature=0.2, top_p=0.9, max_tokens=64, stop=("\nclass",), seed=5)
    expected = {
        "model": "m",
        "messages": [{"role": "user", "content": "task 0"}],
        "max_tokens": 64,
        "temperature": 0.2,
        "top_p": 0.9,
        "seed": seed_of(5, "0/0"),
    }

    assert actual == expected


def test_a_conversation_ends_with_the_prompt() -> None:
    """In its order and roles; a base model is never given one."""
    history = (Message(role="system", content="s"), Message(role="user", content="u"))
    sent = body(prompt=Prompt(key="k", task_id=1, sample=0, text="t", history=history))

    assert [(message["role"], message["content"]) for message in sent["messages"]] == [
        ("system", "s"),
        ("user", "u"),
        ("user", "t"),
    ]


def test_a_schema_of_the_reply_is_sent_before_any_of_the_body() -> None:
    """The prompt's own is what its reply is checked against."""
    prompt = Prompt(key="k", task_id=1, sample=0, text="t", schema={"type": "array"})
    sent = body(prompt=prompt, body={"response_format": {"type": "json_object"}})
    wanted = {"name": "reply", "schema": {"type": "array"}, "strict": True}

    assert sent["response_format"] == {"type": "json_schema", "json_schema": wanted}
    assert body(body={"response_format": {"type": "text"}})["response_format"] == {"type": "text"}


def test_a_base_model_is_sent_the_prompt_and_four_stops() -> None:
    """More stops than the interface takes would be refused; the others are applied to the text."""
    actual = body(api="completions", stop=("a", "b", "c", "d", "e"))

    assert (actual["prompt"], actual["stop"], "messages" in actual) == ("task 0", ["a", "b", "c", "d"], False)


def test_without_a_temperature_it_is_the_usual_one() -> None:
    """A caller from Python may say nothing; a run sends the track's."""
    assert body()["temperature"] == 0.6


def test_further_fields_are_merged() -> None:
    """What the interface has grown since can be set."""
    actual = body(body={"reasoning_effort": "low", "extra": {"a": [1]}})

    assert (actual["reasoning_effort"], actual["extra"]) == ("low", {"a": [1]})


def test_null_leaves_a_field_out() -> None:
    """Some servers refuse fields that they do not know."""
    actual = body(body={"temperature": None, "seed": None, "max_tokens": None})

    assert set(actual) == {"model", "messages"}


def test_the_newer_name_of_the_limit_replaces_the_older() -> None:
    """Models that want max_completion_tokens refuse max_tokens beside it."""
    actual = body(body={"max_completion_tokens": 9})

    assert (actual.get("max_tokens"), actual["max_completion_tokens"]) == (None, 9)


def test_a_seed_that_is_left_out_is_not_recorded() -> None:
    """An answer says which seed was sent, if one was."""
    prompt = prompts()[0]

    assert Form("m", RequestOptions(body={"seed": None})).seed(prompt) is None
    assert Form("m", RequestOptions()).seed(prompt) == body(prompt=prompt)["seed"]


def test_each_repetition_has_its_own_seed() -> None:
    """With one seed for all, a server that honours it would send ten copies of one answer."""
    seeds = {body(prompt=prompt)["seed"] for prompt in prompts(tasks=20, n=10)}

    assert len(seeds) == 200


def test_another_seed_gives_other_seeds() -> None:
    """A run with another seed is another sample of the model."""
    assert seed_of(1, "key") != seed_of(2, "key")


@settings(deadline=None)
@given(st.integers(), st.text())
def test_a_seed_is_positive_and_fits_31_bits(seed: int, key: str) -> None:
    """Zero and negative ones mean "any" to some servers."""
    assert 1 <= seed_of(seed, key) < 2**31
    assert seed_of(seed, key) == seed_of(seed, key)


def test_half_a_surrogate_pair_is_sent_as_it_is() -> None:
    """A prompt is never changed on its way."""
    prompt = Prompt(key="k", task_id=1, sample=0, text="a \ud83d b")

    assert body(prompt=prompt)["messages"][0]["content"] == "a \ud83d b"


@pytest.mark.parametrize(
    ("field", "value", "hint"),
    [
        ("n", 3, "`--n`"),
        ("stream", True, "`--n`"),
        ("messages", [], "`--n`"),
        ("temperature", 1.0, "--temperature 1.0"),
        ("seed", 7, "--seed 7"),
    ],
)
def test_a_field_that_is_not_free_is_refused(field: str, value: Any, hint: str) -> None:
    """Fields that change the form of a reply, or that have an option, are refused."""
    with pytest.raises(UsageError, match=f"field '{field}'") as caught:
        check_body(RequestOptions(body={field: value}))

    assert hint in str(caught.value.hint)


def test_a_field_that_is_free_is_taken() -> None:
    """One that is new to us, a null that leaves a field out, the newer name of the limit."""
    body = {"temperature": None, "reasoning_effort": "low", "max_completion_tokens": 5}

    assert check_body(RequestOptions(body=body)) is None
