"""Clones of repositories, read from their object database alone.

Nothing is checked out, so links, hooks, filters and attributes have no effect, and a bare clone is
sufficient. Sizes are known before content is read. The `git` program and the library's own way to open a
repository are not used: both read the clone's configuration, which can name programs to start and files to
include. A clone that borrows from another folder is refused: it may come from a stranger, and the other
folder may be yours.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.display.escape import escaped_path, quoted
from benchwright.errors import DataError, PrerequisiteError, install_command
from benchwright.sources.git_folder import References, git_folder, leads_out, remote_address

MAX_FILES = 200_000
MAX_DEPTH = 64
MAX_PATH = 1000
REASONS = ("no_clone", "leads_out", "empty", "no_head", "no_commit", "damaged", "too_many_files")
_OPERATOR = re.compile(r"[~^@:]")  # operators after a name: gitrevisions(7)
NOT_CLONED = ("not_cloned", "clone_too_slow", "clone_too_large", "address_refused")


class CloneError(DataError):
    """A clone that cannot be made or read. `reason` is one of REASONS or of NOT_CLONED."""

    def __init__(
        self, message: str, *, reason: str, path: Path | None = None, hint: str | None = None
    ) -> None:
        self.reason = reason
        super().__init__(message, path=escaped_path(path) if path is not None else None, hint=hint)


class TextError(DataError):
    """A file that is not source text: `reason` is "too_large", "not_utf8", "binary" or "damaged"."""

    def __init__(self, message: str, *, reason: str, path: str) -> None:
        self.reason = reason
        super().__init__(message, path=path)


class File(NamedTuple):
    """A regular file of a commit. `blob` is the id of its content."""

    path: str
    size: int
    blob: str


class Commit(NamedTuple):
    """A commit of a clone's history and its first parent, which is empty for the oldest commit."""

    name: str
    tree: str
    committed_at: str  # ISO 8601 in UTC; empty for an invalid date
    parent: str
    parent_tree: str


class FolderEntry(NamedTuple):
    """An entry of a folder in a commit: a folder or a regular file."""

    id: str
    is_folder: bool


class Clone:
    """One commit of a clone: HEAD or the requested one. Raises CloneError if there is none."""

    def __init__(self, path: Path, *, commit: str | None = None) -> None:
        self.path = path
        self._git = load_pygit2()
        check_enclosed(path)
        self._folder = git_folder(path)
        self._references = References(self._folder)
        self._repository = open_objects(path)
        self._commit = self._head() if commit is None else self._commit_named(commit)
        self.commit = str(self._commit.id)

    @property
    def committed_at(self) -> str:
        """The time of the commit, ISO 8601 in UTC; empty for an invalid date."""
        return _date(self._commit)

    @property
    def remote(self) -> str:
        """The address it was cloned from, without a password; empty if unknown."""
        return without_password(remote_address(self._folder))

    def files(self) -> Iterator[File]:
        """Regular files in tree order, without links and submodules."""
        waiting: list[tuple[str, Any, int]] = [("", self._tree(), 0)]
        count = 0
        while waiting:
            folder, tree, depth = waiting.pop()
            below = []
            for entry in tree:
                path = f"{folder}{(entry.raw_name or b'').decode('utf-8', 'backslashreplace')}"
                if len(path) > MAX_PATH:
                    continue
                if entry.filemode == self._git.enums.FileMode.TREE and depth < MAX_DEPTH:
                    below.append((f"{path}/", self._object(entry.id), depth + 1))
                elif entry.filemode in (
                    self._git.enums.FileMode.BLOB,
                    self._git.enums.FileMode.BLOB_EXECUTABLE,
                ):
                    count += 1
                    if count > MAX_FILES:
                        raise self._error(f"more than {MAX_FILES:,} files", reason="too_many_files")
                    yield File(path, self._size(entry.id), str(entry.id))
            waiting.extend(reversed(below))

    def ancestry(self, most: int) -> Iterator[Commit]:
        """The commit and its first parents, newest first; a shallow clone ends where it was cut.

        With first parents only, a merge is one change, as it was reviewed.
        """
        commit = self._commit
        for _ in range(most):
            parent = self._parent(commit)
            names = (str(parent.id), str(parent.tree_id)) if parent is not None else ("", "")
            yield Commit(str(commit.id), str(commit.tree_id), _date(commit), *names)
            if parent is None:
                return
            commit = parent

    def tree_of(self, commit: str) -> str:
        """The id of another commit's top folder. Raises CloneError."""
        return str(self._commit_named(commit).tree_id)

    def folder(self, tree: str) -> dict[str, FolderEntry]:
        """The entries of a folder by name, without links and submodules. Raises CloneError."""
        modes = self._git.enums.FileMode
        known = {modes.TREE: True, modes.BLOB: False, modes.BLOB_EXECUTABLE: False}
        entries = self._object(tree)
        if len(entries) > MAX_FILES:
            raise self._error(f"a folder of more than {MAX_FILES:,} files", reason="too_many_files")
        return {
            (entry.raw_name or b"").decode("utf-8", "backslashreplace"): FolderEntry(
                str(entry.id), known[entry.filemode]
            )
            for entry in entries
            if entry.filemode in known
        }

    def file(self, path: str, blob: str) -> File:
        """A file of any commit, by the id of its content."""
        return File(path, self._size(blob), blob)

    def text(self, file: File, *, limit: int) -> str:
        """The text of a file with its original line ends. Raises TextError."""
        where = self._place(file)
        try:
            text = self.content(file, limit=limit).decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise TextError(f"not UTF-8: {error.reason}", reason="not_utf8", path=where) from None
        if "\0" in text:
            raise TextError("holds NUL bytes", reason="binary", path=where)
        return text

    def content(self, file: File, *, limit: int) -> bytes:
        """The bytes of a file. Raises TextError if it is too large or damaged."""
        if file.size > limit:
            message = f"{file.size:,} bytes, over {limit:,}"
            raise TextError(message, reason="too_large", path=self._place(file))
        try:
            data: bytes = self._object(file.blob).data
        except CloneError as error:
            raise TextError(error.message, reason="damaged", path=self._place(file)) from None
        return data

    def _place(self, file: File) -> str:
        return f"{self.path.name}:{file.path}"

    def _head(self) -> Any:
        if (commit := self._commit_of("HEAD")) is not None:
            return commit
        if self._references.named("HEAD") is None and not self._references.any():
            raise self._error("the clone is empty: it has no commits", reason="empty")
        hint = f"git -C {quoted(self.path)} symbolic-ref HEAD refs/heads/main"
        raise self._error("HEAD names no commit", reason="no_head", hint=hint)

    def _commit_named(self, name: str) -> Any:
        if (commit := self._commit_of(name)) is None:
            raise self._error(f"unknown commit {escaped_path(name)}", reason="no_commit")
        return commit

    def _commit_of(self, name: str) -> Any:
        """The commit of an id, a prefix, a branch, a tag or HEAD, with operators such as `main~2`."""
        base = _OPERATOR.split(name, maxsplit=1)[0]
        rest = name.removeprefix(base)
        try:
            found = self._repository.revparse_single((self._references.named(base) or base) + rest)
            return found.peel(self._git.Commit)
        except (self._git.GitError, KeyError, ValueError):
            return None

    def _parent(self, commit: Any) -> Any:
        """The first parent; None if there is none, or if a shallow clone lacks it."""
        try:
            found = self._repository[commit.parent_ids[0]] if commit.parent_ids else None
        except (self._git.GitError, KeyError, ValueError):
            return None
        return found if isinstance(found, self._git.Commit) else None

    def _tree(self) -> Any:
        return self._object(self._commit.tree_id)

    def _size(self, name: Any) -> int:
        """The size in bytes; 0 for a file that a partial clone lacks, which reading then reports."""
        try:
            return int(self._object(name).size)
        except CloneError:
            return 0

    def _object(self, name: Any) -> Any:
        try:
            return self._repository[name]
        except (self._git.GitError, KeyError, ValueError) as error:
            hint = f"git -C {quoted(self.path)} fsck"
            raise self._error(f"missing object ({error})", reason="damaged", hint=hint) from None

    def _error(self, message: str, *, reason: str, hint: str | None = None) -> CloneError:
        return CloneError(message, reason=reason, path=self.path, hint=hint)


def open_objects(path: Path) -> Any:
    """Open a repository of the library in memory over the objects of a clone; it has no configuration.

    The caller has checked that nothing leads out of the clone (`check_enclosed`). Raises CloneError.
    """
    git, objects = load_pygit2(), git_folder(path) / "objects"
    if not is_clone(path) or not objects.is_dir():
        hint = f"git clone --bare ADDRESS {quoted(path)}"
        raise CloneError("not a clone of a repository", reason="no_clone", path=path, hint=hint)
    database = git.Odb()
    try:
        database.add_backend(git.OdbBackendPack(str(objects)), 2)  # tried first
        database.add_backend(git.OdbBackendLoose(str(objects), -1, False), 1)
    except (git.GitError, KeyError, ValueError) as error:
        hint = f"git -C {quoted(path)} fsck"
        message = f"its objects cannot be read ({error})"
        raise CloneError(message, reason="damaged", path=path, hint=hint) from None
    repository = git.Repository()
    repository.set_odb(database)
    return repository


def _date(commit: Any) -> str:
    try:
        return datetime.fromtimestamp(commit.commit_time, UTC).isoformat()
    except (OverflowError, ValueError, OSError):
        return ""


def check_enclosed(path: Path) -> None:
    """Raise CloneError if part of a clone is in another folder or is reached through one."""
    try:
        complaint = leads_out(path)
    except OSError as error:
        message = f"the clone cannot be read ({error.strerror})"
        raise CloneError(message, reason="no_clone", path=path) from None
    if complaint:
        hint = f"if it is yours, use a copy: git clone --bare --no-local {quoted(path)} NEW"
        message = f"part of the clone is outside its folder: {complaint}"
        raise CloneError(message, reason="leads_out", path=path, hint=hint)


def without_password(address: str) -> str:
    """An address for messages and files; anything but a URL stays unchanged."""
    scheme, separator, rest = address.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}://{host.rpartition('@')[2]}{slash}{path}" if separator else address


def is_clone(path: Path) -> bool:
    """Whether a folder looks like a clone, bare or with a work tree."""
    return (path / ".git").exists() or ((path / "HEAD").is_file() and (path / "objects").is_dir())


def load_pygit2() -> Any:
    """The library, without the checks for programs that execute parts of a clone."""
    try:
        import pygit2  # noqa: PLC0415 (an extra)
    except ImportError:
        hint = install_command("build")
        raise PrerequisiteError("reading repositories needs pygit2", hint=hint) from None
    # A clone of another user is refused by default, for what git may execute in it. Nothing is executed here.
    pygit2.settings.owner_validation = False
    # As git does, objects are hashed when they are received; zlib has a checksum for each. Hashing them at
    # every read is a quarter of the time of a walk.
    pygit2.settings.enable_strict_hash_verification(False)
    return pygit2
