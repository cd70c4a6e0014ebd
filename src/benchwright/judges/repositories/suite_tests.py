"""Tests of a Python or Java repository, executed file by file as suites.

Each file with tests becomes one suite: known cases from a trusted parse, canaries, a report that is verified
(`judges.suites.report_verification`). So the text of the tests comes from the clone, whatever the answer
writes to disk, and a report that lacks a case or passes a canary is tampered.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import NamedTuple

from benchwright.contracts import RepositorySpec, Suite, SuiteReport, Variation
from benchwright.judges.suites.answer_judges import outcome_of
from benchwright.judges.suites.java_classes import package_of
from benchwright.judges.suites.runners import OpenRunners
from benchwright.lang.languages import language
from benchwright.lang.source import cases
from benchwright.records import Outcome, Record

_JAVA_TESTS = ("org.junit", "junit.framework", "org.testng")


class TestsRun(Record, frozen=True, kw_only=True):
    """The result of running tests on one version of a file: the tests that passed, and the first failure.

    `outcome` is passed if all requested tests passed.
    """

    __test__ = False  # pytest takes it for a test otherwise

    passed: frozenset[str] = frozenset()
    outcome: Outcome = Outcome.passed
    detail: str = ""
    cpu_s: float = 0.0
    wall_s: float = 0.0


class NamedTest(NamedTuple):
    """A test as the data set names it, the file that has it, and its name as a case of that file."""

    name: str
    path: str
    case: str


class UnknownTests(Exception):
    """The data set names a test that the repository does not have."""


def run_suites(runners: OpenRunners, spec: RepositorySpec, texts: Mapping[str, str], focal: str) -> TestsRun:
    """Run the tests of a spec with `focal` as the text of its file. Raises UnknownTests and SandboxError."""
    required_tests = named_tests(spec, texts)
    suites = list(_suites(spec, texts, focal, required_tests))
    runner = runners.get(spec.lang, spec.libraries)
    reports = dict(runner.run(enumerate(suites), variation=Variation()))
    suite_reports = [(suite, reports[number]) for number, suite in enumerate(suites)]
    states = {
        (suite.test, case.name): case.state
        for suite, report in suite_reports
        if report.state in ("success", "failed")
        for case in report.cases
    }
    passed = frozenset(each.name for each in required_tests if states.get((each.path, each.case)) == "passed")
    outcome, detail = _first_failure(suite_reports, required_tests, passed)
    return TestsRun(
        passed=passed,
        outcome=outcome,
        detail=detail,
        cpu_s=sum(report.cpu_s for _, report in suite_reports),
        wall_s=sum(report.wall_s for _, report in suite_reports),
    )


def _first_failure(
    suite_reports: Iterable[tuple[Suite, SuiteReport]],
    required_tests: Iterable[NamedTest],
    passed: frozenset[str],
) -> tuple[Outcome, str]:
    """Return how the first suite ended that tampers or lacks the pass of a wanted test."""
    reports = {suite.test: report for suite, report in suite_reports}
    tampered = next((each for each in reports.values() if each.state == "tampered"), None)
    if tampered is not None:
        return Outcome.tampered, tampered.detail
    failed = next((each for each in required_tests if each.name not in passed), None)
    if failed is None:
        return Outcome.passed, ""
    report = reports[failed.path]
    outcome = outcome_of(report)
    case = next((each for each in report.cases if each.name == failed.case), None)
    why = report.diagnostics or (case.detail if case is not None else "") or report.detail
    return (Outcome.wrong if outcome is Outcome.passed else outcome), f"{failed.name}: {why}"


def named_tests(spec: RepositorySpec, texts: Mapping[str, str]) -> list[NamedTest]:
    """Find the file and the case of each test. Raises UnknownTests for one that no file has."""
    find = _java_test if spec.lang == "Java" else _python_test
    known: dict[str, frozenset[str]] = {}
    found = []
    for name in spec.tests:
        path, case = find(name, texts)
        if path not in known:
            known[path] = frozenset(each.name for each in cases(texts.get(path, ""), spec.lang))
        if case not in known[path]:
            raise UnknownTests(f"the repository has no test {name}")
        found.append(NamedTest(name, path, case))
    return list(dict.fromkeys(found))


def _python_test(name: str, texts: Mapping[str, str]) -> tuple[str, str]:
    """`tests/test_a.py::TestB::test_c[1]` is the case `TestB::test_c` of `tests/test_a.py`."""
    path, _, case = name.partition("::")
    return path, case.partition("[")[0]


def _java_test(name: str, texts: Mapping[str, str]) -> tuple[str, str]:
    """`org.x.FooTest::bar` is the case `FooTest#bar` of `src/test/java/org/x/FooTest.java`."""
    full, _, method = name.partition("::")
    package, _, type_name = full.rpartition(".")
    outer = type_name.partition("$")[0]
    end = "/".join([*package.split("."), f"{outer}.java"]) if package else f"{outer}.java"
    paths = [path for path in texts if path == end or path.endswith(f"/{end}")]
    return (paths[0] if paths else end), f"{type_name}#{method.partition('(')[0].partition('[')[0]}"


def _suites(
    spec: RepositorySpec, texts: Mapping[str, str], focal: str, required_tests: Iterable[NamedTest]
) -> Iterator[Suite]:
    for path in dict.fromkeys(each.path for each in required_tests):
        code = texts[path]
        files = _java_files(texts, path) if spec.lang == "Java" else dict(texts)
        files[spec.path] = focal
        yield Suite(
            lang=spec.lang,
            framework=language(spec.lang).facts(code).framework,
            files=files if spec.lang == "Java" else {**_above_src(files), **files},
            focal=spec.path,
            test=path,
            cases=[each.name for each in cases(code, spec.lang)],
        )


def _above_src(files: Mapping[str, str]) -> dict[str, str]:
    """The files below `src` at the top, as an installation of the project would put them on the path."""
    return {path.removeprefix("src/"): text for path, text in files.items() if path.startswith("src/")}


def _java_files(texts: Mapping[str, str], test: str) -> dict[str, str]:
    """The sources of the test's module without other tests, which the runner takes for code under test."""
    return {**module_sources(texts, test.partition("src/test/")[0]), test: texts[test]}


def module_sources(texts: Mapping[str, str], module: str) -> dict[str, str]:
    """The Java sources in a folder of a repository, without tests."""
    return {
        path: text
        for path, text in texts.items()
        if path.endswith(".java")
        and path.startswith(module)
        and not any(name in text for name in _JAVA_TESTS)
        and PurePosixPath(path).name != "module-info.java"
        and (package_of(text) or "/" not in path.removeprefix(module))
    }
