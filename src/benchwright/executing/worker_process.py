"""The runner's end of one worker process: its jobs and messages, its throughput, its deadline and its death.

A worker that dies takes its job down. The signs that it left decide the outcome of that job. For a worker
that hangs, the report lists where its processes wait in the kernel.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from benchwright.contracts import Criterion, Job, Judgement, Spec
from benchwright.executing import wire
from benchwright.executing.forked_process import ForkedProcess, can_fork
from benchwright.executing.worker_limits import END_BY_CLOCK, Phase, PhasePage
from benchwright.records import Outcome
from benchwright.sandbox.proc import process_tree, read_file, read_stat

Interpreter = tuple[str, int, int, str]  # profile, hash seed, shift of the clock, zone
DEPTH, DEEPEST = 4, 64  # most jobs queued at a worker: slow ones, and quick ones
AHEAD_S = 0.2  # work of a full queue: longer than a busy machine delays the runner
STOP_S = 5.0  # time for a worker to clean up at its end
SLACK_S = 90.0  # beyond three wall guards: starting an interpreter on a loaded machine

# A library that starts a thread for each core would take memory for each, in every worker.
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


START = """
from benchwright.msgspec_import import avoid_typing_extensions
avoid_typing_extensions()
from benchwright.executing.worker import main
main()
"""


class Worker:
    """The runner's end of one worker process."""

    def __init__(self, setup: wire.WorkerSetup, program: str = START, *, forked: bool = False) -> None:
        self._page, fd = PhasePage.create()
        try:
            self._process = _fork(fd) if forked and program is START and can_fork() else _start(program, fd)
        finally:
            os.close(fd)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self.pid = self._process.pid
        self.input, self.out = self._process.stdin, self._process.stdout
        os.set_blocking(self.input.fileno(), False)  # a worker that hangs must not hang the runner
        self.jobs: deque[Job] = deque()
        self.interpreter: Interpreter | None = None  # needed by the last queued job
        self._criterion: Criterion | None = None  # of the last queued job
        self.core = setup.core
        self._guard_s = 3 * setup.limits.wall_guard_s + SLACK_S
        self.deadline = time.monotonic() + self._guard_s
        self._buffer = bytearray()
        self.unsent = bytearray(wire.frame(msgspec.structs.replace(setup, page=fd)))
        self._pace = JobPace()
        # `depth` is the maximum number of queued jobs: enough for `AHEAD_S`, so few if each is slow. `filled`
        # is the queued share of it, stored because each assignment of jobs compares all workers by it.
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

    def take(self) -> list[wire.WorkerResult] | None:
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
        status = self._process.returncode
        assert status is not None, "it was waited for"
        return job, Death(why, phase, status, late=bool(late))

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


_DECODER = msgspec.msgpack.Decoder(wire.WorkerResult)


def _fork(page: int) -> ForkedProcess:
    from benchwright.executing.worker import main  # noqa: PLC0415 (once, before the first fork)

    return ForkedProcess(main, kept=page, variables=_ONE_THREAD)


def _start(program: str, page: int) -> subprocess.Popen[bytes] | ForkedProcess:
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


_MEMORY = 8  # jobs that the moving average of the pace covers


class JobPace:
    """A moving mean of the time between two judgements of a busy worker.

    `job_s` is 0 before the first measurement.
    """

    def __init__(self) -> None:
        self.job_s = 0.0
        self._since = 0.0

    def begin(self) -> None:
        """Start measuring: an idle worker got a job."""
        self._since = time.monotonic()

    def count(self, jobs: int) -> None:
        """Record the number of jobs that have ended since the last call."""
        if not jobs:
            return
        now = time.monotonic()
        mean_s = (now - self._since) / jobs
        weight = min(1.0, jobs / _MEMORY) if self.job_s else 1.0
        self.job_s += weight * (mean_s - self.job_s)
        self._since = now

    def jobs_in(self, seconds: float) -> int:
        """Return the number of jobs that fit into a time; 0 where unknown."""
        return int(seconds / self.job_s) if self.job_s else 0


MAX_PROCESSES = 12  # descendants in a report: an answer that forks may have a hundred


def describe_wait_state(pid: int) -> str:
    """Describe each process in a phrase: its name, its state (proc_pid_stat(5)) and what it waits in.

    >>> describe_wait_state(-1)
    'it has ended'
    """
    tree = process_tree(pid)
    phrases = [_describe(each) for each in tree[: MAX_PROCESSES + 1]]
    more = len(tree) - len(phrases)
    return ", ".join([*phrases, *([f"and {more} more"] if more > 0 else [])]) or "it has ended"


def _describe(pid: int) -> str:
    name, fields = read_stat(pid)
    name = name if name.isprintable() else ascii(name)[1:-1]
    waits = read_file(pid, "wchan").decode("utf-8", "replace").strip("\0\n ")
    state = fields[0] if fields else "gone"
    return f"{name or pid} {state}" + (f" in {waits}" if waits not in ("", "0") else "")


ATTEMPTS = 3
_DOING = {Phase.reading: "reading its text", Phase.checking: "checking its values"}


class Death(NamedTuple):
    """The death of a worker with a job: `status` is the exit status of `subprocess`, `why` is for people."""

    why: str
    phase: Phase
    status: int
    late: bool = False  # it was ended by the runner, because it did not answer


def judge_worker_deaths(deaths: Sequence[Death], spec: Spec) -> Judgement | None:
    """Return the judgement of a job that ended workers; None to try again."""
    own = [death for death in deaths if death.phase.is_the_answers]
    if own and own[-1] is deaths[-1] and own[-1].status == -END_BY_CLOCK:
        detail = f"{_DOING[own[-1].phase]} took too much processor time, in a single step of Python"
        return Judgement(outcome=Outcome.timed_out, detail=detail)
    if len(deaths) < ATTEMPTS:
        return None
    if not own:
        detail = f"{deaths[-1].why}, {len(deaths)} times"
        return Judgement(outcome=Outcome.sandbox_error, detail=detail)
    outcome, how = _outcome(own[-1], spec)
    return Judgement(outcome=outcome, detail=f"{_DOING[own[-1].phase]} {how}, {len(deaths)} times")


def _outcome(death: Death, spec: Spec) -> tuple[Outcome, str]:
    if death.late:
        return Outcome.timed_out, "did not come to an end"
    if death.status == -signal.SIGKILL:
        return Outcome.out_of_memory, "was killed from outside, as the kernel does when memory runs out"
    how = f"signal {-death.status}" if death.status < 0 else f"exit status {death.status}"
    outcome = spec.unreadable if death.phase is Phase.reading else Outcome.wrong
    return outcome, f"ended the worker ({how})"
