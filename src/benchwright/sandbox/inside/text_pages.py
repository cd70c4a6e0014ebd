"""The interpreter's machine code in large pages, so that an answer does not meet its 4 KiB pages one by one.

A fork inherits no page tables for code that is mapped from a file: each answer takes a fault for every
sixteen pages of it. Anonymous memory in pages of 2 MiB is inherited whole. So the blocks of 2 MiB that hold
the interpreter's code, with the constants beside it, are copied once and the copies moved over them, as
read-only and executable memory. Where the kernel gives no large page nothing is changed.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import NamedTuple

LARGE = 2 << 20
_READ_WRITE, _READ_EXECUTE = 3, 5
_PRIVATE_ANONYMOUS = 0x22
_MADV_HUGEPAGE = 14
_MAY_MOVE_FIXED = 3
_FAILED = ctypes.c_void_p(-1).value
_POINTER, _SIZE, _INT = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int


class Mapping(NamedTuple):
    """A line of /proc/self/maps (proc(5)): first address, the one after the last, rights, file."""

    start: int
    end: int
    rights: str
    name: str


def enlarge_text() -> int:
    """Put the interpreter's code into large pages. How many: none where the kernel has none to give."""
    inside = ctypes.cast(ctypes.pythonapi.PyObject_GetAttr, ctypes.c_void_p).value or 0
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as lines:
        blocks = list(large_blocks(list(map(read_mapping, lines)), inside))
    calls = _Calls()
    copies = [copy for block in blocks if (copy := calls.copy(block)) is not None]
    if len(copies) < len(blocks):
        for copy in copies:
            calls.unmap(copy, LARGE)
        return 0
    for copy, block in zip(copies, blocks, strict=True):
        calls.move(copy, block)
    return len(blocks)


def read_mapping(line: str) -> Mapping:
    """A line of /proc/self/maps, taken apart."""
    fields = line.split(maxsplit=5)
    start, end = (int(text, 16) for text in fields[0].split("-"))
    return Mapping(start, end, fields[1], fields[5].rstrip("\n") if len(fields) > 5 else "")


def large_blocks(mappings: list[Mapping], inside: int) -> Iterator[int]:
    """Addresses of the whole blocks in what one file maps read-only, without a gap, around an address."""
    place = next(number for number, each in enumerate(mappings) if each.start <= inside < each.end)
    first = last = place
    while first > 0 and _follow(mappings[first - 1], mappings[first]):
        first -= 1
    while last + 1 < len(mappings) and _follow(mappings[last], mappings[last + 1]):
        last += 1
    start = -(-mappings[first].start // LARGE) * LARGE
    yield from range(start, mappings[last].end // LARGE * LARGE, LARGE)


def _follow(one: Mapping, other: Mapping) -> bool:
    """Whether two mappings are one file's, side by side, both private and read-only."""
    both = one.end == other.start and one.name == other.name != ""
    return both and {one.rights, other.rights} <= {"r--p", "r-xp"}


class _Calls:
    """mmap(2) and its kin by address, which the module `mmap` does not have."""

    def __init__(self) -> None:
        libc = ctypes.CDLL(None)
        self._mmap, self._mremap, self._munmap = libc.mmap, libc.mremap, libc.munmap
        self._mmap.argtypes = [_POINTER, _SIZE, _INT, _INT, _INT, ctypes.c_long]
        self._mremap.argtypes = [_POINTER, _SIZE, _SIZE, _INT, _POINTER]
        self._mmap.restype = self._mremap.restype = ctypes.c_void_p
        self._madvise, self._mprotect = libc.madvise, libc.mprotect
        self._madvise.argtypes = self._mprotect.argtypes = [_POINTER, _SIZE, _INT]
        self._munmap.argtypes = [_POINTER, _SIZE]

    def copy(self, block: int) -> int | None:
        """Where a copy of a block is, in one large page; None where the kernel has given none."""
        space: int = self._mmap(None, 2 * LARGE, _READ_WRITE, _PRIVATE_ANONYMOUS, -1, 0)
        if space == _FAILED:
            return None
        place = -(-space // LARGE) * LARGE
        self.unmap(space, place - space)
        self.unmap(place + LARGE, space + LARGE - place)
        self._madvise(place, LARGE, _MADV_HUGEPAGE)  # if it is refused the page will not be large
        ctypes.memmove(place, block, LARGE)
        if self._mprotect(place, LARGE, _READ_EXECUTE) == 0 and _is_large(place):
            return place
        self.unmap(place, LARGE)
        return None

    def move(self, copy: int, block: int) -> None:
        """Put a copy in the place of its block, in one step. What is executed now goes on in it."""
        if self._mremap(copy, LARGE, LARGE, _MAY_MOVE_FIXED, block) != block:
            raise SystemExit("mremap: the interpreter's code could not be moved")

    def unmap(self, start: int, length: int) -> None:
        """Give memory back, where there is any."""
        if length:
            self._munmap(start, length)


def _is_large(place: int) -> bool:
    """Whether the mapping that begins here is one large page: `AnonHugePages` of smaps (proc(5))."""
    begins, found = f"{place:08x}-", False
    with open("/proc/self/smaps", encoding="utf-8", errors="replace") as lines:
        for line in lines:
            found = found or line.startswith(begins)
            if found and line.startswith("AnonHugePages:"):
                return line.split()[1] == str(LARGE >> 10)
    return False
