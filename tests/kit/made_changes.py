"""A small repository with pull requests, and the events that a clone and a platform would return for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pygit2

from benchwright.building.alignment.event_index import RepositoryEvents
from benchwright.building.alignment.feedback import feedback
from benchwright.building.alignment.links.ladder import links
from benchwright.building.alignment.records import DevelopmentTrajectory, EvidenceLink, Feedback
from benchwright.building.alignment.trajectories import trajectories
from benchwright.sources.clone_objects import CloneObjects
from benchwright.sources.events import RemarkPlace, RepoEvent

REPO = "owner/name"
_START = 1_700_000_000


class MadeChanges:
    """Commits and events in the order in which a test creates them; each is an hour later than the one
    before."""

    def __init__(self, folder: Path) -> None:
        self.path = folder
        self.git = pygit2.init_repository(str(folder), bare=True)
        self.events: list[RepoEvent] = []
        self.main = ""
        self.first = ""  # the first head of pull request 1
        self._hours = 0

    def commit(
        self,
        files: Mapping[str, str | Sequence[str]],
        *parents: str,
        message: str = "A commit",
        who: str = "ann",
    ) -> str:
        """Add a commit whose tree is exactly these files; lists are lines."""
        index = pygit2.Index()
        for name, content in files.items():
            text = content if isinstance(content, str) else "".join(f"{line}\n" for line in content)
            mode = pygit2.enums.FileMode.BLOB
            index.add(pygit2.IndexEntry(name, self.git.create_blob(text.encode()), mode))
        signature = pygit2.Signature(who, f"{who}@example.org", _START + 3600 * self._hours, 0)
        tree = index.write_tree(self.git)
        made = str(self.git.create_commit(None, signature, signature, message, tree, list(parents)))
        self.add("commit", f"commit:{made}", actor=who, text=message, heads=list(parents), source="git")
        return made

    def land(self, files: Mapping[str, str | Sequence[str]], *more: str, message: str = "A commit") -> str:
        """Add a commit on the default branch."""
        parents = ([self.main] if self.main else []) + list(more)
        self.main = self.commit(files, *parents, message=message, who="max")
        return self.main

    def add(self, kind: str, subject: str, **parts: Any) -> RepoEvent:
        """Add an event of a kind."""
        self._hours += 1
        days, hour = divmod(self._hours, 24)
        at = f"2024-01-{days + 1:02}T{hour:02}:00:00Z"
        facts = {"at": at, "repo": REPO, "source": "github", "source_id": subject.partition(":")[2], **parts}
        made = RepoEvent(
            id=f"{facts['source']}:{REPO}:{kind}:{self._hours}", kind=kind, subject=subject, **facts
        )
        self.events.append(made)
        return made

    def pull(self, kind: str, *heads: str, number: int = 1, **parts: Any) -> RepoEvent:
        """Add an event of a pull request: pull_opened, push, force_push, merge, …"""
        return self.add(kind, f"pull:{number}", pull=f"pull:{number}", heads=list(heads), **parts)

    def remark(self, commit: str, path: str, first: int, last: int = 0, **parts: Any) -> RepoEvent:
        """Add a reviewer's remark at lines of pull request 1."""
        names = ("side", "hunk", "outdated", "resolved")
        place = {name: parts.pop(name) for name in names if name in parts}
        kind = "suggestion" if "replacement" in parts else "remark"
        facts = {"text": "Please change this.", "actor": "rex", "pull": "pull:1", **parts}
        where = RemarkPlace(path=path, commit=commit, first=first, last=last or first, **place)
        return self.add(kind, f"remark:{self._hours}", place=where, **facts)

    def known(self) -> RepositoryEvents:
        """Return the events by commit and pull request."""
        return RepositoryEvents(self.events, repo=REPO, head=self.main)

    def units(self) -> list[DevelopmentTrajectory]:
        """Return the trajectories."""
        return list(trajectories(self.known()))

    def feedback(self) -> list[Feedback]:
        """Return the feedback."""
        return list(feedback(self.known(), self.units()))

    def links(self) -> list[EvidenceLink]:
        """Return all links, read from the repository."""
        return list(links(self.known(), self.units(), self.feedback(), CloneObjects(self.path)))

    def links_of(self, source: RepoEvent | str) -> list[EvidenceLink]:
        """Return the links of a remark or subject."""
        name = source if isinstance(source, str) else source.id
        return [each for each in self.links() if each.source == name]


def numbered(count: int, **changed: str) -> list[str]:
    """Return the lines "line 1" to "line N"; `l3="x"` replaces the third."""
    return [
        changed.get(f"l{number}", f"value_{number} = compute({number})") for number in range(1, count + 1)
    ]
