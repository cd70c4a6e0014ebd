"""Mappings are read in the kernel's format; new memory is in large pages, or refused."""

from __future__ import annotations

import ctypes
import itertools
import mmap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.sandbox.inside import mappings
from benchwright.sandbox.inside.mappings import (
    LARGE,
    PAGE,
    MappedMemory,
    Mapping,
    read_mapping,
    read_mappings,
)
from kit.needs import skip
from kit.zygotes import needs_large_pages

LIBRARY = "/usr/lib/libpython3.so.1.0"


@given(
    st.integers(0, 2**47).map(lambda page: page << 12),
    st.integers(1, 2**20),
    st.sampled_from(["r--p", "r-xp", "rw-p", "---p", "rwxs"]),
    st.sampled_from(["", "[heap]", LIBRARY, "/tmp/with a blank", "/tmp/gone (deleted)"]),
    st.integers(0, 2**32),
)
def test_a_line_of_maps_is_taken_apart(start: int, pages: int, rights: str, name: str, inode: int) -> None:
    """Names may be empty or have blanks."""
    end = start + (pages << 12)
    line = f"{start:08x}-{end:08x} {rights} 00001000 fe:00 {inode}".ljust(73) + name + "\n"

    assert read_mapping(line) == Mapping(start, end, rights, f"fe:00 {inode}" if inode else "", name)


def test_the_mappings_of_this_process_are_in_order() -> None:
    """They are sorted by address, do not overlap, and include the stack."""
    found = read_mappings()

    assert all(one.end <= other.start for one, other in itertools.pairwise(found))
    assert "[stack]" in {each.name for each in found}


@given(
    st.lists(st.tuples(st.sampled_from(["r--p", "r-xp", "rw-p", "r--s"]), st.sampled_from(["", "a", "b"])))
)
def test_runs_are_of_one_file_and_never_written_to(parts: list[tuple[str, str]]) -> None:
    """They are adjacent and as long as possible, and every suitable mapping is in one."""
    made = [Mapping(at, at + 1, rights, file, "") for at, (rights, file) in enumerate(parts)]
    runs = list(mappings.read_only_runs(made))
    kept = [each for each in made if each.file and each.rights in ("r--p", "r-xp")]

    assert [each for run in runs for each in run] == kept
    assert all(len({each.file for each in run}) == 1 for run in runs)
    assert all(
        one[-1].end < other[0].start or one[-1].file != other[0].file
        for one, other in itertools.pairwise(runs)
    )


@pytest.mark.parametrize("size", [1, LARGE, LARGE + 1])
def test_new_memory_is_in_large_pages(size: int) -> None:
    """It has at least the requested size, begins at a multiple of the page size, and is zero."""
    needs_large_pages()
    memory, whole = MappedMemory(), -(-size // LARGE) * LARGE
    place = memory.large_space(size)
    if place is None:
        skip("the kernel has no large page free at the moment")
    content, large = ctypes.string_at(place, whole), mappings._large_bytes(place)
    memory.unmap(place, whole)

    assert (place % LARGE, content == bytes(whole), large) == (0, True, whole)


def test_memory_that_is_not_large_is_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """None of it is left."""
    asked: list[tuple[int, int]] = []
    unmap = MappedMemory.unmap
    monkeypatch.setattr(mappings, "_large_bytes", lambda place: 0)
    monkeypatch.setattr(
        MappedMemory, "unmap", lambda self, *words: asked.append(words) or unmap(self, *words)
    )
    place = MappedMemory().large_space(LARGE)

    assert (place, sum(length for _, length in asked)) == (None, 2 * LARGE)


def test_pages_in_use_are_told() -> None:
    """One page was written to, the others were not."""
    with mmap.mmap(-1, 4 * PAGE, flags=mmap.MAP_PRIVATE) as made:
        made[2 * PAGE] = 1
        inside = ctypes.c_char.from_buffer(made)
        place = ctypes.addressof(inside)
        found = MappedMemory().present(place, 4 * PAGE)
        del inside

    assert [page != 0 for page in found] == [False, False, True, False]


def test_code_cannot_be_made_of_nothing() -> None:
    """The kernel's refusal is reported, here for an address without memory."""
    assert not MappedMemory().make_code(1 << 60, PAGE)
