"""Fills the gaps in the interpreter's memory before the first fork, so that a fork fills none.

An interpreter allocates new objects in the gaps that earlier objects left in many pages, and a fork copies
each page it writes to. Without gaps, the objects of an answer lie side by side in new pages: a small answer
copies a third fewer pages.
"""

from __future__ import annotations

from typing import Any

_CLASSES = range(16, 513, 16)  # sizes that CPython keeps in pools: Objects/obmalloc.c
_POOL, _HEADER = 1 << 14, 48  # bytes of a pool since 3.10, and of its header
_BYTES = 33  # the size of an empty bytes object
_MAX_GAPS = 1000  # gaps of one size; bounds the search if another allocator is in use


def fillers() -> list[Any]:
    """Return objects that fill all gaps; the gaps stay filled while the list exists."""
    return [each for size in _CLASSES for each in _of_size(size)]


def _of_size(size: int) -> list[Any]:
    """Allocate until an object is the first of its pool: the pool was empty, so all earlier ones are full."""
    found = list[Any]()
    while len(found) < _MAX_GAPS:
        each = _untracked_object(size, len(found))
        if id(each) % _POOL == _HEADER:
            break
        found.append(each)
    return found


def _untracked_object(size: int, number: int) -> Any:
    """Return an object of this size that the collector does not track: tracked ones have a header."""
    if size == _CLASSES[0]:
        return object()
    return (1 << 20) + number if size < _BYTES else bytes(size - _BYTES)
