"""Two logs of 10,000 samples each in `compare`: seconds of processor, whatever else the machine does."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import pytest

from kit.processes import HANG_S
from kit.tool_logs import inspect_log, lm_eval_log, row

SAMPLES, MOST_CPU_S = 10_000, 5.0


def _spent() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@pytest.mark.parametrize("tool", ["inspect", "lm_eval"])
def test_large_logs_cost_seconds(tmp_path: Path, tool: str) -> None:
    """The whole command, from its start to its table."""
    logs = []
    for name, each in (("a", 2), ("b", 3)):
        values = {task: task % each == 0 for task in range(SAMPLES)}
        if tool == "inspect":
            graded = {task: "C" if right else "I" for task, right in values.items()}
            logs.append(inspect_log(tmp_path / f"{name}.json", graded))
        else:
            rows = [row(task, float(right)) for task, right in values.items()]
            logs.append(lm_eval_log(tmp_path / name, rows))
    before = _spent()
    said = subprocess.run(
        [sys.executable, "-m", "benchwright", "compare", *map(str, logs), "--json"],
        capture_output=True,
        text=True,
        timeout=HANG_S,
        check=False,
    )

    assert said.returncode == 0, said.stderr
    assert f"{SAMPLES}" in said.stdout
    assert _spent() - before < MOST_CPU_S
