"""The zygote's loop and the set-up of answers in machine code (compiled/zygote.c), if the jail has it.

After a fork, each page that either side writes to is copied. A loop in Python writes to many: reference
counts, frames, small objects. The compiled loop writes only to its stack.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence

from . import child, linux
from .api_table import api_table, make_module
from .gathering import Piece, gather_memory

# Return values of `serve_answers`.
_SERVE, _ENDS = 0, {1: 0, 2: "a control message out of turn", 3: "a malformed control message"}
_STEPS = (
    *(
        "",
        "recvmsg",
        "clone",
        "wait",
        "send",
        "setsid",
        "chdir /tmp",
        "setrlimit",
        "capset",
        "open /dev/null",
    ),
    "dup",
)
_CLONE, _SESSION, _MOUNT = 2, 5, len(_STEPS)


class _Mount(ctypes.Structure):
    _fields_ = (
        ("source", ctypes.c_char_p),
        ("target", ctypes.c_char_p),
        ("kind", ctypes.c_char_p),
        ("flags", ctypes.c_ulong),
        ("data", ctypes.c_char_p),
    )


class _Settings(ctypes.Structure):
    _fields_ = (
        ("namespaces", ctypes.c_ulong),
        ("most_cpu_s", ctypes.c_ulong),
        ("last_file", ctypes.c_long),
        ("mount_count", ctypes.c_long),
        ("mounts", ctypes.POINTER(_Mount)),
        ("interpreter", ctypes.c_void_p),
    )


class CompiledLoop:
    """The compiled loop and its settings. Raises OSError if it cannot be loaded."""

    def __init__(
        self, *, namespaces: int, most_cpu_s: int, open_files: int, mounts: Sequence[linux.Mount]
    ) -> None:
        # PyDLL keeps the interpreter's lock: releasing it would write to pages in every answer.
        library = ctypes.PyDLL(linux.ZYGOTE_OBJECT)
        self._serve, self._move = library.serve_answers, library.move_memory
        self._serve.restype = self._move.restype = ctypes.c_long
        self._table, self._serve_one = api_table(), library.serve_answer
        self._targets = [target.decode() for _, target, _, _, _ in mounts]
        table = (_Mount * len(mounts))(*(_Mount(*each) for each in mounts))
        interpreter = None if self._table is None else ctypes.addressof(self._table)
        self._settings = _Settings(namespaces, most_cpu_s, open_files, len(mounts), table, interpreter)
        self._pointer = ctypes.byref(self._settings)

    def make_module(self) -> None:
        """Make the module of the next program."""
        if self._table is not None:
            make_module(self._table)

    def serve_job(self) -> None:
        """Serve one answer without a fork."""
        self.make_module()
        if self._table is None:
            child.serve_job()
        else:
            self._serve_one(ctypes.byref(self._table))

    def fork_answers(self) -> str:
        """Fork, serve and end answers as the control socket requests.

        Returns in the zygote the reason of a failed fork; an empty text in an answer that Python shall serve.

        Raises OSError in an answer whose set-up failed, and SystemExit in the zygote at its end.
        """
        code: int = self._serve(self._pointer)
        return "" if code == _SERVE else self._explained(code)

    def gather_memory(self) -> None:
        """Gather the memory that answers share. Raises SystemExit if memory was lost."""
        if linux.LARGE_PAGES:
            gather_memory(self._move_data)

    def _move_data(self, pieces: Sequence[Piece], space: int) -> None:
        table = (linux.MemoryPiece * len(pieces))(*(linux.MemoryPiece(*each) for each in pieces))
        if number := self._move(table, ctypes.c_long(len(pieces)), ctypes.c_void_p(space)):
            raise SystemExit(f"mremap: the interpreter's data could not be moved: {os.strerror(-number)}")

    def _explained(self, code: int) -> str:
        step, number = code >> 16, code & 0xFFFF
        if step == 0:
            raise SystemExit(_ENDS[code])
        name = _STEPS[step] if step < _MOUNT else f"mount {self._targets[step - _MOUNT]}"
        error = OSError(number, f"{name}: {os.strerror(number)}")
        if step == _CLONE:
            return str(error)
        raise error if step >= _SESSION else SystemExit(str(error))
