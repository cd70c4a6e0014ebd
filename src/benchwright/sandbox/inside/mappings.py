"""The memory mappings of this process: reads, creates, moves and protects them."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import NamedTuple

PAGE, LARGE = 1 << 12, 2 << 20  # bytes of a page and of a large page
_READ_WRITE, _READ_EXECUTE = 3, 5
_PRIVATE_ANONYMOUS = 0x22
_MADV_HUGEPAGE = 14
_MAY_MOVE_FIXED = 3
_FAILED = ctypes.c_void_p(-1).value
_POINTER, _SIZE, _INT = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int


class Mapping(NamedTuple):
    """A line of /proc/self/maps (proc(5)): first address, end address, permissions, file.

    `file` is device and inode, which are the same in a jail, unlike names; empty for anonymous memory.
    """

    start: int
    end: int
    rights: str
    file: str
    name: str


def read_mappings() -> list[Mapping]:
    """Return all mappings of this process, ordered by address."""
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as lines:
        return list(map(read_mapping, lines))


def read_mapping(line: str) -> Mapping:
    """Parse a line of /proc/self/maps."""
    fields = line.split(maxsplit=5)
    start, end = (int(text, 16) for text in fields[0].split("-"))
    file = "" if fields[4] == "0" else f"{fields[3]} {fields[4]}"
    return Mapping(start, end, fields[1], file, fields[5].rstrip("\n") if len(fields) > 5 else "")


def read_only_runs(mappings: list[Mapping]) -> Iterator[list[Mapping]]:
    """Yield runs of adjacent private read-only mappings of one file: code and the constants next to it."""
    run = list[Mapping]()
    for each in mappings:
        if not run or not _follow(run[-1], each):
            yield from [run] if run else []
            run = []
        if each.file and each.rights in ("r--p", "r-xp"):
            run.append(each)
    yield from [run] if run else []


def _follow(one: Mapping, other: Mapping) -> bool:
    return one.end == other.start and one.file == other.file


class MappedMemory:
    """mmap(2) and related calls on addresses, which the module `mmap` lacks."""

    def __init__(self) -> None:
        libc = ctypes.CDLL(None)
        self._mmap, self._mremap, self._munmap = libc.mmap, libc.mremap, libc.munmap
        self._mmap.argtypes = [_POINTER, _SIZE, _INT, _INT, _INT, ctypes.c_long]
        self._mremap.argtypes = [_POINTER, _SIZE, _SIZE, _INT, _POINTER]
        self._mmap.restype = self._mremap.restype = ctypes.c_void_p
        self._madvise, self._mprotect = libc.madvise, libc.mprotect
        self._madvise.argtypes = self._mprotect.argtypes = [_POINTER, _SIZE, _INT]
        self._mincore = libc.mincore
        self._mincore.argtypes = [_POINTER, _SIZE, _POINTER]
        self._munmap.argtypes = [_POINTER, _SIZE]

    def large_space(self, size: int) -> int | None:
        """Return the address of new memory in large pages, or None if the kernel provides none."""
        size = -(-size // LARGE) * LARGE
        space: int = self._mmap(None, size + LARGE, _READ_WRITE, _PRIVATE_ANONYMOUS, -1, 0)
        if space == _FAILED:
            return None
        place = -(-space // LARGE) * LARGE
        self.unmap(space, place - space)
        self.unmap(place + size, space + LARGE - place)
        self._madvise(place, size, _MADV_HUGEPAGE)  # a refusal shows in _large_bytes below
        for page in range(place, place + size, LARGE):
            ctypes.memset(page, 0, 1)
        if _large_bytes(place) == size:
            return place
        self.unmap(place, size)
        return None

    def make_code(self, start: int, length: int) -> bool:
        """Make memory read-only and executable; return False if the kernel refuses."""
        status: int = self._mprotect(start, length, _READ_EXECUTE)
        return status == 0

    def move(self, start: int, place: int, length: int) -> None:
        """Replace other memory by this memory in one step; code that runs there continues in the copy."""
        if self._mremap(start, length, length, _MAY_MOVE_FIXED, place) != place:
            raise SystemExit("mremap: the interpreter's code could not be moved")

    def present(self, start: int, length: int) -> bytes:
        """Return a byte per page, not 0 if the page is resident (mincore(2))."""
        pages = ctypes.create_string_buffer(length // PAGE)
        self._mincore(start, length, pages)
        return pages.raw

    def unmap(self, start: int, length: int) -> None:
        """Unmap memory; a length of 0 does nothing."""
        if length:
            self._munmap(start, length)


def _large_bytes(place: int) -> int:
    """Return the bytes in large pages of the mapping that begins here: `AnonHugePages` of smaps (proc(5))."""
    begins, found = f"{place:08x}-", False
    with open("/proc/self/smaps", encoding="utf-8", errors="replace") as lines:
        for line in lines:
            found = found or line.startswith(begins)
            if found and line.startswith("AnonHugePages:"):
                return int(line.split()[1]) << 10
    return 0
