"""Which rows are there, of a million and more: eleven bytes of memory each, where a set takes a hundred."""

from __future__ import annotations

from array import array
from collections.abc import Iterable

from benchwright.records import KeyedRow, TaskId

_FULL = 0.75  # of the places: where more are taken, a search gets long
_LEAST = 64  # places
_MASK = (1 << 64) - 1


class KeySet:
    """A set of rows, each known by its key and its task, that grows until it is cleared.

    By both, since two tasks of equal content have equal keys. 64 bits of them are kept, in one table without
    gaps (open addressing, linear probing: Knuth, volume 3, section 6.4), which the operating system has back
    when it is cleared. Among a million rows, a million others are all told from them but with a probability
    below 1e-7 (n·m / 2**64); one that is not leaves a run without an answer, which then says so. `room` is
    for how many rows it is made: for more of them it has to be made anew, and is there twice for a moment.

    >>> known = KeySet([("a", "Task/1")])
    >>> ("a", "Task/1") in known, ("a", "Task/2") in known, len(known)
    (True, False, 1)
    """

    def __init__(self, rows: Iterable[KeyedRow] = (), *, room: int = 0) -> None:
        self._table, self._count = _empty(room), 0
        for key, task_id in rows:
            self.add(key, task_id)

    def __len__(self) -> int:
        return self._count

    def __contains__(self, row: KeyedRow) -> bool:
        return self._table[self._place(_mark(*row))] != 0

    def add(self, key: str, task_id: TaskId) -> None:
        """Put a row in; one that is there stays once."""
        if self._count >= _FULL * len(self._table):
            self._grow()
        mark = _mark(key, task_id)
        at = self._place(mark)
        if not self._table[at]:
            self._table[at] = mark
            self._count += 1

    def clear(self) -> None:
        """Take all rows out."""
        self._table, self._count = _empty(0), 0

    def _place(self, mark: int) -> int:
        """Where a mark is; where it is not, the free place that it would have."""
        table, size = self._table, len(self._table)
        at = mark % size
        while (found := table[at]) and found != mark:
            at = at + 1 if at + 1 < size else 0
        return at

    def _grow(self) -> None:
        before, self._table = self._table, _empty(self._count + self._count // 2)
        for mark in before:
            if mark:
                self._table[self._place(mark)] = mark


def _empty(room: int) -> array[int]:
    """A table for so many rows. 0 is a free place."""
    return array("Q", [0]) * (_LEAST + int(room / _FULL))


def _mark(key: str, task_id: TaskId) -> int:
    """64 bits that stand for a row in this process, which is all that a set is for."""
    return hash(f"{key} {task_id!r}") & _MASK or 1
