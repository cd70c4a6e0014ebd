"""The folder of a session's Ray node, and removal of folders and processes that a killed supervisor left.

The driver and its supervisor hold a lock on a file in the folder, which the kernel releases when both have
ended. So a folder whose lock is free belongs to no session, however process ids are used again.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

_PREFIX, _LOCK = "bwray-", "lock"
_LONGEST = 22  # bytes of a folder below which sockets are made: their paths are limited to 107 (unix(7))
_END_S = 5.0  # for processes that were killed


@contextlib.contextmanager
def session_folder() -> Iterator[tuple[Path, int]]:
    """Yield a new folder and the descriptor of its lock, for the supervisor. Removes it, and left ones."""
    base = _short_folder()
    remove_left(base)
    # Ray lets everybody read and write its folder; the one above it is readable by this user alone
    own = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=base))
    lock = os.open(own / _LOCK, os.O_CREAT | os.O_RDWR, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX)
    folder = own / "r"
    folder.mkdir()
    try:
        yield folder, lock
    finally:
        remove(own)
        os.close(lock)


def _short_folder() -> Path:
    folder = tempfile.gettempdir()
    return Path(folder if len(os.fsencode(folder)) <= _LONGEST else "/tmp")


def remove_left(base: Path) -> None:
    """Remove the folders of this user below `base` that no driver or supervisor has locked."""
    for own in base.glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):  # of another user, or removed meanwhile
            if own.is_symlink() or own.stat().st_uid != os.geteuid():
                continue
            lock = os.open(own / _LOCK, os.O_RDWR | os.O_NOFOLLOW)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                remove(own)
            finally:
                os.close(lock)


def remove(own: Path) -> None:
    """End the processes that name a folder in their arguments, as all of a Ray node do, and remove it.

    Ray's workers end with their raylet.
    """
    until = time.monotonic() + _END_S
    while (found := list(_naming(own))) and time.monotonic() < until:
        for pid in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.01)
    shutil.rmtree(own, ignore_errors=True)


def _naming(own: Path) -> Iterator[int]:
    sign = os.fsencode(own) + b"/"
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            if int(name) != os.getpid() and sign in Path("/proc", name, "cmdline").read_bytes():
                yield int(name)
