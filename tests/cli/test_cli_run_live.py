"""`benchwright run` with a model behind a server: prompts, faults, resuming, budget, Ctrl-C, the wire."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchwright.stub_server import Script, StubServer
from kit.command_line import Said, benchwright, called
from kit.processes import HANG_S, wait_until
from kit.small_data import gold_of, humaneval, mera, name_of, read_rows

TASKS = 4
FEW = ("--workers", 1)

pytestmark = pytest.mark.usefixtures("jail")


def script(*, right: bool = True) -> Script:
    """A fenced answer to each task, in as many texts as samples are likely to be asked for."""
    return Script.of(
        {
            f"def {name_of(number)}(": [
                f"Here:\n```python\ndef {name_of(number)}(x):\n    return {gold_of(number) if right else 'None'}  # {way}\n```"
                for way in range(500)
            ]
            for number in range(TASKS)
        }
    )


@pytest.fixture
def server() -> Iterator[StubServer]:
    """A server that answers right."""
    with StubServer(script()) as stub:
        yield stub


def command(folder: Path, server: StubServer, *more: object, track: str = "humaneval") -> list[object]:
    """A run of four tasks against a server."""
    data = (humaneval if track == "humaneval" else mera)(folder, TASKS)
    options = [
        "--data",
        data,
        "--model",
        "openai:stub",
        "--base-url",
        server.base_url,
        "--out",
        folder / "run",
    ]
    return ["run", track, *options, *FEW, *more]


def run(folder: Path, server: StubServer, *more: object, **options: Any) -> Said:
    """The command in a process of its own; no key of the machine's is used."""
    return called(*command(folder, server, *more, **options), OPENAI_API_KEY="")


def bodies_of(server: StubServer) -> list[dict[str, Any]]:
    """The bodies of the questions, in the order of their arrival."""
    return [request["body"] for request in server.requests()]


def prompts_of(server: StubServer) -> list[str]:
    """The texts that the server was asked."""
    bodies = bodies_of(server)
    return [body["prompt"] if "prompt" in body else body["messages"][-1]["content"] for body in bodies]


def test_a_live_model_is_asked_in_ten_wordings(tmp_path: Path, server: StubServer) -> None:
    """Spread over the tasks by default, in the track's language; the document has tokens and design."""
    said = run(tmp_path, server, "--n", 3, "--json", track="ruhumaneval")
    rows = read_rows(tmp_path / "run" / "answers.jsonl")
    prompts = Counter(prompts_of(server))

    assert (said.code, said.err, said.document["metrics"]["pass@1"]["value"]) == (0, "", 1.0)
    assert (said.document["prompt_design"], said.document["tokens_in"] > 0) == ("spread", True)
    assert [row["prompt"] for row in rows] == [f"ru-{number:02}" for number in range(1, 5) for _ in range(3)]
    assert (len(prompts), set(prompts.values())) == (4, {3})


def test_each_task_in_each_wording(tmp_path: Path, server: StubServer) -> None:
    """--prompts all asks ten times as much and shows every prompt."""
    said = run(tmp_path, server, "--n", 1, "--prompts", "all", "--json")

    assert (said.code, said.document["answers"], len(said.document["prompts"])) == (0, 10 * TASKS, 10)
    assert len(set(prompts_of(server))) == 10 * TASKS
    assert any("by prompt, on the same 4 tasks" in note for note in said.document["notes"])


def test_a_base_model_goes_on_from_the_code(tmp_path: Path) -> None:
    """--api completions sends text that ends with the head, and the stop strings, escapes and all."""
    bodies = {
        f"def {name_of(number)}(": f"    return {gold_of(number)}\n\ndef other" for number in range(TASKS)
    }
    with StubServer(Script.of(bodies)) as server:
        said = run(tmp_path, server, "--n", 1, "--json", "--api", "completions", "--stop", r"\ndef")
        asked = prompts_of(server)
    heads = [row["prompt"] for row in read_rows(tmp_path / "tasks.jsonl")]
    texts = {row["text"] for row in read_rows(tmp_path / "run" / "answers.jsonl")}

    assert (said.code, said.document["outcomes"]) == (0, {"passed": TASKS})
    assert sorted(asked) == sorted(text for text in asked if text.endswith(tuple(heads)))
    assert any("\ndef" in text for text in texts) is False


def test_parameters_are_on_the_wire_and_in_the_folder(tmp_path: Path, server: StubServer) -> None:
    """What is typed is what is sent, and what the identity says."""
    options = (
        "--temperature",
        0.3,
        "--top-p",
        0.9,
        "--max-tokens",
        99,
        "--seed",
        5,
        "--body",
        'effort="low"',
    )
    said = run(tmp_path, server, "--n", 1, *options, "--json")
    fields = [
        {name: body.get(name) for name in ("temperature", "top_p", "max_tokens", "effort")}
        for body in bodies_of(server)
    ]
    identity = json.loads((tmp_path / "run" / "run.json").read_text())["identity"]

    assert said.code == 0
    assert fields == [{"temperature": 0.3, "top_p": 0.9, "max_tokens": 99, "effort": "low"}] * TASKS
    assert identity["model"]["temperature"] == 0.3
    assert identity["prompts"] == {"design": "spread", "language": "en", "form": "chat"}


def test_what_will_be_asked_is_said_first(tmp_path: Path, server: StubServer) -> None:
    """Requests, what they can show and what they cost at most, before the first; then tokens and cost."""
    said = run(tmp_path, server, "--n", 2, "--price-in", 1, "--price-out", 2)
    lines = said.err.splitlines()
    first = [line for line in lines if "8 requests to openai:stub: 4 tasks, spread over 10 prompts" in line]

    assert (said.code, said.out, len(first)) == (0, "", 1)
    assert [
        "4 tasks no difference of pass@1 between two models" in said.err,
        "that costs at most 0.0" in said.err,
    ] == [
        True,
        True,
    ]
    assert any(line.startswith("answers: 8 of 8 (") and "tokens · cost" in line for line in lines)
    assert any("tokens in," in line for line in lines)


def test_a_finished_run_asks_nobody(tmp_path: Path, server: StubServer) -> None:
    """The same command again gives the same document, without one request."""
    first = run(tmp_path, server, "--n", 2, "--json")
    asked = len(prompts_of(server))
    second = run(tmp_path, server, "--n", 2, "--json")

    assert (second.code, second.out, asked, len(prompts_of(server))) == (0, first.out, 8, 8)


def test_copies_are_noticed(tmp_path: Path) -> None:
    """A server that ignores seed and temperature gives ten equal answers: the score says what that means."""
    with StubServer(script(), faults=["duplicates"]) as server:
        said = run(tmp_path, server, "--json")
    (note,) = [note for note in said.document["notes"] if "letter for letter" in note]

    assert (said.document["identical"], note.startswith("36 of 40 answers repeat")) == (36, True)
    assert "the server may ignore temperature and seed, so pass@10 says no more than pass@1" in note


def test_faults_and_retries_are_told(tmp_path: Path) -> None:
    """A fault of the server is a note of the score; a retry that helped is only an event."""
    with StubServer(script(), faults=["usage-missing", "503:first=1"]) as server:
        said = run(tmp_path, server, "--n", 1, "--json")
    kinds = {row["kind"] for row in read_rows(tmp_path / "run" / "events.jsonl")}

    assert (said.code, said.document["outcomes"], said.document["tokens_in"]) == (0, {"passed": TASKS}, 0)
    assert {"retry", "server_fault"} <= kinds
    assert [note for note in said.document["notes"] if "does not count tokens" in note] != []


def test_an_answer_that_never_came_is_missing_and_asked_again(tmp_path: Path) -> None:
    """A server's failure is no failure of the model; the next run asks only those questions."""
    with StubServer(script(), faults=["500:contains=plus_0"]) as server:
        first = run(tmp_path, server, "--n", 2, "--retries", 0, "--json")
        port = int(server.base_url.split(":")[2].split("/")[0])
    with StubServer(script(), port=port) as server:
        second = run(tmp_path, server, "--n", 2, "--retries", 0, "--json")
        asked = prompts_of(server)

    assert (first.code, first.document["missing"], first.document["outcomes"]) == (
        0,
        2,
        {"model_error": 2, "passed": 6},
    )
    assert (second.code, second.document["outcomes"], len(asked)) == (0, {"passed": 8}, 2)


def test_a_server_that_is_not_there_is_one_error(tmp_path: Path, server: StubServer) -> None:
    """Exit code 1, a hint, no traceback, and no score."""
    line = command(tmp_path, server, "--n", 1, "--retries", 0)
    said = benchwright(*[part if part != server.base_url else "http://127.0.0.1:1/v1" for part in line])

    assert (said.code, "hint: " in said.err, "Traceback" in said.err) == (1, True, False)
    assert not (tmp_path / "run" / "scores.json").exists()


def test_a_budget_ends_asking_and_more_goes_on(tmp_path: Path, server: StubServer) -> None:
    """What was paid for is kept, and counts against the next budget."""
    prices = ("--price-in", 10_000, "--price-out", 10_000, "--concurrency", 1, "--n", 3)
    poor = run(tmp_path, server, *prices, "--budget", 1.0, "--json")
    kept = len(read_rows(tmp_path / "run" / "answers.jsonl"))
    same = run(tmp_path, server, *prices, "--budget", 1.0, "--json")
    asked = len(prompts_of(server))
    rich = run(tmp_path, server, *prices, "--budget", 1000, "--json")

    assert (poor.code, poor.out, "budget" in poor.err, 0 < kept < 12) == (1, "", True, True)
    assert (same.code, asked) == (1, kept)
    assert (rich.code, rich.document["answers"], len(prompts_of(server))) == (0, 12, 12)


def test_ctrl_c_keeps_what_was_answered(tmp_path: Path) -> None:
    """Exit code 130 at once, though replies are an hour away; the same command asks the rest."""
    with StubServer(script(), faults=["slow:seconds=3600,contains=plus_2"]) as server:
        line = [sys.executable, "-m", "benchwright.cli.main", *map(str, command(tmp_path, server, "--n", 2))]
        process = subprocess.Popen(line, stderr=subprocess.PIPE, env={**os.environ, "OPENAI_API_KEY": ""})
        path = tmp_path / "run" / "answers.jsonl"
        assert wait_until(lambda: path.exists() and path.read_bytes().count(b"\n") == 6)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=HANG_S)
        port = int(server.base_url.split(":")[2].split("/")[0])
    with StubServer(script(), port=port) as server:
        again = run(tmp_path, server, "--n", 2, "--json")
        asked = prompts_of(server)

    assert (process.returncode, b"interrupted" in err, b"Traceback" in err) == (130, True, False)
    assert (again.code, again.document["answers"], len(asked)) == (0, 8, 2)
