"""A run that is ended while it asks a live model goes on from what is on disk, and asks nothing twice."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from benchwright.stub_server import Script, StubServer
from kit.command_line import benchwright
from kit.examples import examples
from kit.processes import HANG_S, wait_until
from kit.small_data import humaneval, name_of

TASKS, N, CONCURRENCY = 8, 10, 4
TOTAL = TASKS * N
KILLS = examples(4)
WRONG, RIGHT = "    return None\n", "    return x {} {}\n"
SCRIPT = Script.of(
    {f"def {name_of(number)}(": [RIGHT.format("+*"[number % 2], number), WRONG] for number in range(TASKS)}
)

pytestmark = pytest.mark.usefixtures("jail")


def command(folder: Path, out: str, server: StubServer) -> list[str]:
    """The run under test."""
    data = folder / "tasks.jsonl"
    if not data.exists():
        humaneval(folder, TASKS)
    line = [sys.executable, "-m", "benchwright.cli.main", "run", "humaneval", "--data", str(data)]
    line += ["--model", "openai:stub", "--base-url", server.base_url, "--concurrency", str(CONCURRENCY)]
    return [*line, "--n", str(N), "--out", str(folder / out), "--quiet"]


def finish(line: list[str]) -> None:
    """Run a command to its end."""
    said = benchwright(*line[3:])
    assert (said.code, said.err) == (0, "")


def rows(out: Path) -> list[dict[str, Any]]:
    """The answers whose lines are whole, in a file that may still be written."""
    path = out / "answers.jsonl"
    lines = path.read_bytes().splitlines(keepends=True) if path.exists() else []
    return [json.loads(line) for line in lines if line.endswith(b"\n")]


def asked(server: StubServer) -> Counter[int]:
    """How often each seed was asked for, when nothing is in flight any more. No two prompts share a seed."""
    stats = server.stats()

    def idle() -> bool:
        nonlocal stats
        stats = server.stats()
        return bool(stats["requests"] == sum(stats["statuses"].values()))

    assert wait_until(idle)
    return Counter({entry["seed"]: entry["requests"] for entry in stats["keys"]})


def kill_at_some_moment(line: list[str], out: Path, moments: random.Random) -> bool:
    """Start the run, let it store a few more answers, and kill it; whether it was still asking."""
    enough, pause = len(rows(out)) + moments.randint(0, 6), moments.uniform(0, 0.03)
    run = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait_until(lambda: run.poll() is not None or len(rows(out)) >= enough)
    until = time.monotonic() + pause
    wait_until(lambda: run.poll() is not None or time.monotonic() > until)
    ended = run.poll() is not None
    run.kill()
    run.communicate()
    return not ended and len(rows(out)) < TOTAL


def test_kills_lose_nothing_and_ask_nothing_twice(tmp_path: Path) -> None:
    """The answers equal an undisturbed run's byte for byte, and no stored answer was asked for again.

    What was in flight at a kill is asked again, and replies that were not stored yet: at most twice the concurrency.
    """
    moments = random.Random(7)
    with StubServer(SCRIPT, faults=["slow:seconds=0.03"], within="process") as server:
        finish(command(tmp_path, "undisturbed", server))
        before = asked(server)
        line, out = command(tmp_path, "killed", server), tmp_path / "killed"
        struck, kept = 0, dict[int, int]()
        for _ in range(KILLS):
            struck += kill_at_some_moment(line, out, moments)
            counts = asked(server)
            for row in rows(out):
                assert kept.setdefault(row["seed"], counts[row["seed"]]) == counts[row["seed"]]
        finish(line)
        counts = asked(server)
    answers = [(tmp_path / name / "answers.jsonl").read_bytes() for name in ("killed", "undisturbed")]
    outcomes = Counter(
        json.loads(row)["outcome"] for row in (out / "verdicts.jsonl").read_text().splitlines()
    )

    assert before == dict.fromkeys(before, 1) and len(before) == TOTAL
    assert answers[0] == answers[1]
    assert {seed: counts[seed] for seed in kept} == kept
    assert sum(counts.values()) - TOTAL <= TOTAL + KILLS * 2 * CONCURRENCY
    assert set(outcomes) == {"passed", "wrong"} and outcomes.total() == TOTAL
    assert struck >= KILLS // 2, "too few kills fell into the time of asking to show anything"


def test_ctrl_c_is_quick_and_keeps_what_was_answered(tmp_path: Path) -> None:
    """Exit code 130 at once, though replies are an hour away; the same command asks only for the rest."""
    with StubServer(SCRIPT, faults=[f"slow:seconds=3600,first=1,contains={name_of(3)}("]) as server:
        line, out = command(tmp_path, "interrupted", server), tmp_path / "interrupted"
        run = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert wait_until(lambda: len(rows(out)) >= 3 * N)
        run.send_signal(signal.SIGINT)
        _, said = run.communicate(timeout=HANG_S)
        stored = {row["seed"] for row in rows(out)}
    with StubServer(SCRIPT) as again:
        finish(at(line, again))
        counts = asked(again)

    assert (run.returncode, said.decode().strip().splitlines()[-1][:11]) == (130, "interrupted")
    assert b"Traceback" not in said
    assert len(stored) >= 3 * N and not stored & set(counts)
    assert len(rows(out)) == TOTAL == len(stored) + len(counts)


def at(line: list[str], server: StubServer) -> list[str]:
    """The same command to another server: where it is decides nothing."""
    place = line.index("--base-url") + 1
    return [*line[:place], server.base_url, *line[place + 1 :]]


def test_what_the_server_failed_at_is_missing_and_asked_again(tmp_path: Path) -> None:
    """Not one answer is counted as wrong; when the server is whole, only the missing ones are asked."""
    with StubServer(SCRIPT, faults=[f"wrong-json:contains={name_of(4)}("]) as server:
        line = [*command(tmp_path, "failed", server), "--retries", "0", "--json"]
        first = benchwright(*line[3:]).document
    with StubServer(SCRIPT) as whole:
        again = at(line, whole)
        second = benchwright(*again[3:]).document
        counts = asked(whole)

    assert (first["outcomes"]["model_error"], first["missing"]) == (N, N)
    assert set(first["outcomes"]) <= {"passed", "wrong", "model_error"}
    assert (second["missing"], second["outcomes"].get("model_error", 0)) == (0, 0)
    assert (len(counts), set(counts.values())) == (N, {1})
    assert second["metrics"]["pass@1"]["n"] == TASKS
