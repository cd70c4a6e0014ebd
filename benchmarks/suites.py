"""What executing suites costs: `./run python -m benchmarks.suites python --pairs 20 100`.

Each language has one line in CONTESTS: its pairs, our runner, and what people would run instead, once for
each pair. Both are measured as whole process trees, in turn, so that a change of load meets both.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from benchmarks import suites_go, suites_java
from benchmarks.measure import measure
from benchwright.contracts import Suite, SuiteRunner, Variation
from benchwright.errors import BenchwrightError

ROOT = Path(__file__).resolve().parents[1]
LIMIT_S = 1800.0
PEER_PAIRS = 20
_START = "import sys; sys.path[:0] = {path!r}; from benchmarks.suites import drive; drive(*sys.argv[1:])"


class Contest(NamedTuple):
    """One language: pairs of which every third fails, our runner, and the usual command for one pair."""

    peer: str
    pair: Callable[[int], Suite]
    runner: Callable[[], SuiteRunner]
    usual: Callable[[Suite, Path], bool]  # lays one pair out in a folder and runs it; whether it passed
    prepare: Callable[[], None] = lambda: None  # what is done once for a machine, before the clock starts


def passes(number: int) -> bool:
    """Whether a pair of that number is made to pass."""
    return number % 3 != 2


def python_pair(number: int) -> Suite:
    """A focal file of three functions and five tests, one of them with parameters."""
    sign = "+" if passes(number) else "-"
    focal = f"""
def shift(value, by={number}):
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
    test = f"""
import pytest
from focal_{number} import Counter, join, shift

@pytest.fixture
def counter():
    return Counter()

def test_shift():
    assert shift(1) == {number + 1}

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
    return Suite(
        lang="Python",
        framework="pytest",
        files={f"focal_{number}.py": focal, f"test_focal_{number}.py": test},
        focal=f"focal_{number}.py",
        test=f"test_focal_{number}.py",
        cases=["test_shift", "test_by", "test_join", "test_counter", "test_error"],
    )


def _python_runner() -> SuiteRunner:
    from benchwright.judges.suites.python import PythonSuites  # noqa: PLC0415 (only this language's)

    return PythonSuites()


def _python_usual(suite: Suite, folder: Path) -> bool:
    """pytest without the plugins that happen to be installed here, and without its cache."""
    command = [sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", suite.test]
    env = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return _ran(command, lay_out(suite, folder), env)


def lay_out(suite: Suite, folder: Path) -> Path:
    """Write a suite's files; the folder they are in."""
    for path, text in suite.files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    return folder


def _ran(command: Sequence[str], folder: Path, env: dict[str, str]) -> bool:
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, check=False).returncode == 0


CONTESTS: dict[str, Contest] = {
    "python": Contest("python -m pytest, once for each pair", python_pair, _python_runner, _python_usual),
    "java": Contest(
        suites_java.PEER,
        lambda number: suites_java.java_pair(number, "+" if passes(number) else "-"),
        suites_java.java_runner,
        suites_java.java_usual,
    ),
    "go": Contest(
        suites_go.PEER,
        lambda number: suites_go.go_pair(number, "+" if passes(number) else "-"),
        suites_go.go_runner,
        suites_go.go_usual,
        suites_go.go_prepare,
    ),
}


def drive(language: str, who: str, count: str) -> None:
    """One measured run, in a process of its own. Raises BenchwrightError where a pair ends wrongly."""
    contest, pairs = CONTESTS[language], range(int(count))
    suites = [(number, CONTESTS[language].pair(number)) for number in pairs]
    if who == "peer":
        ended = {number: contest.usual(suite, Path.cwd() / f"pair-{number}") for number, suite in suites}
    else:
        runner = contest.runner()
        reports = runner.run(suites, variation=Variation())
        ended = {number: report.state == "success" for number, report in reports}
        runner.close()
    wrong = [number for number in pairs if ended[number] is not passes(number)]
    if wrong:
        raise BenchwrightError(f"{who}: pairs {wrong[:5]} ended otherwise than they were made to")


def cpu_ms(language: str, who: str, count: int) -> float:
    """CPU milliseconds a pair, of the whole tree, interpreter start included."""
    start = _START.format(path=[str(ROOT), str(ROOT / "src")])
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", start, language, who, str(count)]
        usage = measure(command, folder=Path(folder), limit_s=LIMIT_S)
    print(f"{language}, {who}: {count} pairs, {usage.cpu_s:.2f} CPU-s, {usage.wall_s:.1f} s", file=sys.stderr)
    return 1000 * usage.cpu_s / count


def table(language: str, sizes: Sequence[int], *, rounds: int) -> str:
    """Medians over the rounds, and how far apart the rounds' ratios were."""
    CONTESTS[language].prepare()
    lines = [
        f"{language}: CPU ms a pair; peer: {CONTESTS[language].peer}",
        "pairs   peer   ours   ratio (rounds)",
    ]
    for size in sizes:
        # The peer starts anew for each pair, so its cost a pair does not depend on how many there are.
        taken = [
            (cpu_ms(language, "peer", min(size, PEER_PAIRS)), cpu_ms(language, "ours", size))
            for _ in range(rounds)
        ]
        peer, ours = (median(column) for column in zip(*taken, strict=True))
        ratios = sorted(their / our for their, our in taken)
        spread = f"{ratios[0]:.1f} to {ratios[-1]:.1f}"
        lines.append(f"{size:5} {peer:6.0f} {ours:6.1f} {median(ratios):7.1f} ({spread})")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit code."""
    parser = argparse.ArgumentParser(prog="./run python -m benchmarks.suites", description=__doc__)
    parser.add_argument("language", choices=sorted(CONTESTS))
    parser.add_argument("--pairs", type=int, nargs="+", default=[20, 100], metavar="N", help="sizes (20 100)")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="counted rounds (3)")
    chosen = parser.parse_args(arguments)
    try:
        print(table(chosen.language, chosen.pairs, rounds=chosen.rounds))
    except BenchwrightError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
