"""Secrets in files: tokens and passwords that a command reads and never prints."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from benchwright.display.escape import escaped_path, quoted
from benchwright.errors import UsageError

MAX_SECRET = 10_000  # bytes, with white space around the secret


def read_secret(file: Path, *, owner_only: bool) -> str:
    """The secret of a file: printable ASCII without the white space around it.

    `owner_only` refuses a regular file that other users can read. Secrets that a container mounts often are
    readable by all of its users. Raises UsageError; messages never contain the content.
    """
    try:
        with file.open("rb") as stream:
            mode, content = os.fstat(stream.fileno()).st_mode, stream.read(MAX_SECRET + 1)
    except OSError as error:
        raise UsageError(
            f"{escaped_path(file)} cannot be read: {error.strerror}", hint=f"ls -l {quoted(file)}"
        ) from None
    if owner_only and stat.S_ISREG(mode) and mode & 0o077:
        raise UsageError(
            f"{escaped_path(file)} with the secret is readable by others", hint=f"chmod 600 {quoted(file)}"
        )
    text = content.decode("ascii", "replace").strip()
    if fault := _fault(content, text):
        raise UsageError(f"{escaped_path(file)} has no secret: {fault}", hint=f"ls -l {quoted(file)}")
    return text


def _fault(content: bytes, text: str) -> str:
    if len(content) > MAX_SECRET:
        return f"more than {MAX_SECRET:,} bytes"
    if not text:
        return "it is empty"
    return "" if text.isascii() and text.isprintable() else "not one line of printable ASCII text"
