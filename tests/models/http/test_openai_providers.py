"""Presets of the one client: where each provider is, whose key goes there, and what it is asked at."""

from __future__ import annotations

from typing import Any

import pytest

from benchwright.contracts import RequestOptions
from benchwright.errors import PrerequisiteError, UsageError
from benchwright.models.http.endpoint import (
    ANTHROPIC,
    GEMINI,
    OLLAMA,
    OPENAI,
    OPENROUTER,
    VLLM,
    Provider,
    find_endpoint,
    require_key,
)
from benchwright.models.http.model import OpenAIModel, open_provider
from benchwright.models.spec import parse_model

ALL = (OPENAI, OLLAMA, VLLM, OPENROUTER, ANTHROPIC, GEMINI)


def opened(provider: Provider, **settings: Any) -> OpenAIModel:
    """A model of a provider."""
    model = open_provider(provider, "m", asking=RequestOptions(**settings))
    assert isinstance(model, OpenAIModel)
    return model


@pytest.mark.parametrize("provider", ALL, ids=[each.scheme for each in ALL])
def test_a_scheme_names_its_provider(provider: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    """In specs and identities too, so that runs of two providers are two runs."""
    monkeypatch.delenv(provider.place or "NONE", raising=False)
    model = parse_model(f"{provider.scheme}:m", asking=RequestOptions())

    assert (model.spec, model.identity()["scheme"]) == (f"{provider.scheme}:m", provider.scheme)
    assert getattr(model, "base_url", "") == provider.base_url


@pytest.mark.parametrize(
    ("provider", "url"),
    [
        (OLLAMA, "http://127.0.0.1:11434/v1/chat/completions"),
        (VLLM, "http://127.0.0.1:8000/v1/chat/completions"),
        (OPENROUTER, "https://openrouter.ai/api/v1/chat/completions"),
        (ANTHROPIC, "https://api.anthropic.com/v1/messages"),
        (GEMINI, "https://generativelanguage.googleapis.com/v1beta/models/m:generateContent"),
    ],
)
def test_each_provider_has_its_address(provider: Provider, url: str) -> None:
    assert find_endpoint(None, api="chat", environment={}, provider=provider, model="m").url == url


@pytest.mark.parametrize(
    ("provider", "pasted"),
    [
        (ANTHROPIC, "http://h/v1/messages"),
        (ANTHROPIC, "http://h/v1/"),
        (GEMINI, "http://h/v1beta/models"),
        (GEMINI, "http://h/v1beta/"),
        (VLLM, "http://h/chat/completions"),
    ],
)
def test_what_is_pasted_along_is_left_out(provider: Provider, pasted: str) -> None:
    assert find_endpoint(pasted, api="chat", environment={}, provider=provider).base_url == "http://h"


def test_a_model_s_name_cannot_leave_its_place_in_the_address() -> None:
    url = find_endpoint("http://h", api="chat", environment={}, provider=GEMINI, model="models/a/../b?x").url

    assert url == "http://h/v1beta/models/a%2F..%2Fb%3Fx:generateContent"


@pytest.mark.parametrize("provider", ALL, ids=[each.scheme for each in ALL])
def test_a_key_goes_to_its_own_provider_alone(provider: Provider) -> None:
    """Another provider's key is not looked at; where none is needed none is asked for."""
    mine = find_endpoint(None, api="chat", environment={provider.key: "sk-mine"}, provider=provider)
    others = {each.key: "sk-others" for each in ALL if each is not provider}
    without = find_endpoint(None, api="chat", environment=others, provider=provider)

    require_key(mine)
    assert "sk-mine" in "".join(mine.headers().values())
    assert "sk-others" not in "".join(without.headers().values())
    if provider.needs_key:
        with pytest.raises(PrerequisiteError, match=f"{provider.key} is not set"):
            require_key(without)
    else:
        require_key(without)


@pytest.mark.parametrize("provider", [ANTHROPIC, GEMINI, OPENROUTER])
def test_a_server_of_one_s_own_needs_no_key(provider: Provider) -> None:
    require_key(find_endpoint("http://localhost:1", api="chat", environment={}, provider=provider))


def test_a_key_is_never_quoted() -> None:
    for provider in ALL:
        endpoint = find_endpoint(None, api="chat", environment={provider.key: "sk-mine"}, provider=provider)
        assert endpoint.quoted("bad key sk-mine") == "bad key …"


@pytest.mark.parametrize(
    ("provider", "settings", "message"),
    [
        (ANTHROPIC, {"api": "completions"}, "`anthropic:` has a chat interface only"),
        (GEMINI, {"api": "completions"}, "`gemini:` has a chat interface only"),
        (ANTHROPIC, {"body": {"system": "be good"}}, "'system' is Benchwright's own"),
        (GEMINI, {"body": {"contents": []}}, "'contents' is Benchwright's own"),
        (GEMINI, {"body": {"generationConfig": 5}}, "'generationConfig' must be an object"),
        (VLLM, {"body": {"messages": []}}, "'messages' is Benchwright's own"),
    ],
)
def test_settings_that_mean_nothing_are_refused(
    provider: Provider, settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        opened(provider, **settings)
    assert caught.value.hint


def test_an_empty_name_is_refused_by_its_scheme() -> None:
    with pytest.raises(UsageError, match="`ollama:` names no model"):
        parse_model("ollama:", asking=RequestOptions())


def test_only_openai_s_interface_holds_a_reply_to_a_schema() -> None:
    assert opened(OLLAMA).takes == {"history", "schema"}
    assert opened(ANTHROPIC).takes == opened(GEMINI).takes == {"history"}
