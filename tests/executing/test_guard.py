"""A worker is bounded while it reads or checks, is seen to do so, and is as it was before afterwards."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys

import pytest

from benchwright.executing.worker_limits import CHECK_MEMORY_MB, Phase, PhasePage

# What a worker is in, in a process of its own: its limits are for the whole process.
PRELUDE = """
import os, resource, signal, sys
from benchwright.sandbox.untrusted import CpuTimeExceeded
from benchwright.executing.worker_limits import PhasePage, WorkerLimits
page = PhasePage(int(sys.argv[1]))
guard = WorkerLimits(page, read_cpu_s=0.2, check_cpu_s=0.4)
"""


def run(code: str, *, soft_mb: int | None = None) -> tuple[int, str, tuple[Phase, int]]:
    """How a process ends that runs this under a guard, what it prints, and the last phase it was in."""

    def lower() -> None:
        if soft_mb is not None:
            hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
            resource.setrlimit(resource.RLIMIT_DATA, (soft_mb << 20, hard))

    page, fd = PhasePage.create()
    done = subprocess.run(
        [sys.executable, "-c", PRELUDE + code, str(fd)],
        pass_fds=[fd],
        capture_output=True,
        text=True,
        preexec_fn=lower,
        check=False,
    )
    os.close(fd)
    return done.returncode, done.stdout.strip() or done.stderr, page.read()


@pytest.mark.parametrize("phase", ["reading", "checking"])
def test_a_single_call_that_never_returns_ends_the_process(phase: str) -> None:
    """By a signal that nothing else sends, and the page says what it was at."""
    status, _, last = run(f"guard.begin(7)\nwith guard.{phase}():\n    sum(range(10**13))")

    assert (status, last) == (-signal.SIGPROF, (Phase[phase], 7))


@pytest.mark.parametrize(("phase", "seconds"), [("reading", "0.2"), ("checking", "0.4")])
def test_a_loop_of_python_is_an_exception(phase: str, seconds: str) -> None:
    """So the worker lives on, and the phase is over."""
    loop = f"""
try:
    guard.begin(3)
    with guard.{phase}() as clock:
        while True: pass
except CpuTimeExceeded:
    print(clock.seconds, clock.expired, page.read()[0].name, signal.getitimer(signal.ITIMER_PROF)[0])
"""
    assert run(loop)[:2] == (0, f"{seconds} True executing 0.0")


def test_a_value_that_swells_is_a_memory_error() -> None:
    """And not more resident memory than was said."""
    code = """
try:
    guard.begin(1)
    with guard.checking():
        list(range(10**9))
except MemoryError:
    # Not ru_maxrss, which begins with that of the process that this one was forked from.
    (peak,) = [line for line in open("/proc/self/status") if line.startswith("VmHWM")]
    print(int(peak.split()[1]) >> 10)
"""
    status, said, _ = run(code)

    assert (status, int(said) <= CHECK_MEMORY_MB + 60) == (0, True)


def test_nothing_is_inherited_by_what_is_started_between() -> None:
    """The limits of a launcher are those that the worker was started with."""
    code = """
import subprocess
before = resource.getrlimit(resource.RLIMIT_DATA)
guard.begin(1)
with guard.reading():
    within = resource.getrlimit(resource.RLIMIT_DATA)
show = [sys.executable, "-c", "import resource; print(resource.getrlimit(resource.RLIMIT_DATA))"]
print(within != before, subprocess.check_output(show, text=True).strip() == str(before))
"""
    assert run(code)[:2] == (0, "True True")


def test_a_lower_limit_of_the_user_stays() -> None:
    """It is never raised."""
    code = (
        "guard.begin(1)\nwith guard.reading():\n    print(resource.getrlimit(resource.RLIMIT_DATA)[0] >> 20)"
    )

    assert run(code, soft_mb=300)[:2] == (0, "300")


def test_memory_that_stays_is_noticed() -> None:
    """Not memory that was given back."""
    code = """
guard.begin(1)
kept = bytes(1)
guard.end()
print(guard.is_swollen())
guard.begin(2)
kept = b"x" * (400 << 20)
kept = None
sum(range(10**6))
guard.end()
print(guard.is_swollen())
guard.begin(3)
kept = b"x" * (400 << 20)
guard.end()
print(guard.is_swollen())
guard.leave()
"""
    status, said, last = run(code)

    assert (status, said.split(), last[0]) == (0, ["False", "False", "True"], Phase.leaving)
