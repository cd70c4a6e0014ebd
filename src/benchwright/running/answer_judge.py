"""From an answer's text to a judgement: read it, then judge what was read. What a worker does with a job."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import msgspec

from benchwright.contracts import CallSpec, Extraction, Track
from benchwright.display.escape import escaped
from benchwright.errors import SandboxError
from benchwright.judges import label
from benchwright.judges.bounds import TimeUsedUp
from benchwright.judges.python import DETAIL_LIMIT, Bound, Judgement, PythonJudge, prepare, said_of
from benchwright.judges.suspicion import suspect
from benchwright.records import Answer, Outcome, Task
from benchwright.store.strict_json import replace_lone


class AnswerJudge:
    """Reads answers as a track does and judges what they hold. Never raises for what an answer holds.

    `reading` is entered for as long as a text is read, and bounds the time and memory it may take.
    """

    def __init__(self, track: Track | None, judge: PythonJudge, *, reading: Bound) -> None:
        self._track, self._judge, self._reading = track, judge, reading

    def judge(self, answer: Answer, task: Task, spec: CallSpec, *, profile: str) -> Judgement:
        """The judgement of an answer; `sandbox_error` when the sandbox failed three times."""
        assert self._track is not None, "only programs can be judged without a track"
        extract = self._track.extract
        return self._judged(lambda: extract(task, answer, profile=profile), spec)

    def judge_program(self, program: str, spec: CallSpec) -> Judgement:
        """The same of a program that need not be looked for in a text."""
        return self._judged(lambda: Extraction(program=program, rule=""), spec)

    def _judged(self, extract: Callable[[], Extraction], spec: CallSpec) -> Judgement:
        try:
            with self._reading():
                read = _read(extract(), spec)
        except TimeUsedUp:
            return Judgement(
                outcome=Outcome.timed_out, detail="reading its text took too much processor time"
            )
        except MemoryError:
            return Judgement(outcome=Outcome.out_of_memory, detail="reading its text took too much memory")
        except Exception as error:  # noqa: BLE001 (a fault there must neither end a run nor spare the answer)
            return Judgement(outcome=unreadable(spec), detail=f"its text could not be read: {_placed(error)}")
        return msgspec.structs.replace(
            read.ready if isinstance(read.ready, Judgement) else self._executed(read.ready, spec),
            rule=replace_lone(read.taken.rule),
            truncated=read.taken.truncated,
            suspicious=replace_lone(read.note),
        )

    def _executed(self, ready: str | bytes, spec: CallSpec) -> Judgement:
        try:
            return self._judge.execute(ready, spec)
        except SandboxError as error:
            return Judgement(outcome=Outcome.sandbox_error, detail=str(error))


class _Read(NamedTuple):
    taken: Extraction
    note: str  # what looks like an attempt to cheat
    ready: str | bytes | Judgement  # to be executed, or the judgement of what cannot be


def _read(taken: Extraction, spec: CallSpec) -> _Read:
    settled = settle(taken, spec)
    return _Read(taken, _note(taken.program), prepare(taken.program, spec) if settled is None else settled)


def settle(taken: Extraction, spec: CallSpec) -> Judgement | None:
    """The judgement of what cannot be run, or need not be."""
    if spec.form == label.FORM:
        return label.settle(taken, spec)
    if taken.problem is None:
        return None
    return Judgement(outcome=Outcome(taken.problem), detail=escaped(taken.detail))


def unreadable(spec: CallSpec) -> Outcome:
    """The outcome of a text that could not be read to its end."""
    return Outcome.unparsable if spec.form == label.FORM else Outcome.no_code


def _note(program: str) -> str:
    """For reports only, so that a failure to make it decides nothing."""
    try:
        return suspect(program)
    except (Exception, TimeUsedUp):  # noqa: BLE001
        return ""


def _placed(error: Exception) -> str:
    """The error and the line of the code that read, for whoever mends it."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f" ({trace.tb_frame.f_code.co_filename.rpartition('/')[2]}:{trace.tb_lineno})" if trace else ""
    return escaped(said_of(error)[:DETAIL_LIMIT]) + place
