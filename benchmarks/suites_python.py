"""The Python line of `benchmarks.suites`: pairs made here, and `python -m pytest` for each.

    ./run bench suites python --pairs 20 400

The goal is set against the plain command with all its defaults: results and the pair's bytecode are kept, and
pytest loads what plugins it finds. How much they cost depends on where it runs, so the same is measured with
none; and once more as somebody who wants it fast may call it. Bytecode of pytest and of the standard library
lies beside them before the clock starts, as an installer or a first run leaves it. The pairs are harmless, so
pytest runs them without a sandbox, as its users do.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.suites_ground import Contest, Peer, lay_out, passed
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
    return PythonSuites()


def python_plain(suite: Suite, folder: Path) -> bool:
    """pytest as people run it, with the plugins that are installed here."""
    return _pytest(suite, folder)


def python_bare(suite: Suite, folder: Path) -> bool:
    """The same where no plugin is installed."""
    return _pytest(suite, folder, plugins="none")


def python_tuned(suite: Suite, folder: Path) -> bool:
    """Less what only slows it down. -B: a pair's bytecode is not used twice."""
    return _pytest(suite, folder, "-q", "-p", "no:cacheprovider", interpreter=("-B",), plugins="none")


def _pytest(
    suite: Suite, folder: Path, *options: str, interpreter: Sequence[str] = (), plugins: str = "installed"
) -> bool:
    command = [sys.executable, *interpreter, "-m", "pytest", *options, suite.test]
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder)}
    if plugins == "none":
        environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    return passed(command, lay_out(suite, folder), environment)


def plugins_here() -> dict[str, str]:
    """The distributions whose plugins pytest loads by itself, beside the versions of what was measured."""
    from importlib.metadata import entry_points  # noqa: PLC0415 (40 ms, which ours must not pay for)

    names = {each.dist.name for each in entry_points(group="pytest11") if each.dist is not None}
    return {"plugins of pytest": ", ".join(sorted(names)) or "none"}


def python_prepare() -> None:
    """Compile pytest's bytecode for both: ours by its first run, theirs where Python looks for it."""
    runner = python_runner()
    runner.versions()
    list(runner.run([(0, python_pair(0, "+"))], variation=Variation()))
    runner.close()
    with tempfile.TemporaryDirectory() as folder:
        python_plain(python_pair(0, "+"), Path(folder))


CONTEST = Contest(
    pair=python_pair,
    runner=python_runner,
    peers=(
        Peer("pytest", "`python -m pytest`", python_plain),
        Peer("bare pytest", "`python -m pytest`, no plugins", python_bare, goal="at least 7 times"),
        Peer(
            "tuned pytest", "`python -B -m pytest -q -p no:cacheprovider`, no plugins", python_tuned, goal=""
        ),
    ),
    goal="at least 12 times",
    sampled=20,
    prepare=python_prepare,
    about=plugins_here,
)
