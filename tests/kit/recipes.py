"""Runs the recipes of examples/recipes as a user does: a process in a folder with the data."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

from kit.processes import HANG_S
from kit.small_data import humaneval_row

RECIPES = Path(__file__).parents[2] / "examples" / "recipes"


def run_recipe(name: str, *arguments: str, cwd: Path) -> str:
    """Run a recipe in a folder and return its output; an error fails the test."""
    done = subprocess.run(
        [sys.executable, str(RECIPES / name), *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=HANG_S,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def write_humaneval(folder: Path, tasks: int = 3, **changed: str) -> Path:
    """Write our tasks under the name and with the ids of the published data set."""
    rows = [humaneval_row(number, task_id=f"HumanEval/{number}", **changed) for number in range(tasks)]
    path = folder / "HumanEval.jsonl.gz"
    path.write_bytes(gzip.compress("".join(json.dumps(row) + "\n" for row in rows).encode()))
    return path
