"""`--model ollama:`, `vllm:`, `openrouter:`, `anthropic:` and `gemini:` from the command line to a score."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchwright.stub_server import Script, ScriptRow, StubServer
from kit.command_line import Said, called
from kit.own_rows import LABEL, own_file, own_row
from kit.provider_replies import anthropic_reply, gemini_reply, replying
from kit.small_data import read_rows

pytestmark = pytest.mark.usefixtures("jail")


def asked_of(folder: Path, model: str, address: str, **environment: str) -> Said:
    """A run of two tasks that ask for a label."""
    own_file(folder, LABEL, own_row(LABEL, id="other", label="ham"))
    run = ("run", "own", "--data", "own.jsonl", "--model", model, "--base-url", address, "--out", "run")
    return called(*run, "--concurrency", 1, "--json", cwd=folder, **environment)


@pytest.mark.parametrize("scheme", ["ollama", "vllm", "openrouter"])
def test_a_preset_is_the_one_client(tmp_path: Path, scheme: str) -> None:
    """With the name of its scheme in the run, and no key asked for at another address."""
    with StubServer(Script(rows=[ScriptRow(contains="", completions=["spam"])])) as server:
        said = asked_of(tmp_path, f"{scheme}:small", server.base_url)

    assert said.code == 0, said.err
    assert (said.document["model"], said.document["outcomes"]) == (
        f"{scheme}:small",
        {"passed": 1, "wrong": 1},
    )
    assert {row["model"] for row in read_rows(tmp_path / "run" / "answers.jsonl")} == {f"{scheme}:small"}


@pytest.mark.parametrize(
    ("scheme", "reply", "path", "header"),
    [
        ("anthropic", anthropic_reply("spam"), "/v1/messages", "x-api-key"),
        ("gemini", gemini_reply("spam"), "/v1beta/models/small:generateContent", "x-goog-api-key"),
    ],
)
def test_a_provider_is_asked_by_its_own_interface(
    tmp_path: Path, scheme: str, reply: dict[str, Any], path: str, header: str
) -> None:
    """After an overload it is asked again; tokens and thoughts are kept, the key is in no file."""
    overloaded = {"error": {"message": "Overloaded", "type": "overloaded_error", "code": 503}}
    key = {f"{scheme.upper()}_API_KEY": "sk-secret"}
    with replying((503, overloaded), (200, {**reply, "model": "small", "modelVersion": "small"})) as server:
        address, asked = server
        said = asked_of(tmp_path, f"{scheme}:small", address, **key)

    assert said.code == 0, said.err
    assert (said.document["outcomes"], len(asked)) == ({"passed": 1, "wrong": 1}, 3)
    assert {place for place, _, _ in asked} == {path}
    assert all(
        {name.lower(): value for name, value in headers.items()}[header] == "sk-secret"
        for _, headers, _ in asked
    )
    answers = read_rows(tmp_path / "run" / "answers.jsonl")
    assert [(row["reasoning"], row["finish_reason"]) for row in answers] == [("hm", "stop")] * 2
    assert all(
        b"sk-secret" not in file.read_bytes() for file in (tmp_path / "run").iterdir() if file.is_file()
    )


@pytest.mark.parametrize("scheme", ["anthropic", "gemini"])
def test_a_wrong_key_is_told_by_its_name(tmp_path: Path, scheme: str) -> None:
    refused = {"error": {"message": "invalid key", "type": "authentication_error"}}
    with replying((401, refused)) as (address, _):
        said = asked_of(tmp_path, f"{scheme}:small", address)

    assert (said.code, "invalid key" in said.err) == (1, True)
    assert f"set {scheme.upper()}_API_KEY to a key of this server" in said.err


@pytest.mark.parametrize("scheme", ["openrouter", "anthropic", "gemini"])
def test_a_missing_key_is_told_before_anything_is_asked(
    tmp_path: Path, scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (f"{scheme.upper()}_API_KEY", f"{scheme.upper()}_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    own_file(tmp_path, LABEL)

    said = called("run", "own", "--data", "own.jsonl", "--model", f"{scheme}:small", cwd=tmp_path)

    assert (said.code, f"{scheme.upper()}_API_KEY is not set" in said.err) == (3, True)


def test_a_judge_may_be_of_any_provider(tmp_path: Path) -> None:
    """It is asked at its address, in its first words: the answers whose order is known."""
    own_file(tmp_path, LABEL)
    run = ("run", "own", "--data", "own.jsonl", "--model", "gold:", "--judge-concurrency", 1, "--json")
    refused = {"error": {"message": "not today", "type": "permission_error"}}

    with replying((403, refused)) as (address, asked):
        said = called(*run, "--judge", f"anthropic:small@{address}", cwd=tmp_path)

    assert (said.code, "refuses to answer: HTTP 403: not today" in said.err) == (1, True)
    assert {(path, body["model"]) for path, _, body in asked} == {("/v1/messages", "small")}
