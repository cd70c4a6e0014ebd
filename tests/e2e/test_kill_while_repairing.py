"""A run with the repair agent against a server: killed and resumed, held to a budget, compared with the plain one."""

from __future__ import annotations

import random
import subprocess
import sys
from importlib import resources
from pathlib import Path

import pytest

from benchwright.contracts import RequestOptions
from benchwright.demo.live import NAME, script
from benchwright.errors import RunError
from benchwright.rank.comparison import compare
from benchwright.rank.contestant import load
from benchwright.running.pipeline import run
from benchwright.stub_server import Script, ScriptRow, StubServer
from kit.command_line import benchwright
from kit.examples import examples
from kit.processes import wait_until
from kit.small_data import gold_of, humaneval, name_of, read_rows

TASKS, N, KILLS = 6, 4, examples(4)
FAILS, MENDED = "    return [][x]\n", "```python\ndef {}(x):\n    return {}\n```"

pytestmark = pytest.mark.usefixtures("jail")


def learner() -> Script:
    """Fails at first; half of the tasks it answers rightly when it is shown the traceback."""
    rows = [
        ScriptRow(
            contains=f"def {name_of(number)}(",
            turn="IndexError: list index out of range",
            completions=[MENDED.format(name_of(number), gold_of(number)) if number % 2 else FAILS],
        )
        for number in range(TASKS)
    ]
    return Script(rows=[*rows, ScriptRow(contains="", completions=[FAILS])])


def command(folder: Path, out: str, server: StubServer) -> list[str]:
    """The run under test."""
    data = folder / "tasks.jsonl"
    if not data.exists():
        humaneval(folder, TASKS)
    line = [sys.executable, "-m", "benchwright.cli.main", "run", "humaneval", "--data", str(data)]
    line += ["--model", "openai:stub", "--base-url", server.base_url, "--concurrency", "3", "--n", str(N)]
    return [*line, "--agent", "repair", "--rounds", "2", "--out", str(folder / out), "--quiet"]


def stored(out: Path) -> set[int]:
    """The seeds of the answers whose lines are whole."""
    path = out / "rounds.answers.jsonl"
    whole = path.read_bytes().rpartition(b"\n")[0] if path.exists() else b""
    return {int(line.split(b'"seed":')[1].split(b",")[0]) for line in whole.splitlines()}


def requests(server: StubServer) -> dict[int, int]:
    """How often each seed was asked for, when nothing is in flight."""
    assert wait_until(lambda: server.stats()["requests"] == sum(server.stats()["statuses"].values()))
    return {entry["seed"]: entry["requests"] for entry in server.stats()["keys"]}


def test_kills_lose_no_round_and_ask_for_no_stored_answer_again(tmp_path: Path) -> None:
    """All files of answers equal an undisturbed run's; each stored answer was asked for as often as before."""
    moments = random.Random(5)
    with StubServer(learner(), faults=["slow:seconds=0.02"], within="process") as server:
        for name in ("whole", "killed"):
            line, out = command(tmp_path, name, server), tmp_path / name
            for _ in range(KILLS if name == "killed" else 0):
                enough = len(stored(out)) + moments.randint(1, 9)
                process = subprocess.Popen(line)
                wait_until(lambda: process.poll() is not None or len(stored(out)) >= enough)  # noqa: B023
                process.kill()
                process.wait()
                had = stored(out)
                before = {seed: count for seed, count in requests(server).items() if seed in had}
            assert benchwright(*line[3:]).code == 0
        after = requests(server)
    names = ("answers.jsonl", "rounds.answers.jsonl")

    assert [(tmp_path / "killed" / name).read_bytes() for name in names] == [
        (tmp_path / "whole" / name).read_bytes() for name in names
    ]
    assert {seed: after[seed] for seed in before} == before
    assert [row["outcome"] for row in read_rows(tmp_path / "killed" / "verdicts.jsonl")].count("passed") == 12


def test_a_budget_stops_between_rounds_and_a_higher_one_goes_on(tmp_path: Path) -> None:
    """What was paid for is kept and not asked for again."""
    data = str(humaneval(tmp_path, TASKS))
    with StubServer(learner()) as server:

        def repaired(budget: float) -> float:
            asking = RequestOptions(base_url=server.base_url, price_in=1000, price_out=1000, budget=budget)
            score = run(
                "humaneval",
                data=data,
                model="openai:stub",
                n=1,
                asking=asking,
                agent="repair",
                out=tmp_path / "run",
            )
            return score.metrics["pass@1"].value

        with pytest.raises(RunError, match=r"the budget of 0\.9 is used up"):
            repaired(0.9)
        paid = len(read_rows(tmp_path / "run" / "rounds.answers.jsonl"))
        value = repaired(1000)
        counts = requests(server)

    assert (value, set(counts.values())) == (0.5, {1})
    assert TASKS <= paid < len(counts) == TASKS + TASKS + 2 * (TASKS // 2)


def test_the_agent_gains_on_the_demo_model(tmp_path: Path) -> None:
    """By the paired test over the demo's tasks, with an interval above zero."""
    demo = Path(str(resources.files("benchwright.demo")))
    with StubServer(script(demo), models=[NAME], within="process") as server:
        for agent in (None, "repair"):
            run(
                "ruhumaneval",
                data=str(demo / "ruhumaneval.jsonl"),
                model=f"openai:{NAME}",
                n=5,
                ks=(1,),
                asking=RequestOptions(base_url=server.base_url),
                agent=agent,
                out=tmp_path / (agent or "plain"),
            )
    repaired, plain = load([tmp_path / "repair", tmp_path / "plain"])
    found = compare(repaired, plain)

    assert found.better == repaired.name
    assert found.difference.low > 0
    assert any(note.startswith("`agent` differs") for note in found.notes)
