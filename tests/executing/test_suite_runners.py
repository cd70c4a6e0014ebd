"""Suites go to all workers in batches, and every suite gets one report, whatever becomes of a worker."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
import pytest

from benchwright import registry
from benchwright.contracts import Job, Judgement, Suite, SuiteReport, Variation
from benchwright.errors import PrerequisiteError
from benchwright.executing.pool import Pool
from benchwright.executing.suite_runners import (
    LEAST,
    AvailableLanguage,
    PooledSuiteRunner,
    Runners,
    UnavailableLanguage,
    runner_for,
)
from benchwright.judges.suites.python import PythonSuites
from benchwright.records import Outcome
from kit.fake_suites import FakeGo, FakeSuites
from kit.processes import workers

TEST = "from code_ import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n"
RIGHT, WRONG = "def add(x, y):\n    return x + y\n", "def add(x, y):\n    return x - y\n"


def suite(code: str) -> Suite:
    """A Python suite of one case."""
    files = {"code_.py": code, "test_code.py": TEST}
    return Suite(
        lang="Python",
        framework="pytest",
        files=files,
        focal="code_.py",
        test="test_code.py",
        cases=["test_add"],
    )


def comparable(report: SuiteReport) -> SuiteReport:
    """A report without what differs between two executions."""
    return msgspec.structs.replace(report, cpu_s=0.0, wall_s=0.0)


class Compiler(FakeSuites):
    """A runner whose batches are worth something."""

    batch = 20


class OnePool:
    """In the place of a pool: executes here, and keeps the sizes of the batches. Dies of `deadly` code."""

    def __init__(self, size: int, *, deadly: str = "(none)") -> None:
        self.size, self.batches, self._deadly = size, list[int](), deadly

    def judge(self, jobs: Iterable[Job]) -> Iterator[tuple[int, Judgement]]:
        for number, _, criterion, _ in reversed(list(jobs)):
            spec: Any = criterion.spec
            self.batches.insert(0, len(spec.suites))
            if any(self._deadly in each.files["code_.py"] for each in spec.suites):
                yield number, Judgement(outcome=Outcome.sandbox_error, detail="a worker has died, 3 times")
                continue
            reports = list(Compiler().run(enumerate(spec.suites), variation=spec.variation))
            yield number, Judgement(outcome=Outcome.passed, payload=msgspec.msgpack.encode(reports))


@pytest.mark.parametrize(
    ("suites", "size", "sizes"),
    [(0, 2, []), (3, 2, [3]), (LEAST + 2, 2, [LEAST, 2]), (30, 2, [15, 15]), (50, 2, [20, 20, 10])],
)
def test_batches_are_contiguous_and_worth_a_compiler(suites: int, size: int, sizes: list[int]) -> None:
    """One for each worker while there is enough for it, none larger than the runner's own."""
    pool = OnePool(size)
    spread = PooledSuiteRunner(Compiler(), pool)
    given = [(number + 100, suite("ends: success")) for number in range(suites)]
    reports = list(spread.run(given, variation=Variation()))

    assert pool.batches == sizes
    assert sorted(number for number, _ in reports) == [number for number, _ in given]


def test_a_suite_that_takes_workers_down_is_found_alone() -> None:
    """The others of its batch have their reports, and it is the machine's failure: nothing is known of it."""
    pool = OnePool(1, deadly="kills")
    codes = ["ends: success", "kills", "ends: assertion"]
    spread = PooledSuiteRunner(Compiler(), pool)
    reports = dict(spread.run(enumerate(map(suite, codes)), variation=Variation()))

    assert pool.batches == [1, 1, 1, 3]
    assert [(reports[number].state, reports[number].kind) for number in range(3)] == [
        ("success", ""),
        ("sandbox_error", ""),
        ("failed", "assertion"),
    ]
    assert reports[1].detail == "a worker has died, 3 times"


def test_a_runner_is_opened_once_and_a_missing_one_is_a_fact() -> None:
    """The commands ask for each language again and again."""
    fakes = {"Python": FakeSuites, "Go": FakeGo}
    closed = FakeSuites.closed
    with Runners(lambda lang: fakes[lang]()) as runners:
        python, go = runners.get("Python"), runners.get("Go")
        again = runners.get("Python")

    assert isinstance(python, AvailableLanguage)
    assert again is python
    assert go == UnavailableLanguage(lang="Go", why="there is no Go", hint="apt-get install golang-go")
    assert (runners.absent, runners.versions) == ([go], {"Python": {"python": "1.0"}})
    assert FakeSuites.closed == closed + 2


def test_a_language_without_a_runner() -> None:
    """A prerequisite that is missing, not a crash."""
    with pytest.raises(PrerequisiteError, match="does not execute Cobol"):
        runner_for("Cobol")


@pytest.mark.parametrize("lang", registry.RUNNERS)
def test_every_runner_is_of_its_language(lang: str) -> None:
    """As the table says."""
    assert runner_for(lang).lang == lang


def test_no_worker_is_started_before_a_suite_is_executed() -> None:
    """A command that finds everything done must cost nothing."""
    with Runners(workers=2) as runners:
        runners.get("Python")
        started = workers()

    assert started == set()


@pytest.mark.slow
@pytest.mark.usefixtures("jail")
def test_workers_report_what_one_process_reports() -> None:
    """In another order, perhaps; a worker that is killed is replaced and loses nothing."""
    codes = [RIGHT, WRONG, "def add(x, y):\n    raise KeyError(x)\n", "def add(:"] * 3
    given = list(enumerate(map(suite, codes)))
    alone = PythonSuites()
    expected = {number: comparable(report) for number, report in alone.run(given, variation=Variation())}
    alone.close()
    found: dict[int, SuiteReport] = {}
    with Pool(workers=2, pinned=False) as pool:
        for number, report in PooledSuiteRunner(PythonSuites(), pool).run(given, variation=Variation()):
            assert number not in found
            found[number] = comparable(report)
            if len(found) == 3:
                os.kill(min(workers()), signal.SIGKILL)

    assert found == expected
