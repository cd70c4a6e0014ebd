"""Markdown files of a folder, of a commit of a clone, or of an archive.

No link is followed, nothing is unpacked to disk, and the size of a file is known before it is read.
"""

from __future__ import annotations

import os
import re
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple, Protocol

from benchwright.display.escape import escaped_name, escaped_path
from benchwright.errors import DataError, UsageError
from benchwright.records import Drop
from benchwright.sources.clones import Clone, TextError, is_clone

MAX_FILES = 100_000
MAX_UNPACKED = 2 << 30
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_DAMAGED = (tarfile.TarError, zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, RuntimeError)
Read = Callable[[int], bytes]


class _TooLarge(Exception):
    """A file exceeds the size limit."""


class CardFile(NamedTuple):
    """One file: its path within the place, and its commit if there is one."""

    path: str
    reading: Read
    commit: str = ""
    committed_at: str = ""

    def read(self, limit: int) -> bytes | Drop:
        """The bytes of the file, or the reason why they cannot be read."""
        unit = escaped_name(self.path, 200)
        try:
            return self.reading(limit)
        except _TooLarge:
            return Drop(unit=unit, reason="card_too_large", detail=f"over {limit:,} bytes")
        except TextError as error:
            reason = "card_too_large" if error.reason == "too_large" else "unreadable"
            return Drop(unit=unit, reason=reason, detail=error.message)
        except _DAMAGED as error:
            return Drop(unit=unit, reason="unreadable", detail=escaped_name(str(error), 200))


class CardFiles(Protocol):
    """A place with Markdown files."""

    def files(self, tell: Callable[[str], None]) -> list[CardFile]:
        """All files, in a stable order."""
        ...


def files_of(path: Path) -> CardFiles:
    """The files of a folder, a clone (at HEAD), or an archive. Raises BenchwrightError for anything else."""
    if path.is_dir():
        return _CloneFiles(path) if is_clone(path) else _FolderFiles(path)
    if path.is_file():
        return _ArchiveFiles(path)
    hint = "give a folder of cards, a clone, or a .tar.gz or .zip of one"
    raise UsageError(f"no such folder or archive: {escaped_path(path)}", hint=hint)


class _FolderFiles:
    """Files of a folder and its subfolders, without hidden ones."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def files(self, tell: Callable[[str], None]) -> list[CardFile]:
        found = sorted(self._paths())
        if not found:
            raise UsageError(
                f"{escaped_path(self._path)} contains no Markdown file", hint="cards are *.md files"
            )
        return [CardFile(name, self._reader(name)) for name in found]

    def _paths(self) -> Iterator[str]:
        count = 0
        for folder, below, names in os.walk(self._path):
            below[:] = sorted(name for name in below if not name.startswith("."))
            for name in names:
                if _is_markdown(name):
                    count += 1
                    _check_count(count, self._path)
                    yield Path(folder, name).relative_to(self._path).as_posix()

    def _reader(self, name: str) -> Read:
        def read(limit: int) -> bytes:
            fd = os.open(self._path / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
            with open(fd, "rb") as file:
                return _bounded(file.read(limit + 1), limit)

        return read


class _CloneFiles:
    """Files of the commit at HEAD. Uncommitted files are not read."""

    def __init__(self, path: Path) -> None:
        self._clone = Clone(path)

    def files(self, tell: Callable[[str], None]) -> list[CardFile]:
        clone = self._clone
        tell(f"{escaped_path(clone.path)} is a clone; reading its files at commit {clone.commit[:12]}")
        files = [file for file in clone.files() if _is_markdown(file.path)]
        return [
            CardFile(
                file.path,
                lambda limit, file=file: clone.content(file, limit=limit),  # type: ignore[misc]
                clone.commit,
                clone.committed_at,
            )
            for file in files
        ]


class _ArchiveFiles:
    """Files of a .tar, .tar.gz or .zip. `git archive` and GitHub write the commit into it."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def files(self, tell: Callable[[str], None]) -> list[CardFile]:
        try:
            named, comment = self._zip() if zipfile.is_zipfile(self._path) else self._tar()
        except _DAMAGED as error:
            hint = "expected a .tar, .tar.gz or .zip; download it again if it is truncated"
            where = escaped_path(self._path)
            raise DataError(
                f"unreadable archive ({escaped_name(str(error))})", path=where, hint=hint
            ) from None
        commit = comment if _COMMIT.fullmatch(comment) else ""
        start = _common_folder([name for name, _ in named])
        return [CardFile(name[start:], read, commit) for name, read in named if _is_markdown(name)]

    def _tar(self) -> tuple[list[tuple[str, Read]], str]:
        archive = tarfile.open(self._path)  # noqa: SIM115 (read from for as long as the list is)
        named = []
        for count, member in enumerate(archive, 1):
            _check_count(count, self._path)
            if member.offset_data + member.size > MAX_UNPACKED:
                raise DataError(f"over {MAX_UNPACKED:,} bytes unpacked", path=escaped_path(self._path))
            if member.isreg():
                named.append((member.name, _tar_reader(archive, member)))
        return named, str(archive.pax_headers.get("comment", ""))

    def _zip(self) -> tuple[list[tuple[str, Read]], str]:
        archive = zipfile.ZipFile(self._path)
        members = [member for member in archive.infolist() if not member.is_dir()]
        _check_count(len(members), self._path)
        named = [(member.filename, _zip_reader(archive, member)) for member in members]
        return named, archive.comment.decode("ascii", "replace")


def _tar_reader(archive: tarfile.TarFile, member: tarfile.TarInfo) -> Read:
    def read(limit: int) -> bytes:
        file = archive.extractfile(member)
        return _bounded(file.read(limit + 1) if file else b"", limit)

    return read


def _zip_reader(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Read:
    def read(limit: int) -> bytes:
        with archive.open(member) as file:
            return _bounded(file.read(limit + 1), limit)

    return read


def _bounded(data: bytes, limit: int) -> bytes:
    if len(data) > limit:
        raise _TooLarge
    return data


def _check_count(count: int, path: Path) -> None:
    if count > MAX_FILES:
        raise DataError(
            f"more than {MAX_FILES:,} files", path=escaped_path(path), hint="give one of its subfolders"
        )


def _is_markdown(name: str) -> bool:
    return name.lower().endswith((".md", ".markdown")) and not name.rpartition("/")[2].startswith(".")


def _common_folder(names: list[str]) -> int:
    """The length of the one top folder of all entries, which archives of a commit usually have."""
    tops = {PurePosixPath(name).parts[0] for name in names if name}
    inside = all("/" in name for name in names)
    return len(tops.pop()) + 1 if len(tops) == 1 and inside else 0
