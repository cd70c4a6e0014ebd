"""Files that commands of one user keep for later ones: private, complete or not used at all.

A file starts with the digest of its content, so that damage is detected. It is replaced in one step, so that
concurrent processes read either the old or the new one. Commands work without a missing or damaged file, and
when none can be written.
"""

from __future__ import annotations

import os
import pwd
import stat
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from benchwright.display.escape import escaped_path, quoted
from benchwright.errors import DataError

VARIABLES = ("BENCHWRIGHT_CACHE", "XDG_CACHE_HOME")  # the folder itself; the folder that ours is in
_DIGEST = 64  # hex digits of SHA-256, and a line end
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def user_cache() -> Path:
    """The cache folder of this user: BENCHWRIGHT_CACHE, else below XDG_CACHE_HOME or ~/.cache."""
    whole, parent = map(os.environ.get, VARIABLES)
    return Path(whole) if whole else Path(parent or _home() / ".cache") / "benchwright"


def read_cached(path: Path, *, most: int) -> bytes | None:
    """The content of a cached file of at most `most` bytes; None if it does not exist.

    Raises DataError for a damaged file, and for one that another user owns or can write to.
    """
    try:
        check_owner(path.parent, os.stat(path.parent))
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise _distrust(path, f"it cannot be opened: {error.strerror}") from None
    with open(fd, "rb") as file:
        state = os.fstat(fd)
        if not stat.S_ISREG(state.st_mode):
            raise _distrust(path, "it is not a regular file")
        check_owner(path, state)
        content = file.read(_DIGEST + 1 + most + 1)
    if len(content) > _DIGEST + 1 + most:
        raise _distrust(path, f"it is larger than {most:,} bytes")
    digest, _, body = content.partition(b"\n")
    if digest != sha256(body).hexdigest().encode():
        raise _distrust(path, "its content is not what its digest says")
    return body


def write_cached(path: Path, body: bytes, *, files: int) -> bool:
    """Store a file and keep only the latest `files` of its kind. Returns whether it was stored.

    A full disk or a read-only cache only costs a later command some work, so neither is an error.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        check_owner(path.parent, os.stat(path.parent))
        put_cached(path, sha256(body).hexdigest().encode() + b"\n" + body)
    except (OSError, DataError):
        return False
    _prune(path, files)
    return True


def put_cached(path: Path, content: bytes) -> None:
    """Write exactly this content in one step. Raises OSError and then leaves no file."""
    # A unique name for each writer. Not tempfile, whose import loads three compression libraries.
    temporary = path.with_name(f".{os.getpid()}-{os.urandom(4).hex()}.tmp")
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        with temporary.open("xb") as file:
            os.fchmod(file.fileno(), 0o600)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        drop_cached(temporary)
        raise


def drop_cached(path: Path) -> None:
    """Remove a cached file, if it exists and may be removed."""
    with suppress(OSError):
        path.unlink(missing_ok=True)


def _prune(path: Path, files: int) -> None:
    """Remove all but the latest `files` files; files of killed writers count too."""
    found: list[tuple[int, Path]] = []
    for each in path.parent.iterdir():
        with suppress(OSError):  # another process may remove the same file
            found.append((each.stat().st_mtime_ns, each))
    for _, each in sorted(found, reverse=True)[files:]:
        drop_cached(each)


def check_owner(path: Path, state: os.stat_result) -> None:
    """Raise DataError for a file that another user owns or can write to."""
    if state.st_uid != os.geteuid():
        raise _distrust(path, f"it belongs to user {state.st_uid}")
    if state.st_mode & _OTHERS_WRITE:
        raise _distrust(path, f"others may write to it (mode {stat.S_IMODE(state.st_mode):o})")


def _distrust(path: Path, why: str) -> DataError:
    return DataError(f"{escaped_path(path)} is not used: {why}", hint=f"rm -r {quoted(path)}")


def _home() -> Path:
    """The home folder. `Path.home()` would raise if neither HOME nor the user database has one."""
    if home := os.environ.get("HOME"):
        return Path(home)
    try:
        return Path(pwd.getpwuid(os.geteuid()).pw_dir)
    except KeyError:
        return Path("/nonexistent")
