"""Whatever an answer gives or raises, it is in the denominator, and its worker stays small."""

from __future__ import annotations

import contextlib
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from benchwright.executing import pool
from benchwright.executing.pool import Pool
from benchwright.executing.worker_limits import HARDER
from benchwright.records import Outcome, Score
from benchwright.running import pipeline
from benchwright.running.plan import RunOptions, make_plan
from benchwright.sandbox.limits import Limits
from benchwright.sandbox.untrusted import CHECK_CPU_S, READ_CPU_S
from kit.hostile_claims import bodies
from kit.hostile_values import Use, cases
from kit.processes import workers
from kit.small_data import read_rows, write

LIMITS = Limits(cpu_s=0.3)
RESIDENT_MB = 300
WORKER_CPU_S = 10.0
QUICK = {"read_cpu_s": 0.2, "check_cpu_s": 0.2}  # for a test; what they are in a run is tested by themselves


class QuickPool(Pool):
    """A pool whose workers have shorter clocks."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._setup = msgspec.structs.replace(self._setup, **QUICK)


def _row(name: str, use: Use) -> dict[str, Any]:
    return {
        "task_id": name,
        "prompt": f'def f(x):\n    """For {name}."""\n',
        "entry_point": "f",
        "canonical_solution": f"    return {use.right}\n",
        "test": f"def check(candidate):\n    {use.test}\n",
    }


def _run(folder: Path, chosen: dict[str, tuple[Use, str]], monkeypatch: pytest.MonkeyPatch) -> Score:
    """A run of {right, hostile, right} for each case."""
    data = write(folder / "rows.jsonl", [_row(name, use) for name, (use, _) in chosen.items()])
    answers = [
        {"task_id": name, "completion": f"    {body}\n"}
        for name, (use, hostile) in chosen.items()
        for body in (f"return {use.right}", hostile, f"return {use.right}")
    ]
    model = f"replay:{write(folder / 'answers.jsonl', answers)}"
    plan = make_plan(RunOptions(track="humaneval", data=str(data), model=model, limits=LIMITS))
    monkeypatch.setattr(pool, "Pool", QuickPool)
    return pipeline.run_plan(plan, out=folder / "run", workers=2)


@contextlib.contextmanager
def _peak_mb() -> Iterator[list[int]]:
    """The largest resident size that any worker of this process had, as the kernel remembers it."""
    seen, done = [0], threading.Event()

    def look() -> None:
        while not done.wait(0.2):
            for pid in workers():
                with contextlib.suppress(OSError):
                    found = re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
                    seen[0] = max(seen[0], int(found[1]) >> 10 if found else 0)

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        yield seen
    finally:
        done.set()
        watcher.join()


def test_the_table_is_large_enough() -> None:
    """Sixty pairs at least, of which no two are the same."""
    chosen = cases()

    assert (len(chosen) >= 60, len(set(chosen.values()))) == (True, len(chosen))


def test_the_most_expensive_answer_is_bounded() -> None:
    """Reading and checking to the end of the kernel's clocks, and what an answer may use itself."""
    assert HARDER * CHECK_CPU_S < WORKER_CPU_S
    assert HARDER * (READ_CPU_S + CHECK_CPU_S) + Limits().cpu_s <= 22.0


@pytest.mark.slow
@pytest.mark.usefixtures("jail")
def test_no_value_leaves_the_denominator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two of three pass, for each pair: the hostile answer is neither right nor missing."""
    _all_count(tmp_path, cases(), monkeypatch)


@pytest.mark.slow
@pytest.mark.usefixtures("jail")
def test_no_claim_leaves_the_denominator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Frames that the answer wrote itself: nothing of them is read that no honest answer sends."""
    use = Use("assert candidate(3) == 3", "x")
    chosen = {name: (use, body) for name, body in bodies().items()}
    assert len(chosen) >= 45

    _all_count(tmp_path, chosen, monkeypatch)


def _all_count(tmp_path: Path, chosen: dict[str, tuple[Use, str]], monkeypatch: pytest.MonkeyPatch) -> None:
    with _peak_mb() as peak:
        score = _run(tmp_path, chosen, monkeypatch)
    verdicts = read_rows(tmp_path / "run" / "verdicts.jsonl")
    ended = {name: [row["outcome"] for row in verdicts if row["task_id"] == name] for name in chosen}
    missing = {name for name in chosen if any(Outcome(each).is_missing for each in ended[name])}
    honest = {name for name in chosen if ended[name][::2] != ["passed", "passed"]}
    believed = {name for name in chosen if ended[name][1] == "passed"}

    assert (missing, honest, believed) == (set(), set(), set())
    assert (score.missing, score.metrics["pass@1"].samples) == (0, 3)
    assert score.metrics["pass@1"].value == pytest.approx(2 / 3)
    assert 0 < peak[0] <= RESIDENT_MB * 10**6 >> 20
