"""Suites that JUnit reports as passed and that are not: none is believed, in either jail."""

from __future__ import annotations

from collections import Counter

import msgspec
import pytest
from java_forgeries import Forgery, forgeries

from benchwright.contracts import SuiteReport, Variation
from benchwright.judges.suites.java import LIMITS, JavaSuites
from benchwright.judges.suites.java_toolchain import find_toolchain
from kit.needs import need_ready

ALL = forgeries()
SMALL = msgspec.structs.replace(LIMITS, cpu_s=4.0, memory_mb=768)


def _class_of(forgery: Forgery) -> str:
    return "_".join(forgery.name.split("_")[:2])


# What JUnit can be made to say hangs on no jail, so one of each class and framework is enough for the other.
ONE_OF_EACH = list({_class_of(each): each for each in ALL}.values())


@pytest.fixture(scope="module")
def reports(jail: None) -> dict[str, SuiteReport]:
    """All of them in one run, so that their compilations are shared."""
    return _reported(ALL, "bubblewrap")


def _reported(chosen: list[Forgery], jail: str) -> dict[str, SuiteReport]:
    need_ready(find_toolchain, "no Java suite can be run")
    suites = ((number, each.suite) for number, each in enumerate(chosen))
    with JavaSuites(limits=SMALL, jail=jail) as runner:
        return {chosen[number].name: report for number, report in runner.run(suites, variation=Variation())}


def _is_as_told(forgery: Forgery, report: SuiteReport) -> bool:
    return report.state in forgery.states and forgery.words in report.detail


@pytest.mark.slow
@pytest.mark.parametrize("forgery", ALL, ids=lambda each: each.name)
def test_no_forgery_is_believed(reports: dict[str, SuiteReport], forgery: Forgery) -> None:
    """Each ends as its first line says, for the reason that it gives."""
    assert _is_as_told(forgery, reports[forgery.name]), reports[forgery.name]


@pytest.mark.slow
@pytest.mark.usefixtures("jail")
def test_none_of_any_class_is_believed_in_the_other_jail() -> None:
    """One of each class and framework."""
    told = _reported(ONE_OF_EACH, "native")

    assert [
        (each.name, told[each.name]) for each in ONE_OF_EACH if not _is_as_told(each, told[each.name])
    ] == []


def test_at_least_ten_of_each_class() -> None:
    """Aborts, failures outside of cases, false passes, taken names and written classes; both frameworks."""
    count = Counter(each.name.partition("_")[0] for each in ALL)

    assert [name for name in ("aborts", "outside", "silent", "names", "classes") if count[name] < 10] == []
    assert {each.suite.framework for each in ALL} == {"junit4", "junit5"}


def test_no_forgery_may_succeed() -> None:
    """A first line allows "failed" or "tampered" alone, and every suite has a case."""
    assert {state for each in ALL for state in each.states} == {"failed", "tampered"}
    assert [each.name for each in ALL if not each.suite.cases] == []
