"""The passes of the check run each test, those that need programs with these, and nothing twice."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from kit.two_passes import IN_BOTH, NEED_FILES

HERE = Path(__file__).parent
CONFTEST = """
from kit import forked_tests, two_passes

def pytest_addoption(parser):
    two_passes.add_options(parser)
    forked_tests.add_options(parser)

def pytest_configure(config):
    two_passes.register(config)
    forked_tests.register(config)
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

JAILED = """
import pytest

@pytest.mark.parametrize("jail", ["native", "default"])
def test_a(jail):
    pass
"""
SERVED = """
import os, pytest

@pytest.mark.parametrize("place", ["sqlite", "postgresql"])
def test_f(place):
    if place == "postgresql" and not os.environ.get("TOOL"):
        pytest.skip("no server")
"""


def run(folder: Path, *arguments: str, tool: str, processes: str = "") -> str:
    """What pytest says of the samples."""
    workers = ["--processes", processes] if processes else []
    command = [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", *workers, *arguments]
    env = {**os.environ, "TOOL": tool, "BENCHWRIGHT_REQUIRE_ALL": tool, "PYTEST_ADDOPTS": ""}
    env["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # those of the environment take most of the time
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    return done.stdout


def samples(folder: Path) -> Path:
    """Files: always passes, needs a tool in one case or as a whole, needs a server, tests the sandbox."""
    (folder / "kit").mkdir()
    for name in ("forked_tests.py", "seconds.py", "two_passes.py"):
        shutil.copy(HERE / "kit" / name, folder / "kit")
    (folder / "conftest.py").write_text(CONFTEST)
    (folder / "pytest.ini").write_text("[pytest]\n")
    for name in ("web", "sandbox"):
        (folder / "tests" / name).mkdir(parents=True)
    names = {"whole": WHOLE, "mixed": MIXED, "absent": ABSENT}
    for name, text in {**names, "tests/web/served": SERVED, "tests/sandbox/box": JAILED}.items():
        path = folder / f"{name}.py"
        path.with_name(f"test_{path.name}").write_text(text)
    return folder


def test_each_pass_runs_what_the_others_leave(tmp_path: Path) -> None:
    """Each case passes once, and those of the default sandbox with and without the programs."""
    folder = samples(tmp_path)
    run(folder, "--passed-to=bare.json", tool="", processes="2")
    beside = run(folder, "--needing-programs", "--passed-to=beside.json", tool="1")
    rest = run(folder, "--all-but=bare.json", "--all-but=beside.json", tool="1", processes="2")
    alone = run(folder, "--all-but=bare.json", "--collect-only", tool="1")

    assert json.loads((folder / "bare.json").read_text())["passed"] == [
        "test_mixed.py::test_b",
        "test_mixed.py::test_c[]",
        "test_mixed.py::test_d",
        "test_whole.py::test_a",
        "tests/sandbox/test_box.py::test_a[default]",
        "tests/sandbox/test_box.py::test_a[native]",
        "tests/web/test_served.py::test_f[sqlite]",
    ]
    assert "test_served.py::test_f[postgresql]" in beside
    assert "test_box.py::test_a[default]" in beside
    assert "2 passed" in beside
    assert "test_mixed.py::test_c[tool]" in rest
    assert "test_absent.py::test_e" in rest
    assert "2 passed" in rest
    assert alone.count("<Function") == 4  # one of two with a default sandbox


@pytest.mark.parametrize("each", NEED_FILES)
def test_what_is_listed_exists(each: str) -> None:
    """A file, or a folder with tests."""
    path = HERE.parent / each

    assert list(path.rglob("test_*.py")) if each.endswith("/") else path.is_file()


def test_files_that_open_a_sandbox_run_in_both_passes() -> None:
    """One of them that is not listed would only be run without bubblewrap."""
    opens = re.compile(r"Sandbox\(|\"jail\"|choose_jail|JAILS|need_jail")
    files = [path for path in (HERE / "sandbox").rglob("test_*.py") if opens.search(path.read_text())]

    assert sorted(path.relative_to(HERE.parent).as_posix() for path in files) == sorted(IN_BOTH)
