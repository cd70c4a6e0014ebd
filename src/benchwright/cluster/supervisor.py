"""Run a Ray node as a child process tree, and end the whole tree when the driver ends, also by kill -9.

`python -m benchwright.cluster.supervisor FOLDER WORD...` executes `ray start WORD...`, writes one line of
JSON and waits until stdin ends. Ray's processes outlive the one that started them, and its agents outlive
their raylet by half a minute. As a child subreaper (prctl(2)), this process becomes the parent of each
orphan, so the tree below it is complete. Ends with the tree, and removes FOLDER.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from benchwright.sandbox.inside import linux

START_S = 120.0  # for `ray start`: 12 s of wall time on a loaded machine with two cores
PR_SET_CHILD_SUBREAPER = 36
_TAIL = 2000  # characters of the output of a failed start
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def main() -> None:
    """Start the node, report it, wait for the end of stdin, and end all processes of the node."""
    folder, words = Path(sys.argv[1]), sys.argv[2:]
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)  # ends with its driver alone
    linux.prctl(PR_SET_CHILD_SUBREAPER, 1)
    try:
        if (report := start(folder, words)) is not None:
            os.write(1, json.dumps(report).encode() + b"\n")
            signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # collects orphans that have ended
            while os.read(0, 1 << 10):
                pass
    except BrokenPipeError:  # the driver ended while this was written
        pass
    finally:
        end_children()
        shutil.rmtree(folder.parent, ignore_errors=True)


def start(folder: Path, words: list[str]) -> dict[str, str] | None:
    """Execute `ray start`. Returns the address of the cluster and the process id of this machine's raylet,
    or `error` with the end of the output.

    None if the driver has ended meanwhile.
    """
    log = folder / "start.log"
    with log.open("wb") as out:
        command = [sys.executable, "-m", "ray.scripts.scripts", "start", *words]
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out)
    ended = os.pidfd_open(child.pid)
    ready, _, _ = select.select([0, ended], [], [], START_S)
    os.close(ended)
    if 0 in ready:
        return None
    if not ready:
        return {"error": f"`ray start` did not end in {START_S:g} s"}
    if child.wait():
        return {"error": log.read_text(encoding="utf-8", errors="replace")[-_TAIL:]}
    file = folder / "ray_current_cluster"
    address = file.read_text(encoding="utf-8").strip() if file.exists() else ""
    return {"address": address, "raylet": next(filter(_is_raylet, map(str, _below(os.getpid()))), "")}


def _is_raylet(pid: str) -> bool:
    with contextlib.suppress(OSError):
        return Path("/proc", pid, "comm").read_text("utf-8", "replace") == "raylet\n"
    return False


def end_children() -> None:
    """Kill all processes below this one until none is left.

    Stops them before it kills them, so that none starts another in between.
    """
    while found := [pid for pid in _below(os.getpid()) if pid != os.getpid()]:
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for pid in found:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, number)
        _reap()


def _reap() -> None:
    """Collect ended children; waits a moment for the kernel to pass orphans on."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    time.sleep(0.01)


def _below(root: int) -> Iterator[int]:
    children: dict[int, list[int]] = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            line = Path("/proc", name, "stat").read_text("utf-8", "replace")
            parent = int(line.rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(name))
    waiting = [root]
    while waiting:
        pid = waiting.pop()
        yield pid
        waiting.extend(children.get(pid, ()))


if __name__ == "__main__":
    main()
