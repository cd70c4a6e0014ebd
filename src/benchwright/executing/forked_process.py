"""A worker as a fork of the command's process, whose interpreter and modules are ready.

To start an interpreter and to import the same modules again costs as much as thirty executions. The worker
has the memory of the command when it started, all of it from the trusted side. It keeps no descriptor but its
own, collects no object of the command, and never returns to the command's code.
"""

from __future__ import annotations

import fcntl
import gc
import os
import select
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from io import FileIO
from types import FrameType
from typing import NoReturn

MOST_RESIDENT_MB = 64  # of the command; a worker forked from a larger one has less memory for its values
_MIB = 1 << 20


class ForkedProcess:
    """A fork that executes `main` and exits: the part of `subprocess.Popen` that a worker needs.

    `kept` is the descriptor that it keeps in addition to its standard streams; `variables` are set in its
    environment.
    """

    def __init__(self, main: Callable[[], None], *, kept: int, variables: Mapping[str, str]) -> None:
        source, stdin = os.pipe()
        stdout, target = os.pipe()
        self.returncode: int | None = None
        self.pid = os.fork()
        if not self.pid:
            _become(main, source, target, kept, variables)
        os.close(source)
        os.close(target)
        self.stdin, self.stdout = FileIO(stdin, "w"), FileIO(stdout, "r")
        self._handle = os.pidfd_open(self.pid)

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the exit. Raises subprocess.TimeoutExpired."""
        if self.returncode is None:
            if timeout is not None and not select.select([self._handle], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired("a worker", timeout)
            self.returncode = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
            os.close(self._handle)
        return self.returncode

    def terminate(self) -> None:
        """Send SIGTERM."""
        self._send(signal.SIGTERM)

    def kill(self) -> None:
        """Send SIGKILL."""
        self._send(signal.SIGKILL)

    def _send(self, number: signal.Signals) -> None:
        if self.returncode is None:  # not waited for, so the id is still its own
            os.kill(self.pid, number)


def can_fork() -> bool:
    """Whether a fork of this process can serve as a worker.

    Not with other threads, whose locks it would inherit; with more memory than a worker may hold; with a
    fixed hash seed, which hostile values could use; or if modules are searched in the current folder, where a
    model may have written files.
    """
    if os.environ.get("PYTHONHASHSEED", "random") != "random":
        return False
    if not sys.flags.safe_path and sys.path[0] in ("", os.getcwd()):
        return False
    try:
        os.close(os.pidfd_open(os.getpid()))  # Linux 5.3
        return len(os.listdir("/proc/self/task")) == 1 and _resident_mb() <= MOST_RESIDENT_MB
    except OSError:
        return False


def _resident_mb() -> int:
    with open("/proc/self/statm", "rb") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") // _MIB


def _become(
    main: Callable[[], None], source: int, target: int, descriptor: int, variables: Mapping[str, str]
) -> NoReturn:
    """Run the worker in the forked child and exit. Callers never continue, so they close nothing."""
    code = 1
    try:
        gc.freeze()  # a collected file object of the command would close a descriptor that now has its number
        sys.setrecursionlimit(sys.getrecursionlimit() + _depth())  # as much as in a new process
        os.setsid()  # Ctrl-C is for the runner to act on
        _keep_descriptors(source, target, descriptor)
        os.environ.update(variables)
        main()
        code = 0
    except BaseException:  # noqa: BLE001 (whatever it is, it must not reach the code of the command)
        traceback.print_exc()
    finally:
        os._exit(code)


def _keep_descriptors(source: int, target: int, descriptor: int) -> None:
    """Make two descriptors the standard streams, and close all others but stderr and `descriptor`."""
    source, target = (fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 3) for fd in (source, target))
    os.dup2(source, 0)
    os.dup2(target, 1)
    for fd in map(int, os.listdir("/proc/self/fd")):
        if fd > 2 and fd != descriptor:
            with suppress(OSError):  # the descriptor of the listing is already closed
                os.close(fd)


def _depth() -> int:
    frame: FrameType | None = sys._getframe()
    depth = 0
    while frame is not None:
        frame, depth = frame.f_back, depth + 1
    return depth
