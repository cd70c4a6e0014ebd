"""The interpreter's machine code in large pages, so that an answer does not meet its 4 KiB pages one by one.

A fork inherits no page tables for code that is mapped from a file: each answer takes a fault for every
sixteen pages of it. Anonymous memory in pages of 2 MiB is inherited whole. So the blocks of 2 MiB that hold
the interpreter's code, with the constants beside it, are copied once and the copies moved over them, as
read-only and executable memory. Where the kernel gives no large page nothing is changed.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator

from .mappings import LARGE, MappedMemory, Mapping, read_mappings, read_only_runs


def enlarge_text() -> int:
    """Put the interpreter's code into large pages. How many: none where the kernel has none to give."""
    inside = ctypes.cast(ctypes.pythonapi.PyObject_GetAttr, ctypes.c_void_p).value or 0
    blocks, memory = list(large_blocks(read_mappings(), inside)), MappedMemory()
    copy = memory.large_space(len(blocks) * LARGE) if blocks else None
    if copy is None:
        return 0
    for number, block in enumerate(blocks):
        ctypes.memmove(copy + number * LARGE, block, LARGE)
    if not memory.make_code(copy, len(blocks) * LARGE):
        memory.unmap(copy, len(blocks) * LARGE)
        return 0
    for number, block in enumerate(blocks):
        memory.move(copy + number * LARGE, block, LARGE)
    return len(blocks)


def large_blocks(mappings: list[Mapping], inside: int) -> Iterator[int]:
    """Addresses of the whole blocks in what one file maps read-only, without a gap, around an address."""
    for run in read_only_runs(mappings):
        if run[0].start <= inside < run[-1].end:
            start = -(-run[0].start // LARGE) * LARGE
            yield from range(start, run[-1].end // LARGE * LARGE, LARGE)
