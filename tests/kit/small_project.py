"""A small project with the layout of this one, in a separate repository."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

from kit.processes import HANG_S

ROOT = Path(__file__).parents[2]
PYPROJECT = """
[tool.mypy]
packages = ["benchwright"]
mypy_path = "src"
[tool.pytest.ini_options]
pythonpath = ["tests", "src"]
[tool.importlinter]
root_package = "benchwright"
[[tool.importlinter.contracts]]
name = "layers"
type = "layers"
layers = ["benchwright.cli", "benchwright.text"]
"""
# PACKAGE stands for the name of the package, which has no modules with these names.
FILES = {
    "pyproject.toml": PYPROJECT,
    ".gitignore": "__pycache__/\n.*_cache/\n",
    "docs/guide.md": "# Guide\n",
    "src/benchwright/__init__.py": "",
    "src/benchwright/text/__init__.py": "",
    "src/benchwright/text/words.py": "COUNT = 2\n",
    "src/benchwright/text/lines.py": "from PACKAGE.text.words import COUNT\n\nLINES = COUNT\n",
    "src/benchwright/cli/__init__.py": "",
    "src/benchwright/cli/main.py": 'TABLE = {"show": "benchwright.cli.show:show"}\n',
    "src/benchwright/cli/show.py": "from PACKAGE.text.lines import LINES\n\nshow = LINES\n",
    "tests/kit/__init__.py": "",
    "tests/docs/test_guide.py": "def test_guide():\n    assert True\n",
    "tests/text/test_words.py": "from PACKAGE.text import words\n\n\ndef test_words():\n    assert words.COUNT == 2\n",
    "tests/text/test_other.py": "from PACKAGE.text.lines import LINES\n\n\ndef test_other():\n    assert LINES == 2\n",
    "tests/cli/test_main.py": "from PACKAGE.cli.main import TABLE\n\n\ndef test_main():\n    assert TABLE\n",
    "tests/test_alone.py": "def test_alone():\n    assert True\n",
}


def make_project(folder: Path) -> None:
    """Write the small project and commit it."""
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text.replace("PACKAGE", "benchwright"))
    shutil.copytree(ROOT / "tools", folder / "tools", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("seconds.py", "sharing.py"):
        shutil.copy(ROOT / "tests" / "kit" / name, folder / "tests" / "kit")
    git(folder, "init", "--quiet")
    commit(folder, "Begin")


@cache
def mypy_cache() -> tempfile.TemporaryDirectory[str]:
    """Return mypy's cache of the standard library, shared by all runs of this process: reading the library
    takes most of the time."""
    return tempfile.TemporaryDirectory(prefix="benchwright-mypy-")


def quick_in(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `./run quick` in the small project."""
    path = os.pathsep.join(str(folder / name) for name in (".", "tests", "src"))
    env = {
        **os.environ,
        "PYTHONPATH": path,
        "PYTEST_ADDOPTS": "-p no:benchwright",
        "MYPY_CACHE_DIR": mypy_cache().name,
    }
    command = [sys.executable, "-m", "tools.quick", *arguments]
    return subprocess.run(
        command, cwd=folder, env=env, capture_output=True, text=True, timeout=HANG_S, check=False
    )


def git(folder: Path, *arguments: str) -> str:
    """Return the output of a git command in a folder."""
    who = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    command = ["git", "-C", str(folder), *who, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def commit(folder: Path, subject: str) -> None:
    """Commit all files of a folder."""
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", subject)
