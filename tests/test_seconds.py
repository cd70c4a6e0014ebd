"""The table of seconds by folder: of every test, once, in one process or in several."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from kit import seconds
from kit.processes import HANG_S

BURN = "import time\ndef test_{name}():\n    end = time.process_time() + 0.3\n    while time.process_time() < end: pass\n"
CONFTEST = """
from kit import forked_tests, seconds
def pytest_addoption(parser): forked_tests.add_options(parser)
def pytest_configure(config):
    forked_tests.register(config)
    config.pluginmanager.register(seconds.Seconds(config))
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Three tests in two folders; those of the second take a while."""
    for name, text in {
        "conftest.py": CONFTEST,
        "pytest.ini": "[pytest]\n",
        "cheap/test_one.py": "def test_one(): pass\n",
        "slow/test_two.py": BURN.format(name="two"),
        "slow/deeper/test_three.py": BURN.format(name="three"),
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize("shared", [[], ["--processes=2"]], ids=["one process", "two"])
def test_a_run_ends_with_the_table(project: Path, shared: list[str]) -> None:
    """The most expensive folder is first, each test once, the sum last; the same numbers are in the cache."""
    here = str(Path(__file__).parent)
    command = [sys.executable, "-m", "pytest", *shared, "-q", str(project)]
    done = subprocess.run(
        command,
        cwd=project,
        env={"PYTHONPATH": here, "PATH": "/usr/bin:/bin", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        timeout=HANG_S,
        check=False,
    )
    rows = re.findall(r"^ +([\d.]+) +([\d.]+) +(\d+)  (\S.*)$", done.stdout, re.MULTILINE)
    cache = project / ".pytest_cache/v"
    kept = json.loads((cache / seconds.CACHED).read_text())
    files = json.loads((cache / seconds.CACHED_FILES).read_text())

    assert done.returncode == 0, done.stdout
    assert [row[3] for row in rows[2:]] == ["cheap", "in all"]
    assert {row[3]: row[2] for row in rows} == {"slow": "1", "slow/deeper": "1", "cheap": "1", "in all": "3"}
    assert all(float(row[0]) >= 0.3 for row in rows if "slow" in row[3])
    assert {row[0]: row[3] for row in kept} == {"slow": 1, "slow/deeper": 1, "cheap": 1}
    assert {name: row[1] for name, row in files.items()} == {
        "cheap/test_one.py": 1,
        "slow/deeper/test_three.py": 1,
        "slow/test_two.py": 1,
    }


def test_a_run_of_a_part_of_a_file_replaces_nothing(pytestconfig: pytest.Config) -> None:
    """A whole file's figure stays until as many of its tests have run again."""
    table = seconds.Seconds(pytestconfig)
    for name, tests in (("a.py", 1), ("b.py", 3), ("c.py", 1)):
        row = table.files.setdefault(name, seconds.Row())
        row.cpu_s, row.tests = 0.5, tests

    assert table.merged({"a.py": [9.0, 2], "b.py": [9.0, 2]}) == {
        "a.py": [9.0, 2],
        "b.py": [0.5, 3],
        "c.py": [0.5, 1],
    }


@pytest.mark.parametrize(
    ("nodeid", "folder"),
    [
        ("tests/lang/test_a.py::test_b[x/y]", "tests/lang"),
        ("tests/test_a.py::Test::test_b", "tests"),
        ("test_a.py::b", "."),
    ],
)
def test_the_folder_of_a_test(nodeid: str, folder: str) -> None:
    """That of its file, whatever its parameters are called."""
    assert seconds.folder_of(nodeid) == folder
