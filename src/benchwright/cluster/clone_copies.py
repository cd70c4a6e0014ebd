"""Copies of clones on nodes that do not have the same files at the same path, as in a shared folder.

Only what is read from a clone is sent: HEAD, references and objects, not its configuration, which may contain
passwords. The copies of a node are in one folder, which its processes hold a lock on. A folder without a lock
was left by processes that were killed; the next process that receives a clone removes it.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.building.engine.process_map import FolderPart
from benchwright.sources.clones import is_clone
from benchwright.sources.git_folder import git_folder

READ = ("HEAD", "packed-refs", "refs", "objects")
PIECE = 8 << 20  # bytes of one call: ten fill the object store of a driver
MOST = 4 << 30  # bytes of the copies of one node, apart from those in use
PREFIX = "benchwright-clones-"

Pieces = list[tuple[str, bytes]]  # names of files, and bytes to append to them


class CopiedClone(NamedTuple):
    """A clone for the parts on one node: its folder there, its size, and the copy's name if it was sent."""

    folder: str
    size: int = 0
    name: str = ""


def clone_key(folder: str) -> str:
    """A digest of the names, sizes and times of the files that are read; empty for what cannot be copied."""
    place, found = git_folder(Path(folder)), hashlib.sha256()
    if not is_clone(Path(folder)):
        return ""
    for path in _files(place):
        if path.is_symlink():
            return ""
        facts = path.stat()
        found.update(f"{path.relative_to(place)}\0{facts.st_size}\0{facts.st_mtime_ns}\n".encode())
    return found.hexdigest()


def _files(place: Path) -> Iterator[Path]:
    for name in READ:
        path = place / name
        if path.is_symlink() or not path.is_dir():
            yield from [path] if os.path.lexists(path) else []
            continue
        yield from sorted(each for each in path.rglob("*") if each.is_symlink() or each.is_file())


def _pieces(folder: str) -> Iterator[Pieces]:
    """The files of a clone in calls of PIECE bytes."""
    place, found, left = git_folder(Path(folder)), Pieces(), PIECE
    for path in _files(place):
        with path.open("rb") as file:
            while data := file.read(left):
                found.append((path.relative_to(place).as_posix(), data))
                left -= len(data)
                if not left:
                    yield found
                    found, left = [], PIECE
    if found:
        yield found


class CloneCopies:
    """The clones that each node has, for a driver; `sent` is the number of bytes that it sent to nodes."""

    def __init__(self) -> None:
        self._keys: dict[str, str] = {}
        self._at: dict[str, dict[str, CopiedClone]] = {}  # by node and the folder here, the last used last
        self._numbers = 0
        self.sent = 0

    def has(self, node: str, folder: str) -> bool:
        """Whether a node has a clone."""
        return folder in self._at.get(node, {})

    def moved(self, part: FolderPart, node: str, actor: Any, *, used: set[str]) -> FolderPart:
        """The part for the clone on a node, which is sent there by `actor` if the node lacks it.

        `used` are the folders of parts that the node works on. Raises what the call of the actor raises.
        """
        known = self._at.setdefault(node, {})
        if part.folder not in known:
            self._make_room(known, actor, used)
            known[part.folder] = self._copied_clone(part.folder, actor)
        known[part.folder] = copy = known.pop(part.folder)
        return part.moved(copy.folder)

    def _copied_clone(self, folder: str, actor: Any) -> CopiedClone:
        key = self._keys.setdefault(folder, clone_key(folder))
        if not key or _result_of(actor.has_clone.remote(folder, key)):
            return CopiedClone(folder)
        self._numbers += 1
        name, place, size = str(self._numbers), "", 0
        for pieces in _pieces(folder):
            place = _result_of(actor.keep.remote(name, pieces))
            size += sum(len(data) for _, data in pieces)
        self.sent += size
        return CopiedClone(place, size, name)

    def _make_room(self, known: dict[str, CopiedClone], actor: Any, used: set[str]) -> None:
        size = sum(each.size for each in known.values())
        for folder, copy in list(known.items()):
            if size > MOST and copy.name and folder not in used:
                _result_of(actor.drop.remote(copy.name))
                size -= copy.size
                del known[folder]


def _result_of(call: Any) -> Any:
    return call.future().result()


class NodeCopies:
    """The folder of copies on a node, for a process there. `token` is that of the driver's map."""

    def __init__(self, token: str) -> None:
        self._folder = Path(tempfile.gettempdir(), f"{PREFIX}{token}")
        self._lock: int | None = None

    def keep(self, name: str, pieces: Pieces) -> str:
        """Append pieces to the files of a copy. Returns its folder."""
        self._hold()
        copy = self._folder / name
        for path, data in pieces:
            target = copy / path
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("ab") as file:
                file.write(data)
        return str(copy)

    def drop(self, name: str) -> None:
        """Remove a copy."""
        shutil.rmtree(self._folder / name)

    def close(self) -> None:
        """Remove all copies."""
        if self._folder.is_dir():
            shutil.rmtree(self._folder)

    def _hold(self) -> None:
        """Make the folder, lock it for as long as this process lives, and remove abandoned ones."""
        if self._lock is not None:
            return
        self._folder.mkdir(mode=0o700, exist_ok=True)
        self._lock = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        fcntl.flock(self._lock, fcntl.LOCK_SH)
        for other in self._folder.parent.glob(f"{PREFIX}*"):
            if other != self._folder and other.stat().st_uid == os.getuid():
                _remove_abandoned(other)


def _remove_abandoned(folder: Path) -> None:
    try:
        lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder)
    except BlockingIOError:
        pass  # in use
    finally:
        os.close(lock)
