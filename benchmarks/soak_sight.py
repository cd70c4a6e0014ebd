"""Looking at a worker from outside, and hurting its zygote: by /proc and process handles, never by name."""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path
from typing import NamedTuple

from benchwright.sandbox.proc import process_tree, read_file, read_stat

ZYGOTE = b"inside.zygote import main"


class Process(NamedTuple):
    """A process that lives: its number may be used again later, but not with the same start."""

    pid: int
    parent: int
    start: int


class Vital(NamedTuple):
    """What must not grow while a worker works."""

    descriptors: int
    resident_kib: int
    processes: int  # below it


def below(root: int) -> list[Process]:
    """All living processes below one; a zombie has ended."""
    return [process for pid in process_tree(root)[1:] if (process := _process(pid))]


def _process(pid: int) -> Process | None:
    fields = read_stat(pid)[1]
    return None if not fields or fields[0] in "ZX" else Process(pid, int(fields[1]), int(fields[19]))


def lives(process: Process) -> bool:
    """Whether it is still there, by number and start."""
    now = _process(process.pid)
    return now is not None and now.start == process.start


def vital(root: int) -> Vital:
    """A worker's open descriptors, resident memory and processes now."""
    statm = read_file(root, "statm").split()
    resident = int(statm[1]) * os.sysconf("SC_PAGE_SIZE") >> 10 if statm else 0
    return Vital(len(os.listdir(f"/proc/{root}/fd")), resident, len(below(root)))


def zygotes(root: int) -> list[Process]:
    """The zygotes below a worker. An answer has its zygote's command line, and so is told by its parent."""
    alike = {process.pid: process for process in below(root) if _is_zygote(process.pid)}
    return [process for process in alike.values() if process.parent not in alike]


def _is_zygote(pid: int) -> bool:
    """The outer jail names the same command, but as arguments of its own program."""
    program, _, rest = read_file(pid, "cmdline").partition(b"\0")
    return ZYGOTE in rest and not program.endswith(b"bwrap")


def send(process: Process, number: signal.Signals) -> bool:
    """Signal exactly this process; False when it has ended. A handle cannot hit a later one of its number."""
    try:
        handle = os.pidfd_open(process.pid)
    except ProcessLookupError:
        return False
    try:
        if not lives(process):
            return False
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(handle, number)
            return True
        return False
    finally:
        os.close(handle)


def describe(root: int) -> list[str]:
    """Where a worker and all below it are in the kernel, for a hang that nobody sees twice."""
    lines = []
    for pid in [root, *(process.pid for process in below(root))]:
        state = read_stat(pid)[1][:1]
        words = [read_file(pid, name).decode("ascii", "replace").strip() for name in ("wchan", "syscall")]
        stack = " < ".join(line.split()[-1] for line in read_file(pid, "stack").decode().splitlines() if line)
        command = read_file(pid, "cmdline").replace(b"\0", b" ")[:60].decode("utf-8", "replace")
        lines.append(f"{pid} {''.join(state)} {' | '.join(words)} | {stack} | {command}")
    return lines


def groups_of(pids: set[int]) -> list[str]:
    """Control groups that these processes have made and left."""
    made = Path("/sys/fs/cgroup").rglob("benchwright-*-*")
    return [str(path) for path in made if path.name.split("-")[1] in {str(pid) for pid in pids}]
