"""Commits, their files and patches, read from the objects of a clone within limits.

A merge lists no files: its changes are those of its parents. What cannot be read is a gap with a reason, and
the rest of the commit is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pygit2

from benchwright.sources.changed_lines import UNKNOWN, changed_parts
from benchwright.sources.history_records import (
    Gap,
    Identity,
    WalkedCommit,
    WalkedFile,
    WalkedFiles,
    WalkedReference,
    WalkLimits,
)

_STATUS = {"A": "added", "M": "modified", "D": "deleted", "R": "renamed", "C": "copied", "T": "modified"}
_UNREADABLE = (pygit2.GitError, KeyError, ValueError)
_ABSENT = "0" * 40
_COMMIT = pygit2.enums.ObjectType.COMMIT
_LINK, _GIT_LINK = 0o120000, 0o160000
_RENAMES = pygit2.enums.DiffFind.FIND_RENAMES
_CONTEXT = 3  # lines around a change, as git shows them


class HistoryObjects:
    """The commits of one clone. `gaps` are those of the history: missing commits, and too many of them."""

    def __init__(self, repository: Any, limits: WalkLimits, *, comments: bool) -> None:
        self._repository, self._limits, self._comments = repository, limits, comments
        self.gaps: list[Gap] = []

    def references(self, names: Mapping[str, str]) -> Iterator[WalkedReference]:
        """Each reference with its commit; an annotated tag has a message."""
        for name, target in names.items():
            yield self._reference(name, target)

    def history(self, tips: Iterable[str]) -> list[str]:
        """The ids of all commits that these objects lead to, by committer time and id."""
        times: dict[Any, int | None] = {}
        waiting = [each for tip in tips if (each := self._peeled(tip)) is not None]
        while waiting:
            name = waiting.pop()
            if name in times:
                continue
            if len(times) >= self._limits.commits:
                self.gaps.append(Gap("too_many_commits", detail=f"more than {self._limits.commits:,}"))
                break
            try:
                commit = self._repository[name]
                times[name] = commit.commit_time
                waiting.extend(commit.parent_ids)
            except (*_UNREADABLE, AttributeError):
                times[name] = None
        return self._sorted(times)

    def commit(self, sha: str) -> WalkedCommit:
        """A commit without its files."""
        found, gaps = self._repository[sha], []
        message, readable = _decoded(found.raw_message, found.message_encoding)
        if not readable:
            gaps.append(Gap("message_not_utf8"))
        if len(message) > self._limits.message_bytes:
            gaps.append(Gap("large_message", detail=f"{len(message):,} characters"))
            message = message[: self._limits.message_bytes]
        parents = [str(each) for each in found.parent_ids]
        return WalkedCommit(sha, parents, _identity(found.author), _identity(found.committer), message, gaps)

    def files(self, sha: str) -> WalkedFiles:
        """The changed files of a commit: against its parent, or all files of a root."""
        commit = self._repository[sha]
        if len(commit.parent_ids) > 1:
            return WalkedFiles(sha, [], [])
        reader = _DiffReader(self._repository, self._limits, comments=self._comments)
        try:
            return WalkedFiles(sha, list(reader.files(self._diff(commit))), reader.gaps)
        except _MissingParentError as error:
            return WalkedFiles(sha, [], [Gap("missing_parent", str(error))])
        except (*_UNREADABLE, MemoryError) as error:
            return WalkedFiles(sha, [], [Gap("missing_object", detail=str(error)[:200])])

    def _diff(self, commit: Any) -> Any:
        options = {"context_lines": _CONTEXT}
        if not commit.parent_ids:
            return commit.tree.diff_to_tree(swap=True, **options)
        try:
            before = self._repository[commit.parent_ids[0]]
        except _UNREADABLE:
            raise _MissingParentError(str(commit.parent_ids[0])) from None
        return before.tree.diff_to_tree(commit.tree, **options)

    def _sorted(self, times: Mapping[Any, int | None]) -> list[str]:
        missing = sorted(str(name) for name, time in times.items() if time is None)
        self.gaps.extend(Gap("missing_commit", name) for name in missing)
        return [name for _, name in sorted((t, str(name)) for name, t in times.items() if t is not None)]

    def _peeled(self, target: str) -> Any:
        try:
            return self._repository[target].peel(pygit2.Commit).id
        except _UNREADABLE:
            return None

    def _reference(self, name: str, target: str) -> WalkedReference:
        commit = self._peeled(target)
        time, message, tagger = None, "", None
        try:
            found = self._repository[target]
            if isinstance(found, pygit2.Tag):
                message, _ = _decoded(found.raw_message or b"", None)
                tagger = _identity(found.tagger) if found.tagger is not None else None
            if commit is not None:
                time = tagger.time if tagger is not None else self._repository[commit].commit_time
        except (*_UNREADABLE, AttributeError):
            pass  # without a commit it is a gap of the reference
        return WalkedReference(name, target, "" if commit is None else str(commit), time, message, tagger)


class _MissingParentError(Exception):
    """The parent of a commit is not in the clone."""


class _DiffReader:
    """Reads the files of one diff; `gaps` is complete at the end."""

    def __init__(self, repository: Any, limits: WalkLimits, *, comments: bool) -> None:
        self._odb, self._limits, self._comments = repository.odb, limits, comments
        self._bytes_left, self._unread = limits.commit_bytes, 0
        self.gaps: list[Gap] = []

    def files(self, diff: Any) -> Iterator[WalkedFile]:
        """The changed files in the order of their paths."""
        deltas = self._renamed(diff)
        if len(deltas) > self._limits.commit_files:
            left = len(deltas) - self._limits.commit_files
            self.gaps.append(Gap("many_files", detail=f"{left:,} of {len(deltas):,} files are not listed"))
        for number, delta in enumerate(deltas[: self._limits.commit_files]):
            yield self._file(diff, number, delta)
        if self._unread:
            self.gaps.append(Gap("large_commit", detail=f"{self._unread:,} files are listed without lines"))

    def _renamed(self, diff: Any) -> list[Any]:
        """The changes, with renames joined if all files among which they are searched can be read."""
        deltas = list(diff.deltas)
        moved = [each for each in deltas if each.status_char() in "AD"]
        if len({each.status_char() for each in moved}) < 2:
            return deltas
        if len(moved) > self._limits.rename_files or not all(map(self._is_small, moved)):
            self.gaps.append(Gap("renames_not_searched"))
            return deltas
        try:
            diff.find_similar(_RENAMES, rename_limit=self._limits.rename_files)
        except _UNREADABLE:
            self.gaps.append(Gap("renames_not_searched"))
        return list(diff.deltas)

    def _is_small(self, delta: Any) -> bool:
        return self._complaint(delta) in ("", "submodule")

    def _file(self, diff: Any, number: int, delta: Any) -> WalkedFile:
        path, is_decoded = _decoded(delta.new_file.raw_path, None)
        old_path, _ = _decoded(delta.old_file.raw_path, None)
        if not is_decoded:
            self.gaps.append(Gap("name_not_utf8", path))
        status = _STATUS.get(delta.status_char(), "modified")
        added, removed, patch = self._patch(diff, number, delta, path)
        parts = changed_parts(path, patch) if self._comments else UNKNOWN
        return WalkedFile(
            path,
            old_path if status in ("renamed", "copied") else "",
            status,
            added,
            removed,
            _id(delta.new_file),
            _id(delta.old_file),
            patch,
            *parts,
        )

    def _patch(self, diff: Any, number: int, delta: Any, path: str) -> tuple[int | None, int | None, str]:
        """The added and removed lines and the hunks; no lines for a file that has none or is not read."""
        if self._bytes_left <= 0:
            self._unread += 1
            return None, None, ""
        complaint = self._complaint(delta)
        if complaint:
            self.gaps.append(Gap(complaint, path))
            return None, None, ""
        try:
            patch = diff[number]
            if patch.delta.is_binary:
                self.gaps.append(Gap("binary", path))
                return None, None, ""
            _, added, removed = patch.line_stats
            return added, removed, self._hunks(patch.data, path)
        except _UNREADABLE as error:
            self.gaps.append(Gap("missing_object", path, str(error)[:200]))
            return None, None, ""

    def _hunks(self, data: bytes, path: str) -> str:
        start = data.find(b"\n@@ ") + 1
        if start == 0:
            return ""
        self._bytes_left -= len(data) - start
        if len(data) - start > self._limits.patch_bytes:
            self.gaps.append(Gap("large_patch", path, f"{len(data) - start:,} bytes"))
            return ""
        text, readable = _decoded(data[start:], None)
        if not readable:
            self.gaps.append(Gap("patch_not_utf8", path))
        return text

    def _complaint(self, delta: Any) -> str:
        """Why the content of a change is not read: its reason, or nothing."""
        for side in (delta.old_file, delta.new_file):
            if side.mode == _GIT_LINK:
                return "submodule"
            name = side.id
            if str(name) == _ABSENT:
                continue
            try:
                if self._odb.read_header(name)[1] > self._limits.file_bytes:
                    return "large_file"
            except _UNREADABLE:
                return "missing_object"
        return ""


def _id(side: Any) -> str:
    name = str(side.id)
    return "" if name == _ABSENT else name


def _identity(signature: Any) -> Identity:
    name, _ = _decoded(signature.raw_name, None)
    mail, _ = _decoded(signature.raw_email, None)
    return Identity(name, mail, signature.time)


def _decoded(data: bytes, encoding: str | None) -> tuple[str, bool]:
    """A text, and whether it is UTF-8 or in the stated encoding; other bytes are written as \\xNN."""
    try:
        return data.decode(encoding or "utf-8"), True
    except (UnicodeDecodeError, LookupError):
        return data.decode("utf-8", "backslashreplace"), False
