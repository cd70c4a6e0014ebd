"""Looking at processes: whose child is whose, and whether they have ended."""

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

# Ends a test that hangs. It says nothing of how long anything should take: a machine may be as busy as it likes.
HANG_S = 600.0


def parents() -> dict[int, int]:
    """Every process with its parent; a zombie has ended and is left out."""
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
    """All processes below one, by the parents of one moment: of now, or those that are given."""
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
    """Processor seconds that the living processes below one have used so far."""
    ticks = 0
    for pid in descendants(root):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def command_of(pid: int) -> str:
    """What a process runs; empty when it is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
    except (FileNotFoundError, ProcessLookupError):
        return ""


def workers(root: int | None = None) -> set[int]:
    """The workers below a process; below this one when none is named.

    A process that a worker has forked has the command line of the worker until it executes its program. It does not count.
    """
    above = parents()
    below = descendants(os.getpid() if root is None else root, above)
    found = {pid for pid in below if "benchwright.executing.worker" in command_of(pid)}
    return {pid for pid in found if above.get(pid) not in found}


def all_gone(pids: Iterable[int]) -> bool:
    """Wait until each of these has ended; a zombie has. False when one is left, as `wait_until`."""
    ended = set(pids)
    return wait_until(lambda: not ended & parents().keys())


def open_files() -> set[tuple[int, str]]:
    """The descriptors of this process with what each is. What earlier tests have left is closed before."""
    gc.collect()
    found = set[tuple[int, str]]()
    for number in map(int, os.listdir("/proc/self/fd")):
        with contextlib.suppress(FileNotFoundError):  # the descriptor of the listing itself
            found.add((number, os.readlink(f"/proc/self/fd/{number}")))
    return found


def stop(pid: int) -> None:
    """Stop a process as Ctrl-Z does, and see it stopped: what is at work in the kernel ends that first."""
    os.kill(pid, signal.SIGSTOP)
    assert wait_until(lambda: _state(pid) == "T")


def _state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()[0]


def groups(owners: set[int]) -> list[Path]:
    """The control groups that these processes have made and that are still there."""
    made = Path("/sys/fs/cgroup").rglob("benchwright-*-*")
    return [path for path in made if path.is_dir() and path.name.split("-")[1] in set(map(str, owners))]


def wait_until(holds: Callable[[], bool], *, deadline_s: float = HANG_S) -> bool:
    """Look again and again until it holds; False when it did not before the guard against hanging.

    Less often with time: a look at a page or a folder costs as much as what it waits for.
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
    """A Python process that has run the code: `words` are its arguments, `env` is all of its environment."""
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
    """What a Python program says that runs under a limit of the shell, such as `ulimit -v 3145728` (KiB)."""
    command = ["sh", "-c", f'{limit} && exec "$@"', "sh", sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=HANG_S)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()
