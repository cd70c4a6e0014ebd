"""A run that is ended at any moment goes on from what is on disk, and ends as if nothing had happened."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from kit.command_line import benchwright
from kit.examples import examples
from kit.needs import need_sandbox
from kit.processes import HANG_S, all_gone, descendants, wait_until
from kit.small_data import answers, humaneval

TASKS = 4
OUTCOMES = ("passed", "wrong", "exception", "passed", "syntax_error", "timed_out")
KILLS = examples(4)
COMMAND = [sys.executable, "-m", "benchwright.cli.main", "run", "humaneval", "--cpu-limit", "0.1"]

pytestmark = pytest.mark.usefixtures("jail")


def command(folder: Path, out: str, *, tasks: int = TASKS) -> list[str]:
    """The run under test: six answers to each task, of which one loops until its processor time is used up."""
    data = folder / "tasks.jsonl"
    stored = folder / "answers.jsonl"
    if not data.exists():
        humaneval(folder, tasks)
        stored = answers(folder, tasks, outcomes=OUTCOMES)
    return [
        *COMMAND,
        "--data",
        str(data),
        "--model",
        f"replay:{stored}",
        "--out",
        str(folder / out),
        "--quiet",
    ]


def rows(path: Path) -> list[dict[str, Any]]:
    """The whole lines of a file that may still be written."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_bytes().splitlines(keepends=True) if line.endswith(b"\n")]


def without_times(path: Path) -> list[dict[str, Any]]:
    """Verdicts without what two executions never share."""
    return without(path, "cpu_s", "wall_s")


def without(path: Path, *names: str) -> list[dict[str, Any]]:
    """Rows without these fields."""
    return [{name: value for name, value in row.items() if name not in names} for row in rows(path)]


def start(line: list[str]) -> subprocess.Popen[bytes]:
    """The command as a process of its own."""
    return subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def kill_at_a_random_moment(line: list[str], out: Path, moments: random.Random) -> bool:
    """Start the run, let it make a few more verdicts or else a little time pass, and kill it; False if it ended."""
    before, more = len(rows(out / "verdicts.jsonl")), moments.randint(0, 5)
    run = start(line)
    deadline = time.monotonic() + moments.uniform(0.05, 1.6)

    def has_come() -> bool:
        if more:
            return len(rows(out / "verdicts.jsonl")) >= before + more
        return time.monotonic() > deadline

    wait_until(lambda: run.poll() is not None or has_come())
    ended = run.poll() is not None
    below = descendants(run.pid)
    run.kill()
    run.communicate()

    assert all_gone(below)
    return not ended


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that nothing has ended, by two workers."""
    folder = tmp_path_factory.mktemp("undisturbed")
    need_sandbox()
    assert benchwright(*command(folder, "run")[3:], "--workers", "2").code == 0
    return folder / "run"


def test_kills_leave_no_trace(undisturbed: Path, tmp_path: Path) -> None:
    """Verdicts, answers and scores equal those of an undisturbed run; no verdict is made a second time."""
    line, out = command(tmp_path, "killed"), tmp_path / "killed"
    moments = random.Random(20)
    seen: dict[str, str] = {}
    for _ in range(KILLS):
        kill_at_a_random_moment(line, out, moments)
        for row in rows(out / "verdicts.jsonl"):
            # An execution that was made again would have measured another time.
            assert seen.setdefault(row["key"], json.dumps(row)) == json.dumps(row)
    last = benchwright(*line[3:])
    keys = Counter(row["key"] for row in rows(out / "verdicts.jsonl"))
    kept = [seen[row["key"]] == json.dumps(row) for row in rows(out / "verdicts.jsonl") if row["key"] in seen]

    assert (last.code, last.err) == (0, "")
    assert (len(keys), set(keys.values())) == (TASKS * len(OUTCOMES), {1})
    assert all(kept)
    assert len(seen) >= KILLS, "too few verdicts were made before kills to show anything"
    assert without_times(out / "verdicts.jsonl") == without_times(undisturbed / "verdicts.jsonl")
    answered = [(folder / "answers.jsonl").read_bytes() for folder in (out, undisturbed)]
    assert answered[0] == answered[1]
    texts = [
        (folder / "scores.json").read_text().replace(str(folder.parent), "") for folder in (out, undisturbed)
    ]
    scores = list(map(json.loads, texts))
    assert {**scores[0], "run": ""} == {**scores[1], "run": ""}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_keeps_what_was_done(tmp_path: Path, number: signal.Signals) -> None:
    """Exit code 130, one line that says so, nothing left running, and the same command finishes the run."""
    # One worker, and answers that loop for long, so that the run is far from its end at the signal.
    line = [*command(tmp_path, "interrupted"), "--workers", "1", "--cpu-limit", "0.3"]
    out = tmp_path / "interrupted"
    run = start(line)
    assert wait_until(lambda: len(rows(out / "verdicts.jsonl")) >= 3)
    below = descendants(run.pid)
    run.send_signal(number)
    _, said = run.communicate(timeout=HANG_S)
    resumed = benchwright(*line[3:])

    assert (run.returncode, said.decode().strip().splitlines()[-1][:11]) == (130, "interrupted")
    assert b"Traceback" not in said
    assert all_gone(below)
    groups = [each for pid in below for each in Path("/sys/fs/cgroup").glob(f"**/benchwright-{pid}-*")]
    assert groups == []
    assert (resumed.code, len(rows(out / "verdicts.jsonl"))) == (0, TASKS * len(OUTCOMES))


def test_a_loaded_machine_changes_no_outcome(undisturbed: Path, tmp_path: Path) -> None:
    """The clock is processor time: beside two busy processes on its core each answer ends as before."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})  # inherited by the processes that are started
    burners = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]
    try:
        loaded = subprocess.run(command(tmp_path, "loaded", tasks=2), check=False)
    finally:
        os.sched_setaffinity(0, cores)
        for burner in burners:
            burner.kill()
            burner.wait()

    assert loaded.returncode == 0
    whole, under_load = (  # the key of a verdict depends on all tasks of the data set
        without(run / "verdicts.jsonl", "cpu_s", "wall_s", "key")
        for run in (undisturbed, tmp_path / "loaded")
    )
    assert len(under_load) == 2 * len(OUTCOMES)
    assert whole[: len(under_load)] == under_load


def test_one_worker_and_two_write_the_same(undisturbed: Path, tmp_path: Path) -> None:
    """The order in which answers end leaves no mark in the files."""
    assert benchwright(*command(tmp_path, "by-1")[3:], "--workers", "1").code == 0
    folders = (tmp_path / "by-1", undisturbed)
    verdicts = [without_times(folder / "verdicts.jsonl") for folder in folders]
    answered = [(folder / "answers.jsonl").read_bytes() for folder in folders]

    assert (verdicts[0], answered[0]) == (verdicts[1], answered[1])
    assert [row["outcome"] for row in verdicts[0][: len(OUTCOMES)]] == list(OUTCOMES)
