"""Unpacking a reply that came packed although it was asked for unpacked, as some proxies send it.

The library's own unpacking says neither that packed data end too early nor what is wrong with them, and
unpacks a block whole: a few bytes may be a gigabyte.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable

BLOCK = 1 << 20  # unpacked at once
GZIP, DEFLATE = 31, 15  # zlib's window bits; `deflate` is zlib's format (RFC 9110, 8.4.1.2)


class Unpackable(Exception):
    """What came is not what its content-encoding says; the text says why."""


class Plain:
    """Content that is not packed."""

    def feed(self, data: bytes, keep: Callable[[bytes], None]) -> None:
        """Keep it."""
        keep(data)

    def end(self) -> None:
        """Whole, as far as this can tell."""


class Zlib:
    """Content packed by gzip or deflate."""

    def __init__(self, name: str, bits: int) -> None:
        self._name, self._bits = name, bits
        self._unpacker = zlib.decompressobj(bits)
        self._begun = False

    def feed(self, data: bytes, keep: Callable[[bytes], None]) -> None:
        """Unpack and keep the next bytes, a block at a time. Raises Unpackable; `keep` may raise to stop."""
        full = False  # of a full block more may be left, with nothing more to feed
        while data or full:
            if self._unpacker.eof:  # gzip may be several files in a row
                self._unpacker = zlib.decompressobj(self._bits)
            self._begun = True
            try:
                part = self._unpacker.decompress(data, BLOCK)
            except zlib.error as error:
                raise Unpackable(f"it is called {self._name} and is not: {error}") from None
            keep(part)
            full = len(part) == BLOCK and not self._unpacker.eof
            data = self._unpacker.unconsumed_tail or self._unpacker.unused_data

    def end(self) -> None:
        """Raise Unpackable when the end is missing."""
        if self._begun and not self._unpacker.eof:
            raise Unpackable(f"its {self._name} data end too early")


def unpacker(encoding: str) -> Plain | Zlib:
    """What unpacks content of this encoding, a header's value. Raises Unpackable for one that is unknown."""
    names = [name for part in encoding.lower().split(",") if (name := part.strip()) not in ("", "identity")]
    if not names:
        return Plain()
    if names in (["gzip"], ["x-gzip"]):
        return Zlib("gzip", GZIP)
    if names == ["deflate"]:
        return Zlib("deflate", DEFLATE)
    raise Unpackable(f"it is packed as {', '.join(names)}, which was not asked for")
