"""The Python line of `benchmarks.suites`: pairs made here, and `python -m pytest` for each.

    ./run bench suites python --pairs 20 400

Bytecode of pytest and of the standard library is compiled before the clock starts, as an installer or a first
run leaves it; plugins that happen to be installed are not loaded, and no cache of test results is written.
The pairs are harmless, so pytest runs them without a sandbox, as its users do.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from benchmarks.suites_ground import CACHE, Contest, Peer, lay_out, passed, use_cache
from benchwright.contracts import Suite, Variation
from benchwright.judges.suites.python import PythonSuites

_FOCAL = """
def shift(value, by={n}):
    return value {sign} by

def join(words, sep=" "):
    return sep.join(str(word) for word in words)

class Counter:
    def __init__(self):
        self.seen = {{}}
    def add(self, key):
        self.seen[key] = self.seen.get(key, 0) + 1
        return self.seen[key]
"""
_TEST = """
import pytest
from focal_{n} import Counter, join, shift

@pytest.fixture
def counter():
    return Counter()

def test_shift():
    assert shift(1) == {n} + 1

@pytest.mark.parametrize("value", [1, 2, 3])
def test_by(value):
    assert shift(value, by=0) == value

def test_join():
    assert join([1, "a"]) == "1 a"

def test_counter(counter):
    counter.add("x")
    assert counter.add("x") == 2

def test_error():
    with pytest.raises(TypeError):
        shift(None)
"""


def python_pair(number: int, sign: str) -> Suite:
    """A focal file of three functions and five tests, one of them with parameters. It passes with "+"."""
    focal, test = f"focal_{number}.py", f"test_focal_{number}.py"
    return Suite(
        lang="Python",
        framework="pytest",
        files={focal: _FOCAL.format(n=number, sign=sign), test: _TEST.format(n=number)},
        focal=focal,
        test=test,
        cases=["test_shift", "test_by", "test_join", "test_counter", "test_error"],
    )


def python_runner() -> PythonSuites:
    """Ours."""
    use_cache()
    return PythonSuites()


def python_usual(suite: Suite, folder: Path, *options: str) -> bool:
    """pytest as people run it, less what only slows it down. -B: a pair's bytecode is not used twice."""
    options = options or ("-B",)
    command = [sys.executable, *options, "-m", "pytest", "-q", "-p", "no:cacheprovider", suite.test]
    environment = {
        "PATH": "/usr/bin:/bin",
        "HOME": str(folder),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "PYTHONPYCACHEPREFIX": str(CACHE / "bytecode"),
    }
    return passed(command, lay_out(suite, folder), environment)


def python_prepare() -> None:
    """Compile pytest's bytecode for both."""
    runner = python_runner()
    runner.versions()
    list(runner.run([(0, python_pair(0, "+"))], variation=Variation()))
    runner.close()
    with tempfile.TemporaryDirectory() as folder:
        python_usual(python_pair(0, "+"), Path(folder), "-P")


CONTEST = Contest(
    pair=python_pair,
    runner=python_runner,
    peers=(Peer("pytest", "`python -m pytest`", python_usual),),
    goal="at least 12 times",
    sampled=20,
    prepare=python_prepare,
)
