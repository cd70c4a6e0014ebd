"""Gaps in the interpreter's memory are filled."""

from __future__ import annotations

import sys

from benchwright.sandbox.inside.pools import fillers


def test_objects_of_every_size_fill_the_gaps() -> None:
    """Gaps of each size in pools are filled; the next object begins a pool or uses a new one."""
    found = fillers()
    sizes = {-(-sys.getsizeof(each) // 16) * 16 for each in found}
    again = fillers()

    assert sizes <= set(range(16, 513, 16))
    assert (len(found) < 32_000, len(again) <= len(found) + 320) == (True, True)
