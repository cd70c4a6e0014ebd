"""The demo's small project history, and the bare clone that is made of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pygit2

from benchwright.records import Record

NAME = "ours/scales"
START, DAY = 1_709_290_800, 86_400  # 2024-03-01 11:00 UTC, and a day, in seconds


class MadeCommit(Record, frozen=True, kw_only=True):
    """A commit of exactly these files, each a list of lines; `parents` are names of earlier commits."""

    name: str
    author: str
    day: int  # after the start
    parents: list[str]
    message: str
    files: dict[str, list[str]]


class MadeHistory(Record, frozen=True, kw_only=True):
    """Commits in the order in which they are stored, and references to them by name."""

    remote: str
    commits: list[MadeCommit]
    references: dict[str, str]


def make_clone(history: Path, place: Path) -> None:
    """Write the bare clone of a history file; the same file gives the same commit ids.

    A clone that exists is completed.
    """
    content = msgspec.json.decode(history.read_bytes(), type=MadeHistory)
    git = pygit2.init_repository(str(place), bare=True)
    git.config["remote.origin.url"] = content.remote
    ids: dict[str, Any] = {}
    for each in content.commits:
        ids[each.name] = _commit(git, each, [ids[name] for name in each.parents])
    for reference, name in content.references.items():
        git.references.create(reference, ids[name], force=True)


def _commit(git: Any, each: MadeCommit, parents: list[Any]) -> Any:
    index = pygit2.Index()
    for name, lines in each.files.items():
        blob = git.create_blob("".join(f"{line}\n" for line in lines).encode())
        index.add(pygit2.IndexEntry(name, blob, pygit2.enums.FileMode.BLOB))
    signature = pygit2.Signature(each.author, f"{each.author}@example.org", START + each.day * DAY, 0)
    return git.create_commit(None, signature, signature, each.message, index.write_tree(git), parents)
