"""Lines and differences of files between any two commits of a clone.

Only blobs of limited size are read, as lines of UTF-8 with replacement characters for invalid bytes. A
missing commit, tree or blob (shallow and partial clones, damaged copies) raises MissingObjectError, so that a
caller can tell "the file did not change" from "nobody can know".
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.errors import DataError
from benchwright.sources.clones import check_enclosed, load_pygit2, open_objects
from benchwright.sources.diff_records import FileDiff, LineHunk

MAX_BLOB = 2 << 20  # bytes of a file whose lines are followed
MAX_CHANGED_FILES = 300  # of one commit; more are a move or a formatter
MAX_RENAMES = 200  # files that are compared with each other for a rename
SIMILAR = 50  # per cent of equal lines that make a rename: git's default
_CACHE_SIZE = 4096


class MissingObjectError(DataError):
    """An object that the clone lacks, or that is too large or not a text.

    `reason` is "missing_object", "too_large", "no_text" or "reader_died".
    """

    def __init__(self, message: str, *, reason: str = "missing_object") -> None:
        self.reason = reason
        super().__init__(message)


class _Entry(NamedTuple):
    id: Any
    blob: bool


class CloneObjects:
    """The objects of a clone, by commit and path; renames are followed.

    Objects from strangers are read by `object_reader.ObjectReader` instead, in a child process. Raises
    CloneError for a folder that is not a clone.
    """

    def __init__(self, path: Path) -> None:
        check_enclosed(path)
        self._git, self._repository = load_pygit2(), open_objects(path)

    def parents(self, commit: str) -> list[str]:
        """The parents of a commit, the first one first. Raises MissingObjectError."""
        return [str(each) for each in self._commit_at(commit).parent_ids]

    def lines(self, commit: str, path: str) -> list[str] | None:
        """The lines of a file without their ends; None if the commit has no such file.

        Raises MissingObjectError.
        """
        entry = self._entry(commit, path)
        return None if entry is None else _split(self._blob(entry).data)

    def diff(self, old: str, new: str, path: str, *, spaces: bool = True) -> FileDiff | None:
        """The changes of the file that is at `path` in `old`, or None if nothing changed.

        Without `spaces`, changes of white space alone are not changes. A file that is gone has an empty
        `path`, unless it was renamed. Raises MissingObjectError.
        """
        before, after = self._entry(old, path), self._entry(new, path)
        if before is None:
            return None
        target = path
        if after is None:
            target = self._renamed(old, new).get(path, "")
            after = self._entry(new, target) if target else None
        if after is None:
            return FileDiff(path, "", [LineHunk(1, len(_split(self._blob(before).data)), 0, 0)])
        if before.id == after.id:
            return None if target == path else FileDiff(path, target, [])
        return FileDiff(path, target, self._hunks(before, after, spaces=spaces))

    def changes(self, old: str, new: str) -> list[FileDiff]:
        """The changes of all files between two commits; `old` may be empty for the first commit.

        Binary and large files have no hunks. More than MAX_CHANGED_FILES files: none are returned.
        Raises MissingObjectError.
        """
        before = self._commit_at(old).tree_id if old else None
        with _missing(new):
            found = list(self._deltas(before, self._commit_at(new).tree_id))
        return found if len(found) <= MAX_CHANGED_FILES else []

    def blame(self, commit: str, path: str, first: int, last: int) -> list[str]:
        """The commits that wrote lines of a file, in the order of the lines. Raises MissingObjectError."""
        with _missing(commit):
            found = self._repository.blame(path, newest_commit=commit, min_line=first, max_line=last)
            return [str(found.for_line(line).final_commit_id) for line in range(first, last + 1)]

    def _deltas(self, before: Any, after: Any) -> Iterator[FileDiff]:
        for patch in self._tree_diff(before, after):
            delta = patch.delta
            old = "" if delta.status_char() == "A" else _path(delta.old_file)
            new = "" if delta.status_char() == "D" else _path(delta.new_file)
            hunks = [] if delta.is_binary else [_hunk(each) for each in patch.hunks]
            yield FileDiff(old, new, hunks)

    def _tree_diff(self, before: Any, after: Any) -> Any:
        tree = self._repository[after]
        options = {"context_lines": 0, "interhunk_lines": 0}
        if before is None:
            diff = tree.diff_to_tree(swap=True, **options)
        else:
            diff = self._repository[before].diff_to_tree(tree, **options)
        if {"A", "D"} <= {each.status_char() for each in diff.deltas}:
            diff.find_similar(rename_threshold=SIMILAR, rename_limit=MAX_RENAMES)
        return diff

    def _renamed(self, old: str, new: str) -> dict[str, str]:
        return self._renames(self._commit_at(old).tree_id, self._commit_at(new).tree_id)

    @lru_cache(maxsize=64)  # noqa: B019 (lives as long as the clone)
    def _renames(self, before: Any, after: Any) -> dict[str, str]:
        with _missing(str(after)):
            diff = self._tree_diff(before, after)
            return {
                _path(each.old_file): _path(each.new_file)
                for each in diff.deltas
                if each.status_char() == "R"
            }

    @lru_cache(maxsize=_CACHE_SIZE)  # noqa: B019
    def _entry(self, commit: str, path: str) -> _Entry | None:
        """The entry of a regular file; None for links, submodules and folders."""
        modes = self._git.enums.FileMode
        with _missing(commit):
            tree = self._repository[self._commit_at(commit).tree_id]
            entry = tree[path] if path in tree else self._below(tree, path)
        if entry is None:
            return None
        return _Entry(entry.id, True) if entry.filemode in (modes.BLOB, modes.BLOB_EXECUTABLE) else None

    def _below(self, tree: Any, path: str) -> Any:
        """None for a path that does not exist; KeyError if a folder on the way is missing."""
        for name in path.split("/")[:-1]:
            if name not in tree or tree[name].filemode != self._git.enums.FileMode.TREE:
                return None
            tree = self._repository[tree[name].id]
        return None

    def _blob(self, entry: _Entry) -> Any:
        with _missing(str(entry.id)):
            blob = self._repository[entry.id]
        if blob.size > MAX_BLOB:
            raise MissingObjectError(f"blob {entry.id}: over {MAX_BLOB:,} bytes", reason="too_large")
        if blob.is_binary:
            raise MissingObjectError(f"blob {entry.id}: binary", reason="no_text")
        return blob

    def _hunks(self, before: _Entry, after: _Entry, *, spaces: bool) -> list[LineHunk]:
        options = self._git.enums.DiffOption
        flag = options.NORMAL if spaces else options.IGNORE_WHITESPACE
        old, new = self._blob(before), self._blob(after)
        patch = old.diff(new, int(flag), "", "", 0, 0)
        return [_hunk(each) for each in patch.hunks]

    @lru_cache(maxsize=_CACHE_SIZE)  # noqa: B019
    def _commit_at(self, commit: str) -> Any:
        with _missing(commit):
            found = self._repository[commit]
        if not isinstance(found, self._git.Commit):
            raise MissingObjectError(f"{commit}: not a commit")
        return found


@contextmanager
def _missing(name: str) -> Iterator[None]:
    import pygit2  # noqa: PLC0415 (an extra; loaded by the clone)

    try:
        yield
    except (KeyError, ValueError, pygit2.GitError) as error:
        raise MissingObjectError(f"missing object {name}: {error}") from None


def _split(data: bytes) -> list[str]:
    lines = data.decode("utf-8", "replace").split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def _path(file: Any) -> str:
    return str(file.raw_path.decode("utf-8", "backslashreplace"))


def _hunk(hunk: Any) -> LineHunk:
    return LineHunk(hunk.old_start, hunk.old_lines, hunk.new_start, hunk.new_lines)
