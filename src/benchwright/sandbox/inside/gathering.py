"""What a fork shares with its zygote, gathered in large pieces of memory, so that it is shared for less.

For each page a fork writes an entry of a page table and counts one more user of the page; its end counts
one less. Where pages lie anywhere in memory that is 140 ns for each; where they are parts of one large page,
even if it is mapped in small ones, less than half. And for each mapping a fork makes a record: a library has
five, and two if its code is a copy in memory. So before the first fork the interpreter's data and the code of
small libraries are copied once, and the copies moved over them. Without large pages nothing is changed.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence

from .mappings import LARGE, PAGE, MappedMemory, Mapping, read_mappings, read_only_runs

Piece = tuple[int, int]  # address and length, both multiples of a page
LEAST = 1 << 16  # bytes of data; less is not worth a mapping of its own
MOST = 64 << 20  # bytes of all; more is not copied
_SPARE = 1 << 16  # bytes of unused memory at an end, at most: they cost less than a mapping


def gather_memory(move_data: Callable[[Sequence[Piece], int], None]) -> int:
    """Gather code and data of this process. How many bytes: none where the kernel has no large pages.

    `move_data` copies pieces to an address and moves the copies over them. It must not use them meanwhile, so
    no Python can do it. Raises SystemExit where memory cannot be moved: some is gone then.
    """
    memory, mappings = MappedMemory(), read_mappings()
    code, data = list(library_code(mappings)), list(written_data(mappings, memory.present))
    of_code, size = _length(code), _length(code) + _length(data)
    space = memory.large_space(size) if size <= MOST else None
    if space is None:
        return 0
    for copy, place, length in _copies(code, space):
        ctypes.memmove(copy, place, length)
    if memory.make_code(space, of_code):
        for copy, place, length in _copies(code, space):
            memory.move(copy, place, length)
    else:
        memory.unmap(space, of_code)
    move_data(data, space + of_code)
    memory.unmap(space + size, -size % LARGE)
    return size


def library_code(mappings: list[Mapping]) -> Iterator[Piece]:
    """The code of each small library, with all that is mapped read-only beside it."""
    for run in read_only_runs(mappings):
        length = run[-1].end - run[0].start
        if length < LARGE and any(each.rights == "r-xp" for each in run):
            yield run[0].start, length


def written_data(mappings: list[Mapping], present: Callable[[int, int], bytes]) -> Iterator[Piece]:
    """Memory that may be written to, up to the last page in use; not the stack, which its mover is on."""
    for each in mappings:
        if each.rights == "rw-p" and each.name != "[stack]":
            whole = each.end - each.start
            used = len(present(each.start, whole).rstrip(b"\0")) * PAGE
            if used >= LEAST:
                yield each.start, whole if whole - used <= _SPARE else used


def _copies(pieces: list[Piece], space: int) -> Iterator[tuple[int, int, int]]:
    """Where each piece has its copy, where it is, and its length."""
    for place, length in pieces:
        yield space, place, length
        space += length


def _length(pieces: list[Piece]) -> int:
    return sum(length for _, length in pieces)
