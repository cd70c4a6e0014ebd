"""Accounts of CPU time: a separate cgroup for each run if root can create one, otherwise wait4.

A cgroup counts every process that a run leaves behind, including daemons and orphans. wait4 counts only
processes that were waited for, so it is the second choice, and every table names the account.
"""

from __future__ import annotations

import errno
import os
import select
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Protocol

from benchwright.errors import BenchwrightError
from benchwright.sandbox.proc import process_tree

MOUNTS = Path("/proc/self/mounts")
GRACE_S = 2.0
_serial = count()


class Account(Protocol):
    """Counts the CPU time of one run's whole process tree."""

    label: str

    def prefix(self) -> list[str]:
        """Return the command through which a run is started, so that it is counted from its first
        instruction."""
        ...

    def cpu_s(self) -> float | None:
        """Return CPU seconds so far; None if only wait4 has them."""
        ...

    def pids(self, root: int) -> list[int]:
        """Return the living processes of the run that was started as `root`."""
        ...


class WaitAccount:
    """Counts nothing itself: the caller uses wait4's figure."""

    label = "wait4 (descendants that were waited for)"

    def prefix(self) -> list[str]:
        return []

    def cpu_s(self) -> float | None:
        return None

    def pids(self, root: int) -> list[int]:
        return process_tree(root)


class CgroupAccount:
    """A separate cgroup. Version 1 counts nanoseconds in one file, version 2 microseconds in another."""

    def __init__(self, folder: Path, *, version: int) -> None:
        self.folder, self.version = folder, version
        self.label = "cgroup-v1 cpuacct" if version == 1 else "cgroup-v2 cpu.stat"

    def prefix(self) -> list[str]:
        # A shell and not preexec_fn: it joins the group and then becomes the command, with no Python
        # running between fork and exec. Its own start is the first millisecond of the account.
        return ["/bin/sh", "-c", 'echo $$ > "$0" && exec "$@"', str(self.folder / "cgroup.procs")]

    def cpu_s(self) -> float | None:
        if self.version == 1:
            return int((self.folder / "cpuacct.usage").read_text()) / 1e9
        fields = dict(line.split() for line in (self.folder / "cpu.stat").read_text().splitlines())
        return int(fields["usage_usec"]) / 1e6

    def pids(self, root: int) -> list[int]:
        """Return members of the group and of groups that the run created below it, as a sandbox does."""
        found = []
        for folder in self._folders():
            try:
                found += [int(word) for word in (folder / "cgroup.procs").read_text().split()]
            except OSError as error:
                if error.errno not in (errno.ENOENT, errno.ENODEV):
                    raise  # those two: the run removed a group of its own while we looked
        return found

    def close(self) -> None:
        """Remove the group, and groups that the run left below it."""
        end_all(self.pids(0))
        for folder in reversed(self._folders()):
            folder.rmdir()

    def _folders(self) -> list[Path]:
        return [Path(name) for name, _folders, _files in os.walk(self.folder)]


@contextmanager
def open_account() -> Iterator[Account]:
    """Yield the best account that this machine allows; closed after the run."""
    made = _make_cgroup()
    if made is None:
        yield WaitAccount()
        return
    try:
        yield made
    finally:
        made.close()


def _make_cgroup() -> CgroupAccount | None:
    for version, root in hierarchies(MOUNTS.read_text()):
        folder = root / f"benchmark-{os.getpid()}-{next(_serial)}"
        try:
            folder.mkdir()
        except OSError:
            continue  # not root, or mounted read-only: the next hierarchy, or wait4, and the table says so
        return CgroupAccount(folder, version=version)
    return None


def hierarchies(mounts: str) -> list[tuple[int, Path]]:
    """Return (version, mount point) pairs of /proc/self/mounts that can count CPU time, version 1 first."""
    found = []
    for line in mounts.splitlines():
        _device, point, kind, options = line.split()[:4]
        if kind == "cgroup" and "cpuacct" in options.split(","):
            found.append((1, Path(point)))
        elif kind == "cgroup2":
            found.append((2, Path(point)))
    return sorted(found)


def end_all(pids: Sequence[int]) -> int:
    """Give processes a moment to end, then kill them; return the number of killed ones."""
    handles = {pid: handle for pid in pids if (handle := _open(pid)) is not None}
    killed = 0
    for handle in handles.values():
        if not _ended(handle, GRACE_S):
            signal.pidfd_send_signal(handle, signal.SIGKILL)
            killed += 1
            if not _ended(handle, GRACE_S):
                raise BenchwrightError("a process of a measured run does not end after SIGKILL")
    for handle in handles.values():
        os.close(handle)
    return killed


def _open(pid: int) -> int | None:
    try:
        return os.pidfd_open(pid)
    except ProcessLookupError:
        return None  # it has ended already


def _ended(handle: int, seconds: float) -> bool:
    poll = select.poll()
    poll.register(handle, select.POLLIN)
    return bool(poll.poll(seconds * 1000))
