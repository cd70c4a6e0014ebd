"""A worker: one process with one sandbox and its judges. Jobs on stdin, judgements on stdout.

It is a process because checks of a data set, texts that take long to read, and hostile values can then block
or kill only this worker, which the runner replaces.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
from functools import partial

import msgspec

from benchwright import registry
from benchwright.contracts import Criterion, Judgement, Pending, Track
from benchwright.executing import wire
from benchwright.executing.answer_judge import AnswerJudge
from benchwright.executing.guard import Guard
from benchwright.executing.phase import PhasePage
from benchwright.judges.opening import Judges, Resources
from benchwright.judges.reasons import said_of
from benchwright.records import Outcome
from benchwright.sandbox.box import Sandbox
from benchwright.sandbox.inside import linux

READ_AHEAD = 4  # answers


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
    guard = Guard(_page(setup.page), read_cpu_s=setup.read_cpu_s, check_cpu_s=setup.check_cpu_s)
    with Sandbox(limits=setup.limits, jail=setup.jail) as sandbox, contextlib.ExitStack() as closing:
        jobs = _Jobs(setup, Resources(sandbox, closing, guard.checking), guard)
        gc.freeze()
        decoder = msgspec.msgpack.Decoder(wire.Work)
        while bodies := bodies or inbox.take():
            # Some are read before the first is executed: an execution leaves nothing of the code that reads
            # in the processor's caches, so the first one read costs more than twice as much as those behind.
            # Not all, since none of them is judged meanwhile, and each text may take its time.
            few, bodies = bodies[:READ_AHEAD], bodies[READ_AHEAD:]
            for number, pending in [jobs.read(decoder.decode(body)) for body in few]:
                guard.begin(number)
                judgement = pending()
                guard.end()
                wire.send(target, wire.Done(number=number, judgement=judgement))
                if guard.is_swollen():
                    guard.leave()
                    return


class _Jobs:
    """Judges jobs by the criterion that came last."""

    def __init__(self, setup: wire.WorkerSetup, resources: Resources, guard: Guard) -> None:
        self._unread, self._unjudged, track = "", "", None
        try:
            track = _track(setup)
        except Exception as error:  # noqa: BLE001 (another package's track may fail in any way)
            self._unread = f"a worker cannot load the track {setup.track}: {said_of(error)}"
        self._judges = Judges(resources)
        self._guard, self._judge = guard, AnswerJudge(track, self._judges, reading=guard.reading)
        self._criterion: Criterion | None = None

    def read(self, work: wire.Work) -> tuple[int, Pending]:
        """Return a job's number, and what judges it once it is read."""
        self._guard.begin(work.number)
        if work.criterion is not None:
            self._take_up(work.criterion)
        return work.number, self._read(work)

    def _read(self, work: wire.Work) -> Pending:
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
