"""Content keys held in memory for a million rows and more: eleven bytes each, where a set takes a hundred."""

from __future__ import annotations

from collections.abc import Iterable

from benchwright.store.keys import compact

_WHOLE = 16  # bytes of a content key
_PIECE = 10  # of them are kept, beside the bits that choose a bucket
_SPARE = 4  # of the first sixteen bits: twelve choose one of 4,096 buckets


class KeySet:
    """A set of keys that grows, until it is cleared.

    Of a content key 92 bits are compared: among a million keys, a million others are all told from them with
    a probability of a false "yes" below 1e-15 (n·m / 2**92). Keys of another spelling are kept whole.

    >>> from benchwright.store.keys import content_key
    >>> known = KeySet([content_key("a")])
    >>> content_key("a") in known, content_key("b") in known, len(known)
    (True, False, 1)
    """

    def __init__(self, keys: Iterable[str] = ()) -> None:
        self._buckets: dict[int, bytearray] = {}
        self._others: set[bytes] = set()
        self._count = 0
        for key in keys:
            self.add(key)

    def __len__(self) -> int:
        return self._count + len(self._others)

    def __contains__(self, key: str) -> bool:
        whole = compact(key)
        if len(whole) != _WHOLE:
            return whole in self._others
        return _holds(self._buckets.get(_number(whole), b""), _piece(whole))

    def add(self, key: str) -> None:
        """Put a key in; one that is there stays once."""
        whole = compact(key)
        if len(whole) != _WHOLE:
            self._others.add(whole)
            return
        bucket = self._buckets.setdefault(_number(whole), bytearray())
        if not _holds(bucket, piece := _piece(whole)):
            bucket += piece
            self._count += 1

    def clear(self) -> None:
        """Take all keys out."""
        self._buckets.clear()
        self._others.clear()
        self._count = 0


def _number(whole: bytes) -> int:
    return (whole[0] << 8 | whole[1]) >> _SPARE


def _piece(whole: bytes) -> bytes:
    return whole[2 : 2 + _PIECE]


def _holds(bucket: bytes | bytearray, piece: bytes) -> bool:
    """Whether one of the bucket's pieces is this one; what begins inside of one is none."""
    at = bucket.find(piece)
    while at >= 0 and at % _PIECE:
        at = bucket.find(piece, at + 1)
    return at >= 0
