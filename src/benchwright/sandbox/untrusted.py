"""Bytes that an answer chose, which nothing opens unless time and memory are bounded.

A value or a claim of an answer may be made to take hours or gigabytes of whoever reads it. A process that
dies of that has no verdict to give, and the answer would be missing where it is wrong. So what comes out of
the sandbox is `Untrusted`: its length and its equality with known bytes are free, all else needs `reveal`,
and that needs `bounds` in force. The types say where such bytes go; this check says that nobody forgot.
"""

from __future__ import annotations

import hashlib


class Unguarded(RuntimeError):
    """Untrusted bytes were opened where nothing bounds what that may take: a fault of this package."""


class BoundsInForce:
    """How many bounds are in force in this process. Whoever sets some raises `depth`, and lowers it after."""

    depth = 0


BOUNDS = BoundsInForce()


class Untrusted:
    """Bytes that an answer chose.

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
        """Whether the bytes begin with one of these."""
        return self._content.startswith(beginnings)

    def digest(self) -> bytes:
        """Their SHA-256."""
        return hashlib.sha256(self._content).digest()

    def reveal(self) -> bytes:
        """The bytes themselves. Raises Unguarded where no bounds are in force."""
        if not BOUNDS.depth:
            raise Unguarded("untrusted bytes are opened outside of the bounds of time and memory")
        return self._content
