"""A text that takes long, much or everything to read ends as that answer's outcome, and the run goes on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from benchwright.executing import pool
from benchwright.executing.pool import Pool
from benchwright.records import Score
from benchwright.running import pipeline
from benchwright.running.plan import RunOptions, make_plan
from kit.examples import SCALE
from kit.processes import descendants, parents, wait_until, workers
from kit.small_data import gold_of, humaneval, read_rows, write

# A track of another package: HumanEval's, but some words of an answer act on the reader.
TRACK = """
import os, signal
from benchwright.tracks.functions.humaneval import HumanEval

def forever():
    while True:
        pass

ACTS = {
    "LOOP": forever,
    "NEVER": lambda: sum(range(10**13)),
    "SWELL": lambda: list(range(10**9)),
    "DEEP": lambda: exec("def f(n): return f(n + 1)\\nf(0)", {}),
    "RAISE": lambda: {}["x"],
    "KILLED": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "CRASH": lambda: os.kill(os.getpid(), signal.SIGSEGV),
}

class Fragile(HumanEval):
    name = "fragile"

    def extract(self, task, answer, *, profile):
        for word, act in ACTS.items():
            if word in answer.text:
                act()
        return super().extract(task, answer, profile=profile)

TRACK = Fragile()
"""
ENDS = {
    "LOOP": "timed_out",
    "NEVER": "timed_out",
    "SWELL": "out_of_memory",
    "DEEP": "no_code",
    "RAISE": "no_code",
    "KILLED": "out_of_memory",
    "CRASH": "no_code",
}


class QuickPool(Pool):
    """A pool whose workers have shorter clocks."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._setup = msgspec.structs.replace(self._setup, read_cpu_s=0.5, check_cpu_s=0.5)


@pytest.fixture(name="fragile")
def install_fragile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The package, installed for this process and for the workers it starts."""
    place = tmp_path / "site"
    info = place / "fragile-1.0.dist-info"
    info.mkdir(parents=True)
    (place / "fragile_track.py").write_text(TRACK)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: fragile\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[benchwright.tracks]\nfragile = fragile_track:TRACK\n")
    monkeypatch.syspath_prepend(str(place))
    monkeypatch.setenv("PYTHONPATH", str(place))
    monkeypatch.setattr(pool, "Pool", QuickPool)
    return tmp_path


def _run(folder: Path) -> Score:
    """One task for each way, with three answers: right, the one that acts, right."""
    right = [f"    return {gold_of(number)}\n" for number in range(len(ENDS))]
    rows = [
        {"task_id": f"Small/{number}", "completion": text}
        for number, word in enumerate(ENDS)
        for text in (right[number], f"{right[number]}# {word}\n", right[number])
    ]
    model = f"replay:{write(folder / 'answers.jsonl', rows)}"
    data = str(humaneval(folder, len(ENDS)))
    plan = make_plan(RunOptions(track="fragile", data=data, model=model))
    return pipeline.run_plan(plan, out=folder / "run", workers=1)


@pytest.mark.slow
@pytest.mark.usefixtures("jail")
def test_no_text_stops_a_run(fragile: Path) -> None:
    """None is missing, each has its outcome, and the same command again finds nothing left to do."""
    score = _run(fragile)
    verdicts = read_rows(fragile / "run" / "verdicts.jsonl")
    ended = dict(zip(ENDS, (row["outcome"] for row in verdicts[1::3]), strict=True))
    before = (fragile / "run" / "verdicts.jsonl").read_bytes()
    again = _run(fragile)

    assert ended == ENDS
    assert {row["outcome"] for row in verdicts[::3] + verdicts[2::3]} == {"passed"}
    assert (score.missing, score.metrics["pass@1"].value) == (0, pytest.approx(2 / 3))
    assert (again.metrics, (fragile / "run" / "verdicts.jsonl").read_bytes()) == (score.metrics, before)


RUNNER = """
import sys
from benchwright.running.pipeline import run_plan
from benchwright.running.plan import RunOptions, make_plan
run_plan(make_plan(RunOptions(track="humaneval", data=sys.argv[1], model="gold:", n=1)), out=sys.argv[2], workers=2)
"""


@pytest.mark.slow
@pytest.mark.usefixtures("jail")
def test_a_killed_runner_leaves_nothing_on_the_terminal(tmp_path: Path) -> None:
    """Its workers find a broken pipe, at any moment of theirs, and end without a word."""
    data = str(humaneval(tmp_path, 40))
    errors = tmp_path / "errors"
    for number in range(6) if SCALE > 1 else (0, 2, 5):
        out = tmp_path / f"run{number}"
        with errors.open("ab") as file:
            runner = subprocess.Popen([sys.executable, "-c", RUNNER, data, str(out)], stderr=file)
        rows = out / "self_check.jsonl"
        wait_until(
            lambda rows=rows, wanted=1 + 3 * number: rows.exists() and rows.read_bytes().count(b"\n") > wanted
        )
        below = descendants(runner.pid) | workers(runner.pid)
        os.kill(runner.pid, signal.SIGKILL)
        runner.wait()

        assert (bool(below), wait_until(lambda below=below: not below & parents().keys())) == (True, True)
    assert errors.read_text() == ""
