"""Hostile focal files beside honest tests: never a success, nobody left, and the next suite is judged right."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hostile_equality import LIARS, MORE_CASES
from hostile_suites import CASES, HOSTILE, TEST, TWICE, UNITTEST, UNITTEST_CASES, Hostile

from benchwright.contracts import Suite, SuiteReport, Variation
from benchwright.judges.suites.python import PythonSuites
from benchwright.sandbox.limits import Limits
from kit.examples import SCALE
from kit.needs import need_jail, need_sandbox
from kit.processes import descendants, wait_until

GOOD = "def add(x, y):\n    if x is None:\n        raise ValueError\n    return x + y\n"
BAD = GOOD.replace("x + y", "x - y")
ATTACKS = {**HOSTILE, **LIARS}
LIMITS = Limits(cpu_s=1.0, memory_mb=256, wall_s=8.0)
TOGETHER = 6  # suites between which no honest suite is run


def _groups() -> list[tuple[str, list[str]]]:
    """Return jails with the names of suites: each suite is in one of the jails, as what pytest can be made to say
    depends on none; weekly in both and alone."""
    names = sorted(ATTACKS)
    if SCALE > 1:
        return [(jail, [name]) for jail in ("bubblewrap", "native") for name in names]
    return [
        (jail, chosen[first : first + TOGETHER])
        for jail, chosen in (("bubblewrap", names[::2]), ("native", names[1::2]))
        for first in range(0, len(chosen), TOGETHER)
    ]


@pytest.fixture(scope="module")
def runner(jail_of_suites: str) -> Iterator[PythonSuites]:
    need_sandbox()
    need_jail(jail_of_suites)
    suites = PythonSuites(jail_of_suites, limits=LIMITS)
    yield suites
    suites.close()


def suite(focal: str, *, test: str = TEST, files: dict[str, str] | None = None) -> Suite:
    return Suite(
        lang="Python",
        framework="pytest",
        files={"focal.py": focal, "test_focal.py": test, **(files or {})},
        focal="focal.py",
        test="test_focal.py",
        cases={UNITTEST: UNITTEST_CASES, **MORE_CASES}.get(test, CASES),
    )


def report(runner: PythonSuites, given: Suite) -> SuiteReport:
    return dict(runner.run([(0, given)], variation=Variation()))[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("jail_of_suites", "names"),
    _groups(),
    scope="module",
    ids=lambda each: each if isinstance(each, str) else each[0],
)
def test_hostile_suites(runner: PythonSuites, names: list[str]) -> None:
    """Each ends as it may (the second time, where it leaves marks), nothing of it is left, and after them a good
    and a bad pair end as they must."""
    for text in ("", "mock"):  # suites that mention slow modules have an interpreter of their own
        report(runner, suite(GOOD, files={"notes.txt": text}))
    before = len(descendants(os.getpid()))
    wrong, left = {}, []
    for name in names:
        got = _report_on(runner, name)
        if not _ended_as_it_may(got, ATTACKS[name]):
            wrong[name] = got
        if not wait_until(lambda: len(descendants(os.getpid())) <= before):
            left.append(name)
    after = [report(runner, suite(focal)).state for focal in (GOOD, BAD)]

    assert (wrong, left, after) == ({}, [], ["success", "failed"])


def _report_on(runner: PythonSuites, name: str) -> SuiteReport:
    attack = ATTACKS[name]
    given = suite(attack.focal, test=attack.test, files=attack.files)
    return [report(runner, given) for _ in range(2 if name in TWICE else 1)][-1]


def _ended_as_it_may(got: SuiteReport, attack: Hostile) -> bool:
    printable = all(char.isprintable() or char == "\n" for char in got.detail)
    return printable and any(end in attack.ends for end in (got.state, f"{got.state} {got.kind}"))
