"""Processes that share a run: whole files, a process that ends, and what a run says of all of it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

CONFTEST = """
import sys
from kit import forked_tests, two_passes
def pytest_addoption(parser):
    forked_tests.add_options(parser)
    two_passes.add_options(parser)
def pytest_configure(config):
    two_passes.register(config)
    forked_tests.register(config)
"""
HONEST = """
import atexit, os, pytest, sys
from pathlib import Path

@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    yield folder
    print("unmade", file=sys.stderr)

@pytest.fixture(scope="session", autouse=True)
def ended():
    atexit.register(Path(f"exit-{os.getpid()}").touch)
    yield
    Path(f"ended-{os.getpid()}").touch()

@pytest.mark.parametrize("number", range(3))
def test_in_one_process(made, number, capfd):
    os.write(1, b"loud")
    assert capfd.readouterr().out == "loud"
    (made / str(number)).write_text(str(os.getpid()))
    assert {each.read_text() for each in made.iterdir()} == {str(os.getpid())}
"""
ENDING = """
import os, pytest

def test_before(): pass
def test_ends(): os._exit(3)
def test_after(): pass
def test_fails(): assert 1 == 2
def test_skipped(): pytest.skip("no tool")
"""


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """What pytest says of the samples."""
    (folder / "conftest.py").write_text(CONFTEST)
    (folder / "pytest.ini").write_text("[pytest]\n")
    for name, text in {"a": HONEST, "b": ENDING, "c": HONEST}.items():
        (folder / f"test_{name}.py").write_text(text)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-rA",
        "-p",
        "no:cacheprovider",
        "--processes=2",
        *arguments,
    ]
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parent), "PYTEST_ADDOPTS": ""}
    env["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # those of the environment take most of the time
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)


def test_each_test_is_reported_once(tmp_path: Path) -> None:
    """One that ends its process fails, and the rest of its file runs; each process ends what its tests have made."""
    done = run(tmp_path)
    said = done.stdout + done.stderr
    ended, exited = (
        {each.name.partition("-")[2] for each in tmp_path.glob(f"{name}-*")} for name in ("ended", "exit")
    )

    assert done.returncode == 1
    assert "2 failed, 8 passed, 1 skipped" in said, said
    assert re.search(r"test_ends.*\n.*the process of this test ended with 3", said), said
    assert "assert 1 == 2" in said
    assert exited == ended
    assert len(ended) in (1, 2)


def test_the_first_failure_ends_a_run_on_request(tmp_path: Path) -> None:
    """No process stays, and a run without failures ends with 0."""
    stopped, good = run(tmp_path, "-x", "test_b.py"), run(tmp_path, "test_a.py", "test_c.py")

    assert (stopped.returncode, "stopping after 1 failures" in stopped.stdout) == (1, True)
    assert (good.returncode, "6 passed" in good.stdout) == (0, True), good.stdout
