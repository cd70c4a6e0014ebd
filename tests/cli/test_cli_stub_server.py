"""`benchwright stub-server`: a URL on the first line, then service until it is interrupted."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from benchwright.stub_server import KINDS
from kit.command_line import benchwright
from kit.processes import HANG_S
from kit.small_data import mera, mera_row, write

CHAT = {"model": "m", "messages": [{"role": "user", "content": "def add(x, y):"}]}


@contextmanager
def started(*args: object) -> Generator[tuple[subprocess.Popen[str], str]]:
    """The command as a process, and the URL from its first line."""
    command = [sys.executable, "-m", "benchwright.cli.main", "stub-server", *map(str, args)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    with process:
        try:
            yield process, process.stdout.readline().strip()
        finally:
            process.kill()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_until_it_is_interrupted(number: signal.Signals) -> None:
    """Ctrl-C is its proper end: exit code 0, and stderr says what it has served."""
    with started() as (process, url):
        reply = httpx.post(url + "/chat/completions", json=CHAT, trust_env=False)
        process.send_signal(number)
        out, err = process.communicate(timeout=HANG_S)

    assert reply.json()["choices"][0]["message"]["content"].endswith("def add(x, y):")
    assert (process.returncode, out, err) == (0, "", "1 request, 1 answered in full\n")


def test_script_faults_models_and_key(tmp_path: Path) -> None:
    """Each option reaches the server."""
    script = tmp_path / "answers.jsonl"
    script.write_text('{"contains": "add", "completions": ["scripted"]}\n')
    options = [
        "--script",
        script,
        "--fault",
        "503:first=1",
        "--fault",
        "n-forced",
        "--model",
        "a",
        "--api-key",
        "k",
    ]
    with started(*options) as (_, url), httpx.Client(base_url=url, trust_env=False) as client:
        client.headers["Authorization"] = "Bearer k"
        models = client.get("/models").json()["data"]
        statuses = [client.post("/chat/completions", json=CHAT).status_code for _ in range(2)]
        choices = client.post("/chat/completions", json=CHAT).json()["choices"]

    assert ([each["id"] for each in models], statuses) == (["a"], [503, 200])
    assert [each["message"]["content"] for each in choices] == ["scripted", "scripted"]


def test_every_fault_is_listed() -> None:
    """One line a kind, on stdout."""
    said = benchwright("stub-server", "--list-faults")

    assert (0, list(KINDS)) == (said.code, [line.split()[0] for line in said.out.splitlines()])


WRONG = {
    "an unknown fault": (["--fault", "402"], 2, "no fault is named '402'"),
    "a script that is not there": (["--script", "nothing.jsonl"], 2, "no file at nothing.jsonl"),
    "a port beyond all": (["--port", "70000"], 2, "70000"),
    "a host that is not ours": (["--host", "192.0.2.1"], 2, "cannot listen on 192.0.2.1"),
}


@pytest.mark.parametrize(("args", "code", "message"), WRONG.values(), ids=WRONG)
def test_wrong_options_are_refused(args: list[str], code: int, message: str) -> None:
    """Nothing is served, and stdout stays empty."""
    said = benchwright("stub-server", *args)

    assert (code, "", True) == (said.code, said.out, message in said.err)


@pytest.mark.usefixtures("jail")
def test_a_run_against_it(tmp_path: Path) -> None:
    """Each question fails once and is asked again: every answer arrives, and the score is the script's."""
    rows = [mera_row(number) for number in range(3)]
    wrong = "    return None\n"
    texts = {row["inputs"]["function"]: [row["meta"]["canonical_solution"], wrong] for row in rows}
    script = write(
        tmp_path / "script.jsonl", [{"contains": text, "completions": given} for text, given in texts.items()]
    )
    data = ["--data", mera(tmp_path), "--out", tmp_path / "run", "--workers", 1, "--json"]
    with started("--script", script, "--fault", "429:first=1,seconds=0") as (_, url):
        asked = ["--model", "openai:stub", "--base-url", url, "--n", 8]
        document = benchwright("run", "ruhumaneval", *data, *asked, NO_PROXY="*").document
        stats = httpx.get(url.removesuffix("/v1") + "/_stats", trust_env=False).json()

    assert (document["answers"], document["missing"], set(document["outcomes"])) == (
        24,
        0,
        {"passed", "wrong"},
    )
    assert (stats["statuses"], len(stats["keys"])) == ({"200": 24, "429": 24}, 24)
