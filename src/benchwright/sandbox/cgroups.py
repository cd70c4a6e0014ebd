"""Control group of a slot: limits on memory and processes of the whole tree, and its CPU time.

A group contains a zygote and, one after another, its answers, so it costs nothing per answer. Requires
root with cgroup v1, or a delegated cgroup v2. Without either, `open_group` returns None; limits of single
processes and `clock.TreeClock` then take its place.
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
_SETTLED_S = 60.0  # age after which an empty group is orphaned
_OVERHEAD_MB = 96  # for the zygote, and page tables and tmpfs of an answer


class ControlGroup:
    """Folders of a slot by controller, and the files that are read while answers run."""

    def __init__(self, folders: dict[str, Path], *, version: int) -> None:
        self.folders = folders
        self.version = version
        usage = folders["cpuacct"] / ("cpuacct.usage" if version == 1 else "cpu.stat")
        kills = folders["memory"] / ("memory.oom_control" if version == 1 else "memory.events")
        self._usage = os.open(usage, os.O_RDONLY | os.O_CLOEXEC)
        self._kills = os.open(kills, os.O_RDONLY | os.O_CLOEXEC)

    def join_files(self) -> list[str]:
        """Return the files to which a process writes its id to join."""
        return [str(folder / "cgroup.procs") for folder in dict.fromkeys(self.folders.values())]

    def cpu_s(self) -> float:
        """Return the CPU seconds of all members so far, including ended ones."""
        text = os.pread(self._usage, 512, 0).split()
        return int(text[0]) / 1e9 if self.version == 1 else int(text[1]) / 1e6

    def threads(self) -> list[int]:
        """Return the thread ids of all members in the namespace of this process."""
        name = "tasks" if self.version == 1 else "cgroup.threads"
        return list(map(int, (self.folders["pids"] / name).read_text().split()))

    def memory_kills(self) -> int:
        """Return the number of out-of-memory kills in the group."""
        words = os.pread(self._kills, 512, 0).split()
        return int(words[words.index(b"oom_kill") + 1]) if b"oom_kill" in words else 0

    def limit(self, *, memory_mb: int, processes: int) -> None:
        """Set limits for the whole tree."""
        memory = "memory.limit_in_bytes" if self.version == 1 else "memory.max"
        (self.folders["memory"] / memory).write_text(str((memory_mb + _OVERHEAD_MB) << 20))
        (self.folders["pids"] / "pids.max").write_text(str(processes + 8))

    def close(self) -> None:
        """Remove the folders. Members must have ended, which the kernel may notice with a delay."""
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
            time.sleep(0.005)  # v1 has no event for the end of the last member


def open_group(number: int, *, memory_mb: int, processes: int) -> ControlGroup | None:
    """Make a group with limits; None if this process may not."""
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
    """Delegate memory and pids. A group with members may not, so this process first moves into a leaf."""
    control = parent / "cgroup.subtree_control"
    if {"memory", "pids"} <= set(control.read_text().split()):
        return
    leaf = parent / f"{PREFIX}-runner"
    leaf.mkdir(exist_ok=True)
    (leaf / "cgroup.procs").write_text(str(os.getpid()))
    control.write_text("+memory +pids")


def _give_up(folders: dict[str, Path]) -> None:
    for folder in folders.values():
        folder.rmdir()


def _sweep(parent: Path) -> None:
    """Remove groups whose owner was killed."""
    for folder in parent.glob(f"{PREFIX}-*-*"):
        owner = folder.name.split("-")[1]
        if owner.isdigit() and not os.path.exists(f"/proc/{owner}"):
            _ignore_busy(folder.rmdir)


@cache
def _sweep_beside(parent: Path) -> None:
    """Remove orphaned groups in sibling groups, as in CI jobs and pods, once per process.

    Their owner may live in a namespace whose processes are invisible here. But the group of a living owner
    contains its zygote from the first second, and a group with a process cannot be removed.
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
    """Read /proc/self/cgroup: paths of this process by controller; the empty controller is cgroup v2."""
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
