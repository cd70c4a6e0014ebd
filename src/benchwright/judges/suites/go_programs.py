"""The folder of linked Go programs that the jail shows; what a killed process left, the next one deletes.

`kill -9` leaves no time to tidy up, and a program is some megabytes. So the owner of a folder holds a lock
on a file in it, which the kernel takes away with the process: a folder whose lock can be had is nobody's.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from pathlib import Path

PREFIX = "benchwright-go-"
LOCK = "lock"


class GoPrograms:
    """Programs under their own names. The folder is created on first use."""

    def __init__(self, parent: Path | None = None) -> None:
        self._parent = parent or Path(tempfile.gettempdir())
        self._folder: Path | None = None
        self._lock = -1

    @property
    def folder(self) -> Path:
        """Return the folder, readable for the user of the sandbox, unlike other temporary folders."""
        if self._folder is None:
            sweep(self._parent)
            self._folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=self._parent))
            self._lock = os.open(self._folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._folder.chmod(0o755)
        return self._folder

    def keep(self, program: bytes, *, readable: bool = True) -> str:
        """Store a program and return its name; empty if there is none, because no suite compiled.

        A program that is not readable can only be executed, so that nobody reads the expected values of its
        tests.
        """
        if not program:
            return ""
        with tempfile.NamedTemporaryFile(dir=self.folder, delete=False) as file:
            file.write(program)
        path = Path(file.name)
        path.chmod(0o755 if readable else 0o111)
        return path.name

    def drop(self, name: str) -> None:
        """Delete a program; ignores the empty name."""
        if name:
            (self.folder / name).unlink(missing_ok=True)

    def close(self) -> None:
        """Delete the folder and its content."""
        if self._folder is not None:
            shutil.rmtree(self._folder)
            os.close(self._lock)
            self._folder = None


def sweep(parent: Path) -> None:
    """Delete the folders of ended processes. A folder without a lock file is being created."""
    for folder in parent.glob(f"{PREFIX}*"):
        try:
            lock = os.open(folder / LOCK, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
        except OSError:  # another user's, or already deleted
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
        except BlockingIOError:
            continue
        finally:
            os.close(lock)
