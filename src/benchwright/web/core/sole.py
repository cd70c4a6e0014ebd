"""A lock that keeps a second process from serving the same SQLite file."""

from __future__ import annotations

import fcntl
import os
import socket
from pathlib import Path

from benchwright.display.escape import escaped_name, escaped_path, quoted
from benchwright.errors import RunError

LONGEST_NOTE = 200  # bytes of the holder's note


class SoleProcess:
    """The lock `FILE.lock`. Raises RunError if another process holds it."""

    def __init__(self, database: Path) -> None:
        self._path = database.with_name(database.name + ".lock")
        try:
            self._fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise RunError(
                f"{escaped_path(self._path)} cannot be written: {error.strerror}",
                hint=_way_to(database.parent),
            ) from None
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = escaped_name(os.pread(self._fd, LONGEST_NOTE, 0).decode("utf-8", "replace").strip())
            os.close(self._fd)
            raise _refusal(database, error, holder) from None
        try:  # only the owner may read the file; SQLite's files beside it inherit its mode
            os.close(os.open(database, os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))
        except OSError as error:
            os.close(self._fd)
            raise RunError(
                f"{escaped_path(database)} cannot be opened: {error.strerror}",
                hint=f"ls -ld {quoted(database)}",
            ) from None
        os.ftruncate(self._fd, 0)
        os.pwrite(self._fd, f"process {os.getpid()} on {socket.gethostname()}\n".encode(), 0)

    def release(self) -> None:
        """Release the lock. Its file stays: deleting it would race with the next process."""
        os.close(self._fd)


def _way_to(folder: Path) -> str:
    return f"ls -ld {quoted(folder)}" if folder.exists() else f"mkdir -p {quoted(folder)}"


def _refusal(database: Path, error: OSError, holder: str) -> RunError:
    if not isinstance(error, BlockingIOError):
        return RunError(
            f"{escaped_path(database)} cannot be locked: {error.strerror}",
            hint="put the database on a local disk",
        )
    return RunError(
        f"{escaped_path(database)} is in use by {holder or 'another process'}",
        hint="stop it, choose another file, or set DATABASE_URL=postgresql://… for several processes",
    )
