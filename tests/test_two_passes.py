"""The second pass of the check runs what the first one could not, and nothing twice."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
CONFTEST = """
from kit import two_passes

def pytest_addoption(parser):
    two_passes.add_options(parser)

def pytest_configure(config):
    two_passes.register(config)
"""
WHOLE = "def test_a():\n    pass\n"
MIXED = """
import os, pytest

def test_b():
    pass

@pytest.mark.parametrize("tool", ["", "tool"])
def test_c(tool):
    if tool and not os.environ.get("TOOL"):
        pytest.skip("no tool")

@pytest.mark.xfail
def test_d():
    assert False
"""
ABSENT = """
import os, pytest

if not os.environ.get("TOOL"):
    pytest.skip("no tool", allow_module_level=True)

def test_e():
    pass
"""


def run(folder: Path, *arguments: str, tool: str, processes: str = "0") -> str:
    """What pytest says of the samples."""
    command = [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", "-n", processes, *arguments]
    env = {**os.environ, "TOOL": tool, "PYTEST_ADDOPTS": ""}
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    return done.stdout


def samples(folder: Path) -> Path:
    """Three files: one that always passes, one in which a case needs a tool, one that needs it as a whole."""
    (folder / "kit").mkdir()
    for name in ("seconds.py", "two_passes.py"):
        shutil.copy(HERE / "kit" / name, folder / "kit")
    (folder / "conftest.py").write_text(CONFTEST)
    (folder / "pytest.ini").write_text("[pytest]\n")
    for name, text in {"whole": WHOLE, "mixed": MIXED, "absent": ABSENT}.items():
        (folder / f"test_{name}.py").write_text(text)
    return folder


def test_the_second_pass_runs_what_was_skipped(tmp_path: Path) -> None:
    """A case, and a file that was skipped whole; what passed is not run and not collected."""
    folder = samples(tmp_path)
    for processes in ("0", "2"):
        run(folder, "--passed-to=passed.json", tool="", processes=processes)
        record = json.loads((folder / "passed.json").read_text())
        said = run(folder, "--all-but=passed.json", tool="1", processes=processes)

        assert record["passed"] == [
            "test_mixed.py::test_b",
            "test_mixed.py::test_c[]",
            "test_mixed.py::test_d",
            "test_whole.py::test_a",
        ]
        assert "test_mixed.py::test_c[tool]" in said
        assert "test_absent.py::test_e" in said
        assert "2 passed" in said
