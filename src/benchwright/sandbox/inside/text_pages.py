"""Moves the interpreter's machine code into large pages, which saves page faults in every answer.

A fork inherits no page tables for code that is mapped from a file: each answer takes a fault per sixteen
pages. Page tables of anonymous memory in pages of 2 MiB are inherited. So the 2 MiB blocks that hold the
interpreter's code and the constants next to it are copied once, and the copies replace them as read-only,
executable memory. If the kernel provides no large page, nothing changes.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator

from .mappings import LARGE, MappedMemory, Mapping, read_mappings, read_only_runs


def enlarge_text() -> int:
    """Move the interpreter's code into large pages; return their number, 0 if the kernel provides none."""
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
    """Yield the addresses of the large blocks in one file's adjacent read-only mappings around an address."""
    for run in read_only_runs(mappings):
        if run[0].start <= inside < run[-1].end:
            start = -(-run[0].start // LARGE) * LARGE
            yield from range(start, run[-1].end // LARGE * LARGE, LARGE)
