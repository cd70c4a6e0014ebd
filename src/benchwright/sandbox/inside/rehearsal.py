"""Warms the interpreter up before the first fork.

The interpreter caches method look-ups, specialised instructions and bound symbols of libc when it first
meets them. In a fork each such write copies a page, 3 µs each. So the zygote serves a few small programs
of its own before it forks. They leave nothing behind: their module is removed, and their frames go to a
socket that is closed unread.
"""

from __future__ import annotations

import marshal
import os
import sys
from _socket import socketpair
from collections.abc import Callable

from . import child, wire

TIMES = 10  # the interpreter specialises a function after eight calls
_PROGRAM = """
from typing import List, Tuple, Dict, Any, Optional


def f(items: List[Any], count: int = 1) -> Any:
    \"\"\"Some steps that most programs take.\"\"\"
    found, seen, words = [], {}, set()
    for number, item in enumerate(items):
        found.append(str(item).lower().upper().strip())
        words.add(item)
        if item not in seen and number % 2 == 0:
            seen[item] = number + count
    found.sort()
    text = ", ".join(sorted(found, key=lambda word: (len(word), word)))
    total = sum(value for value in seen.values()) / max(1, len(found))
    parts = text.replace(",", " ").split()
    return [parts[::-1], tuple(found), {word: text.count(word) for word in parts}, total, float(total) > 1]
"""
_CALLS = [(([1, 2, 3],), {}), ((["a", "b"], 2), {}), (([],), {"count": 3})]
_KINDS = (str, list, dict, set, tuple, int, float)


def rehearse(serve: Callable[[], None] = child.serve_job) -> None:
    """Serve a program several times as if it were an answer, from source and from code.

    `serve` serves one job on the descriptor of an answer's socket.
    """
    code = marshal.dumps(compile(_PROGRAM, "<solution>", "exec", dont_inherit=True))
    for number in range(TIMES):
        _serve(("batch", "f", code if number else _PROGRAM, wire.encode(_CALLS)), serve)
    for kind in _KINDS:
        for name in dir(kind):
            getattr(kind, name)
    sys.modules.pop("solution", None)


def _serve(job: tuple[str, str, str | bytes, bytes], serve: Callable[[], None]) -> None:
    """Serve one job over a socket pair on the descriptor of an answer's socket."""
    saved_fd = os.dup(child.ANSWER_FD)
    inner, outer = socketpair()
    try:
        outer.sendall(wire.frame(b"", marshal.dumps(job, wire.FORMAT)))
        os.dup2(inner.fileno(), child.ANSWER_FD)
        serve()
    finally:
        os.dup2(saved_fd, child.ANSWER_FD)
        os.close(saved_fd)
        inner.close()
        outer.close()
