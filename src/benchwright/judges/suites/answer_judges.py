"""Judges of answers in compiled languages: by a test suite with the answer, or by calls of its function.

The answer's file and the tests' file are compiled as one package but stay two files, so nothing in an answer
can end, hide or redefine the tests. The report is a claim that `report_verification` verifies:
tamper-evident, as for every suite. A served program is compiled with only the types of its tests' arguments.
It gets them one call at a time, and its values are compared on the trusted side, so an answer that reads all
of its process finds no expected value.
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
    ServedProgram,
    ServedSpec,
    Suite,
    SuiteAnswerSpec,
    SuiteReport,
    Variation,
)
from benchwright.display.escape import escaped_start
from benchwright.errors import PrerequisiteError, SandboxError
from benchwright.judges import reasons
from benchwright.judges.judge_registry import Resources
from benchwright.judges.reasons import DETAIL_LIMIT
from benchwright.judges.suites.java_toolchain import library_folder
from benchwright.judges.suites.report_verification import random_word
from benchwright.judges.suites.runners import OpenRunners, open_runner
from benchwright.records import Isolation, Outcome
from benchwright.sandbox import untrusted
from benchwright.sandbox.claims import read_loaded, read_reply, refused_end, tampered_end
from benchwright.sandbox.codec import CodecError, decode
from benchwright.sandbox.untrusted import UnguardedRead, UntrustedBytes
from benchwright.sandbox.zygote import AnswerEnded, RunningAnswer

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
        random_names = {name: f"{name[:4]}{random_word().capitalize()}" for name in spec.drawn}
        names = {random_names[name]: shown for name, shown in spec.drawn.items()}
        suite = _renamed(spec.suite, random_names)
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


# In place of a compiler's message about the calls' own file: a model may be shown the reason.
NOT_CALLABLE = "the calls of its tests do not compile against it"
NO_CALL = AnswerEnded(Outcome.sandbox_error, "no call was made")


class ServedJudge:
    """Calls the function of an answer and compares the results."""

    spec = ServedSpec
    make_ready = staticmethod(SuiteAnswerJudge.make_ready)

    def __init__(self, resources: Resources) -> None:
        self._runners, self._checking = OpenRunners(resources), resources.checking
        self._folder = cache(library_folder)  # built and checked once per worker, not for each answer

    def judge(self, taken: Extraction, spec: ServedSpec) -> Judgement | Pending:
        """Return a pending judgement: compiling takes time."""
        return partial(self._executed, taken.program, spec)

    def _executed(self, program: str, spec: ServedSpec) -> Judgement:
        suite = msgspec.structs.replace(spec.suite, files={**spec.suite.files, spec.suite.focal: program})
        calls = ServedCalls(spec, self._checking)
        try:
            server = self._runners.server(suite.lang, self._folder(spec.libraries))
            served = server.serve(suite, spec.entry_point, calls.make)
        except (PrerequisiteError, SandboxError) as error:
            return Judgement(outcome=Outcome.sandbox_error, detail=str(error))
        return judgement(served, calls.ended)


def judgement(served: ServedProgram, ended: AnswerEnded | None) -> Judgement:
    """Return the judgement of an answer: by the end of its program, or by its calls."""
    outcome, detail, raised = Outcome.passed, "", ""
    if served.kind:
        outcome = outcome_of_failure(served.kind)
        reason = NOT_CALLABLE if outcome is Outcome.syntax_error else served.detail
        detail = served.diagnostics or reason
    elif ended is not None:
        outcome, detail, raised = ended.outcome, ended.detail, ended.raised
        if outcome is Outcome.exception and not raised and served.crash:
            outcome, detail, raised = outcome_of_failure(served.crashed), served.crash, served.crash
    return Judgement(
        outcome=outcome,
        detail=escaped_start(detail, DETAIL_LIMIT),
        cpu_s=round(served.cpu_s, 6),
        wall_s=round(served.wall_s, 6),
        traceback=escaped_start(raised, DETAIL_LIMIT) if outcome is Outcome.exception else "",
    )


class ServedCalls:
    """The calls of one answer. `ended`: why it did not pass; None once all its replies were right."""

    def __init__(self, spec: ServedSpec, checking: untrusted.OpenClock) -> None:
        self._spec, self._checking = spec, checking
        self.ended: AnswerEnded | None = NO_CALL

    def make(self, running: RunningAnswer) -> None:
        """Make all calls; any effect of the replies on this process is an outcome of the answer."""
        self.ended = NO_CALL
        try:
            with self._checking():
                self._make(running)
            self.ended = None
        except AnswerEnded as ended:
            self.ended = ended
        except untrusted.CpuTimeExceeded:
            self.ended = AnswerEnded(Outcome.timed_out, "its values kept the test busy")
        except MemoryError:
            self.ended = AnswerEnded(Outcome.out_of_memory, "its values took more memory than they may")
        except (SandboxError, UnguardedRead):
            raise
        except Exception as error:  # noqa: BLE001 (a right answer's values bring none about)
            message = reasons.said_of(error)
            self.ended = AnswerEnded(Outcome.wrong, f"its values could not be checked: {message}")

    def _make(self, running: RunningAnswer) -> None:
        read_loaded(running)
        wrong: AnswerEnded | None = None
        for number, request in enumerate(self._spec.calls):
            if running.has_unread:
                raise tampered_end("a reply to no call")
            running.send(request)
            found = self._compared(number, running)
            if found is not None and self._spec.first_failure_ends:
                raise found
            wrong = wrong or found
        if running.has_unread:
            raise tampered_end("a reply to no call")
        if wrong is not None:
            raise wrong

    def _compared(self, number: int, running: RunningAnswer) -> AnswerEnded | None:
        """Return why a reply is not the expected one. Raises AnswerEnded if there is no value to compare."""
        kind, payload, message, _ = read_reply(running)
        call, expected = self._spec.written[number]
        place = f"call {number + 1}: {call}"
        if kind == "value":
            if payload in self._spec.expected[number]:
                return None
            return AnswerEnded(Outcome.wrong, f"{place} gave {_shown(payload)}, expected {expected}")
        if kind == "unsendable":
            return AnswerEnded(Outcome.wrong, f"{place} returned a value that cannot be compared: {message}")
        outcome = Outcome.out_of_memory if kind == "memory" else Outcome.exception
        raise AnswerEnded(outcome, f"{place} raised {message}", raised=message)


def _shown(payload: UntrustedBytes) -> str:
    """Return a wrong value for people. Raises AnswerEnded for invalid bytes."""
    try:
        value = decode(payload)
    except CodecError as error:
        raise refused_end(error) from None
    return reasons.shown(value.decode("utf-8", "replace") if type(value) is bytes else value)
