"""The recipe of a threshold: pytest passes for a good model and fails for a bad one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from kit.processes import HANG_S
from kit.recipes import RECIPES, write_humaneval

NAME = "test_threshold.py"


@pytest.mark.usefixtures("jail")
@pytest.mark.parametrize(("model", "code"), [("gold:", 0), ("stub:", 1)])
def test_a_threshold_decides_the_exit_code(tmp_path: Path, model: str, code: int) -> None:
    """A user's own pytest, in a folder with the recipe and the data."""
    write_humaneval(tmp_path, tasks=6)
    (tmp_path / NAME).write_bytes((RECIPES / NAME).read_bytes())
    command = [sys.executable, "-m", "pytest", "-q", NAME, f"--benchwright-model={model}"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=HANG_S, check=False)

    assert done.returncode == code, done.stdout + done.stderr
    assert ("lower bound" in done.stdout) == bool(code)
