"""Opening untrusted files, plain, gzip or a zip of one file: every fault of the file system is explained."""

from __future__ import annotations

import io
import stat
import zlib
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

from benchwright.display.escape import escaped_path, quoted
from benchwright.errors import DataError, UsageError, nearest

BUFFER = 1 << 16
GZIP = b"\x1f\x8b"
ZIP = b"PK\x03\x04"
PARQUET = b"PAR1"

# A MERA data set is a folder with test.json; the other spellings are what people make of it.
FOLDER_FILES = ("test.json", "test.jsonl", "test.json.gz", "test.jsonl.gz", "test.parquet")

# Exceptions of a read: of the disk, of a cut gzip stream, and of a damaged one.
READ_ERRORS = (OSError, EOFError, zlib.error)


def locate(source: str | Path) -> Path:
    """The regular file that `source` names; for a folder, the data set file inside it.

    Pipes and devices are refused: a data set is read twice (once to hash it), and opening a pipe
    that nobody writes to would hang.
    """
    if not str(source):  # Path("") is the current folder, which nobody meant
        hint = "name a file or a folder; is a shell variable unset?"
        raise UsageError("the name of the data set is empty", hint=hint)
    path = Path(source)
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            return _inside(path)
    except FileNotFoundError:
        raise UsageError(f"no file at {escaped_path(path)}", hint=_nearest(path)) from None
    except (OSError, ValueError) as error:  # ValueError: a NUL byte or a surrogate in the name
        raise _unreadable(path, error) from None
    if not stat.S_ISREG(mode):
        hint = f"save it first: `cat {quoted(path)} > rows.jsonl`"
        raise UsageError(
            f"{escaped_path(path)} is not a regular file, and a data set is read more than once", hint=hint
        )
    return path


def open_binary(path: Path) -> io.BufferedReader:
    """A buffered stream of the file's content, decompressed when its first bytes say gzip or zip.

    The name does not decide: data sets are served as `.jsonl` and stored as gzip, and the reverse. A zip
    archive of several files is left as it is.
    """
    try:
        file = io.BufferedReader(io.FileIO(path), BUFFER)
        head = file.peek(len(ZIP))
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from None
    if head.startswith(GZIP):
        import gzip  # noqa: PLC0415 (most files are plain, and some processes must start fast)

        return _DecompressedReader(gzip.GzipFile(fileobj=file, mode="rb"), file)
    member = _only_member(file) if head.startswith(ZIP) else None
    return cast("io.BufferedReader", file) if member is None else _DecompressedReader(member, file)


def _only_member(file: BinaryIO) -> _Member | None:
    """Return the only file of a zip archive; None if there are others or the archive is damaged."""
    import zipfile  # noqa: PLC0415 (as above)

    try:
        archive = zipfile.ZipFile(file)
        found = [each for each in archive.infolist() if not each.is_dir() and "__MACOSX" not in each.filename]
        if len(found) == 1:
            return _Member(archive.open(found[0]))
    except (zipfile.BadZipFile, OSError, RuntimeError, ValueError):  # damaged, encrypted, of another method
        pass
    file.seek(0)
    return None


class _Member(io.RawIOBase):
    """A file of a zip archive; damage is an OSError, as of any file."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        import zipfile  # noqa: PLC0415 (as above)

        try:
            data = self._stream.read(len(buffer))
        except zipfile.BadZipFile as error:
            raise OSError(f"the zip archive is damaged ({error})") from None
        buffer[: len(data)] = data
        return len(data)


class _DecompressedReader(io.BufferedReader):
    """A buffered stream of unpacked content that also closes the file below it."""

    def __init__(self, stream: io.RawIOBase | io.BufferedIOBase, below: BinaryIO) -> None:
        super().__init__(cast("io.RawIOBase", stream), BUFFER)
        self._below = below

    def close(self) -> None:
        super().close()
        self._below.close()


def is_parquet(path: Path) -> bool:
    """Whether the file starts as Parquet files do; its name is not asked."""
    with open_binary(path) as file:
        try:
            return file.peek(len(PARQUET)).startswith(PARQUET)
        except READ_ERRORS as error:
            raise broken_off(error, escaped_path(path), 1) from None


def broken_off(error: Exception, path: str, line: int) -> DataError:
    """Convert one of READ_ERRORS to an error that names the file and the nearest line."""
    if isinstance(error, EOFError):
        message, hint = "the gzip stream ends too early", "download the file again: it was cut"
    elif isinstance(error, zlib.error | _bad_gzip()):
        message, hint = f"the gzip stream is damaged ({error})", "download the file again"
    else:
        reason = getattr(error, "strerror", None) or str(error)
        message, hint = f"reading failed: {reason}", "check the disk, then copy the file and try the copy"
    return DataError(message, path=path, line=line, hint=hint)


def _bad_gzip() -> type[OSError]:
    from gzip import BadGzipFile  # noqa: PLC0415 (as above)

    return BadGzipFile


def _inside(folder: Path) -> Path:
    for name in FOLDER_FILES:
        if (folder / name).is_file():
            return folder / name
    hint = f"name the file itself, or put {FOLDER_FILES[0]} or {FOLDER_FILES[1]} into the folder"
    raise UsageError(f"{escaped_path(folder)} is a folder without a data set file", hint=hint)


def _nearest(path: Path) -> str:
    try:
        names = sorted(entry.name for entry in path.parent.iterdir())
    except OSError:
        return f"the folder {path.parent} cannot be read either"
    near = nearest(path.name, names)
    return f"did you mean {path.parent / near}?" if near else f"look in {path.parent} for the right name"


def _unreadable(path: Path, error: Exception) -> DataError:
    reason = getattr(error, "strerror", None) or str(error)
    hint = "check the path and its permissions: `ls -l` shows them"
    return DataError(f"cannot be read: {reason}", path=escaped_path(path), hint=hint)
