"""Judge an answer in a worker: extract the program from its text, then judge the program."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import isfinite
from typing import NamedTuple

import msgspec

from benchwright.contracts import Extraction, Judgement, Pending, Spec, Track
from benchwright.display.escape import escaped
from benchwright.errors import SandboxError
from benchwright.judges.opening import Judges
from benchwright.judges.reasons import DETAIL_LIMIT, said_of, traceback_of
from benchwright.judges.suspicion import suspect
from benchwright.records import Answer, Outcome, Task
from benchwright.sandbox.bounds import Bound, TimeUsedUp
from benchwright.store.strict_json import replace_lone


class AnswerJudge:
    """Extracts programs with a track, and judges them. Never raises because of an answer's content.

    `reading` is entered while a text is read, and limits time and memory.
    """

    def __init__(self, track: Track | None, judges: Judges, *, reading: Bound) -> None:
        self._track, self._judges, self._reading = track, judges, reading

    def judge(self, answer: Answer, task: Task, spec: Spec, *, profile: str) -> Judgement:
        """Return the judgement of an answer; `sandbox_error` where the sandbox failed three times."""
        return self.read(answer, task, spec, profile=profile)()

    def judge_program(self, program: str, spec: Spec) -> Judgement:
        """Return the judgement of a program that needs no extraction."""
        return self.read_program(program, spec)()

    def read(self, answer: Answer, task: Task, spec: Spec, *, profile: str) -> Pending:
        """Read an answer, and return what judges it: others may be read before that is called."""
        assert self._track is not None, "only programs can be judged without a track"
        extract = self._track.extract
        return self._judging(lambda: extract(task, answer, profile=profile), spec)

    def read_program(self, program: str, spec: Spec) -> Pending:
        """Do the same for a program that needs no extraction."""
        return self._judging(lambda: Extraction(program=program, rule=""), spec)

    def _judging(self, extract: Callable[[], Extraction], spec: Spec) -> Pending:
        try:
            with self._reading():
                read = self._read(extract(), spec)
        except TimeUsedUp:
            outcome, detail = Outcome.timed_out, "reading its text took too much processor time"
        except MemoryError:
            outcome, detail = Outcome.out_of_memory, "reading its text took too much memory"
        except Exception as error:  # noqa: BLE001 (a fault there must neither end a run nor spare the answer)
            outcome, detail = spec.unreadable, f"its text could not be read: {_placed(error)}"
        else:
            return partial(_judged, read)
        return partial(Judgement, outcome=outcome, detail=detail)

    def _read(self, taken: Extraction, spec: Spec) -> _Read:
        note = _note(taken.program) if spec.executes else ""
        if taken.problem is not None:
            found = Judgement(outcome=Outcome(taken.problem), detail=escaped(taken.detail))
            return _Read(taken, note, found)
        return _Read(taken, note, self._judges.of(spec).judge(taken, spec))


class _Read(NamedTuple):
    taken: Extraction
    note: str  # what looks like an attempt to cheat
    found: Judgement | Pending


def _judged(read: _Read) -> Judgement:
    found = _graded(read.found if isinstance(read.found, Judgement) else _waited_for(read.found))
    return msgspec.structs.replace(
        found,
        traceback=found.traceback and traceback_of(found.traceback, read.taken.program),
        rule=replace_lone(read.taken.rule),
        truncated=read.taken.truncated,
        suspicious=replace_lone("; ".join(filter(None, (read.note, found.suspicious)))),
    )


def _waited_for(pending: Pending) -> Judgement:
    try:
        return pending()
    except SandboxError as error:
        return Judgement(outcome=Outcome.sandbox_error, detail=str(error))
    except Exception as error:  # noqa: BLE001 (another package's judge may fail in any way)
        return Judgement(outcome=Outcome.sandbox_error, detail=f"its judge failed: {_placed(error)}")


def _graded(judgement: Judgement) -> Judgement:
    """Return the judgement if JSON can hold all its scores; else `sandbox_error`."""
    endless = [name for name, value in judgement.scores.items() if not isfinite(value)]
    if not endless:
        return judgement
    detail = f"its judge gave {escaped(endless[0])} = {judgement.scores[endless[0]]}"
    return Judgement(outcome=Outcome.sandbox_error, detail=detail)


def _note(program: str) -> str:
    """Return a note on suspicious code. It is for reports only, so its failure decides nothing."""
    try:
        return suspect(program)
    except (Exception, TimeUsedUp):  # noqa: BLE001
        return ""


def _placed(error: Exception) -> str:
    """Return the error and the line of code that raised it."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f" ({trace.tb_frame.f_code.co_filename.rpartition('/')[2]}:{trace.tb_lineno})" if trace else ""
    return escaped(said_of(error)[:DETAIL_LIMIT]) + place
