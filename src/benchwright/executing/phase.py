"""The phase of a worker, in a word of shared memory that its runner can read after the worker has died.

A message would cost a system call each time, and a worker that is about to be killed could not send it.
"""

from __future__ import annotations

import os
from enum import IntEnum
from mmap import PAGESIZE, mmap
from struct import Struct

_WORD = Struct("<q")
_BITS = 3  # of the phase, below the job's number


class Phase(IntEnum):
    """The phase of a job in a worker."""

    idle = 0  # nothing
    executing = 1  # has it run in the sandbox, or ends it there
    reading = 2  # takes the program from an answer's text
    checking = 3  # compares the answer's values
    leaving = 4  # none of them: it ends of itself, with nothing to blame on a job

    @property
    def is_the_answers(self) -> bool:
        """Whether the worker processes text or values of the answer, and nothing else."""
        return self in (Phase.reading, Phase.checking)


class PhasePage:
    """The shared word. One side makes it with `create` and passes `fd`; the other opens it."""

    def __init__(self, fd: int) -> None:
        self._memory = mmap(fd, PAGESIZE)

    @classmethod
    def create(cls) -> tuple[PhasePage, int]:
        """Return a new page in phase "idle", and the descriptor of its memory, which the caller closes."""
        fd = os.memfd_create("phase", os.MFD_CLOEXEC)
        os.ftruncate(fd, PAGESIZE)
        return cls(fd), fd

    def write(self, phase: Phase, number: int = 0) -> None:
        """Set the phase and the number of the job."""
        _WORD.pack_into(self._memory, 0, number << _BITS | phase)

    def read(self) -> tuple[Phase, int]:
        """Return the last phase and job."""
        (word,) = _WORD.unpack_from(self._memory)
        return Phase(word & (1 << _BITS) - 1), word >> _BITS

    def close(self) -> None:
        """Release the memory."""
        self._memory.close()
