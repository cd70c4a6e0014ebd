"""Files that survive a kill: a whole file is replaced in one step, another grows by whole lines.

Only the standard library and the error tree are imported here: a process that must start fast can write.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Self

from benchwright.display.escape import escaped_path, quoted
from benchwright.errors import RunError

# Replacing a whole file so that a reader, or a crash, sees the old content or the new, never a mix.

STDOUT = "-"  # as the name of a file to write: standard output

# EDQUOT and EFBIG are how quotas and `ulimit -f` say that there is no room.
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_STREAMS = (1, 2)
_BLOCK = 1 << 16


@contextmanager
def writing(name: str | Path) -> Iterator[BinaryIO]:
    """A file that the user named to write to: as `replacing`, and `-` is standard output."""
    if str(name) != STDOUT:
        with replacing(Path(name)) as file:
            yield file
        return
    with open(os.dup(1), "wb") as file:  # errors are reported as for all printed output
        yield file


def make_parents(path: Path) -> None:
    """Create the folder that a file named by the user will be in, and those above it."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        hint = "choose another name with --out"
        raise RunError(f"{escaped_path(path.parent)} is a file, not a folder", hint=hint) from None
    except OSError as error:
        raise write_error(error, path) from None


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A file to write the new content to; it takes the place of `path` when the block ends well.

    A link stays: the file that it names is replaced, and keeps its mode. A device, a pipe or a terminal
    cannot be replaced without taking it from everyone else, so it is written to as it is.
    """
    with _explained(path):
        old = _state(path)
        if old is not None and not stat.S_ISREG(old.st_mode):
            with _through(path, old) as file:
                yield file
        elif old is not None and (stream := _stream(old)) is not None:
            # /dev/stdout while stdout is a file: the shell may have put rows into it already
            with open(os.dup(stream), "wb") as file:
                yield file
        else:
            with _renamed(Path(os.path.realpath(path)), old) as file:
                yield file


@contextmanager
def _renamed(path: Path, old: os.stat_result | None) -> Iterator[BinaryIO]:
    """The temporary file is in the same folder, since a rename is atomic only within a file system,
    and has a fixed name, so that a crash leaves at most one and the next writer removes it.
    """
    temporary = path.with_name(f".{path.name}.tmp")
    temporary.unlink(missing_ok=True)
    file = temporary.open("xb")  # never through a link that somebody put there
    try:
        with file:
            if old is not None:
                _keep_access(file.fileno(), old)
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def _keep_access(fd: int, old: os.stat_result) -> None:
    """Give the new file the old one's owner, where this user may, and its mode."""
    if (old.st_uid, old.st_gid) != (os.geteuid(), os.getegid()):
        with contextlib.suppress(PermissionError):
            os.fchown(fd, old.st_uid, old.st_gid)
    os.fchmod(fd, old.st_mode & 0o777)


@contextmanager
def _through(path: Path, old: os.stat_result) -> Iterator[BinaryIO]:
    if stat.S_ISDIR(old.st_mode):
        hint = f"name a file in it, such as {quoted(path / 'rows.jsonl')}"
        raise RunError(f"{escaped_path(path)} is a folder, not a file to write", hint=hint)
    if stat.S_ISBLK(old.st_mode):
        raise RunError(
            f"{escaped_path(path)} is a disk and is not overwritten", hint="name a file: `--out FILE`"
        )
    # A socket that is our own stdout can be written, but not opened by a name.
    stream = _stream(old)
    fd = os.dup(stream) if stream is not None else os.open(path, os.O_WRONLY | os.O_NOCTTY | os.O_CLOEXEC)
    with open(fd, "wb") as file:
        yield file


def _state(path: Path) -> os.stat_result | None:
    """Return the state of the file at a path, following links; None if there is none."""
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _stream(state: os.stat_result) -> int | None:
    """The standard stream that is this very file, if one is."""
    for fd in _STREAMS:
        with contextlib.suppress(OSError):  # a closed stream is not a file
            if os.path.samestat(state, os.fstat(fd)):
                return fd
    return None


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise write_error(error, path) from None


def write_json(path: Path, value: object) -> None:
    """Write a JSON document for people: indented, with sorted keys, so that `diff` compares two runs."""
    text = json.dumps(value, ensure_ascii=False, indent=2, sort_keys=True, allow_nan=False)
    with replacing(path) as file:
        file.write(text.encode("utf-8", "replace") + b"\n")


def write_error(error: OSError, path: Path) -> RunError:
    """The RunError for a failed write: what to do, and that nothing written before is lost."""
    if error.errno in _FULL:
        hint = "free some space and start the same command again: it continues where it stopped"
        return RunError(f"{escaped_path(path)}: the disk is full; all earlier rows are kept", hint=hint)
    if error.errno == errno.ENOENT:
        what = f"{escaped_path(path)} cannot be written: its folder does not exist"
        return RunError(what, hint=f"mkdir -p {quoted(path.parent)}")
    hint = f"check that the folder can be written: `ls -ld {quoted(path.parent)}`, or use `--out OTHER`"
    return RunError(f"{escaped_path(path)} cannot be written: {error.strerror or error}", hint=hint)


def sync_folder(folder: Path) -> None:
    """Make a rename last: without it a power cut may bring the old name back."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


# A file that grows by line has one writer, and no torn line that a killed one left. There is no fsync per
# line: after a kill the kernel still holds all that was written, and after a power cut the torn tail is cut
# and done again, which costs less than thousands of flushes.


class GrowingFile:
    """The one writer of a file of lines. `cut` is how many bytes of a torn last line were removed.

    Opening takes an exclusive advisory lock, so a second run on the same file is refused instead of
    mixing its lines in.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._fd = open_grown(path, os.O_CREAT)
        try:
            lock(self._fd, path)
            self.cut = cut_tail(self._fd)
        except BaseException:
            os.close(self._fd)
            raise

    def write(self, data: bytes) -> None:
        """Add whole lines with one `write`; what does not fit on the disk leaves no trace."""
        done = 0
        try:
            while done < len(data):
                # A short write is how a full disk begins: the rest either fits or raises.
                done += os.write(self._fd, data[done:])
        except OSError as error:
            os.ftruncate(self._fd, os.fstat(self._fd).st_size - done)
            raise write_error(error, self.path) from None

    def close(self) -> None:
        """Flush to the disk and give the lock back. A second call does nothing."""
        if self._fd >= 0:
            fd, self._fd = self._fd, -1
            try:
                os.fsync(fd)
            except OSError as error:
                raise write_error(error, self.path) from None
            finally:
                os.close(fd)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def open_grown(path: Path, flags: int) -> int:
    """A descriptor of a file to read and to add to. Raises RunError."""
    try:
        return os.open(path, os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | flags, 0o644)
    except OSError as error:
        raise write_error(error, path) from None


_MOST_PROBES = 1000  # times that a lock is tried again while others only look whether it is taken
_PROBE_S = 0.001  # the time of a probe, with room


def lock(fd: int, path: Path) -> None:
    """Take an exclusive lock, held until `fd` is closed. RunError when someone else has it."""
    hint = "wait for the other run to end, or choose another folder with `--out OTHER`"
    try:
        # The holder of the lock may have replaced the file between our open and our lock.
        current = _take_after_probes(fd) and os.path.samestat(os.fstat(fd), path.stat())
    except FileNotFoundError:
        current = False
    except OSError as error:
        local = "choose a folder on a local disk with `--out OTHER`"
        raise RunError(f"{escaped_path(path)} cannot be locked: {error.strerror}", hint=local) from None
    if not current:
        raise RunError(f"{escaped_path(path)} is being written by another run", hint=hint)


def is_locked(path: Path) -> bool:
    """Return whether a run holds the lock of a file or folder now; False if it cannot be opened.

    The probe is a shared lock for a moment, which `lock` waits out: looking never stops a run from starting.
    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return not _take(fd, fcntl.LOCK_SH)
    finally:
        os.close(fd)


def _take_after_probes(fd: int) -> bool:
    """Take the exclusive lock; try again while only shared locks, which are probes, are in the way."""
    for _ in range(_MOST_PROBES):
        if _take(fd, fcntl.LOCK_EX):
            return True
        if not _take(fd, fcntl.LOCK_SH):
            return False
        time.sleep(_PROBE_S)
    return False


def _take(fd: int, kind: int) -> bool:
    """Take a lock of this kind at once, or do not take it."""
    try:
        fcntl.flock(fd, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def cut_tail(fd: int) -> int:
    """Truncate to just after the last line end; the number of bytes that went."""
    size = end = os.fstat(fd).st_size
    while end > 0:
        start = max(0, end - _BLOCK)
        found = os.pread(fd, end - start, start).rfind(b"\n")
        if found >= 0:
            end = start + found + 1
            break
        end = start
    if end < size:
        os.ftruncate(fd, end)
    return size - end
