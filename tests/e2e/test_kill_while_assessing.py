"""A run with a model judge, killed again and again: all bytes as if it had not been, and nothing asked twice."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

from benchwright.stub_server import StubServer
from kit.command_line import benchwright
from kit.examples import examples
from kit.judging_models import (
    CLOSE,
    ODD,
    OF_ANSWERS,
    RIGHT,
    contents,
    fair,
    issue_answers,
    issue_rows,
    scripted,
)
from kit.processes import wait_until

TASKS, KILLS = 8, examples(4)

pytestmark = pytest.mark.usefixtures("jail")


def command(folder: Path, out: str, server: StubServer) -> list[str]:
    """The run under test."""
    line = [sys.executable, "-m", "benchwright.cli.main", "run", "smartcoding-issues", "--quiet"]
    line += ["--data", str(folder / "issues.jsonl"), "--model", f"replay:{folder / 'answers.jsonl'}"]
    line += ["--judge", "openai:stub", "--judge-base-url", server.base_url, "--judge-concurrency", "3"]
    return [*line, "--out", str(folder / out)]


def stored(out: Path) -> set[int]:
    """The seeds of the replies whose lines are whole."""
    whole = b"".join(path.read_bytes().rpartition(b"\n")[0] + b"\n" for path in out.glob("replies.*.jsonl"))
    return {int(line.split(b'"seed":')[1].split(b",")[0]) for line in whole.splitlines() if line}


def requests(server: StubServer) -> dict[int, int]:
    """How often each seed was asked for, when nothing is in flight."""
    assert wait_until(lambda: server.stats()["requests"] == sum(server.stats()["statuses"].values()))
    return {entry["seed"]: entry["requests"] for entry in server.stats()["keys"]}


def test_kills_lose_no_reply_and_ask_for_none_again(tmp_path: Path) -> None:
    """In the self-check, between answers and while results are written."""
    issue_rows(tmp_path, TASKS)
    issue_answers(tmp_path, [RIGHT, CLOSE, ODD], TASKS)
    moments = random.Random(3)
    script = scripted("issues", fair, OF_ANSWERS)
    with StubServer(script, faults=["slow:seconds=0.02"], within="process") as server:
        for name in ("whole", "killed"):
            line, out = command(tmp_path, name, server), tmp_path / name
            for _ in range(KILLS if name == "killed" else 0):
                enough = len(stored(out)) + moments.randint(3, 18)
                process = subprocess.Popen(line)
                wait_until(lambda: process.poll() is not None or len(stored(out)) >= enough)  # noqa: B023
                process.kill()
                process.wait()
                had = stored(out)
                before = {seed: count for seed, count in requests(server).items() if seed in had}
            assert benchwright(*line[3:]).code == 0
        after = requests(server)

    assert contents(tmp_path / "killed") == contents(tmp_path / "whole")
    assert {seed: after[seed] for seed in before} == before
    assert len(before) >= KILLS
