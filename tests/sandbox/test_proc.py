"""Processes as /proc shows them."""

from __future__ import annotations

import os
import subprocess
import sys

from benchwright.sandbox.proc import process_tree, read_file, read_stat


def test_a_process_and_its_children() -> None:
    """Nearest first; an ended process has no tree, and empty files."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        tree, fields = process_tree(os.getpid()), read_stat(process.pid)[1]
        process.kill()

    assert (tree[0], process.pid in tree, int(fields[1])) == (os.getpid(), True, os.getpid())
    assert (process_tree(process.pid), read_stat(process.pid), read_file(process.pid, "stat")) == (
        [],
        ("", []),
        b"",
    )
