"""Packed replies: unpacked in pieces, and called by their fault where they cannot be."""

from __future__ import annotations

import gzip
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.models.http.connection import BLOCK, UndecodableContent, unpacker


def unpacked(encoding: str, *chunks: bytes) -> bytes:
    """What these chunks hold."""
    found = bytearray()
    unpacking = unpacker(encoding)
    for chunk in chunks:
        unpacking.feed(chunk, found.extend)
    unpacking.end()
    return bytes(found)


@given(st.binary(max_size=300), st.integers(1, 50), st.sampled_from(["gzip", "deflate", "", "identity"]))
def test_in_whatever_pieces_it_comes(content: bytes, size: int, encoding: str) -> None:
    """The decoded content is the same for all sizes of chunks."""
    pack = {"gzip": gzip.compress, "deflate": zlib.compress}.get(encoding, bytes)
    packed = pack(content)
    chunks = [packed[at : at + size] for at in range(0, len(packed), size)]

    assert unpacked(encoding, *chunks) == content


@given(st.binary(min_size=1, max_size=200), st.data())
def test_one_that_breaks_off(content: bytes, data: st.DataObject) -> None:
    """Cut anywhere, it is never taken for whole."""
    packed = gzip.compress(content)
    cut = data.draw(st.integers(1, len(packed) - 1))

    with pytest.raises(UndecodableContent):
        unpacked("gzip", packed[:cut])


def test_files_in_a_row() -> None:
    """As gzip allows."""
    assert unpacked("x-gzip", gzip.compress(b"a") + gzip.compress(b"b")) == b"ab"


@pytest.mark.parametrize("size", [BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK])
def test_what_unpacks_to_whole_blocks(size: int) -> None:
    """Nothing stays behind in the unpacker."""
    assert len(unpacked("gzip", gzip.compress(bytes(size)))) == size


def test_a_bomb_is_unpacked_a_block_at_a_time() -> None:
    """So whoever keeps it can stop."""
    kept: list[int] = []

    def keep(part: bytes) -> None:
        kept.append(len(part))
        if len(kept) == 3:
            raise MemoryError

    with pytest.raises(MemoryError):
        unpacker("gzip").feed(gzip.compress(bytes(64 << 20)), keep)

    assert max(kept) <= BLOCK


@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip, br", "GZIP, GZIP", "nonsense"])
def test_what_was_not_asked_for(encoding: str) -> None:
    """Only what every proxy can do is unpacked."""
    with pytest.raises(UndecodableContent, match="not asked for"):
        unpacker(encoding)
