"""`judge pairs` ended by kill -9 goes on where it was, and leaves the bytes of a command that was not."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from benchwright.judges.rubric.contrast import BETTER, contrast_items
from benchwright.running.pipeline import run
from benchwright.stub_server import Script, ScriptRow, StubServer
from kit.judging_models import CLOSE, ODD, RIGHT, issue_answers, issue_rows
from kit.processes import HANG_S, wait_until

pytestmark = pytest.mark.usefixtures("jail")

TASKS = 3
GOOD = [each.exhibit.candidate for each in contrast_items("issues") if each.answer == BETTER]
PAIRS = ("judge", "pairs", "a", "b", "--quiet", "--judge-concurrency", "2")


def reply(label: str) -> str:
    """By the rubric of pairs."""
    return json.dumps({"evidence": [], "reason": "because", "label": label})


def asked(server: StubServer) -> list[str]:
    """The prompts so far."""
    return [each["body"]["messages"][-1]["content"] for each in server.requests()]


def proving(prompts: list[str]) -> list[ScriptRow]:
    """What a good judge says of its self-check: the right answer is A if it stands nearer to the beginning."""
    rows = []
    for prompt in prompts:
        places = [prompt.rindex(good) for good in GOOD if good in prompt]
        is_first = max(places) < prompt.rindex(" BEGIN\n")  # where the second answer begins
        rows.append(ScriptRow(contains=prompt, completions=[reply("A" if is_first else "B")]))
    return rows


def lines(folder: Path) -> int:
    """Replies that are stored."""
    return sum(path.read_bytes().count(b"\n") for path in folder.glob("replies.*.jsonl"))


def files(folder: Path) -> dict[str, bytes]:
    """What a comparison leaves, but for where and when it was made."""
    return {
        path.name: path.read_bytes() for path in sorted(folder.glob("*.jsonl")) if path.name != "events.jsonl"
    }


def test_a_killed_comparison_goes_on(tmp_path: Path) -> None:
    """Of the pairs that were judged before the kill none is asked about again."""
    data = issue_rows(tmp_path, TASKS)
    for name, texts in (("a", [RIGHT, CLOSE, ODD]), ("b", [CLOSE, CLOSE, RIGHT])):
        answers = issue_answers(tmp_path, texts, TASKS)
        run("smartcoding-issues", data=str(data), model=f"replay:{answers}", out=tmp_path / name)
    with StubServer(Script(rows=[ScriptRow(contains="", completions=[reply("tie")])])) as server:
        refused = _pairs(tmp_path, "proof", server)
        proof = asked(server)
    assert refused.returncode == 1, refused.stderr
    script = Script(rows=[*proving(proof), ScriptRow(contains="", completions=[reply("A")])])
    with StubServer(script) as server:
        whole = _pairs(tmp_path, "whole", server)
        total = len(asked(server))
    assert whole.returncode == 0, whole.stderr

    with StubServer(script, faults=["slow:seconds=0.2"]) as server:
        process = subprocess.Popen(_command("cut", server), cwd=tmp_path, start_new_session=True)
        try:
            assert wait_until(lambda: lines(tmp_path / "cut") > len(proof) + 2)
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(HANG_S)
    stored = lines(tmp_path / "cut")
    with StubServer(script) as server:
        resumed = _pairs(tmp_path, "cut", server)
        again = len(asked(server))

    assert resumed.returncode == 0, resumed.stderr
    assert len(proof) + 2 < stored < total
    assert again == total - stored
    assert files(tmp_path / "cut") == files(tmp_path / "whole")


def _command(out: str, server: StubServer) -> list[str]:
    judge = ("--judge", f"openai:j@{server.base_url}", "--out", out)
    return [sys.executable, "-m", "benchwright", *PAIRS, *judge]


def _pairs(folder: Path, out: str, server: StubServer) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        _command(out, server), cwd=folder, capture_output=True, text=True, timeout=HANG_S, check=False
    )
