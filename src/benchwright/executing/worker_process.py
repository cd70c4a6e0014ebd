"""The runner's end of one worker process: its jobs, its messages, its deadline and its end."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import deque

import msgspec

from benchwright.contracts import Criterion, Job
from benchwright.executing import wire
from benchwright.executing.pace import JobPace
from benchwright.executing.phase import Phase, PhasePage
from benchwright.executing.postmortem import Death

Interpreter = tuple[str, int, int, str]  # profile, hash seed, shift of the clock, zone
DEPTH, DEEPEST = 4, 64  # jobs given to a worker ahead, at most: of slow ones, and of quick ones
AHEAD_S = 0.1  # so long a worker should need for them: longer than a busy machine keeps the runner waiting
STOP_S = 5.0  # for a worker to clean up when it is told to stop
SLACK_S = 90.0  # beyond three wall guards: starting an interpreter on a loaded machine

# A library that starts a thread for each core would take memory for each, in every worker.
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


# msgspec asks for typing_extensions first and then takes the same from typing. Where some other package has
# brought it, that import is a tenth of a worker's start; the track of another package gets it all the same.
START = """
import sys
sys.modules["typing_extensions"] = None
from benchwright.executing.worker import main
del sys.modules["typing_extensions"]
main()
"""


class Worker:
    """The runner's end of one worker process."""

    def __init__(self, setup: wire.WorkerSetup, program: str = START) -> None:
        self._page, fd = PhasePage.create()
        try:
            self._process = _start(program, fd)
        finally:
            os.close(fd)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self.pid = self._process.pid
        self.input, self.out = self._process.stdin, self._process.stdout
        os.set_blocking(self.input.fileno(), False)  # a worker that hangs must not hang the runner
        self.jobs: deque[Job] = deque()
        self.interpreter: Interpreter | None = None  # that the last job given needs
        self._criterion: Criterion | None = None  # that of the last job
        self.core = setup.core
        self._guard_s = 3 * setup.limits.wall_guard_s + SLACK_S
        self.deadline = time.monotonic() + self._guard_s
        self._buffer = bytearray()
        self.unsent = bytearray(wire.frame(msgspec.structs.replace(setup, page=fd)))
        self._pace = JobPace()
        # Of jobs that it should have at most: enough for `AHEAD_S`, few where each is slow. And how much of
        # that it has, kept at hand: each time jobs are given out, all workers are compared by it.
        self.depth, self.filled = DEPTH, 0.0
        self.flush()

    def give(self, *jobs: Job) -> None:
        """Queue jobs. A dead worker is noticed when its output is read."""
        idle = not self.jobs
        for job in jobs:
            self.jobs.append(job)
            self.unsent += wire.frame(wire.pack_job(job, self._criterion))
            self._criterion = job.criterion
        self.filled = len(self.jobs) / self.depth
        if idle:
            self._be_patient()
            self._pace.begin()
        self.flush()

    @property
    def busy_s(self) -> float:
        """The expected time for its jobs; 0 where unknown."""
        return len(self.jobs) * self._pace.job_s

    def _be_patient(self) -> None:
        """Set the deadline of the next message, by the longest of the jobs."""
        executions = max(job.criterion.spec.executions for job in self.jobs)
        self.deadline = time.monotonic() + executions * self._guard_s

    def flush(self) -> None:
        """Write as much as the pipe takes; the rest stays in `unsent`."""
        try:
            while self.unsent:
                del self.unsent[: os.write(self.input.fileno(), self.unsent)]
        except BlockingIOError:
            return
        except BrokenPipeError:
            self.unsent.clear()

    def take(self) -> list[wire.Done] | None:
        """Return the available judgements; None where the worker has died."""
        chunk = os.read(self.out.fileno(), 1 << 16)
        if not chunk:
            return None
        self._buffer += chunk
        if self.jobs:
            self._be_patient()
        done = [_DECODER.decode(body) for body in wire.split(self._buffer)]
        for _ in done:
            self.jobs.popleft()
        self._pace.count(len(done))
        self.depth = min(DEEPEST, max(DEPTH, self._pace.jobs_in(AHEAD_S)))
        self.filled = len(self.jobs) / self.depth
        return done

    def stop(self) -> None:
        """Ask the worker to end: by the end of its input, or by a signal while it is busy."""
        if self.jobs:
            self._process.terminate()
        self.input.close()

    def find_death(self, *, late: str = "") -> tuple[Job, Death] | None:
        """Return the job that ended the worker, and how; None where no job is the cause.

        `late` describes a hang: the worker is then killed. Otherwise it has closed its output, and its exit
        is awaited.
        """
        self.close(patience_s=0 if late else STOP_S)
        phase, number = self._last
        if not self.jobs or phase is Phase.leaving:
            return None
        why = f"a worker did not answer in time ({late})" if late else "a worker has died"
        at_work = (job for job in self.jobs if phase is not Phase.idle and job.number == number)
        job = next(at_work, self.jobs[0])
        return job, Death(why, phase, self._process.returncode, late=bool(late))

    def close(self, *, patience_s: float = STOP_S) -> None:
        """Wait for the worker's exit, and kill it after `patience_s`."""
        try:
            self._process.wait(timeout=patience_s)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self.input.close()
        self.out.close()
        self._last = self._page.read()
        self._page.close()


_DECODER = msgspec.msgpack.Decoder(wire.Done)


def _start(program: str, page: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        # -P: a file in the user's folder that is named like a module must not be run in its place
        [sys.executable, "-P", "-c", program],
        bufsize=0,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        pass_fds=[page],
        start_new_session=True,  # Ctrl-C is for the runner to act on
        env={**os.environ, **_ONE_THREAD, "PYTHONHASHSEED": "random"},
    )
