"""Hostile focal files beside honest tests: never a success, nobody left, and the next suite is judged right."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hostile_equality import LIARS, MORE_CASES
from hostile_suites import CASES, HOSTILE, TEST, TWICE, UNITTEST, UNITTEST_CASES

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
# What pytest can be made to say depends on no jail, so each suite runs in every other one; weekly in both.
IN_JAILS = [
    (jail, name)
    for place, jail in enumerate(("bubblewrap", "native"))
    for number, name in enumerate(sorted(ATTACKS))
    if SCALE > 1 or number % 2 == place
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
@pytest.mark.parametrize(("jail_of_suites", "name"), IN_JAILS, scope="module")
def test_hostile_suites(runner: PythonSuites, name: str) -> None:
    """It ends as it may (the second time, where it leaves marks), nothing of it is left, and after it a good and a bad pair end as they must."""
    attack = ATTACKS[name]
    texts = "\n".join([attack.focal, attack.test, *(attack.files or {}).values()])
    for files in ({}, {"notes.txt": texts}):  # an interpreter each, if the texts mention slow modules
        report(runner, suite(GOOD, files=files))
    before = descendants(os.getpid())
    given = suite(attack.focal, test=attack.test, files=attack.files)
    got = [report(runner, given) for _ in range(2 if name in TWICE else 1)][-1]
    after = [report(runner, suite(focal)) for focal in (GOOD, BAD)]
    alone = wait_until(lambda: len(descendants(os.getpid())) <= len(before))
    ends = (got.state, f"{got.state} {got.kind}")
    printable = all(char.isprintable() or char == "\n" for char in got.detail)

    assert (
        any(end in attack.ends for end in ends) or repr(got),
        [each.state for each in after],
        alone,
        printable,
    ) == (True, ["success", "failed"], True, True)
