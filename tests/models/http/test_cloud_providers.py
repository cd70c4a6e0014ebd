"""Azure, Bedrock, Vertex and LiteLLM: addresses, headers, bodies, replies, and what a missing variable says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchwright.contracts import Prompt, RequestOptions
from benchwright.contracts.asking import Message
from benchwright.errors import PrerequisiteError, UsageError
from benchwright.models.http.endpoint import (
    AZURE,
    BEDROCK,
    LITELLM,
    VERTEX,
    Endpoint,
    Provider,
    find_endpoint,
    require_key,
)
from benchwright.models.http.failures import RequestFailure
from benchwright.models.http.interfaces import ConverseForm
from benchwright.models.http.messages import ReplyContent
from benchwright.models.spec import parse_model
from kit.batch_server import openai_reply
from kit.command_line import Said, called
from kit.own_rows import LABEL, own_file, own_row
from kit.provider_replies import converse_reply, replying
from kit.small_data import read_rows

AZURE_PLACE = {"AZURE_OPENAI_ENDPOINT": "https://me.openai.azure.com/"}
OLDER = {"AZURE_OPENAI_API_VERSION": "2024-10-21"}
VERTEX_PLACE = {"GOOGLE_CLOUD_PROJECT": "my-project", "GOOGLE_CLOUD_LOCATION": "europe-west4"}
GLOBAL = {**VERTEX_PLACE, "GOOGLE_CLOUD_LOCATION": "global"}
_PROJECT = "aiplatform.googleapis.com/v1/projects/my-project/locations"
_AWS = "amazonaws.com/model/amazon.nova-lite-v1%3A0/converse"


def endpoint(
    provider: Provider, model: str = "m", base_url: str | None = None, **environment: str
) -> Endpoint:
    """Where a model is asked in this environment."""
    return find_endpoint(base_url, api="chat", environment=environment, provider=provider, model=model)


@pytest.mark.parametrize(
    ("provider", "model", "environment", "url"),
    [
        (AZURE, "my dep", AZURE_PLACE, "https://me.openai.azure.com/openai/v1/chat/completions"),
        (
            AZURE,
            "my/dep?",
            {**AZURE_PLACE, **OLDER},
            "https://me.openai.azure.com/openai/deployments/my%2Fdep%3F/chat/completions?api-version=2024-10-21",
        ),
        (
            BEDROCK,
            "amazon.nova-lite-v1:0",
            {"AWS_REGION": "us-east-1"},
            f"https://bedrock-runtime.us-east-1.{_AWS}",
        ),
        (
            BEDROCK,
            "amazon.nova-lite-v1:0",
            {"AWS_DEFAULT_REGION": "eu-west-1"},
            f"https://bedrock-runtime.eu-west-1.{_AWS}",
        ),
        (
            VERTEX,
            "google/gemini-x",
            VERTEX_PLACE,
            f"https://europe-west4-{_PROJECT}/europe-west4/endpoints/openapi/chat/completions",
        ),
        (VERTEX, "google/gemini-x", GLOBAL, f"https://{_PROJECT}/global/endpoints/openapi/chat/completions"),
        (LITELLM, "m", {}, "http://127.0.0.1:4000/v1/chat/completions"),
        (LITELLM, "m", {"LITELLM_PROXY_API_BASE": "http://proxy:4000"}, "http://proxy:4000/chat/completions"),
    ],
)
def test_the_address_of_a_request(
    provider: Provider, model: str, environment: dict[str, str], url: str
) -> None:
    assert endpoint(provider, model, **environment).url == url


@pytest.mark.parametrize(
    "pasted",
    ["", "/openai", "/openai/v1", "/openai/v1/chat/completions", "/openai/deployments/dep/chat/completions"],
)
def test_a_pasted_path_of_azure_is_left_out(pasted: str) -> None:
    found = endpoint(AZURE, AZURE_OPENAI_ENDPOINT=f"https://me.openai.azure.com{pasted}")

    assert found.url == "https://me.openai.azure.com/openai/v1/chat/completions"


@pytest.mark.parametrize(
    ("provider", "environment", "missing", "hint"),
    [
        (AZURE, {}, "AZURE_OPENAI_ENDPOINT", "export AZURE_OPENAI_ENDPOINT=https://NAME.openai.azure.com"),
        (BEDROCK, {}, "AWS_REGION", "export AWS_REGION=us-east-1"),
        (VERTEX, {}, "GOOGLE_CLOUD_LOCATION", "export GOOGLE_CLOUD_LOCATION=global"),
        (VERTEX, {"GOOGLE_CLOUD_LOCATION": "global"}, "GOOGLE_CLOUD_PROJECT", "export GOOGLE_CLOUD_PROJECT="),
    ],
)
def test_a_missing_address_is_named(
    provider: Provider, environment: dict[str, str], missing: str, hint: str
) -> None:
    with pytest.raises(PrerequisiteError, match=f"{missing} is not set") as caught:
        endpoint(provider, **environment)

    assert hint in str(caught.value.hint)
    assert endpoint(provider, base_url="http://127.0.0.1:1").base_url == "http://127.0.0.1:1"


@pytest.mark.parametrize("region", ["us-east-1.evil.com/x", "a@b", "x y", "a?b", "-", "a/../b", "a" * 200])
def test_a_part_of_an_address_stays_in_its_place(region: str) -> None:
    with pytest.raises(UsageError, match="not a part of an address") as caught:
        endpoint(BEDROCK, AWS_REGION=region)

    assert "export AWS_REGION=us-east-1" in str(caught.value.hint)


@pytest.mark.parametrize(
    ("provider", "environment", "header"),
    [
        (AZURE, AZURE_PLACE, ("api-key", "sk-mine")),
        (BEDROCK, {"AWS_REGION": "us-east-1"}, ("authorization", "Bearer sk-mine")),
        (VERTEX, VERTEX_PLACE, ("authorization", "Bearer sk-mine")),
        (LITELLM, {}, ("authorization", "Bearer sk-mine")),
    ],
)
def test_a_key_goes_to_its_provider(
    provider: Provider, environment: dict[str, str], header: tuple[str, str]
) -> None:
    """A missing one is reported for the provider's own servers, and not for a server elsewhere."""
    name, value = header
    found = endpoint(provider, **environment, **{provider.key: "sk-mine"})
    without = endpoint(provider, **environment, OPENAI_API_KEY="sk-others")

    assert found.headers()[name] == value
    assert "sk-others" not in str(without.headers())
    require_key(endpoint(provider, base_url="http://127.0.0.1:1"))
    if provider.needs_key:
        with pytest.raises(PrerequisiteError, match=f"{provider.key} is not set"):
            require_key(without)
        with pytest.raises(PrerequisiteError, match="no header can carry"):
            require_key(endpoint(provider, **environment, **{provider.key: "sk\nmine"}))


PROMPT = Prompt(key="k", task_id=1, sample=0, text="Write it.")


def converse_body(prompt: Prompt = PROMPT, **asked: Any) -> dict[str, Any]:
    """What Bedrock is sent."""
    sent: dict[str, Any] = json.loads(ConverseForm("m", RequestOptions(**asked)).body(prompt))
    return sent


def converse(reply: Any, **asked: Any) -> ReplyContent:
    """What a reply of Bedrock says."""
    data = reply if isinstance(reply, bytes) else json.dumps(reply).encode()
    return ConverseForm("m", RequestOptions(**asked)).read(data, model="m")


def test_a_prompt_becomes_a_message_of_bedrock() -> None:
    """Without a seed, which the interface has not; the path names the model."""
    assert converse_body(temperature=0.0, max_tokens=10) == {
        "messages": [{"role": "user", "content": [{"text": "Write it."}]}],
        "inferenceConfig": {"temperature": 0.0, "maxTokens": 10},
    }
    assert ConverseForm("m", RequestOptions()).seed(PROMPT) is None


def test_further_fields_and_a_history_of_bedrock() -> None:
    history = (
        Message(role="system", content="Be brief."),
        Message(role="user", content="Hi"),
        Message(role="assistant", content="Hello"),
    )
    prompt = Prompt(key="k", task_id=1, sample=0, text="Write it.", history=history)
    body = {
        "inferenceConfig": {"temperature": None, "topP": 0.5},
        "additionalModelRequestFields": {"top_k": 5},
    }
    sent = converse_body(prompt, body=body)

    assert sent["system"] == [{"text": "Be brief."}]
    assert [each["role"] for each in sent["messages"]] == ["user", "assistant", "user"]
    assert sent["inferenceConfig"] == {"topP": 0.5, "maxTokens": 2048}
    assert sent["additionalModelRequestFields"] == {"top_k": 5}


@pytest.mark.parametrize(
    ("reason", "expected"),
    [("end_turn", "stop"), ("max_tokens", "length"), ("guardrail_intervened", "guardrail_intervened")],
)
def test_a_reply_of_bedrock(reason: str, expected: str) -> None:
    """Tokens of the cache are part of the prompt; thoughts stand apart."""
    found = converse(converse_reply("one\nclass two", stopReason=reason), stop=("\nclass",))

    assert (found.text, found.tail, found.reasoning) == ("one", "\nclass two", "hm")
    assert (found.finish_reason, found.tokens_in, found.tokens_out, found.faults) == (expected, 9, 3, {})


@pytest.mark.parametrize(
    ("reply", "fault"),
    [
        (b"<html>", "wrong-json"),
        ({}, "wrong-shape"),
        ({"output": {}}, "wrong-shape"),
        ({"output": {"message": {"content": "text"}}}, "wrong-shape"),
        ({"output": {"message": {"content": [{"text": 5}]}}}, "wrong-shape"),
    ],
)
def test_a_reply_of_bedrock_without_an_answer(reply: Any, fault: str) -> None:
    with pytest.raises(RequestFailure) as caught:
        converse(reply)

    assert (caught.value.fault, caught.value.course) == (fault, "again")


@pytest.mark.parametrize(
    ("spec", "asked", "message"),
    [
        ("bedrock:m", {"api": "completions"}, "`bedrock:` has a chat interface only"),
        ("bedrock:m", {"body": {"system": []}}, "'system' is Benchwright's own"),
        ("bedrock:m", {"body": {"inferenceConfig": 5}}, "'inferenceConfig' must be an object"),
        ("litellm: ", {}, "names no model"),
    ],
)
def test_settings_that_mean_nothing_are_refused(spec: str, asked: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_model(spec, asking=RequestOptions(base_url="http://h", **asked))


def score(folder: Path, spec: str, **environment: str) -> Said:
    """A run of two tasks that ask for a label."""
    own_file(folder, LABEL, own_row(LABEL, id="other", label="ham"))
    run = ("run", "own", "--data", "own.jsonl", "--model", spec, "--out", "run", "--concurrency", 1, "--json")
    return called(*run, cwd=folder, **environment)


@pytest.mark.usefixtures("jail")
@pytest.mark.parametrize(
    ("spec", "reply", "path", "place", "key", "header"),
    [
        (
            "azure:dep",
            openai_reply("spam"),
            "/openai/v1/chat/completions",
            "AZURE_OPENAI_ENDPOINT",
            "AZURE_OPENAI_API_KEY",
            "api-key",
        ),
        (
            "bedrock:amazon.nova-lite-v1:0",
            converse_reply("spam"),
            "/model/amazon.nova-lite-v1%3A0/converse",
            "AWS_ENDPOINT_URL_BEDROCK_RUNTIME",
            "AWS_BEARER_TOKEN_BEDROCK",
            "authorization",
        ),
        (
            "litellm:alias",
            openai_reply("spam"),
            "/chat/completions",
            "LITELLM_PROXY_API_BASE",
            "LITELLM_PROXY_API_KEY",
            "authorization",
        ),
    ],
)
def test_a_provider_is_asked_from_its_environment(
    tmp_path: Path, spec: str, reply: dict[str, Any], path: str, place: str, key: str, header: str
) -> None:
    """After an overload it is asked again. An alias that another model answers is no fault; no file has the key."""
    with replying((503, {"message": "Overloaded"}), (200, reply)) as (address, asked):
        said = score(tmp_path, spec, **{place: address, key: "sk-secret"})

    assert said.code == 0, said.err
    assert (said.document["outcomes"], said.document["model"]) == ({"passed": 1, "wrong": 1}, spec)
    assert ({place for place, _, _ in asked}, len(asked)) == ({path}, 3)
    assert all("sk-secret" in {k.lower(): v for k, v in headers.items()}[header] for _, headers, _ in asked)
    assert not any("another model" in note for note in said.document["notes"])
    assert {row["tokens_out"] for row in read_rows(tmp_path / "run" / "answers.jsonl")} <= {3, 10}
    assert b"sk-secret" not in b"".join(each.read_bytes() for each in (tmp_path / "run").iterdir())


@pytest.mark.usefixtures("jail")
def test_vertex_is_asked_at_a_loopback_address(tmp_path: Path) -> None:
    """Its own address is https only; the path after --base-url is the same. A dead token says how to get another."""
    own_file(tmp_path, LABEL)
    run = ("run", "own", "--data", "own.jsonl", "--model", "vertex:google/small", "--json", "--out", "run")
    dead = {
        "error": {
            "code": 401,
            "message": "Request had invalid authentication credentials.",
            "status": "UNAUTHENTICATED",
        }
    }
    token = {"GOOGLE_OAUTH_ACCESS_TOKEN": "ya29.secret"}
    with replying((401, dead), (200, openai_reply("spam"))) as (address, asked):
        base = f"{address}/v1/projects/p/locations/global/endpoints/openapi"
        refused = called(*run, "--base-url", base, cwd=tmp_path, **token)
        said = called(*run, "--base-url", base, cwd=tmp_path, **token)

    assert refused.code == 1
    assert 'GOOGLE_OAUTH_ACCESS_TOKEN="$(gcloud auth print-access-token)"' in refused.err
    assert (said.code, said.document["outcomes"]) == (0, {"passed": 1}), said.err
    assert asked[-1][0] == "/v1/projects/p/locations/global/endpoints/openapi/chat/completions"
    assert asked[-1][2]["model"] == "google/small"
