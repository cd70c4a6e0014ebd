"""A control group for each slot: memory and process limits for a whole tree, and its processor time.

One group holds a zygote and, one after another, its answers, so it costs nothing per answer. Needs
root with cgroup v1, or a delegated cgroup v2. Where neither is given `open_group` returns None, and
the limits of single processes and the clock's own watch (`clock.TreeClock`) bound what they can.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path

from benchwright.errors import SandboxError

PREFIX = "benchwright"
_V1 = ("memory", "pids", "cpuacct")
_SETTLED_S = 60.0  # after which a group that is empty is nobody's
_OVERHEAD_MB = 96  # the zygote, and page tables and tmpfs of an answer


class ControlGroup:
    """One slot's folders, by controller, and the files that are read while answers run."""

    def __init__(self, folders: dict[str, Path], *, version: int) -> None:
        self.folders = folders
        self.version = version
        usage = folders["cpuacct"] / ("cpuacct.usage" if version == 1 else "cpu.stat")
        kills = folders["memory"] / ("memory.oom_control" if version == 1 else "memory.events")
        self._usage = os.open(usage, os.O_RDONLY | os.O_CLOEXEC)
        self._kills = os.open(kills, os.O_RDONLY | os.O_CLOEXEC)

    def join_files(self) -> list[str]:
        """Files to which a process writes its number to join."""
        return [str(folder / "cgroup.procs") for folder in dict.fromkeys(self.folders.values())]

    def cpu_s(self) -> float:
        """Processor seconds used by all members so far, ended ones included."""
        text = os.pread(self._usage, 512, 0).split()
        return int(text[0]) / 1e9 if self.version == 1 else int(text[1]) / 1e6

    def threads(self) -> list[int]:
        """The threads of all members, as this process numbers them."""
        name = "tasks" if self.version == 1 else "cgroup.threads"
        return list(map(int, (self.folders["pids"] / name).read_text().split()))

    def memory_kills(self) -> int:
        """How often the kernel killed a member for want of memory."""
        words = os.pread(self._kills, 512, 0).split()
        return int(words[words.index(b"oom_kill") + 1]) if b"oom_kill" in words else 0

    def limit(self, *, memory_mb: int, processes: int) -> None:
        """Bound the whole tree."""
        memory = "memory.limit_in_bytes" if self.version == 1 else "memory.max"
        (self.folders["memory"] / memory).write_text(str((memory_mb + _OVERHEAD_MB) << 20))
        (self.folders["pids"] / "pids.max").write_text(str(processes + 8))

    def close(self) -> None:
        """Remove the folders; members must have ended, which the kernel may take a moment to notice."""
        os.close(self._usage)
        os.close(self._kills)
        for folder in dict.fromkeys(self.folders.values()):
            _remove(folder, patience_s=2.0)


def _remove(folder: Path, *, patience_s: float) -> None:
    deadline = time.monotonic() + patience_s
    while True:
        try:
            folder.rmdir()
            return
        except FileNotFoundError:
            return
        except OSError as error:
            if error.errno != errno.EBUSY or time.monotonic() > deadline:
                raise SandboxError(f"cannot remove the control group {folder}: {error.strerror}") from error
            time.sleep(0.005)  # no event tells when the last member is gone from a v1 group


def open_group(number: int, *, memory_mb: int, processes: int) -> ControlGroup | None:
    """A new group with limits, or None where this process may not make one."""
    for open_version in (_open_v1, _open_v2):
        group = open_version(f"{PREFIX}-{os.getpid()}-{number}")
        if group is not None:
            group.limit(memory_mb=memory_mb, processes=processes)
            return group
    return None


def _open_v1(name: str) -> ControlGroup | None:
    own, mounts = _memberships(), _v1_mounts()
    folders: dict[str, Path] = {}
    for controller in _V1:
        if controller not in mounts or controller not in own:
            _give_up(folders)
            return None
        folder = mounts[controller] / own[controller].lstrip("/") / name
        try:
            _sweep(folder.parent)
            _sweep_beside(folder.parent)
            folder.mkdir(exist_ok=True)
        except OSError:
            _give_up(folders)
            return None
        folders[controller] = folder
    return ControlGroup(folders, version=1)


def _open_v2(name: str) -> ControlGroup | None:
    own = _memberships().get("")
    root = Path("/sys/fs/cgroup")
    if own is None or not (root / "cgroup.controllers").exists():
        return None
    parent = root / own.lstrip("/")
    try:
        _delegate(parent)
        _sweep(parent)
        _sweep_beside(parent)
        folder = parent / name
        folder.mkdir(exist_ok=True)
    except OSError:
        return None
    if not {"memory", "pids"} <= set((folder / "cgroup.controllers").read_text().split()):
        folder.rmdir()
        return None
    return ControlGroup(dict.fromkeys(_V1, folder), version=2)


def _delegate(parent: Path) -> None:
    """Hand memory and pids down. A group with members may not, so move into a leaf of our own first."""
    control = parent / "cgroup.subtree_control"
    if {"memory", "pids"} <= set(control.read_text().split()):
        return
    leaf = parent / f"{PREFIX}-runner"
    leaf.mkdir(exist_ok=True)
    (leaf / "cgroup.procs").write_text(str(os.getpid()))
    control.write_text("+memory +pids")


def _give_up(made: dict[str, Path]) -> None:
    for folder in made.values():
        folder.rmdir()


def _sweep(parent: Path) -> None:
    """Remove groups whose owner was killed before it could."""
    for folder in parent.glob(f"{PREFIX}-*-*"):
        owner = folder.name.split("-")[1]
        if owner.isdigit() and not os.path.exists(f"/proc/{owner}"):
            _ignore_busy(folder.rmdir)


@cache
def _sweep_beside(parent: Path) -> None:
    """The same below the groups beside our own, as CI jobs and pods have them, once in a process.

    Their owner may live in a namespace whose processes are not seen here. But a group of a living one holds
    its zygote from the first second on, and what holds a process cannot be removed.
    """
    for folder in parent.parent.glob(f"*/{PREFIX}-*-*"):
        owner = folder.name.split("-")[1]
        with suppress(OSError):
            if owner.isdigit() and not os.path.exists(f"/proc/{owner}") and _age_s(folder) > _SETTLED_S:
                folder.rmdir()


def _age_s(folder: Path) -> float:
    return time.time() - folder.stat().st_mtime


def _ignore_busy(action: Callable[[], None]) -> None:
    try:
        action()
    except OSError as error:
        if error.errno not in (errno.EBUSY, errno.ENOENT):
            raise


def _memberships() -> dict[str, str]:
    """Controller to this process's path; the empty controller is cgroup v2. From /proc/self/cgroup."""
    result = {}
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        for controller in controllers.split(","):
            result[controller] = path
    return result


def _v1_mounts() -> dict[str, Path]:
    result = {}
    for line in Path("/proc/self/mounts").read_text().splitlines():
        _, place, kind, options, *_ = line.split(" ")
        if kind == "cgroup":
            result.update({option: Path(place) for option in options.split(",") if option in _V1})
    return result
