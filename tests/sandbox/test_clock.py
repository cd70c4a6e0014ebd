"""Both clocks count an answer's whole tree and nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from benchwright.sandbox import clock
from benchwright.sandbox.clock import GroupClock, ResourceUse, TreeClock

BURN = "import time\nend = time.process_time() + 0.3\nwhile time.process_time() < end: pass\n"
HOLD = "kept = b'x' * (64 << 20)\n"
READY = "print('ready', flush=True)\ninput()\n"
SHARED_MIB = 100
# A parent that fills pages, and four children that share all of them, copy on write, until it ends.
FAMILY = f"""
import os
kept = os.urandom(1 << 20) * {SHARED_MIB}
over, hold = os.pipe()
for _ in range(4):
    ready, say = os.pipe()
    if os.fork() == 0:
        os.close(hold)
        os.write(say, b"x")
        os.read(over, 1)
        os._exit(0)
    os.read(ready, 1)
"""
# The same, and each child writes as many pages of its own.
GREEDY = FAMILY.replace('os.write(say, b"x")', 'own = kept + b"x"; os.write(say, b"x")')
# Shared memory, which is as much in the books of two children.
SEGMENT = """
import mmap, os
shared = mmap.mmap(-1, 64 << 20)
shared.write(b"x" * (64 << 20))
over, hold = os.pipe()
for _ in range(2):
    ready, say = os.pipe()
    if os.fork() == 0:
        os.close(hold)
        len(shared[:])
        os.write(say, b"x")
        os.read(over, 1)
        os._exit(0)
    os.read(ready, 1)
"""
IN_CHILD = f"import os\nif os.fork() == 0:\n    exec({BURN + HOLD + READY!r})\n    os._exit(0)\nos.wait()\n"


class FakeGroup:
    """A group whose counter is set by hand."""

    def __init__(self, used: float) -> None:
        self.used = used

    def cpu_s(self) -> float:
        return self.used


@contextmanager
def child(code: str) -> Iterator[None]:
    """Return a process below this one that has run the code and waits."""
    with subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield
        process.communicate(b"\n")


def test_a_group_clock_starts_at_each_answer() -> None:
    """Only the use since the start counts; the kernel limits memory."""
    group = FakeGroup(10.0)
    watch = GroupClock(group)  # type: ignore[arg-type]
    watch.start()
    group.used = 10.25
    first = watch.read()
    watch.start()

    assert (ResourceUse(0.25, 0), ResourceUse(0.0, 0)) == (first, watch.read())


def test_a_tree_clock_sees_a_new_process() -> None:
    """Processor time and resident memory of a process below the root are counted while it lives."""
    watch = TreeClock(os.getpid())
    watch.start()
    with child(BURN + HOLD + READY):
        use = watch.read()

    assert (0.2 <= use.cpu_s < 5, 64 << 20 <= use.memory < 256 << 20) == (True, True)


def test_a_tree_clock_sees_grandchildren() -> None:
    """The use of a child's child is counted too."""
    watch = TreeClock(os.getpid())
    with child(IN_CHILD):
        use = watch.read()

    assert (use.cpu_s >= 0.2, use.memory >= 64 << 20) == (True, True)


def test_a_tree_clock_leaves_out_what_was_there() -> None:
    """The jail's own processes, which exist before the first answer, do not count."""
    with child(BURN + HOLD + READY):
        watch = TreeClock(os.getpid())
        use = watch.read()

    assert ResourceUse(0.0, 0) == use


def test_a_process_that_has_just_ended_counts_nothing() -> None:
    """A process may end between listing and reading."""
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()

    assert ResourceUse(0.0, 0) == clock._process_use(process.pid)


def test_a_name_with_brackets_does_not_shift_the_fields() -> None:
    """A process sets its own name; ') R 1' in it must not be read as state and parent."""
    name = "import ctypes; ctypes.CDLL(None).prctl(15, b'x) R 1 (', 0, 0, 0)\n"
    with child(name + READY):
        below = clock._descendants(os.getpid())
        mine = [pid for pid in below if pid != os.getpid() and clock._stat(pid)[1] == b"%d" % os.getpid()]

    assert len(mine) >= 1


def test_pages_that_a_fork_shares_count_once() -> None:
    """Five processes that share 100 MiB use 100 MiB and not 500, so forking does not exhaust the memory."""
    watch = TreeClock(os.getpid())
    with child(FAMILY + READY):
        held = watch.read().memory >> 20

    assert (SHARED_MIB <= held < 2 * SHARED_MIB, held) == (True, held)


def test_pages_that_children_have_written_count_for_each() -> None:
    """Copied pages count separately: four children with 100 MiB more use 500 MiB."""
    watch = TreeClock(os.getpid())
    with child(GREEDY + READY):
        held = watch.read().memory >> 20

    assert (5 * SHARED_MIB <= held < 6 * SHARED_MIB, held) == (True, held)


def test_below_what_is_enough_no_page_is_walked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Resident memory is an upper bound, so the expensive measurement is skipped while that is within the
    limit."""
    walked: list[list[int]] = []
    monkeypatch.setattr(clock, "_proportional_size", lambda pids: walked.append(pids) or 1)
    watch = TreeClock(os.getpid(), enough=1 << 40)
    with child(HOLD + READY):
        held = watch.read().memory

    assert (walked, held >= 64 << 20) == ([], True)


def test_measuring_takes_a_bounded_share_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """An expensive measurement is reused until ten times its cost has passed, and for one answer only."""
    walked: list[list[int]] = []

    def walk(pids: list[int]) -> int:
        walked.append(pids)
        end = time.process_time() + 0.05
        while time.process_time() < end:
            pass
        return 1 << 20

    monkeypatch.setattr(clock, "_proportional_size", walk)
    watch = TreeClock(os.getpid())
    with child(HOLD + READY):
        held = [watch.read().memory for _ in range(5)]
        first = len(walked)
        watch.start()
        watch.read()

    assert (held, first, len(walked)) == ([1 << 20] * 5, 1, 2)


def test_where_the_kernel_gives_no_proportional_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Private pages count for each process, and those of files and shared memory once."""
    monkeypatch.setattr(clock, "_pss", _refuse)
    watch = TreeClock(os.getpid())
    with child(SEGMENT + READY):
        held = watch.read().memory >> 20

    assert (64 <= held < 128, held) == (True, held)


def _refuse(pid: int) -> int:
    raise PermissionError(pid)


def test_the_size_of_a_process_that_has_ended_is_nothing() -> None:
    """This holds for one that ended between listing and reading, and for one that was not waited for yet."""
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        zombie = clock._proportional_size([process.pid])

    assert (zombie, clock._proportional_size([process.pid])) == (0, 0)
