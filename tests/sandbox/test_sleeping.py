"""An answer that only sleeps is ended early; one that works, waits for its judge, or wakes up in time is not."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from benchwright.records import Outcome
from benchwright.sandbox.box import Result, Sandbox
from benchwright.sandbox.clock import ResourceUse, SleepWatch
from benchwright.sandbox.jail import JAILS
from benchwright.sandbox.limits import SLEEP_S, Limits
from kit.needs import need, need_sandbox

WALL_S = 60.0
PATIENCE = Limits.sleep_of  # before it is replaced for these tests
ENDED = "only slept for 1 s of wall time"
SLEEPERS = {
    "sleep": "import time; time.sleep(100)",
    "select": "import select; select.select([], [], [], 100)",
    "lock": "import threading; lock = threading.Lock(); lock.acquire(); lock.acquire()",
    "pipe": "import os; over, hold = os.pipe(); os.read(over, 1)",
    "child": "import os, time\n    if os.fork() == 0: time.sleep(100)\n    os.wait()",
    "threads": "import threading, time\n"
    "    threads = [threading.Thread(target=time.sleep, args=(100,)) for _ in range(4)]\n"
    "    for each in threads: each.start()\n    threads[0].join()",
    "stopped": "import os, signal\n    if (pid := os.fork()) == 0: os.kill(os.getpid(), signal.SIGSTOP)\n"
    "    os.waitpid(pid, 0)",
    "long_slices": "import time\n    while True: time.sleep(0.5)",
}
HONEST = {
    "a_nap": "import time; time.sleep(0.4)",
    "naps": "import time\n    for _ in range(3): time.sleep(0.3); sum(range(10 ** 6))",
    "work": "import time\n    end = time.process_time() + 1.2\n    while time.process_time() < end: pass",
    "work_of_a_child": "import os, time\n    if os.fork() == 0:\n        end = time.process_time() + 1.2\n"
    "        while time.process_time() < end: pass\n        os._exit(0)\n    os.wait()",
    "work_of_a_thread": "import threading\n"
    "    thread = threading.Thread(target=lambda: sum(range(3 * 10 ** 7)))\n    thread.start(); thread.join()",
}


@pytest.fixture(params=JAILS, scope="module")
def box(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    need_sandbox()
    if request.param == "bubblewrap":
        need("bwrap", "builds one of the two jails")
    patch = pytest.MonkeyPatch()
    patch.setattr(Limits, "sleep_of", lambda self, cpu_s: 1.0)
    with Sandbox(limits=Limits(cpu_s=6.0, wall_s=WALL_S), jail=request.param) as made:
        yield made
    patch.undo()


def run(box: Sandbox, body: str) -> Result:
    return box.run(f"def f():\n    {body}\n    return 1\n", "f", [((), {})])


@pytest.mark.parametrize("name", SLEEPERS)
def test_who_only_sleeps_is_ended_early(box: Sandbox, name: str) -> None:
    """It times out as usual, but long before the wall clock's limit."""
    result = run(box, SLEEPERS[name])

    assert (result.outcome, result.detail) == (Outcome.timed_out, ENDED)
    assert result.usage.wall_s < WALL_S / 2


@pytest.mark.parametrize("name", HONEST)
def test_who_works_or_wakes_up_is_not(box: Sandbox, name: str) -> None:
    """A sleep shorter than the limit is fine, and so is work in any process of the answer."""
    result = run(box, HONEST[name])

    assert (result.outcome, [reply.value for reply in result.replies]) == (Outcome.passed, [1])


def test_who_waits_for_the_judge_is_not(box: Sandbox) -> None:
    """The judge's time does not count for the answer: neither as sleep nor on the wall clock."""
    limits = Limits(cpu_s=6.0, wall_s=1.5)
    with Sandbox(limits=limits, jail=box.jail) as short, short.session("def f(x): return x", "f") as session:
        values = []
        for number in range(3):
            values.append(session.call((number,), {}))
            time.sleep(0.6)

    assert values == [0, 1, 2]


class Clock:
    """A clock that the test sets."""

    runnable = False

    def start(self) -> None: ...

    def read(self) -> ResourceUse:
        return ResourceUse(0.0, 0)

    def is_runnable(self) -> bool:
        return self.runnable


def test_waiting_for_a_processor_is_no_sleep() -> None:
    """On a busy machine an answer may get no processor for long, but it is runnable."""
    clock = Clock()
    watch = SleepWatch(clock, 5.0)
    clock.runnable = True
    waits = [watch.only_sleeps(float(second), 0.0) for second in range(60)]
    clock.runnable = False
    sleeps = [watch.only_sleeps(float(second), 0.0) for second in range(60, 70)]

    assert (any(waits), sleeps.index(True)) == (False, 5)


def test_a_little_work_between_naps_is_no_sleep() -> None:
    """An answer that uses a few hundredths of a processor is working."""
    watch = SleepWatch(Clock(), 5.0)

    assert not any(watch.only_sleeps(second / 10, second * 0.005) for second in range(600))


@pytest.mark.parametrize(("cpu_s", "patience_s"), [(1.0, 5.0), (3.0, 5.0), (10.0, 10.0)])
def test_patience_grows_with_the_limit(cpu_s: float, patience_s: float) -> None:
    """Five seconds for a program, ten for a suite, whose tests may wait for something."""
    assert (SLEEP_S, PATIENCE(Limits(cpu_s=cpu_s), cpu_s)) == (5.0, patience_s)
