"""Judges answers that are a file beside tests, in a compiled language: the suite's runner executes both.

The answer's file and the tests' file are compiled as one package, and are two files all the same: so nothing
that an answer holds can end, hide or name anew what the tests say. What the tests report is a claim, which
`settling` weighs: tamper-evident, as every suite.
"""

from __future__ import annotations

from functools import cache, partial

import msgspec

from benchwright.contracts import Extraction, Judgement, Pending, SuiteAnswerSpec, SuiteReport, Variation
from benchwright.errors import PrerequisiteError
from benchwright.judges.opening import Resources
from benchwright.judges.suites.java_libraries import library_folder
from benchwright.judges.suites.judging import OpenRunners, open_runner
from benchwright.records import Isolation, Outcome

# "compile" and "import": the compiler said no. "environment": what no answer may count on, such as a package
# of somebody else's, so that too is a program that does not compile.
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
    """Executes the tests of a spec beside what was taken from an answer."""

    spec = SuiteAnswerSpec

    def __init__(self, resources: Resources) -> None:
        self._runners = OpenRunners(resources)
        self._folder = cache(library_folder)  # made and checked once a worker, not for each answer

    def judge(self, taken: Extraction, spec: SuiteAnswerSpec) -> Judgement | Pending:
        """Later: a compiler is at work."""
        return partial(self._executed, taken.program, spec)

    @staticmethod
    def make_ready(spec: SuiteAnswerSpec) -> None:
        """Make what the first execution would make. Raises PrerequisiteError with how to get what lacks."""
        runner = open_runner(spec.suite.lang, library_folder(spec.libraries))
        try:
            runner.versions()
            runner.prepare()
        finally:
            runner.close()

    def _executed(self, program: str, spec: SuiteAnswerSpec) -> Judgement:
        suite = msgspec.structs.replace(spec.suite, files={**spec.suite.files, spec.suite.focal: program})
        try:
            runner = self._runners.get(suite.lang, self._folder(spec.libraries))
        except PrerequisiteError as error:
            return Judgement(outcome=Outcome.sandbox_error, detail=str(error))
        ((_, report),) = runner.run([(0, suite)], variation=Variation())
        return Judgement(
            outcome=outcome_of(report),
            isolation=Isolation.tamper_evident,
            detail=report.detail,
            cpu_s=report.cpu_s,
            wall_s=report.wall_s,
            traceback=report.diagnostics,
        )


def outcome_of(report: SuiteReport) -> Outcome:
    """What a report says of the answer. Where nothing was executed, nothing is known of it."""
    if report.state in ("absent", "sandbox_error"):
        return Outcome.sandbox_error
    if report.state == "tampered":
        return Outcome.tampered
    return Outcome.passed if report.state == "success" else outcome_of_failure(report.kind)


def outcome_of_failure(kind: str) -> Outcome:
    """What a kind of failure says of an answer: one of FAILURES, or "sandbox_error"."""
    return _OUTCOMES.get(kind, Outcome.sandbox_error)
