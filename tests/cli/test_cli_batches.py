"""`run --batch`: submit, leave, resume; nothing is submitted twice, and a score at the end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import benchwright as bw
from kit.batch_server import BATCHES, BatchServer, MadeBatch, batch_server
from kit.command_line import Said, called
from kit.own_rows import LABEL, own_file, own_row
from kit.processes import HANG_S, wait_until
from kit.small_data import gold_of, humaneval, name_of, read_rows

pytestmark = pytest.mark.usefixtures("jail")

SCHEMES = ("openai", "anthropic")
CREATING = {"openai": "/v1/batches", "anthropic": BATCHES}


@pytest.fixture
def server() -> Iterator[BatchServer]:
    """Answers "spam" to everything, at once."""
    with batch_server() as made:
        yield made


def command(folder: Path, server: BatchServer, scheme: str, *more: object) -> list[str]:
    """A run of two tasks that ask for a label, three answers each."""
    own_file(folder, LABEL, own_row(LABEL, id="other", label="ham"))
    address = server.base_url + ("/v1" if scheme == "openai" else "")
    run = ("run", "own", "--data", "own.jsonl", "--model", f"{scheme}:small", "--base-url", address)
    return [*run, "--out", "run", "--n", "3", "--batch", *map(str, more)]


def run(folder: Path, server: BatchServer, scheme: str, *more: object) -> Said:
    """The command; the key is invented."""
    key = {f"{scheme.upper()}_API_KEY": "sk-secret"}
    return called(*command(folder, server, scheme, *more), cwd=folder, **key)


def creations(server: BatchServer, scheme: str) -> int:
    """How often a batch was created."""
    return server.posts.count(CREATING[scheme])


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_batch_is_submitted_left_and_collected(tmp_path: Path, server: BatchServer, scheme: str) -> None:
    """Code 4 until it has ended; the same command then scores, and submits nothing again."""
    server.is_held = True
    left = run(tmp_path, server, scheme, "--no-wait", "--price-in", 2, "--price-out", 4)
    again = run(tmp_path, server, scheme, "--no-wait")
    server.is_held = False
    scored = run(tmp_path, server, scheme, "--no-wait", "--json", "--price-in", 2, "--price-out", 4)

    assert (left.code, again.code, scored.code) == (4, 4, 0), scored.err
    assert "pending: 1 batch with 6 requests has not ended" in left.err
    assert "at 0.5 of the price" in left.err
    assert "the same command collects" in again.err
    assert (creations(server, scheme), len(server.asked())) == (1, 6)
    assert scored.document["outcomes"] == {"passed": 3, "wrong": 3}
    assert {row["batch"] for row in read_rows(tmp_path / "run" / "answers.jsonl")} == {"batch_1"}
    tokens = scored.document["tokens_in"] * 2 + scored.document["tokens_out"] * 4
    assert f"the answers cost {tokens / 2 / 1e6:.2g}" in str(scored.document["notes"])


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_run_that_waits_scores_at_once(tmp_path: Path, server: BatchServer, scheme: str) -> None:
    """The same score as one request for each answer would give; the key is in no file."""
    said = run(tmp_path, server, scheme, "--json")
    files = b"".join(path.read_bytes() for path in (tmp_path / "run").iterdir())

    assert (said.code, said.document["outcomes"]) == (0, {"passed": 3, "wrong": 3}), said.err
    assert b"sk-secret" not in files
    assert all("sk-secret" in str(headers) for headers in server.headers)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_batch_survives_kill_9(tmp_path: Path, server: BatchServer, scheme: str) -> None:
    """The killed process waited for the batch; the next one finds it in the run folder."""
    server.is_held = True
    environment = {**os.environ, f"{scheme.upper()}_API_KEY": "sk-secret"}
    arguments = [sys.executable, "-m", "benchwright.cli.main", *command(tmp_path, server, scheme)]
    waiting = subprocess.Popen(arguments, cwd=tmp_path, env=environment, stderr=subprocess.DEVNULL)
    assert wait_until(lambda: server.looks > 0)
    waiting.send_signal(signal.SIGKILL)
    waiting.wait(HANG_S)
    server.is_held = False
    said = run(tmp_path, server, scheme, "--json")

    assert (said.code, said.document["outcomes"]) == (0, {"passed": 3, "wrong": 3}), said.err
    assert creations(server, scheme) == 1


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_crash_before_the_id_is_stored_submits_nothing_twice(
    tmp_path: Path, server: BatchServer, scheme: str
) -> None:
    """The last line of batches.jsonl is lost: the batch is found at the provider, among those of others."""
    server.is_held = True
    run(tmp_path, server, scheme, "--no-wait")
    path = tmp_path / "run" / "batches.jsonl"
    planned, submitted = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(planned)
    own = next(iter(server.batches.values()))
    for _ in range(3):  # of other users, of the same size
        server.create([(f"other-{number}", body) for number, (_, body) in enumerate(own.requests)], "other")
    unsure = run(tmp_path, server, scheme, "--no-wait")
    server.is_held = False
    said = run(tmp_path, server, scheme, "--json")

    assert json.loads(submitted)["id"] == own.id
    assert unsure.code == 4
    assert (said.code, said.document["outcomes"]) == (0, {"passed": 3, "wrong": 3}), said.err
    assert creations(server, scheme) == 1
    assert f'"{own.id}"' in path.read_text()


def test_a_plan_that_was_never_submitted_is_submitted(tmp_path: Path, server: BatchServer) -> None:
    """The process ended between the plan and the request: the provider does not have the batch."""
    server.is_held = True
    run(tmp_path, server, "openai", "--no-wait")
    path = tmp_path / "run" / "batches.jsonl"
    path.write_bytes(path.read_bytes().splitlines(keepends=True)[0])
    server.batches.clear()
    server.is_held = False
    said = run(tmp_path, server, "openai", "--json")

    assert (said.code, creations(server, "openai")) == (0, 2), said.err


def test_open_batches_are_not_paid_for_twice(tmp_path: Path, server: BatchServer) -> None:
    """Without --batch the run would ask the same questions again."""
    server.is_held = True
    run(tmp_path, server, "openai", "--no-wait")
    without = [each for each in command(tmp_path, server, "openai") if each != "--batch"]
    said = called(*without, cwd=tmp_path, OPENAI_API_KEY="")

    assert said.code == 2
    assert "1 open batch: batch_1" in said.err
    assert "--batch" in said.err
    assert "/v1/chat/completions" not in server.posts


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--model", "gemini:x", "--batch"), "--batch: gemini:x cannot be asked in batches"),
        (("--model", "gold:", "--batch"), "--batch: gold: cannot be asked in batches"),
        (("--model", "openai:x", "--no-wait"), "--no-wait needs batches"),
        (("--model", "openai:x", "--batch", "--price-batch", "0"), "--price-batch 0: must be more than 0"),
        (("--model", "openai:x", "--batch", "--price-batch", "1.5"), "--price-batch 1.5: must be"),
    ],
)
def test_settings_that_cannot_work_are_refused(tmp_path: Path, more: tuple[str, ...], message: str) -> None:
    own_file(tmp_path, LABEL)
    said = called("run", "own", "--data", "own.jsonl", *more, cwd=tmp_path)

    assert (said.code, message in said.err, "hint:" in said.err) == (2, True, True), said.err


def test_a_server_without_batches_is_named(tmp_path: Path, server: BatchServer) -> None:
    """Many servers have OpenAI's chat interface only."""
    given = [
        each.replace(server.base_url + "/v1", server.base_url + "/v2")
        for each in command(tmp_path, server, "openai")
    ]
    said = called(*given, cwd=tmp_path, OPENAI_API_KEY="")

    assert said.code == 1
    assert "has no batches" in said.err
    assert "leave --batch out" in said.err


def test_a_suite_reports_pending_runs(tmp_path: Path, server: BatchServer) -> None:
    """Code 4 while a batch has not ended; a threshold waits for its run, and a score counts at once."""
    own_file(tmp_path, LABEL, own_row(LABEL, id="other", label="ham"))
    (tmp_path / "s.toml").write_text(
        f"""[defaults]
data = "own.jsonl"
[[models]]
model = "openai:small"
base-url = "{server.base_url}/v1"
batch = true
no-wait = true
n = 3
[[models]]
model = "gold:"
[[tracks]]
track = "own"
[[fail-under]]
measure = "pass@1"
value = 0.4
"""
    )
    suite = ("suite", "s.toml", "--no-report", "--json")
    server.is_held = True
    pending = called(*suite, cwd=tmp_path, OPENAI_API_KEY="")
    shown = called(
        "suite", "s.toml", "--no-report", "--summary", "summary.md", cwd=tmp_path, OPENAI_API_KEY=""
    )
    server.is_held = False
    scored = called(*suite, cwd=tmp_path, OPENAI_API_KEY="")

    assert (pending.code, scored.code) == (4, 0), (pending.err, scored.err)
    assert [each["score"] is None for each in pending.document["cells"]] == [True, False]
    assert len(pending.document["checks"]) == 1
    assert (shown.code, "own/small" in shown.err, "pending" in shown.err) == (4, True, True), shown.err
    assert "**own/small pending:**" in (tmp_path / "summary.md").read_text()
    assert creations(server, "openai") == 1


def test_python_gets_an_exception_and_then_the_run(tmp_path: Path, server: BatchServer) -> None:
    """`wait=False` raises until the batch has ended."""
    own_file(tmp_path, LABEL, own_row(LABEL, id="other", label="ham"))
    given: dict[str, Any] = {
        "data": tmp_path / "own.jsonl",
        "model": "openai:small",
        "base_url": f"{server.base_url}/v1",
        "out": tmp_path / "run",
        "batch": True,
        "wait": False,
    }
    server.is_held = True
    with pytest.raises(bw.BatchesPending, match="2 requests has not ended"):
        bw.run("own", **given, n=1)
    server.is_held = False
    run = bw.run("own", **given, n=1)

    assert run.scores.outcomes == {"passed": 1, "wrong": 1}


def test_an_interrupted_wait_says_how_to_go_on(tmp_path: Path, server: BatchServer) -> None:
    """Ctrl-C: code 130, and the batch stays in the run folder."""
    server.is_held = True
    arguments = [sys.executable, "-m", "benchwright.cli.main", *command(tmp_path, server, "openai")]
    environment = {**os.environ, "OPENAI_API_KEY": ""}
    waiting = subprocess.Popen(arguments, cwd=tmp_path, env=environment, stderr=subprocess.PIPE)
    assert wait_until(lambda: server.looks > 0)
    waiting.send_signal(signal.SIGINT)
    _, said = waiting.communicate(timeout=HANG_S)

    assert waiting.returncode == 130
    assert b"Repeat the command to resume" in said
    assert b"submitted batch batch_1: 6 requests" in said


def test_each_round_of_an_agent_is_a_batch(tmp_path: Path, server: BatchServer) -> None:
    """The failed answers of one round are asked about in the next batch; a resumed round asks nothing again."""

    def says(batch: MadeBatch, body: dict[str, Any]) -> str:
        task = body["messages"][0]["content"]
        number = next(n for n in range(3) if f"def {name_of(n)}(" in task)
        is_right = number == 0 or len(body["messages"]) > 1
        return f"    return {gold_of(number)}\n" if is_right else "    return None\n"

    server.says = says
    data = humaneval(tmp_path, 3)
    run = (
        "run",
        "humaneval",
        "--data",
        data,
        "--model",
        "openai:small",
        "--base-url",
        server.base_url + "/v1",
    )
    asked = (*run, "--out", "run", "--n", 1, "--batch", "--agent", "repair", "--json")
    server.is_held = True
    left = called(*asked, "--no-wait", cwd=tmp_path, OPENAI_API_KEY="")
    server.is_held = False
    said = called(*asked, cwd=tmp_path, OPENAI_API_KEY="")

    assert (left.code, said.code) == (4, 0), said.err
    assert said.document["outcomes"] == {"passed": 3}
    assert [len(batch.requests) for batch in server.batches.values()] == [3, 2]
