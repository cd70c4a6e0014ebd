"""Report where a hanging process and its children wait in the kernel: hangs are hard to reproduce."""

from __future__ import annotations

import os

MAX_PROCESSES = 12  # of those below: an answer that forks may have a hundred


def whereabouts(pid: int) -> str:
    """Return one phrase a process: its name, its state (proc_pid_stat(5)), and the function it waits in.

    >>> whereabouts(-1)
    'it has ended'
    """
    family = _family(pid)
    said = [_said(each) for each in family[: MAX_PROCESSES + 1]]
    more = len(family) - len(said)
    return ", ".join([*said, *([f"and {more} more"] if more > 0 else [])]) or "it has ended"


def _family(root: int) -> list[int]:
    """Return the process, if it lives, and its descendants, nearest first."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit() and (fields := _stat(int(name))[1]):
            children.setdefault(int(fields[1]), []).append(int(name))
    found = [root] if _stat(root)[1] else []
    for pid in found:  # grows while it is walked
        found += children.get(pid, [])
    return found


def _said(pid: int) -> str:
    name, fields = _stat(pid)
    waits = _read(pid, "wchan").strip("\0\n ")
    state = fields[0] if fields else "gone"
    return f"{name or pid} {state}" + (f" in {waits}" if waits not in ("", "0") else "")


def _stat(pid: int) -> tuple[str, list[str]]:
    """Return the name of a process, which it may have set itself, and the other fields; empty if it ended."""
    head, _, tail = _read(pid, "stat").rpartition(")")
    name = head.partition("(")[2]
    return name if name.isprintable() else ascii(name)[1:-1], tail.split()


def _read(pid: int, name: str) -> str:
    try:
        with open(f"/proc/{pid}/{name}", encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:  # ended meanwhile, or not ours to look at
        return ""
