"""Suites that JUnit reports as passed and that are not: none is believed."""

from __future__ import annotations

from collections import Counter

import msgspec
import pytest
from java_forgeries import Forgery, forgeries

from benchwright.contracts import SuiteReport, Variation
from benchwright.judges.suites.java import LIMITS, JavaSuites
from benchwright.judges.suites.java_toolchain import find_toolchain
from benchwright.sandbox.jail import JAILS
from kit.examples import SCALE
from kit.needs import need_jail, need_ready

ALL = forgeries()
SMALL = msgspec.structs.replace(LIMITS, cpu_s=2.0, memory_mb=768)


def _class_of(forgery: Forgery) -> str:
    return "_".join(forgery.name.split("_")[:2])


def _by_jail() -> dict[str, list[Forgery]]:
    """Return the forgeries of each jail: each is in one, as what JUnit can be made to say depends on none; weekly in
    both. Each class and framework is in both jails."""
    ordered = sorted(ALL, key=lambda each: (_class_of(each), each.name))
    if SCALE > 1:
        return dict.fromkeys(JAILS, ordered)
    return {jail: ordered[place :: len(JAILS)] for place, jail in enumerate(JAILS)}


IN_JAILS = [(jail, each) for jail, chosen in _by_jail().items() for each in chosen]


@pytest.fixture(scope="module")
def reports(jail: None, jail_of_suites: str) -> dict[str, SuiteReport]:
    """All of a jail in one run, so that their compilations are shared."""
    return _reported(_by_jail()[jail_of_suites], need_jail(jail_of_suites))


def _reported(chosen: list[Forgery], jail: str) -> dict[str, SuiteReport]:
    need_ready(find_toolchain, "no Java suite can be run")
    suites = ((number, each.suite) for number, each in enumerate(chosen))
    with JavaSuites(limits=SMALL, jail=jail) as runner:
        return {chosen[number].name: report for number, report in runner.run(suites, variation=Variation())}


def _is_as_told(forgery: Forgery, report: SuiteReport) -> bool:
    return report.state in forgery.states and forgery.words in report.detail


@pytest.mark.slow
@pytest.mark.parametrize(
    ("jail_of_suites", "forgery"),
    IN_JAILS,
    scope="module",
    ids=lambda each: each if isinstance(each, str) else each.name,
)
def test_no_forgery_is_believed(reports: dict[str, SuiteReport], forgery: Forgery) -> None:
    """Each ends as its first line says, for the reason that it gives."""
    assert _is_as_told(forgery, reports[forgery.name]), reports[forgery.name]


def test_each_class_is_in_both_jails() -> None:
    """With more than one forgery."""
    count = Counter(_class_of(each) for each in ALL)
    several = {name for name, number in count.items() if number > 1}

    assert all({_class_of(each) for each in chosen} >= several for chosen in _by_jail().values())


def test_at_least_ten_of_each_class() -> None:
    """Aborts, failures outside of cases, false passes, taken names and written classes; both frameworks."""
    count = Counter(each.name.partition("_")[0] for each in ALL)

    assert [name for name in ("aborts", "outside", "silent", "names", "classes") if count[name] < 10] == []
    assert {each.suite.framework for each in ALL} == {"junit4", "junit5"}


def test_no_forgery_may_succeed() -> None:
    """A first line allows "failed" or "tampered" alone, and every suite has a case."""
    assert {state for each in ALL for state in each.states} == {"failed", "tampered"}
    assert [each.name for each in ALL if not each.suite.cases] == []
