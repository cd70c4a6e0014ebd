"""tree-sitter in a process that may crash on a text, over a pipe.

Parsing executes nothing of the text, so the process needs no sandbox; it only isolates crashes. It starts
with the first request, in 0.1 s, and ends with its parent. A text that kills it gets an empty answer, and the
next text a new process.
"""

from __future__ import annotations

import atexit
import json
import os
import struct
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any, Literal, NamedTuple

from benchwright.errors import PrerequisiteError, install_command

ParseDetail = Literal[
    "tree", "outline", "leaves", "marked"
]  # the part of a text's syntax that a caller needs
_SCRIPT = Path(__file__).with_name("parser_process.py")


class Grammar(NamedTuple):
    """A tree-sitter grammar in a Python module, such as `tree_sitter_go`.

    `closed`: node kinds that an outline of a text omits. The others concern the leaves of a text: kinds that
    are `comments`, kinds that are one leaf as a `whole`, and kinds that are `kept` with the leaves.
    """

    lang: str
    module: str
    closed: tuple[str, ...] = ()
    comments: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    function: str = "language"  # function of the module that returns the grammar

    def wanted(self, part: ParseDetail) -> dict[str, Any]:
        """Return the head of a request."""
        kinds: dict[str, tuple[str, ...]]
        if part == "leaves":
            kinds = {"kept": self.kept, "whole": self.whole, "comments": self.comments}
        else:
            kinds = {"closed": self.closed if part == "outline" else ()}
            kinds |= {"marked": ()} if part == "marked" else {}
        return {"module": self.module, "function": self.function, **kinds}


class Parser:
    """One parser process for all callers; a forked child of its owner starts another one."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0
        self._installed: set[Grammar] = set()

    def ask(self, grammar: Grammar, data: bytes, part: ParseDetail = "tree") -> bytes:
        """Return the answer to a text in the format of `parser_process`; empty if parsing exceeded its
        limits.

        An "outline" omits the grammar's closed nodes if the text has no syntax error; "leaves" are the tokens
        and comments, with the kept nodes; a "marked" tree shows the nodes that the grammar made
        up. Raises PrerequisiteError if the grammar is not installed.
        """
        head = json.dumps(grammar.wanted(part)).encode()
        request = struct.pack(">II", len(head), len(data)) + head + data
        with self._lock:
            if grammar not in self._installed:
                _check_installed(grammar, "build" if part in ("tree", "outline") else "code")
                self._installed.add(grammar)
            try:
                answer = _exchange(self._running(), request)
            except BaseException:  # an interrupt: the pending answer would be taken for the next text's
                self._end()
                raise
            if answer is None:
                self._end()
            return answer or b""

    def close(self) -> None:
        """End the process, if it runs."""
        with self._lock:
            self._end()

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._owner != os.getpid() or self._process.poll() is not None:
            self._end()
            self._process, self._owner = _start(), os.getpid()
        return self._process

    def _end(self) -> None:
        """End the process and close its pipes, unless it belongs to the parent of a fork."""
        process, self._process = self._process, None
        if process is None or self._owner != os.getpid():
            return
        process.kill()
        process.communicate()


def _exchange(process: subprocess.Popen[bytes], request: bytes) -> bytes | None:
    """Return the answer to one request; None if the process ended during it."""
    assert process.stdin is not None and process.stdout is not None
    try:
        process.stdin.write(request)
        process.stdin.flush()
    except BrokenPipeError:
        return None
    head = process.stdout.read(4)
    if len(head) < 4:
        return None
    size = struct.unpack(">I", head)[0]
    answer = process.stdout.read(size)
    return answer if len(answer) == size else None


def _check_installed(grammar: Grammar, extra: str) -> None:
    missing = [name for name in ("tree_sitter", grammar.module) if find_spec(name) is None]
    if missing:
        raise PrerequisiteError(
            f"reading {grammar.lang} source needs tree-sitter ({missing[0]} is not installed)",
            hint=install_command(extra),
        )


def _start() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        # -P: the script's folder has packages called `go` and `python`, which nothing should import
        [sys.executable, "-P", str(_SCRIPT)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # an interrupt is handled by the caller
    )


PARSER = Parser()
atexit.register(PARSER.close)
