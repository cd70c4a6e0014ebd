"""Suites that JUnit reports as passed and that are not: none is believed, in either jail."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import msgspec
import pytest
from java_forgeries import Forgery, forgeries

from benchwright.contracts import SuiteReport, Variation
from benchwright.errors import PrerequisiteError
from benchwright.judges.suites.java import LIMITS, JavaSuites
from benchwright.judges.suites.java_toolchain import find_toolchain

ALL = forgeries()
JAILS = ("bubblewrap", "native")
SMALL = msgspec.structs.replace(LIMITS, cpu_s=4.0, memory_mb=768)


@pytest.fixture(scope="module", params=JAILS)
def reports(jail: None, request: pytest.FixtureRequest) -> Iterator[dict[str, SuiteReport]]:
    """All of them in one run, so that their compilations are shared."""
    try:
        find_toolchain()
    except PrerequisiteError as error:
        pytest.skip(f"Java suites need a JDK and JUnit: {error.message}")
    suites = ((number, each.suite) for number, each in enumerate(ALL))
    with JavaSuites(limits=SMALL, jail=request.param) as runner:
        yield {ALL[number].name: report for number, report in runner.run(suites, variation=Variation())}


@pytest.mark.slow
@pytest.mark.parametrize("forgery", ALL, ids=lambda each: each.name)
def test_no_forgery_is_believed(reports: dict[str, SuiteReport], forgery: Forgery) -> None:
    """Each ends as its first line says, for the reason that it gives."""
    report = reports[forgery.name]

    assert (report.state in forgery.states, forgery.words in report.detail) == (True, True), report


def test_at_least_ten_of_each_class() -> None:
    """Aborts, failures outside of cases, false passes, taken names and written classes; both frameworks."""
    count = Counter(each.name.partition("_")[0] for each in ALL)

    assert [name for name in ("aborts", "outside", "silent", "names", "classes") if count[name] < 10] == []
    assert {each.suite.framework for each in ALL} == {"junit4", "junit5"}


def test_no_forgery_may_succeed() -> None:
    """A first line allows "failed" or "tampered" alone, and every suite has a case."""
    assert {state for each in ALL for state in each.states} == {"failed", "tampered"}
    assert [each.name for each in ALL if not each.suite.cases] == []
