"""Changes of files in the commits of a clone: the content before and after each commit.

Trees are compared only where their ids differ, so a commit costs the folders on the way to its changes. The
work is limited by commits and entries, not by time: the same clone gives the same changes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from benchwright.sources.clones import Clone, CloneError, Commit, File, FolderEntry

MAX_WALKED = 20_000  # commits to walk
MAX_ENTRIES = 5_000_000  # folder entries to read
MAX_CHANGED = 200  # changed files of one commit; more are a move or a formatter, not a fix
_KEPT_FOLDERS = 512


class FileChange(NamedTuple):
    """A file that a commit changed; None for a side on which it does not exist."""

    before: File | None
    after: File | None


class CommitChange(NamedTuple):
    """A commit with the wanted files that it changed, by path."""

    commit: Commit
    files: dict[str, FileChange]


class History:
    """The commits of a clone, read with a limit on the work."""

    def __init__(self, clone: Clone, *, most_entries: int = MAX_ENTRIES) -> None:
        self._clone, self._entries_left = clone, most_entries
        self._folder = lru_cache(maxsize=_KEPT_FOLDERS)(self._read)

    def changes(
        self, paths: Collection[str] | None = None, *, most: int, most_walked: int = MAX_WALKED
    ) -> Iterator[CommitChange]:
        """The newest `most` commits that change one of the paths; without paths, all commits with changes.

        There are fewer if the limits end the walk. A commit that changes more than MAX_CHANGED of the files
        is left out.
        """
        wanted = _PathFilter(paths)
        count = 0
        for commit in self._clone.ancestry(most_walked):
            if count == most or self._entries_left <= 0 or not commit.parent:
                return
            try:
                differing = self._differing(commit.parent_tree, commit.tree, wanted)
                files = dict(islice(differing, MAX_CHANGED + 1))
            except CloneError:
                return  # a partial or damaged clone: earlier commits cannot be read either
            if 0 < len(files) <= MAX_CHANGED:
                count += 1
                yield CommitChange(commit, files)

    def file(self, tree: str, path: str) -> File | None:
        """A file of a commit's tree, or None. Raises CloneError for a damaged clone."""
        folder, _, name = path.rpartition("/")
        entry = self._at(tree, folder).get(name)
        return None if entry is None or entry.is_folder else self._clone.file(path, entry.id)

    def beside(self, tree: str, path: str, suffixes: tuple[str, ...]) -> list[File]:
        """The files with these suffixes in the folder of a path, including the file itself.

        Raises CloneError.
        """
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
        """The entries of a folder below a tree; empty if there is no such folder."""
        for name in path.split("/") if path else ():
            entry = self._folder(tree).get(name)
            if entry is None or not entry.is_folder:
                return {}
            tree = entry.id
        return self._folder(tree)

    def _read(self, tree: str) -> dict[str, FolderEntry]:
        found = self._clone.folder(tree)
        self._entries_left -= len(found) + 1
        return found

    def _differing(self, before: str, after: str, wanted: _PathFilter) -> Iterator[tuple[str, FileChange]]:
        waiting = [("", before, after)]
        while waiting and self._entries_left > 0:
            folder, old_id, new_id = waiting.pop()
            old = self._folder(old_id) if old_id else {}
            new = self._folder(new_id) if new_id else {}
            for name in wanted.names(folder, {**old, **new}):
                path, before_entry, after_entry = f"{folder}{name}", old.get(name), new.get(name)
                if before_entry == after_entry:
                    continue
                change = FileChange(self._regular(path, before_entry), self._regular(path, after_entry))
                if wanted.has(path) and any(change):
                    yield path, change
                trees = _folder_id(before_entry), _folder_id(after_entry)
                if any(trees) and wanted.leads_below(path):
                    waiting.append((f"{path}/", *trees))

    def _regular(self, path: str, entry: FolderEntry | None) -> File | None:
        return None if entry is None or entry.is_folder else self._clone.file(path, entry.id)


class _PathFilter:
    """Wanted files by path, and in each folder the names that lead to them; without paths, every file."""

    def __init__(self, paths: Collection[str] | None) -> None:
        self._files = None if paths is None else frozenset(paths)
        self._names: dict[str, dict[str, None]] = {}
        for path in sorted(self._files or ()):
            parts = path.split("/")
            for at, name in enumerate(parts):
                self._names.setdefault("".join(f"{part}/" for part in parts[:at]), {})[name] = None

    def names(self, folder: str, there: Collection[str]) -> Collection[str]:
        """The names of a folder that lead to a wanted file. Folders end with a slash; the top is empty."""
        return there if self._files is None else self._names.get(folder, ())

    def has(self, path: str) -> bool:
        """Whether a file is among the paths."""
        return self._files is None or path in self._files

    def leads_below(self, path: str) -> bool:
        """Whether a wanted file may be below a path."""
        return self._files is None or f"{path}/" in self._names


def _folder_id(entry: FolderEntry | None) -> str:
    return entry.id if entry is not None and entry.is_folder else ""
