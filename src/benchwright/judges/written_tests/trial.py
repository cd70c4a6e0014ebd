"""Executions of one file of tests: on the code, repeatedly, on a copy that does the same, and on mutants."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from benchwright.contracts import Suite, SuiteReport, SuiteRunner, Variation, WrittenTestsSpec
from benchwright.judges.suites.answer_judges import outcome_of
from benchwright.judges.suites.report_verification import random_word
from benchwright.judges.suites.variations import variations
from benchwright.lang.languages import language
from benchwright.lang.python.same_behaviour import with_idle_lines
from benchwright.records import Outcome

REPEATS = 5  # executions of tests on the code, each under another variation
_NOTICED = ("assertion", "exception", "timeout", "memory")  # failures that show that a test noticed a change
_UNCOMPILED = ("compile", "import", "environment")
_PLAIN, _TRACED = Variation(), Variation(traced=True)


class TestedFile(NamedTuple):
    """How a file of tests did: its outcome, why, and the mutants that it noticed of those that can run."""

    outcome: Outcome
    detail: str = ""
    compiled: bool = False
    skipped: bool = False  # all tests were
    noticed: tuple[int, ...] = ()  # indexes of mutants
    runnable: tuple[int, ...] = ()
    lines: int = 0  # of the code that the tests claim to have executed
    cpu_s: float = 0.0

    @property
    def share(self) -> float:
        """Share of the mutants that can run which the tests noticed."""
        return len(self.noticed) / len(self.runnable) if self.runnable else 0.0


def suite_of(spec: WrittenTestsSpec, tests: str) -> Suite:
    """Lay out the code and a file of tests as a project. Raises LayoutError."""
    kind = language(spec.lang)
    suite = kind.lay_out(spec.focal, tests, focal_name=spec.focal_path, test_name=spec.test_path)
    return replace(suite, files={**spec.others, **suite.files}) if spec.others else suite


def first_run(runner: SuiteRunner, suite: Suite) -> TestedFile:
    """Execute tests once on the code."""
    return _ended(_reports(runner, [suite], _PLAIN)[0], "")


def trial(runner: SuiteRunner, suite: Suite, mutants: Sequence[str], *, repeats: int = REPEATS) -> TestedFile:
    """Execute tests on the code, again under other variations, on an equal copy, and on mutants.

    The order of the checks is that of the reasons: what fails on the code is not flaky, and what depends on
    the text of the code notices no change of behaviour.
    """
    first = first_run(runner, suite)
    if first.outcome is not Outcome.passed:
        return first
    cpu_s = first.cpu_s
    for number, variation in enumerate(variations(repeats)[1:], 2):
        again = _ended(_reports(runner, [suite], variation)[0], "")
        cpu_s += again.cpu_s
        if again.outcome is not Outcome.passed:
            return _unsteady(again, number, cpu_s)
    (copy,) = _reports(runner, [_copied(suite)], _TRACED)
    if copy.state != "success":
        return _text_bound(copy, cpu_s)
    found = _noticed(runner, suite, mutants)
    lines = len(set(copy.lines))
    return found._replace(lines=lines, cpu_s=round(found.cpu_s + cpu_s + copy.cpu_s, 6))


def _noticed(runner: SuiteRunner, suite: Suite, mutants: Sequence[str]) -> TestedFile:
    changed = [replace(suite, files={**suite.files, suite.focal: text}) for text in mutants]
    reports = _reports(runner, changed, _PLAIN)
    for report in reports:
        if outcome_of(report) in (Outcome.tampered, Outcome.sandbox_error):
            return _ended(report, "on a changed copy: ")
    states = [(at, report) for at, report in enumerate(reports) if _has_run(report)]
    noticed = tuple(at for at, report in states if report.state == "failed")
    cpu = sum(report.cpu_s for report in reports)
    runnable = tuple(at for at, _ in states)
    why = "" if noticed else f"passes on the code and on all {len(runnable)} changed copies of it"
    outcome = Outcome.passed if noticed else Outcome.wrong
    return TestedFile(outcome, why, compiled=True, noticed=noticed, runnable=runnable, cpu_s=cpu)


def _has_run(report: SuiteReport) -> bool:
    return report.state == "success" or (report.state == "failed" and report.kind in _NOTICED)


def _reports(runner: SuiteRunner, suites: Sequence[Suite], variation: Variation) -> list[SuiteReport]:
    """The reports in the order of the suites."""
    found = dict(runner.run(enumerate(suites), variation=variation))
    lost = SuiteReport(state="sandbox_error", detail="the runner gave no report")
    return [found.get(at, lost) for at in range(len(suites))]


def _copied(suite: Suite) -> Suite:
    """The suite with a copy of the code that does the same. Probes of a traced run change other languages."""
    if suite.lang != "Python":
        return suite
    text = with_idle_lines(suite.files[suite.focal], f"{random_word()}_")
    return replace(suite, files={**suite.files, suite.focal: text})


def _ended(report: SuiteReport, where: str) -> TestedFile:
    skipped = bool(report.cases) and all(case.state == "skipped" for case in report.cases)
    outcome = Outcome.wrong if skipped else outcome_of(report)
    message = report.diagnostics or report.detail
    compiled = skipped or not (report.state == "failed" and report.kind in _UNCOMPILED)
    detail = f"{where}{message}" if outcome is not Outcome.passed else ""
    return TestedFile(outcome, detail, compiled=compiled, skipped=skipped, cpu_s=report.cpu_s)


def _unsteady(again: TestedFile, number: int, cpu_s: float) -> TestedFile:
    detail = f"passed, but not in execution {number} of the same code: {again.detail}"
    outcome = again.outcome if again.outcome in (Outcome.tampered, Outcome.sandbox_error) else Outcome.flaky
    return again._replace(outcome=outcome, detail=detail, compiled=True, cpu_s=round(cpu_s, 6))


def _text_bound(copy: SuiteReport, cpu_s: float) -> TestedFile:
    ended = _ended(copy, "fails on a copy of the code that does the same: ")
    unknown = ended.outcome is Outcome.sandbox_error
    outcome = Outcome.sandbox_error if unknown else Outcome.tampered
    return ended._replace(outcome=outcome, compiled=True, cpu_s=round(cpu_s + copy.cpu_s, 6))


def without_tests(spec: WrittenTestsSpec, tests: str) -> Suite:
    """The probe's suite with another file next to it, which has no test. Raises LayoutError."""
    suite = suite_of(spec, spec.probe)
    folder = suite.test.rpartition("/")[0]
    return replace(suite, files={**suite.files, f"{folder}/{spec.test_path.rpartition('/')[2]}": tests})
