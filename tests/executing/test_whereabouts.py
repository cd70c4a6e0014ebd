"""What is said of a process that hangs: enough to see what it waits for, and nothing that a name could spoil."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from benchwright.executing import worker_process as module
from benchwright.executing.worker_process import describe_wait_state
from kit.processes import stop, wait_until

NAMED = "import ctypes; ctypes.CDLL(None).prctl(15, {name!r}, 0, 0, 0)\n"
WAITS = "print(flush=True)\ninput()\n"
FORKS = "import os\nfor _ in range({count}):\n    if os.fork() == 0:\n        os.read(0, 1)\n        os._exit(0)\n"


@contextmanager
def child(code: str) -> Iterator[int]:
    """A process that has run the code and waits, until it is no more needed."""
    with subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", code + WAITS], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        try:
            yield process.pid
        finally:
            process.kill()


def test_a_waiting_process_says_what_it_waits_in() -> None:
    """Its name, its state and the kernel's function."""
    with child("") as pid:
        wait_until(lambda: " S" in describe_wait_state(pid))
        said = describe_wait_state(pid)

    assert (said.startswith("python"), " S" in said, said.count(",")) == (True, True, 0)


def test_a_stopped_process_is_told_from_one_that_works() -> None:
    """The letter of its state is that of ps."""
    with child("") as pid:
        stop(pid)
        said = describe_wait_state(pid)

    assert " T" in said


def test_processes_below_follow() -> None:
    """The hang is often below the worker: in its jail or its zygote."""
    renamed = FORKS.format(count=2).replace("os.read", f"{NAMED.format(name=b'low').strip()}; os.read")
    with child(NAMED.format(name=b"top") + renamed) as pid:

        def all_wait() -> bool:
            said = describe_wait_state(pid)
            return said.startswith("top S") and said.count("low S") == 2

        assert wait_until(all_wait)


def test_many_processes_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fork bomb does not fill the message."""
    monkeypatch.setattr(module, "MAX_PROCESSES", 2)
    with child(FORKS.format(count=5)) as pid:
        said = describe_wait_state(pid)

    assert (said.count("python"), said.endswith(", and 3 more")) == (3, True)


@pytest.mark.parametrize("name", [b"x) R 1 (", b"\x1b[31m", b"a\nb", b"\xff\xfe"])
def test_a_name_does_nothing(name: bytes) -> None:
    """A process names itself: brackets do not shift the fields, and control characters are escaped."""
    with child(NAMED.format(name=name)) as pid:
        wait_until(lambda: " S" in describe_wait_state(pid))
        said = describe_wait_state(pid)

    assert (" S" in said, said.isprintable(), said.count(",")) == (True, True, 0)


def test_a_process_that_has_ended() -> None:
    """There may be nothing left to look at."""
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()

    assert describe_wait_state(process.pid) == "it has ended"
