"""Starts a sandbox many times, kills the starting process, and prints the processes that are left behind.

It is a separate process, because it becomes the parent of what the killed ones leave: `killed_starts.py
<jail> <kills>`.
"""

from __future__ import annotations

import os
import random
import select
import signal
import sys
import time

from benchwright.sandbox.environments import find_environment
from benchwright.sandbox.inside import linux
from benchwright.sandbox.limits import Limits
from benchwright.sandbox.zygote import Zygote
from kit.processes import command_of, descendants, wait_until

PR_SET_CHILD_SUBREAPER = 36
SWEPT_S = 0.008  # after the launcher has become the jail's builder
LEFT_S = 60.0


def builds(pid: int, jail: str) -> bool:
    """Return whether the launcher below this process is about to build the jail."""
    below = descendants(pid)
    return bool(below) and (jail == "native" or any("bwrap" in command_of(child)[:32] for child in below))


def killed_start(jail: str, after_s: float) -> None:
    """Start a sandbox in a separate process and kill that process."""
    pid = os.fork()
    if pid == 0:
        Zygote(find_environment("numpy"), Limits(), jail_name=jail)
        signal.pause()
    until = time.monotonic() + LEFT_S
    while not builds(pid, jail) and time.monotonic() < until:
        select.select([], [], [], 0.003)
    select.select([], [], [], after_s)
    os.kill(pid, signal.SIGKILL)


def nothing_below() -> bool:
    """Reap ended processes; return whether no child is left."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return True
    return False


def main(jail: str, kills: int) -> None:
    """Print the commands of the remaining processes, one per line."""
    linux.prctl(PR_SET_CHILD_SUBREAPER, 1)
    moments = random.Random(8)
    for _ in range(kills):
        killed_start(jail, moments.uniform(0, SWEPT_S))
    if not wait_until(nothing_below, deadline_s=LEFT_S):
        for pid in sorted(descendants(os.getpid())):
            sys.stdout.write(f"{pid} {command_of(pid)[:120]}\n")
            os.kill(pid, signal.SIGKILL)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
