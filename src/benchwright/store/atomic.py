"""Replacing a whole file so that a reader, or a crash, sees the old content or the new, never a mix."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from benchwright.errors import RunError
from benchwright.store.files import shown

# EDQUOT and EFBIG are how quotas and `ulimit -f` say that there is no room.
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A file to write the new content to; it takes the place of `path` when the block ends well.

    The temporary file is in the same folder, since a rename is atomic only within a file system,
    and has a fixed name, so that a crash leaves at most one and the next writer reuses it.
    """
    temporary = path.with_name(f".{path.name}.tmp")
    try:
        with temporary.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
        _sync_folder(path.parent)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise write_error(error, path) from None
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_json(path: Path, value: object) -> None:
    """Write a JSON document for people: indented, with sorted keys, so that `diff` compares two runs."""
    text = json.dumps(value, ensure_ascii=False, indent=2, sort_keys=True, allow_nan=False)
    with replacing(path) as file:
        file.write(text.encode("utf-8", "replace") + b"\n")


def write_error(error: OSError, path: Path) -> RunError:
    """The RunError for a failed write: what to do, and that nothing written before is lost."""
    if error.errno in _FULL:
        hint = "free some space and start the same command again: it continues where it stopped"
        return RunError(f"{shown(path)}: the disk is full; all earlier rows are kept", hint=hint)
    hint = f"check that the folder can be written: `ls -ld {shown(path.parent)}`, or use `--out OTHER`"
    return RunError(f"{shown(path)} cannot be written: {error.strerror or error}", hint=hint)


def _sync_folder(folder: Path) -> None:
    """Make a rename last: without it a power cut may bring the old name back."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
