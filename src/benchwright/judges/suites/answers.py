"""Judges answers that are a file beside tests, in a compiled language: the suite's runner executes both.

The answer's file and the tests' file are compiled as one package, and are two files all the same: so nothing
that an answer holds can end, hide or name anew what the tests say. What the tests report is a claim, which
`settling` weighs: tamper-evident, as every suite.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, partial

import msgspec

from benchwright.contracts import (
    Extraction,
    Judgement,
    Pending,
    Suite,
    SuiteAnswerSpec,
    SuiteReport,
    Variation,
)
from benchwright.errors import PrerequisiteError
from benchwright.judges.opening import Resources
from benchwright.judges.suites.canaries import random_word
from benchwright.judges.suites.java_libraries import library_folder
from benchwright.judges.suites.judging import OpenRunners, open_runner
from benchwright.records import Isolation, Outcome

# "compile" and "import": a compiler error. "environment": something that no answer may rely on, such as a
# third-party package, so the program does not compile either.
_OUTCOMES = {
    "compile": Outcome.syntax_error,
    "import": Outcome.syntax_error,
    "environment": Outcome.syntax_error,
    "assertion": Outcome.wrong,
    "exception": Outcome.exception,
    "timeout": Outcome.timed_out,
    "memory": Outcome.out_of_memory,
    "tampered": Outcome.tampered,
}


class SuiteAnswerJudge:
    """Executes the tests of a spec together with the program taken from an answer."""

    spec = SuiteAnswerSpec

    def __init__(self, resources: Resources) -> None:
        self._runners = OpenRunners(resources)
        self._folder = cache(library_folder)  # built and checked once per worker, not for each answer

    def judge(self, taken: Extraction, spec: SuiteAnswerSpec) -> Judgement | Pending:
        """Return a pending judgement: compiling takes time."""
        return partial(self._executed, taken.program, spec)

    @staticmethod
    def make_ready(spec: SuiteAnswerSpec) -> None:
        """Make everything that the first execution needs. Raises PrerequisiteError with how to install
        missing parts."""
        runner = open_runner(spec.suite.lang, library_folder(spec.libraries))
        try:
            runner.versions()
            runner.prepare()
        finally:
            runner.close()

    def _executed(self, program: str, spec: SuiteAnswerSpec) -> Judgement:
        drawn = {name: f"{name[:4]}{random_word().capitalize()}" for name in spec.drawn}
        names = {drawn[name]: shown for name, shown in spec.drawn.items()}
        suite = _renamed(spec.suite, drawn)
        suite = msgspec.structs.replace(suite, files={**suite.files, suite.focal: program})
        try:
            runner = self._runners.get(suite.lang, self._folder(spec.libraries))
        except PrerequisiteError as error:
            return Judgement(outcome=Outcome.sandbox_error, detail=str(error))
        ((_, report),) = runner.run([(0, suite)], variation=Variation())
        return Judgement(
            outcome=outcome_of(report),
            isolation=Isolation.tamper_evident,
            detail=_replaced(report.detail, names),
            cpu_s=report.cpu_s,
            wall_s=report.wall_s,
            traceback=_replaced(report.diagnostics, names),
        )


def _renamed(suite: Suite, names: Mapping[str, str]) -> Suite:
    """Rename identifiers in the test file's text, in its path and in its cases."""
    test = _replaced(suite.test, names)
    files = {path: text for path, text in suite.files.items() if path != suite.test}
    return msgspec.structs.replace(
        suite,
        files={**files, test: _replaced(suite.files[suite.test], names)},
        test=test,
        cases=[_replaced(case, names) for case in suite.cases],
    )


def _replaced(text: str, names: Mapping[str, str]) -> str:
    return re.sub(r"[^\W\d]\w*", lambda match: names.get(match[0], match[0]), text) if names else text


def outcome_of(report: SuiteReport) -> Outcome:
    """Return the outcome of a report. Without an execution, the outcome is a sandbox error."""
    if report.state in ("absent", "sandbox_error"):
        return Outcome.sandbox_error
    if report.state == "tampered":
        return Outcome.tampered
    return Outcome.passed if report.state == "success" else outcome_of_failure(report.kind)


def outcome_of_failure(kind: str) -> Outcome:
    """Return the outcome of a kind of failure: one of FAILURES, or "sandbox_error"."""
    return _OUTCOMES.get(kind, Outcome.sandbox_error)
