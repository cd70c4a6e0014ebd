"""A worker: one process, one sandbox, one judge. Reads work on stdin, writes judgements on stdout.

Its own process, so that the check of a data set, a text that takes long to read or a value made to be
slow can hold up or kill nothing but this worker, which the runner then replaces.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
from typing import BinaryIO

import msgspec

from benchwright import registry
from benchwright.contracts import Track
from benchwright.judges.python import Judgement, PythonJudge, said_of
from benchwright.records import Outcome
from benchwright.running import wire
from benchwright.running.answer_judge import AnswerJudge
from benchwright.running.guard import Guard
from benchwright.running.phase import PhasePage
from benchwright.sandbox.box import Sandbox
from benchwright.sandbox.inside import linux


def main() -> None:
    """Serve until stdin ends. Dies with the runner, however that dies; SIGTERM ends it after a clean-up."""
    linux.die_with_parent()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    source = os.fdopen(os.dup(0), "rb", buffering=1 << 16)
    target = os.dup(1)
    _silence()
    # A runner that was killed reads no more: this process is about to be killed too, and says nothing.
    with contextlib.suppress(KeyboardInterrupt, BrokenPipeError):
        _serve(source, target)


def _serve(source: BinaryIO, target: int) -> None:
    body = wire.read(source)
    if body is None:
        return
    setup = msgspec.msgpack.decode(body, type=wire.Setup)
    if setup.core is not None:
        os.sched_setaffinity(0, {setup.core})
    guard = Guard(_page(setup.page), read_cpu_s=setup.read_cpu_s, check_cpu_s=setup.check_cpu_s)
    with Sandbox(limits=setup.limits, jail=setup.jail) as sandbox:
        jobs = _Jobs(setup, sandbox, guard)
        gc.freeze()
        decoder = msgspec.msgpack.Decoder(wire.Work)
        while (body := wire.read(source)) is not None:
            work = decoder.decode(body)
            with guard.job(work.number):
                judgement = jobs.judge(work)
            _write(target, wire.frame(wire.Done(number=work.number, judgement=judgement)))
            if guard.is_swollen():
                guard.leave()
                return


class _Jobs:
    """Judges what comes in, by the criterion that came last."""

    def __init__(self, setup: wire.Setup, sandbox: Sandbox, guard: Guard) -> None:
        self._complaint, track = "", None
        try:
            track = _track(setup)
        except Exception as error:  # noqa: BLE001 (another package's track may fail in any way)
            self._complaint = f"a worker cannot load the track {setup.track}: {said_of(error)}"
        python = PythonJudge(sandbox, checking=guard.checking)
        self._judge = AnswerJudge(track, python, reading=guard.reading)
        self._criterion: wire.Criterion | None = None

    def judge(self, work: wire.Work) -> Judgement:
        """The judgement of a job."""
        if work.criterion is not None:
            self._criterion = wire.receive_criterion(work.criterion)
        assert self._criterion is not None
        spec, task, profile = self._criterion
        if work.answer is None or task is None:
            return self._judge.judge_program(work.program, spec)
        if self._complaint:
            return Judgement(outcome=Outcome.sandbox_error, detail=self._complaint)
        return self._judge.judge(work.answer, task, spec, profile=profile)


def _track(setup: wire.Setup) -> Track | None:
    if not setup.track:
        return None
    track: Track = registry.find("track", setup.track)
    return track if setup.form is None else track.in_form(setup.form)


def _page(fd: int) -> PhasePage:
    """The runner's page; one of its own for a worker that nobody looks at."""
    if fd >= 0:
        page = PhasePage(fd)
    else:
        page, fd = PhasePage.create()
    os.close(fd)
    return page


def _write(target: int, message: bytes) -> None:
    view = memoryview(message)
    while view:
        view = view[os.write(target, view) :]


def _silence() -> None:
    """A check that prints must not write into the messages."""
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    os.close(null)


if __name__ == "__main__":
    main()
