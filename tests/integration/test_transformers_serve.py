"""The whole way to a real server: `transformers serve` with a tiny model, asked by `benchwright run`.

Not part of `./run test`, since it needs about 1.2 GB of packages. To repeat it:

    sh tests/integration/setup.sh /tmp/benchwright-integration
    /tmp/benchwright-integration/bin/python -m pytest -m integration tests/integration

What this server does against its own interface, with status 200, is why the stub server has its
faults: each is held against the real thing here, for the version that setup.sh installs.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import httpx
import pytest
from real_server import serving

import benchwright

pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("jail")]

DATA = Path(benchwright.__file__).parent / "demo" / "ruhumaneval.jsonl"
LIMIT_S = 600


@pytest.fixture(scope="module")
def server(tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Generator[str]:
    """A server of the model as `save_pretrained` leaves it, which says nothing of sampling."""
    with serving(tiny_model, tmp_path_factory.mktemp("serve")) as url:
        yield url


@pytest.fixture
def sampling_model(tiny_model: Path, tmp_path: Path) -> Path:
    """The same model with one more word in its generation settings."""
    folder = Path(shutil.copytree(tiny_model, tmp_path / "sampling"))
    settings = folder / "generation_config.json"
    settings.write_text(json.dumps({**json.loads(settings.read_text()), "do_sample": True}))
    return folder


def run(model: Path, url: str, out: Path, *more: object) -> dict[str, Any]:
    """The document of `benchwright run` over the demo's tasks."""
    asked = ["--model", f"openai:{model}", "--base-url", url, "--max-tokens", 8]
    command = ["run", "ruhumaneval", "--data", DATA, *asked, "--out", out, "--json", *more]
    done = subprocess.run(
        [sys.executable, "-m", "benchwright.cli.main", *map(str, command)],
        env={**os.environ, "NO_PROXY": "*"},
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def rows(out: Path) -> list[dict[str, Any]]:
    """The stored answers."""
    return [json.loads(line) for line in (out / "answers.jsonl").read_text(encoding="utf-8").splitlines()]


def noted(document: dict[str, Any], words: str) -> bool:
    """Whether a note of the score has these words."""
    return any(words in note for note in document["notes"])


def test_a_run_is_whole_and_says_what_the_server_did(tiny_model: Path, server: str, tmp_path: Path) -> None:
    """200 answers are stored and judged; that they are copies, and by whom, stands under the score."""
    document = run(tiny_model, server, tmp_path / "run", "--limit", 20, "--n", 10)
    stored = rows(tmp_path / "run")

    assert (len(stored), document["answers"], document["missing"]) == (200, 200, 0)
    assert sum(document["outcomes"].values()) == 200
    assert len({row["seed"] for row in stored}) == 200
    assert document["identical"] == 180
    assert noted(document, "the server may ignore temperature and seed")
    assert noted(document, "it says that another model answered (200 times)")
    assert document["tokens_out"] == sum(row["tokens_out"] for row in stored) > 0


def test_the_same_command_again_asks_nothing(tiny_model: Path, server: str, tmp_path: Path) -> None:
    """A finished run is read from its folder: the answers file is the same, byte for byte."""
    first = run(tiny_model, server, tmp_path / "run", "--limit", 2, "--n", 2)
    before = (tmp_path / "run" / "answers.jsonl").read_bytes()
    second = run(tiny_model, server, tmp_path / "run", "--limit", 2, "--n", 2)

    assert (second, (tmp_path / "run" / "answers.jsonl").read_bytes()) == (first, before)


def test_where_sampling_is_in_effect_nothing_is_said_of_it(sampling_model: Path, tmp_path: Path) -> None:
    """With `do_sample` in the model's settings the same server honours seeds: no answer is a copy."""
    with serving(sampling_model, tmp_path) as url:
        document = run(sampling_model, url, tmp_path / "run", "--limit", 3, "--n", 10)

    assert (document["answers"], document["identical"]) == (30, 0)
    assert not noted(document, "letter for letter")


def test_stop_strings_are_cut_here(tiny_model: Path, server: str, tmp_path: Path) -> None:
    """The server leaves them in the text; no stored text has one, the tails do, and the score says so."""
    base = ["--api", "completions", "--stop", "e", "--max-tokens", 32]
    document = run(tiny_model, server, tmp_path / "run", "--limit", 10, "--n", 1, *base)
    stored = rows(tmp_path / "run")
    tails = [row["tail"] for row in stored if row.get("tail")]

    assert [row["text"] for row in stored if "e" in row["text"]] == []
    assert tails
    assert all(tail.startswith("e") for tail in tails)
    assert noted(document, "it left a stop string in the text")


def test_the_stub_servers_faults_are_real(tiny_model: Path, server: str) -> None:
    """Each with status 200: `n-ignored`, `duplicates`, `logprobs-null`, `stop-kept`; and `models-500`."""
    question = {"model": str(tiny_model), "messages": [{"role": "user", "content": "def add(x, y):"}]}
    common = {**question, "max_tokens": 8, "temperature": 1.0}
    with httpx.Client(base_url=server, trust_env=False, timeout=60) as client:
        replies = [
            client.post("/chat/completions", json={**common, "seed": seed, "n": 3, "logprobs": True})
            for seed in (1, 2)
        ]
        models = client.get("/models").status_code
    choices = [reply.json()["choices"] for reply in replies]

    assert [reply.status_code for reply in replies] == [200, 200]
    assert [len(each) for each in choices] == [1, 1]
    assert [each[0].get("logprobs") for each in choices] == [None, None]
    assert choices[0][0]["message"]["content"] == choices[1][0]["message"]["content"]
    assert models == 500
