"""Both clocks count an answer's whole tree and nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from benchwright.sandbox import clock
from benchwright.sandbox.clock import GroupClock, TreeClock, Use

BURN = "import time\nend = time.process_time() + 0.3\nwhile time.process_time() < end: pass\n"
HOLD = "kept = b'x' * (64 << 20)\n"
READY = "print('ready', flush=True)\ninput()\n"
IN_CHILD = f"import os\nif os.fork() == 0:\n    exec({BURN + HOLD + READY!r})\n    os._exit(0)\nos.wait()\n"


class FakeGroup:
    """A group whose counter is set by hand."""

    def __init__(self, used: float) -> None:
        self.used = used

    def cpu_s(self) -> float:
        return self.used


@contextmanager
def child(code: str) -> Iterator[None]:
    """A process below this one that has run the code and waits."""
    with subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield
        process.communicate(b"\n")


def test_a_group_clock_starts_at_each_answer() -> None:
    """Only what was used since the start counts; memory is the kernel's to bound."""
    group = FakeGroup(10.0)
    watch = GroupClock(group)  # type: ignore[arg-type]
    watch.start()
    group.used = 10.25
    first = watch.read()
    watch.start()

    assert (Use(0.25, 0), Use(0.0, 0)) == (first, watch.read())


def test_a_tree_clock_sees_a_new_process() -> None:
    """Processor time and resident memory of a process below the root are counted while it lives."""
    watch = TreeClock(os.getpid())
    watch.start()
    with child(BURN + HOLD + READY):
        use = watch.read()

    assert (0.2 <= use.cpu_s < 5, 64 << 20 <= use.memory < 256 << 20) == (True, True)


def test_a_tree_clock_sees_grandchildren() -> None:
    """What a child's child uses is counted as well."""
    watch = TreeClock(os.getpid())
    with child(IN_CHILD):
        use = watch.read()

    assert (use.cpu_s >= 0.2, use.memory >= 64 << 20) == (True, True)


def test_a_tree_clock_leaves_out_what_was_there() -> None:
    """The jail's own processes, which exist before the first answer, do not count."""
    with child(BURN + HOLD + READY):
        watch = TreeClock(os.getpid())
        use = watch.read()

    assert Use(0.0, 0) == use


def test_a_process_that_has_just_ended_counts_nothing() -> None:
    """A process may end between listing and reading."""
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()

    assert Use(0.0, 0) == clock._process_use(process.pid)


def test_a_name_with_brackets_does_not_shift_the_fields() -> None:
    """A process names itself; ') R 1' in its name must not be read as state and parent."""
    name = "import ctypes; ctypes.CDLL(None).prctl(15, b'x) R 1 (', 0, 0, 0)\n"
    with child(name + READY):
        below = clock._descendants(os.getpid())
        mine = [pid for pid in below if pid != os.getpid() and clock._stat(pid)[1] == b"%d" % os.getpid()]

    assert len(mine) >= 1
