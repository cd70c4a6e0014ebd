"""The memory of this process: what is mapped where, and how to map, move and protect it."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import NamedTuple

PAGE, LARGE = 1 << 12, 2 << 20  # bytes of a page and of a large one, where this is used
_READ_WRITE, _READ_EXECUTE = 3, 5
_PRIVATE_ANONYMOUS = 0x22
_MADV_HUGEPAGE = 14
_MAY_MOVE_FIXED = 3
_FAILED = ctypes.c_void_p(-1).value
_POINTER, _SIZE, _INT = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int


class Mapping(NamedTuple):
    """A line of /proc/self/maps (proc(5)): first address, the one after the last, rights, file.

    `file` is device and inode, which a jail does not change as it does names; empty for memory without one.
    """

    start: int
    end: int
    rights: str
    file: str
    name: str


def read_mappings() -> list[Mapping]:
    """All mappings of this process, by address."""
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as lines:
        return list(map(read_mapping, lines))


def read_mapping(line: str) -> Mapping:
    """A line of /proc/self/maps, taken apart."""
    fields = line.split(maxsplit=5)
    start, end = (int(text, 16) for text in fields[0].split("-"))
    file = "" if fields[4] == "0" else f"{fields[3]} {fields[4]}"
    return Mapping(start, end, fields[1], file, fields[5].rstrip("\n") if len(fields) > 5 else "")


def read_only_runs(mappings: list[Mapping]) -> Iterator[list[Mapping]]:
    """What a file maps side by side, private and not to be written to: code and the constants beside it."""
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
    """mmap(2) and its kin by address, which the module `mmap` does not have."""

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
        """Where new memory is, all of it in large pages; None where the kernel has given none."""
        size = -(-size // LARGE) * LARGE
        space: int = self._mmap(None, size + LARGE, _READ_WRITE, _PRIVATE_ANONYMOUS, -1, 0)
        if space == _FAILED:
            return None
        place = -(-space // LARGE) * LARGE
        self.unmap(space, place - space)
        self.unmap(place + size, space + LARGE - place)
        self._madvise(place, size, _MADV_HUGEPAGE)  # if it is refused the pages will not be large
        for page in range(place, place + size, LARGE):
            ctypes.memset(page, 0, 1)
        if _large_bytes(place) == size:
            return place
        self.unmap(place, size)
        return None

    def make_code(self, start: int, length: int) -> bool:
        """Make memory read-only and executable; False where that is refused."""
        made: int = self._mprotect(start, length, _READ_EXECUTE)
        return made == 0

    def move(self, start: int, place: int, length: int) -> None:
        """Put memory in the place of other memory, in one step. What is executed there goes on in it."""
        if self._mremap(start, length, length, _MAY_MOVE_FIXED, place) != place:
            raise SystemExit("mremap: the interpreter's code could not be moved")

    def present(self, start: int, length: int) -> bytes:
        """Which pages have something in them: a byte for each, other than 0 where it has (mincore(2))."""
        pages = ctypes.create_string_buffer(length // PAGE)
        self._mincore(start, length, pages)
        return pages.raw

    def unmap(self, start: int, length: int) -> None:
        """Give memory back, where there is any."""
        if length:
            self._munmap(start, length)


def _large_bytes(place: int) -> int:
    """How much of the mapping that begins here is in large pages: `AnonHugePages` of smaps (proc(5))."""
    begins, found = f"{place:08x}-", False
    with open("/proc/self/smaps", encoding="utf-8", errors="replace") as lines:
        for line in lines:
            found = found or line.startswith(begins)
            if found and line.startswith("AnonHugePages:"):
                return int(line.split()[1]) << 10
    return 0
