"""Report of where a process and its descendants wait in the kernel: hangs are hard to reproduce."""

from __future__ import annotations

from benchwright.sandbox.proc import process_tree, read_file, read_stat

MAX_PROCESSES = 12  # descendants in a report: an answer that forks may have a hundred


def whereabouts(pid: int) -> str:
    """Describe each process in a phrase: its name, its state (proc_pid_stat(5)) and what it waits in.

    >>> whereabouts(-1)
    'it has ended'
    """
    tree = process_tree(pid)
    phrases = [_describe(each) for each in tree[: MAX_PROCESSES + 1]]
    more = len(tree) - len(phrases)
    return ", ".join([*phrases, *([f"and {more} more"] if more > 0 else [])]) or "it has ended"


def _describe(pid: int) -> str:
    name, fields = read_stat(pid)
    name = name if name.isprintable() else ascii(name)[1:-1]
    waits = read_file(pid, "wchan").decode("utf-8", "replace").strip("\0\n ")
    state = fields[0] if fields else "gone"
    return f"{name or pid} {state}" + (f" in {waits}" if waits not in ("", "0") else "")
