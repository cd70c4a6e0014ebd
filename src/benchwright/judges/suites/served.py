"""Judges answers in a compiled language by calls: the program gives values, which are compared on this side.

The answer is compiled with a server for its function, and of its tests with nothing but the types of their
arguments. Arguments go in one call at a time, the next when the last reply has come. So an answer that reads
all of its process, its files and its channel finds no expected value, and no test that it could run.
"""

from __future__ import annotations

from functools import cache, partial

import msgspec

from benchwright.contracts import Extraction, Judgement, Pending, ServedProgram, ServedSpec
from benchwright.display.escape import escaped_start
from benchwright.errors import PrerequisiteError, SandboxError
from benchwright.judges import reasons
from benchwright.judges.opening import Resources
from benchwright.judges.reasons import DETAIL_LIMIT
from benchwright.judges.suites.answers import SuiteAnswerJudge, outcome_of_failure
from benchwright.judges.suites.java_libraries import library_folder
from benchwright.judges.suites.judging import OpenRunners
from benchwright.records import Outcome
from benchwright.sandbox import bounds
from benchwright.sandbox.codec import CodecError, decode
from benchwright.sandbox.exchange import read_loaded, read_reply, refused, tampered
from benchwright.sandbox.untrusted import Unguarded, Untrusted
from benchwright.sandbox.zygote import AnswerEnded, Running

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
        calls = Calls(spec, self._checking)
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
        said = NOT_CALLABLE if outcome is Outcome.syntax_error else served.detail
        detail = served.diagnostics or said
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


class Calls:
    """The calls of one answer. `ended`: why it did not pass; None once all its replies were right."""

    def __init__(self, spec: ServedSpec, checking: bounds.Bound) -> None:
        self._spec, self._checking = spec, checking
        self.ended: AnswerEnded | None = NO_CALL

    def make(self, running: Running) -> None:
        """Make all calls; any effect of the replies on this process is an outcome of the answer."""
        self.ended = NO_CALL
        try:
            with self._checking():
                self._make(running)
            self.ended = None
        except AnswerEnded as ended:
            self.ended = ended
        except bounds.TimeUsedUp:
            self.ended = AnswerEnded(Outcome.timed_out, "its values kept the test busy")
        except MemoryError:
            self.ended = AnswerEnded(Outcome.out_of_memory, "its values took more memory than they may")
        except (SandboxError, Unguarded):
            raise
        except Exception as error:  # noqa: BLE001 (a right answer's values bring none about)
            said = reasons.said_of(error)
            self.ended = AnswerEnded(Outcome.wrong, f"its values could not be checked: {said}")

    def _make(self, running: Running) -> None:
        read_loaded(running)
        wrong: AnswerEnded | None = None
        for number, request in enumerate(self._spec.calls):
            if running.has_unread:
                raise tampered("a reply to no call")
            running.send(request)
            found = self._compared(number, running)
            if found is not None and self._spec.first_failure_ends:
                raise found
            wrong = wrong or found
        if running.has_unread:
            raise tampered("a reply to no call")
        if wrong is not None:
            raise wrong

    def _compared(self, number: int, running: Running) -> AnswerEnded | None:
        """Return why a reply is not the expected one. Raises AnswerEnded if there is no value to compare."""
        kind, payload, said, _ = read_reply(running)
        call, expected = self._spec.written[number]
        place = f"call {number + 1}: {call}"
        if kind == "value":
            if payload in self._spec.expected[number]:
                return None
            return AnswerEnded(Outcome.wrong, f"{place} gave {_shown(payload)}, expected {expected}")
        if kind == "unsendable":
            return AnswerEnded(Outcome.wrong, f"{place} returned a value that cannot be compared: {said}")
        outcome = Outcome.out_of_memory if kind == "memory" else Outcome.exception
        raise AnswerEnded(outcome, f"{place} raised {said}", raised=said)


def _shown(payload: Untrusted) -> str:
    """Return a wrong value for people. Raises AnswerEnded for invalid bytes."""
    try:
        value = decode(payload)
    except CodecError as error:
        raise refused(error) from None
    return reasons.shown(value.decode("utf-8", "replace") if type(value) is bytes else value)
