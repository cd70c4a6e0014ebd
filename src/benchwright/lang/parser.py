"""tree-sitter as a process that may die of a text, asked over a pipe.

Parsing runs nothing of the text, so this is no sandbox; it is a place for a parser to crash in. The
process starts with the first question, 0.1 s, and ends with its parent. A text that kills it gets an
empty answer, and the next text a new process.
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

Part = Literal["tree", "outline", "leaves"]  # of what is known of a text
_SCRIPT = Path(__file__).with_name("parser_process.py")


class Grammar(NamedTuple):
    """How tree-sitter reads a language: by the grammar of a Python module, `tree_sitter_go` say.

    `closed`: kinds of nodes that an outline of a text does not look into. The others are for the leaves of a
    text: kinds that are `comments`, that are a leaf as a `whole`, and that are `kept` beside the leaves.
    """

    lang: str
    module: str
    closed: tuple[str, ...] = ()
    comments: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    function: str = "language"  # of the module, that gives the grammar

    def wanted(self, part: Part) -> dict[str, Any]:
        """The head of a request."""
        if part == "leaves":
            kinds = {"kept": self.kept, "whole": self.whole, "comments": self.comments}
        else:
            kinds = {"closed": self.closed if part == "outline" else ()}
        return {"module": self.module, "function": self.function, **kinds}


class Parser:
    """One process, whoever asks; a forked child of its owner starts one of its own."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0
        self._installed: set[Grammar] = set()

    def ask(self, grammar: Grammar, data: bytes, part: Part = "tree") -> bytes:
        """The answer to a text as `parser_process` writes it; empty when parsing took too much.

        An "outline" is without what stands in the grammar's closed nodes, where the text has no fault;
        "leaves" are the tokens and comments, with the kept nodes. Raises PrerequisiteError where the
        grammar is not installed.
        """
        head = json.dumps(grammar.wanted(part)).encode()
        request = struct.pack(">II", len(head), len(data)) + head + data
        with self._lock:
            if grammar not in self._installed:
                _check_installed(grammar, "code" if part == "leaves" else "build")
                self._installed.add(grammar)
            try:
                answer = _exchange(self._running(), request)
            except BaseException:  # an interrupt, say: the answer to come would be taken for the next text's
                self._end()
                raise
            if answer is None:
                self._end()
            return answer or b""

    def close(self) -> None:
        """End the process, if there is one."""
        with self._lock:
            self._end()

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._owner != os.getpid() or self._process.poll() is not None:
            self._end()
            self._process, self._owner = _start(), os.getpid()
        return self._process

    def _end(self) -> None:
        """A process that belongs to the parent of a fork is left alone, its pipes too."""
        process, self._process = self._process, None
        if process is None or self._owner != os.getpid():
            return
        process.kill()
        process.communicate()


def _exchange(process: subprocess.Popen[bytes], request: bytes) -> bytes | None:
    """The answer to one request; None when the process ended over it."""
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
        # -P: the script's folder has modules called `go` and `python`, which nothing should find
        [sys.executable, "-P", str(_SCRIPT)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # an interrupt is for the one who asks
    )


PARSER = Parser()
atexit.register(PARSER.close)
