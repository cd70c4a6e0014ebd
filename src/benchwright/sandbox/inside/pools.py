"""Fills the gaps in the interpreter's memory before the first fork, so that a fork fills none.

What an interpreter allocates goes into the gaps that earlier objects left, a few in each of many pages; in a
fork each of these pages is then copied for the little that is put there. With no gap left, all that an answer
makes lies side by side in pages that are new: a third fewer are copied for a small one.
"""

from __future__ import annotations

from typing import Any

_CLASSES = range(16, 513, 16)  # sizes that CPython keeps in pools: Objects/obmalloc.c
_POOL, _HEADER = 1 << 14, 48  # bytes of a pool since 3.10, and of what stands at its start
_BYTES = 33  # the size of an empty text of bytes
_MOST = 1000  # gaps of one size; where memory is kept otherwise, the search ends with them


def fillers() -> list[Any]:
    """Objects in all gaps: to be kept as long as the gaps are to stay filled."""
    return [each for size in _CLASSES for each in _of_size(size)]


def _of_size(size: int) -> list[Any]:
    """Until one is the first of its pool: that pool was empty, so those before it are full."""
    found = list[Any]()
    while len(found) < _MOST:
        each = _made(size, len(found))
        if id(each) % _POOL == _HEADER:
            break
        found.append(each)
    return found


def _made(size: int, number: int) -> Any:
    """An object of this size that the collector does not follow: those have their place before their id."""
    if size == _CLASSES[0]:
        return object()
    return (1 << 20) + number if size < _BYTES else bytes(size - _BYTES)
