"""Functions on processes: parents and children, their costs, and waiting for their end."""

from __future__ import annotations

import contextlib
import gc
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

# Ends a test that hangs. It is not a bound on any duration: a machine may be arbitrarily busy.
HANG_S = 600.0


def parents() -> dict[int, int]:
    """Return the parent of each process; zombies have ended and are left out."""
    found = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text(errors="replace").rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if fields[0] not in "ZX":
            found[int(entry.name)] = int(fields[1])
    return found


def descendants(root: int, above: Mapping[int, int] | None = None) -> set[int]:
    """Return all descendants of a process, by a table of parents: the current one, or a given one."""
    by_parent: dict[int, list[int]] = {}
    for pid, parent in (parents() if above is None else above).items():
        by_parent.setdefault(parent, []).append(pid)
    found, waiting = set[int](), [root]
    while waiting:
        children = by_parent.get(waiting.pop(), [])
        found.update(children)
        waiting.extend(children)
    return found


def cpu_s_below(root: int) -> float:
    """Return the processor seconds that the living descendants of a process have used so far."""
    ticks = 0
    for pid in descendants(root):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def command_of(pid: int) -> str:
    """Return the command line of a process; empty if it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
    except (FileNotFoundError, ProcessLookupError):
        return ""


def workers(root: int | None = None) -> set[int]:
    """Return the workers below a process, by default below this one.

    A process forked by a worker has the worker's command line until it executes its program. It does not
    count.
    """
    above = parents()
    below = descendants(os.getpid() if root is None else root, above)
    found = {pid for pid in below if "benchwright.executing.worker" in command_of(pid)}
    return {pid for pid in found if above.get(pid) not in found}


def all_gone(pids: Iterable[int]) -> bool:
    """Wait until each of these processes has ended; zombies count as ended. Return False if one is left, as
    `wait_until`."""
    ended = set(pids)
    return wait_until(lambda: not ended & parents().keys())


def open_files() -> set[tuple[int, str]]:
    """Return the descriptors of this process with their targets, after closing those that earlier tests left
    open."""
    gc.collect()
    found = set[tuple[int, str]]()
    for number in map(int, os.listdir("/proc/self/fd")):
        with contextlib.suppress(FileNotFoundError):  # the descriptor of the listing itself
            found.add((number, os.readlink(f"/proc/self/fd/{number}")))
    return found


def stop(pid: int) -> None:
    """Stop a process as Ctrl-Z does, and wait until it has stopped: a system call may have to end first."""
    os.kill(pid, signal.SIGSTOP)
    assert wait_until(lambda: _state(pid) == "T")


def _state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()[0]


def groups(owners: set[int]) -> list[Path]:
    """Return the control groups that these processes have created and that still exist."""
    made = Path("/sys/fs/cgroup").rglob("benchwright-*-*")
    return [path for path in made if path.is_dir() and path.name.split("-")[1] in set(map(str, owners))]


def wait_until(holds: Callable[[], bool], *, deadline_s: float = HANG_S) -> bool:
    """Poll until the condition holds; return False if the guard against hanging ends first.

    The interval grows: a look at a page or folder costs as much as the work that it waits for.
    """
    deadline, pause_s = time.monotonic() + deadline_s, 0.005
    while not holds():
        if time.monotonic() > deadline:
            return False
        select.select([], [], [], pause_s)
        pause_s = min(1.5 * pause_s, 0.04)
    return True


def python(
    code: str, *words: str, env: Mapping[str, str] | None = None, cwd: str | Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Start a Python process that has run the code: `words` are its arguments, `env` is its whole
    environment."""
    return subprocess.run(
        [sys.executable, "-c", code, *words],
        env=env,
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=HANG_S,
        check=False,
    )


def said_under(limit: str, program: str) -> str:
    """Return the output of a Python program under a limit of the shell, such as `ulimit -v 3145728` (KiB)."""
    command = ["sh", "-c", f'{limit} && exec "$@"', "sh", sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=HANG_S)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()
