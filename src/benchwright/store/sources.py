"""One door to the rows of a data set, whatever it is stored as: JSON, JSON Lines, gzip, Parquet, hub."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from benchwright.display.escape import escaped_path
from benchwright.store.files import BUFFER, READ_ERRORS, broken_off, locate, open_binary
from benchwright.store.hub import download, is_hub
from benchwright.store.lines import Row, read_rows
from benchwright.store.parquet import is_parquet, read_parquet


def files(source: str | Path) -> list[Path]:
    """The files that hold the rows of a source, in order; those of a hub source are downloaded first."""
    return download(str(source)) if is_hub(source) else [locate(source)]


def place(source: str | Path) -> str:
    """How messages name a source: the file inside a folder, or the hub's name."""
    return str(source) if is_hub(source) else escaped_path(locate(source))


def open_rows(source: str | Path) -> Iterator[Row]:
    """The rows of a data set, one at a time. The content of a file decides how it is read, not its name."""
    for path in files(source):
        yield from read_parquet(path) if is_parquet(path) else read_rows(path)


def data_hash(source: str | Path) -> str:
    """SHA-256 of a source's content, decompressed: a file and its gzip have one hash.

    For a plain file it is what `sha256sum` prints; for several files, the hash of their hashes.
    """
    digests = [_digest(path) for path in files(source)]
    return digests[0] if len(digests) == 1 else hashlib.sha256("".join(digests).encode()).hexdigest()


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    with open_binary(path) as stream:
        try:
            while chunk := stream.read(BUFFER):
                digest.update(chunk)
        except READ_ERRORS as error:
            raise broken_off(error, escaped_path(path), 1) from None
    return digest.hexdigest()
