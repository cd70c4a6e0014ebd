"""Bytes chosen by an answer, which can be read only within bounds on time and memory.

An answer may craft a value that takes hours or gigabytes to read. If the reading process died, the answer
would be missing instead of wrong. So everything from the sandbox is `Untrusted`: its length and equality with
known bytes are available, everything else requires `reveal`, which requires active `bounds`. The type shows
where such bytes go; the check ensures that bounds are not forgotten.
"""

from __future__ import annotations

import hashlib


class Unguarded(RuntimeError):
    """Untrusted bytes were read without bounds on time and memory: a bug in this package."""


class BoundsInForce:
    """Number of active bounds in this process; code that sets bounds increments `depth` meanwhile."""

    depth = 0


BOUNDS = BoundsInForce()


class Untrusted:
    """Bytes chosen by an answer.

    >>> Untrusted(b"N") == b"N"
    True
    """

    __slots__ = ("_content",)

    def __init__(self, content: bytes) -> None:
        self._content = content

    def __len__(self) -> int:
        return len(self._content)

    def __eq__(self, other: object) -> bool:
        return self._content == (other._content if isinstance(other, Untrusted) else other)

    def __hash__(self) -> int:
        return hash(self._content)

    def __repr__(self) -> str:
        return f"Untrusted({len(self._content)} bytes)"

    def startswith(self, beginnings: tuple[bytes, ...]) -> bool:
        """Return whether the bytes begin with one of `beginnings`."""
        return self._content.startswith(beginnings)

    def digest(self) -> bytes:
        """Return the SHA-256 of the bytes."""
        return hashlib.sha256(self._content).digest()

    def reveal(self) -> bytes:
        """Return the bytes. Raises Unguarded without active bounds."""
        if not BOUNDS.depth:
            raise Unguarded("untrusted bytes read without bounds on time and memory")
        return self._content
