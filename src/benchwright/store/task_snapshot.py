"""The data set inside a run folder, `tasks.gz`: what was run can be read wherever the folder is.

A file of JSON or JSON Lines is kept byte for byte, packed, so that its unpacked content has the hash that
the run's identity names, and the same run can be continued with it as `--data`. Of Parquet, CSV and YAML, of
several files from a hub, and of data read by a field map, the rows are kept as JSON Lines. `run.json` has the
hash and the size of the content: `"tasks": {"sha256", "bytes"}`, or null where the tasks are withheld;
folders of earlier versions have no such field. Runs of one data set in neighbouring folders share one file by
hard links, which a copy of a single folder does not notice.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from gzip import GzipFile
from hashlib import sha256
from pathlib import Path
from typing import Any

from benchwright.display.escape import escaped_path
from benchwright.errors import DataError, RunError
from benchwright.store.data_files import files, open_rows
from benchwright.store.field_map import MappedData
from benchwright.store.files import BUFFER, READ_ERRORS, broken_off, is_parquet, open_binary
from benchwright.store.tables import table_format
from benchwright.store.writing import replacing

NAME = "tasks.gz"
MAX_BYTES = 4 << 30  # unpacked: more than any data set, and an end for a file that unpacks for ever
_LEVEL = 6


def store_tasks(source: str | Path, folder: Path, *, data: str) -> dict[str, Any]:
    """Write the data set into the folder in one step. Returns its fields for run.json.

    `data` is its hash in the run's identity. Raises DataError if the file has changed since.
    """
    digest, size = sha256(), 0
    with (
        replacing(folder / NAME) as file,
        GzipFile("", "wb", compresslevel=_LEVEL, fileobj=file, mtime=0) as packed,
    ):
        for chunk in _content(source):
            digest.update(chunk)
            size += packed.write(chunk)
        if _is_kept_as_it_is(source) and digest.hexdigest() != data:
            hint = "try again when no process writes to it"
            raise DataError("the file changed while it was read", path=escaped_path(source), hint=hint)
    _share(folder / NAME)
    return {"sha256": digest.hexdigest(), "bytes": size}


def check(path: Path, stated: Any) -> None:
    """Raise RunError unless the file unpacks to the content that run.json names."""
    if not is_whole(path, stated):
        hint = "restore it from a copy of the folder, or name the data set: --data PATH"
        raise RunError(f"{escaped_path(path)} is not the file that the run stored", hint=hint)


def hash_of(stated: Any) -> str:
    """Return the hash of the content in run.json; empty if there is none."""
    digest = stated.get("sha256") if isinstance(stated, dict) else None
    return digest if isinstance(digest, str) else ""


def is_whole(path: Path, stated: Any) -> bool:
    """Return whether the file exists and unpacks to the content that run.json names."""
    size = stated.get("bytes") if isinstance(stated, dict) else None
    if not (isinstance(size, int) and 0 <= size <= MAX_BYTES and path.is_file()):
        return False
    digest, left = sha256(), size
    with suppress(DataError):  # cut or damaged: then the hash is not what it was
        for chunk in _unpacked(path):
            left -= len(chunk)
            if left < 0:
                return False
            digest.update(chunk)
    return left == 0 and digest.hexdigest() == hash_of(stated)


def _content(source: str | Path) -> Iterator[bytes]:
    if _is_kept_as_it_is(source):
        yield from _unpacked(files(source)[0])
        return
    for row in open_rows(source):
        yield json.dumps(row.data, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _is_kept_as_it_is(source: str | Path) -> bool:
    found = files(source)
    if len(found) != 1 or isinstance(source, MappedData):
        return False
    return table_format(found[0]) is None and not is_parquet(found[0])


def _unpacked(path: Path) -> Iterator[bytes]:
    with open_binary(path) as stream:
        try:
            while chunk := stream.read(BUFFER):
                yield chunk
        except READ_ERRORS as error:
            raise broken_off(error, escaped_path(path), 1) from None


def _share(path: Path) -> None:
    """Make the file a link to an equal one of a neighbouring run.

    Without support for links, or if the other run is deleted meanwhile, the folder keeps its own copy.
    """
    link = path.with_name(f".{NAME}.link")
    with suppress(OSError), os.scandir(path.parent.absolute().parent) as folders:
        for folder in folders:
            if _can_be_shared(other := Path(folder.path) / NAME, path) and _are_equal(other, path):
                link.unlink(missing_ok=True)
                os.link(other, link, follow_symlinks=False)
                link.replace(path)
                return


def _can_be_shared(other: Path, path: Path) -> bool:
    """Only a plain file of the same owner, who could change our own as well."""
    try:
        theirs, ours = other.lstat(), path.lstat()
    except OSError:  # not a run folder, or one of another user
        return False
    same = (theirs.st_size, theirs.st_dev, theirs.st_uid) == (ours.st_size, ours.st_dev, ours.st_uid)
    return same and stat.S_ISREG(theirs.st_mode) and theirs.st_ino != ours.st_ino


def _are_equal(one: Path, other: Path) -> bool:
    with one.open("rb") as first, other.open("rb") as second:
        while (chunk := first.read(BUFFER)) == second.read(BUFFER):
            if not chunk:
                return True
    return False
