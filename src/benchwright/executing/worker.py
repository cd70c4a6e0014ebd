"""A worker: one process with one sandbox and the judges that its jobs need. Jobs on stdin, judgements on
stdout.

It has its own process because checks of a data set, texts that take long to read, and hostile values can then
block or kill only this worker, which the runner replaces. For each job it extracts the program from the
answer's text and judges it.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import time
from collections.abc import Callable
from functools import partial
from math import isfinite
from typing import NamedTuple

import msgspec

from benchwright import registry
from benchwright.contracts import Criterion, Extraction, Judgement, Pending, Spec, Track
from benchwright.display.escape import escaped
from benchwright.errors import SandboxError
from benchwright.executing import wire
from benchwright.executing.worker_limits import PhasePage, WorkerLimits
from benchwright.judges.judge_registry import Judges, Resources
from benchwright.judges.reasons import DETAIL_LIMIT, said_of, traceback_of
from benchwright.judges.suspicion import suspect
from benchwright.records import Answer, Outcome, Task
from benchwright.sandbox.box import Sandbox
from benchwright.sandbox.inside import linux
from benchwright.sandbox.untrusted import CpuTimeExceeded, OpenClock
from benchwright.store.strict_json import replace_lone

READ_AHEAD, READ_AHEAD_S = 64, 0.02  # answers, and seconds after which reading stops
_DECODER = msgspec.msgpack.Decoder(wire.WorkerJob)


def main() -> None:
    """Serve until stdin ends. The process dies with its runner; SIGTERM ends it after a clean-up."""
    linux.die_with_parent()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    source, target = os.dup(0), os.dup(1)
    _silence()
    # A runner that was killed reads no more: this process is about to be killed too, and says nothing.
    with contextlib.suppress(KeyboardInterrupt, BrokenPipeError):
        _serve(source, target)


def _serve(source: int, target: int) -> None:
    inbox = wire.Inbox(source)
    bodies = inbox.take()
    if not bodies:
        return
    setup = msgspec.msgpack.decode(bodies.pop(0), type=wire.WorkerSetup)
    if setup.core is not None:
        os.sched_setaffinity(0, {setup.core})
    guard = WorkerLimits(_page(setup.page), read_cpu_s=setup.read_cpu_s, check_cpu_s=setup.check_cpu_s)
    with Sandbox(limits=setup.limits, jail=setup.jail) as sandbox, contextlib.ExitStack() as closing:
        jobs = _Jobs(setup, Resources(sandbox, closing, guard.checking), guard)
        gc.freeze()
        while bodies := bodies or inbox.take():
            few = _read_ahead(jobs, bodies)
            del bodies[: len(few)]
            for number, pending in few:
                guard.begin(number)
                judgement = pending()
                guard.end()
                wire.send(target, wire.WorkerResult(number=number, judgement=judgement))
                if guard.is_swollen():
                    guard.leave()
                    return


def _read_ahead(jobs: _Jobs, bodies: list[bytes]) -> list[tuple[int, Pending]]:
    """Read the first jobs, at least one, before any of them is executed.

    An execution leaves nothing of the code that reads in the processor's caches, so the first one read costs
    more than twice as much as those behind. Not all, since none is judged meanwhile.
    """
    few, until = list[tuple[int, Pending]](), time.monotonic() + READ_AHEAD_S
    for body in bodies[:READ_AHEAD]:
        few.append(jobs.read(_DECODER.decode(body)))
        if time.monotonic() > until:
            break
    return few


class _Jobs:
    """Judges jobs by the criterion that came last."""

    def __init__(self, setup: wire.WorkerSetup, resources: Resources, guard: WorkerLimits) -> None:
        self._unread, self._unjudged, track = "", "", None
        try:
            track = _track(setup)
        except Exception as error:  # noqa: BLE001 (another package's track may fail in any way)
            self._unread = f"a worker cannot load the track {setup.track}: {said_of(error)}"
        self._judges = Judges(resources)
        self._guard, self._judge = guard, AnswerJudge(track, self._judges, reading=guard.reading)
        self._criterion: Criterion | None = None

    def read(self, work: wire.WorkerJob) -> tuple[int, Pending]:
        """Return a job's number, and what judges it once it is read."""
        self._guard.begin(work.number)
        if work.criterion is not None:
            self._take_up(work.criterion)
        return work.number, self._read(work)

    def _read(self, work: wire.WorkerJob) -> Pending:
        if self._unjudged:
            return _unable(self._unjudged)
        assert self._criterion is not None
        spec, task, profile = self._criterion
        if work.answer is None or task is None:
            return self._judge.read_program(work.program, spec)
        if self._unread:
            return _unable(self._unread)
        return self._judge.read(work.answer, task, spec, profile=profile)

    def _take_up(self, sent: wire.SentCriterion) -> None:
        self._unjudged = ""
        try:
            self._criterion = wire.receive_criterion(sent, self._judges.named(sent.judge).spec)
        except Exception as error:  # noqa: BLE001 (another package's judge may fail in any way)
            self._unjudged = f"a worker cannot open the judge {sent.judge}: {said_of(error)}"


def _unable(why: str) -> Pending:
    return partial(Judgement, outcome=Outcome.sandbox_error, detail=why)


def _track(setup: wire.WorkerSetup) -> Track | None:
    if not setup.track:
        return None
    track: Track = registry.find("track", setup.track)
    return track if setup.form is None else track.in_form(setup.form)


def _page(fd: int) -> PhasePage:
    """Open the runner's page; create one for a worker without a runner."""
    if fd >= 0:
        page = PhasePage(fd)
    else:
        page, fd = PhasePage.create()
    os.close(fd)
    return page


def _silence() -> None:
    """Redirect stdin and stdout, so that output of a check does not mix with messages."""
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    os.close(null)


class AnswerJudge:
    """Extracts programs with a track, and judges them. Never raises because of an answer's content.

    `reading` is entered while a text is read, and limits time and memory.
    """

    def __init__(self, track: Track | None, judges: Judges, *, reading: OpenClock) -> None:
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
        except CpuTimeExceeded:
            outcome, detail = Outcome.timed_out, "reading its text took too much processor time"
        except MemoryError:
            outcome, detail = Outcome.out_of_memory, "reading its text took too much memory"
        except Exception as error:  # noqa: BLE001 (a fault there must neither end a run nor spare the answer)
            outcome, detail = spec.unreadable, f"its text could not be read: {_error_with_line(error)}"
        else:
            return partial(_judgement, read)
        return partial(Judgement, outcome=outcome, detail=detail)

    def _read(self, taken: Extraction, spec: Spec) -> _JudgedAnswer:
        note = _note(taken.program) if spec.executes else ""
        if taken.problem is not None:
            found = Judgement(outcome=Outcome(taken.problem), detail=escaped(taken.detail))
            return _JudgedAnswer(taken, note, found)
        return _JudgedAnswer(taken, note, self._judges.of(spec).judge(taken, spec))


class _JudgedAnswer(NamedTuple):
    taken: Extraction
    note: str  # a possible attempt to cheat
    found: Judgement | Pending


def _judgement(read: _JudgedAnswer) -> Judgement:
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
        return Judgement(outcome=Outcome.sandbox_error, detail=f"its judge failed: {_error_with_line(error)}")


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
    except (Exception, CpuTimeExceeded):  # noqa: BLE001
        return ""


def _error_with_line(error: Exception) -> str:
    """Return the error and the line of code that raised it."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f" ({trace.tb_frame.f_code.co_filename.rpartition('/')[2]}:{trace.tb_lineno})" if trace else ""
    return escaped(said_of(error)[:DETAIL_LIMIT]) + place
