"""Gathers the memory that forks share with the zygote in large pages, which makes each fork cheaper.

A fork writes a page table entry and increments a counter for each page; its end decrements it. That costs
140 ns per page if pages are scattered, less than half if they are parts of one large page, even when mapped
in small pages. A fork also makes a record per mapping: a library has five, or two if its code is a copy in
memory. So before the first fork the interpreter's data and the code of small libraries are copied once, and
the copies replace them. Without large pages nothing changes.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence

from .mappings import LARGE, PAGE, MappedMemory, Mapping, read_mappings, read_only_runs

Piece = tuple[int, int]  # address and length, both multiples of a page
LEAST = 1 << 16  # bytes of data; smaller areas are not worth their own mapping
MOST = 64 << 20  # bytes in total; more is not copied
_SPARE = 1 << 16  # most bytes of unused memory at an end: they cost less than a mapping


def gather_memory(move_data: Callable[[Sequence[Piece], int], None]) -> int:
    """Gather code and data of this process; return the number of bytes, 0 without large pages.

    `move_data` copies pieces to an address and moves the copies over them. It must not use them meanwhile, so
    it cannot be written in Python. Raises SystemExit if memory cannot be moved, since some is lost then.
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
    """Yield the code of each small library and the adjacent read-only mappings."""
    for run in read_only_runs(mappings):
        length = run[-1].end - run[0].start
        if length < LARGE and any(each.rights == "r-xp" for each in run):
            yield run[0].start, length


def written_data(mappings: list[Mapping], present: Callable[[int, int], bytes]) -> Iterator[Piece]:
    """Yield writable memory up to the last page in use, except the stack, which the mover uses."""
    for each in mappings:
        if each.rights == "rw-p" and each.name != "[stack]":
            whole = each.end - each.start
            used = len(present(each.start, whole).rstrip(b"\0")) * PAGE
            if used >= LEAST:
                yield each.start, whole if whole - used <= _SPARE else used


def _copies(pieces: list[Piece], space: int) -> Iterator[tuple[int, int, int]]:
    """Yield the address of the copy, the address and the length of each piece."""
    for place, length in pieces:
        yield space, place, length
        space += length


def _length(pieces: list[Piece]) -> int:
    return sum(length for _, length in pieces)
