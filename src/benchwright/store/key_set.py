"""Which rows are there, of a million and more: nine bytes of memory each, where a set takes a hundred."""

from __future__ import annotations

from collections.abc import Iterable

from benchwright.records import TaskId
from benchwright.store.keys import compact

KeyedRow = tuple[str, TaskId]  # the key of an answer or a verdict, and its task

_WHOLE = 16  # bytes of a content key
_PIECE = 8  # of them are kept, beside the bits that choose a bucket
_MASK = (1 << 8 * _PIECE) - 1
_SPARE = 4  # of the first sixteen bits: twelve choose one of 4,096 buckets


class KeySet:
    """A set of rows, each known by its key and its task, that grows until it is cleared.

    By both, since two tasks of equal content have equal keys. 76 bits are compared: among a million rows, a
    million others are all told from them but with a probability below 2e-11 (n·m / 2**76). Keys of another
    spelling than a content key's are kept whole.

    >>> from benchwright.store.keys import content_key
    >>> known = KeySet([(content_key("a"), "Task/1")])
    >>> (content_key("a"), "Task/1") in known, (content_key("a"), "Task/2") in known, len(known)
    (True, False, 1)
    """

    def __init__(self, rows: Iterable[KeyedRow] = ()) -> None:
        self._buckets: dict[int, bytearray] = {}
        self._others: set[KeyedRow] = set()
        self._count = 0
        for key, task_id in rows:
            self.add(key, task_id)

    def __len__(self) -> int:
        return self._count + len(self._others)

    def __contains__(self, row: KeyedRow) -> bool:
        whole = compact(row[0])
        if len(whole) != _WHOLE:
            return row in self._others
        return _holds(self._buckets.get(_number(whole), b""), _piece(whole, row[1]))

    def add(self, key: str, task_id: TaskId) -> None:
        """Put a row in; one that is there stays once."""
        whole = compact(key)
        if len(whole) != _WHOLE:
            self._others.add((key, task_id))
            return
        bucket = self._buckets.setdefault(_number(whole), bytearray())
        if not _holds(bucket, piece := _piece(whole, task_id)):
            bucket += piece
            self._count += 1

    def clear(self) -> None:
        """Take all rows out."""
        self._buckets.clear()
        self._others.clear()
        self._count = 0


def _number(whole: bytes) -> int:
    return (whole[0] << 8 | whole[1]) >> _SPARE


def _piece(whole: bytes, task_id: TaskId) -> bytes:
    """A part of the key, mixed with the task in a way that holds for this process."""
    part = int.from_bytes(whole[2 : 2 + _PIECE])
    return (part ^ hash(repr(task_id)) & _MASK).to_bytes(_PIECE)


def _holds(bucket: bytes | bytearray, piece: bytes) -> bool:
    """Whether one of the bucket's pieces is this one; what begins inside of one is none."""
    at = bucket.find(piece)
    while at >= 0 and at % _PIECE:
        at = bucket.find(piece, at + 1)
    return at >= 0
