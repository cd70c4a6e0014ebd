"""Finished runs to export, written for the tests."""

from __future__ import annotations

import json
from pathlib import Path

from kit.made_runs import finished_run
from kit.small_data import humaneval

SECRET = "call 1: plus_0(7) gave 6, expected 7"  # a detail that quotes a test
ROWS = {
    "Small/0": [("    return x\n", "passed"), ("    return x - 1\n", "wrong", {"detail": SECRET})],
    "Small/1": [("    return x\n", "passed"), ("Sorry.", "no_code")],
    "Small/2": [("", "model_error", {"detail": "the server is busy"}), ("    x\n", "timed_out")],
}
OUTCOMES = {"passed": 2, "wrong": 1, "no_code": 1, "model_error": 1, "timed_out": 1}


def exported_run(folder: Path, name: str = "mine", *, withheld: bool = False) -> Path:
    """Return a finished run of three tasks and six answers; `withheld` makes it one of --without-tasks."""
    folder.mkdir(parents=True, exist_ok=True)
    run = finished_run(folder / name, humaneval(folder), ROWS, missing=1)
    if withheld:
        manifest = json.loads((run / "run.json").read_text())
        (run / "run.json").write_text(json.dumps({**manifest, "tasks": None}))
    return run
