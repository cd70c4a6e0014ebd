"""What the commits of a clone have changed of some files: each one's content before and after.

Trees are compared where their ids differ, so a commit costs the folders on the way to what it changed. The
work is bounded by commits and by entries read, not by the clock: the same clone gives the same changes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import NamedTuple

from benchwright.sources.clones import Clone, CloneError, Commit, File, FolderEntry

MAX_WALKED = 20_000  # commits that are looked through for those that change a file
MAX_ENTRIES = 5_000_000  # names in folders that are read for it
MAX_CHANGED = 200  # asked-for files in one commit: beyond it is a move or a formatter, and no fix
_KEPT_FOLDERS = 512


class Changed(NamedTuple):
    """A file that a commit changed; None where it was not there, or is no more."""

    before: File | None
    after: File | None


class CommitChange(NamedTuple):
    """A commit, and what it changed of the files that were asked for, by path."""

    commit: Commit
    files: dict[str, Changed]


class History:
    """A clone's commits, read with a bound on the work."""

    def __init__(self, clone: Clone, *, most_entries: int = MAX_ENTRIES) -> None:
        self._clone, self._left = clone, most_entries
        self._folder = lru_cache(maxsize=_KEPT_FOLDERS)(self._read)

    def changes(
        self, paths: Collection[str], *, most: int, most_walked: int = MAX_WALKED
    ) -> Iterator[CommitChange]:
        """The newest `most` commits that change one of the files; fewer where the bounds end it before."""
        wanted = _Wanted(paths)
        found = 0
        for commit in self._clone.ancestry(most_walked):
            if found == most or self._left <= 0 or not commit.parent:
                return
            try:
                files = dict(self._differing(commit.parent_tree, commit.tree, wanted))
            except CloneError:
                return  # a partial or damaged clone: what is before it cannot be read either
            if 0 < len(files) <= MAX_CHANGED:
                found += 1
                yield CommitChange(commit, files)

    def file(self, tree: str, path: str) -> File | None:
        """A file of a commit's tree, or None. Raises CloneError for a damaged clone."""
        folder, _, name = path.rpartition("/")
        entry = self._at(tree, folder).get(name)
        return None if entry is None or entry.is_folder else self._clone.file(path, entry.id)

    def beside(self, tree: str, path: str, suffixes: tuple[str, ...]) -> list[File]:
        """The files of these suffixes in the folder of a path, that file too. Raises CloneError."""
        folder = path.rpartition("/")[0]
        prefix = f"{folder}/" if folder else ""
        return [
            self._clone.file(f"{prefix}{name}", entry.id)
            for name, entry in self._at(tree, folder).items()
            if name.endswith(suffixes) and not entry.is_folder
        ]

    def top(self, tree: str) -> list[File]:
        """The files at the top of a commit's tree."""
        entries = self._folder(tree).items()
        return [self._clone.file(name, entry.id) for name, entry in entries if not entry.is_folder]

    def _at(self, tree: str, path: str) -> dict[str, FolderEntry]:
        """What a folder below a tree holds; nothing where there is no such folder."""
        for name in path.split("/") if path else ():
            entry = self._folder(tree).get(name)
            if entry is None or not entry.is_folder:
                return {}
            tree = entry.id
        return self._folder(tree)

    def _read(self, tree: str) -> dict[str, FolderEntry]:
        found = self._clone.folder(tree)
        self._left -= len(found) + 1
        return found

    def _differing(self, before: str, after: str, wanted: _Wanted) -> Iterator[tuple[str, Changed]]:
        waiting = [("", before, after)]
        while waiting and self._left > 0:
            folder, old_id, new_id = waiting.pop()
            old = self._folder(old_id) if old_id else {}
            new = self._folder(new_id) if new_id else {}
            for name in wanted.names(folder):
                path, was, now = f"{folder}{name}", old.get(name), new.get(name)
                if was == now:
                    continue
                if path in wanted.files:
                    yield path, Changed(self._regular(path, was), self._regular(path, now))
                if wanted.names(f"{path}/"):
                    waiting.append((f"{path}/", _folder_id(was), _folder_id(now)))

    def _regular(self, path: str, entry: FolderEntry | None) -> File | None:
        return None if entry is None or entry.is_folder else self._clone.file(path, entry.id)


class _Wanted:
    """Files by path, and in each folder the names that lead to them."""

    def __init__(self, paths: Collection[str]) -> None:
        self.files = frozenset(paths)
        self._names: dict[str, dict[str, None]] = {}
        for path in sorted(self.files):
            parts = path.split("/")
            for at, name in enumerate(parts):
                self._names.setdefault("".join(f"{part}/" for part in parts[:at]), {})[name] = None

    def names(self, folder: str) -> Collection[str]:
        """What of a folder leads to a file that is asked for; folders end with a slash, the top is empty."""
        return self._names.get(folder, ())


def _folder_id(entry: FolderEntry | None) -> str:
    return entry.id if entry is not None and entry.is_folder else ""
