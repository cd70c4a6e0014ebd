"""The process that reads reviews out of one clone; its argument is the clone's folder.

It writes one JSON object a line: the notes of a commit, a change of Gerrit, or what cannot be read.
"""

from __future__ import annotations

import re
import resource
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pygit2

from benchwright.sandbox.inside import linux
from benchwright.sources.clones import open_objects
from benchwright.sources.git_folder import References, git_folder
from benchwright.sources.review_records import MetaChange, MetaCommit, ReviewNotes
from benchwright.store.process_limits import lower

MEMORY = 2 << 30
SECONDS = 1800
MAX_NOTE = 4 << 20  # bytes of the notes of one commit
MAX_NOTES = 200_000
MAX_COMMITS = 2_000  # of one change
MAX_WALKED = 1_000_000
_KINDS = ("reviews", "discuss", "ci")
_META = re.compile(r"refs/changes/\d\d/(\d{1,9})/meta")
_ANY = re.compile(r'"commit":\s*"([0-9a-f]{40})"')
_REVIEWED = re.compile(r'"reviewRef":\s*"(refs/[^"]{1,300})"')
_NOTE = re.compile(r"[0-9a-f]{40}")


def main() -> int:
    """Write the reviews. The exit code is 1, with the reason on standard error, for an unreadable clone."""
    linux.die_with_parent()
    signal.alarm(SECONDS)
    lower(resource.RLIMIT_AS, MEMORY)
    lower(resource.RLIMIT_CORE, 0)
    clone = Path(sys.argv[1])
    found = References(git_folder(clone))
    repository = open_objects(clone)
    for name, value in _lines(repository, found.all(), found.named("HEAD") or ""):
        sys.stdout.buffer.write(msgspec.json.encode({name: value}) + b"\n")
    sys.stdout.buffer.flush()
    return 0


def _lines(repository: Any, references: dict[str, str], head: str) -> Iterator[tuple[str, Any]]:
    yield from _all_notes(repository, references, _MainBranch(repository, head))
    for name, tip in references.items():
        if found := _META.fullmatch(name):
            try:
                yield "change", _change(repository, int(found[1]), tip)
            except (pygit2.GitError, KeyError, ValueError) as error:
                yield "unreadable", f"{name}: {error!r}"


class _MainBranch:
    """The commits of the main branch's first parents, and which of them brought each other commit in."""

    def __init__(self, repository: Any, head: str) -> None:
        self._repository, self._head = repository, head
        self._merge_by_commit: dict[str, str] | None = None

    def merges(self, commits: set[str]) -> dict[str, str]:
        """Of each commit that is in the main branch, the first of its first parents that has it."""
        if self._merge_by_commit is None:
            self._merge_by_commit = dict(self._walk()) if self._head else {}
        return {
            each: self._merge_by_commit[each] for each in sorted(commits) if each in self._merge_by_commit
        }

    def time(self, commit: str) -> int:
        """Seconds since 1970."""
        return int(self._repository[commit].commit_time)

    def _walk(self) -> Iterator[tuple[str, str]]:
        seen: set[str] = set()
        for main in reversed(self._first_parents()):
            waiting = [main]
            while waiting and len(seen) < MAX_WALKED:
                commit = waiting.pop()
                if commit not in seen and commit in self._repository:
                    seen.add(commit)
                    yield commit, main
                    waiting += [str(each) for each in self._repository[commit].parent_ids]

    def _first_parents(self) -> list[str]:
        found = [self._head]
        while len(found) < MAX_WALKED and (parents := self._repository[found[-1]].parent_ids):
            if parents[0] not in self._repository:
                break  # a shallow clone
            found.append(str(parents[0]))
        return found


def _all_notes(repository: Any, references: dict[str, str], main: _MainBranch) -> Iterator[tuple[str, Any]]:
    """The notes of all commits: those of one commit together, since replies cite each other."""
    by_commit: dict[str, dict[str, Any]] = {}
    for kind in _KINDS:
        name = f"refs/notes/devtools/{kind}"
        if name not in references:
            continue
        try:
            for commit, blob in _notes(repository[repository[references[name]].tree_id], ""):
                by_commit.setdefault(commit, {})[kind] = blob
        except (pygit2.GitError, KeyError, ValueError) as error:
            yield "unreadable", f"{name}: {error!r}"
    for commit, blobs in sorted(by_commit.items()):
        try:
            texts = {kind: _text(repository[blob]) for kind, blob in blobs.items()}
            reviewed = _REVIEWED.findall(texts.get("reviews", ""))
            head = references.get(reviewed[-1], "") if reviewed else ""
            head = head if head and head in repository else ""
            merges = main.merges({commit, head, *_ANY.findall(texts.get("discuss", ""))})
            times = [main.time(each) for each in merges.values()]
            found = ReviewNotes(
                commit=commit,
                notes=texts,
                merges=merges,
                merged_at=max(times, default=0),
                head=head,
                head_at=main.time(head) if head else 0,
            )
            yield "notes", found
        except (pygit2.GitError, KeyError, ValueError) as error:
            yield "unreadable", f"notes of {commit}: {error!r}"


def _notes(tree: Any, prefix: str, depth: int = 0) -> Iterator[tuple[str, Any]]:
    """The blobs of a tree of notes by commit: the path without slashes is the commit's id."""
    for count, entry in enumerate(tree):
        name = prefix + (entry.raw_name or b"").decode("ascii", "replace")
        if count > MAX_NOTES:
            raise ValueError(f"more than {MAX_NOTES:,} notes in one folder")
        if entry.filemode == pygit2.enums.FileMode.TREE and depth < 20:
            yield from _notes(entry, name, depth + 1)
        elif _NOTE.fullmatch(name) and entry.filemode == pygit2.enums.FileMode.BLOB:
            yield name, entry.id


def _text(blob: Any) -> str:
    if blob.size > MAX_NOTE:
        raise ValueError(f"a note of {blob.size:,} bytes, over {MAX_NOTE:,}")
    return str(blob.data.decode("utf-8", "replace"))


def _change(repository: Any, number: int, tip: str) -> MetaChange:
    commits: list[MetaCommit] = []
    at = first = repository[tip]
    while len(commits) < MAX_COMMITS:
        message = at.raw_message[:MAX_NOTE].decode("utf-8", "replace")
        commits.append(
            MetaCommit(sha=str(at.id), at=at.author.time, author=at.author.email or "", message=message)
        )
        if not at.parent_ids:
            break
        at = repository[at.parent_ids[0]]
    notes = {name: _text(repository[blob]) for name, blob in _notes(repository[first.tree_id], "")}
    return MetaChange(
        number=number,
        commits=commits[::-1],
        notes=notes,
        cut=len(commits) == MAX_COMMITS and bool(at.parent_ids),
    )


if __name__ == "__main__":
    sys.exit(main())
