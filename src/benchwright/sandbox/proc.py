"""Processes as /proc shows them (proc(5))."""

from __future__ import annotations

import os


def read_file(pid: int, name: str) -> bytes:
    """Read /proc/PID/NAME; empty if the process has ended or the file is hidden."""
    try:
        with open(f"/proc/{pid}/{name}", "rb") as file:
            return file.read()
    except OSError:
        return b""


def read_stat(pid: int) -> tuple[str, list[str]]:
    """Read /proc/PID/stat: the name, which the process may have chosen itself, and the fields from 3 on.

    Both are empty if the process has ended.
    """
    head, _, tail = read_file(pid, "stat").decode("utf-8", "replace").rpartition(")")
    return head.partition("(")[2], tail.split()


def process_tree(root: int) -> list[int]:
    """Return a process and its descendants, nearest first; empty if the process has ended."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit() and (fields := read_stat(int(name))[1]):
            children.setdefault(int(fields[1]), []).append(int(name))
    tree = [root] if read_stat(root)[1] else []
    for pid in tree:  # grows during the loop
        tree += children.get(pid, [])
    return tree
