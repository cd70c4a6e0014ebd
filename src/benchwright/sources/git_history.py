"""The history of a clone as a source of events: commits, branches, heads of pull requests and tags."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import NamedTuple

from benchwright.records import Drop
from benchwright.sources.clones import check_enclosed
from benchwright.sources.events import Cleaner, FilePatch, RepoEvent
from benchwright.sources.git_events import CHANGE_HEADS, PULL_HEADS, GitEvents
from benchwright.sources.git_folder import References, git_folder
from benchwright.sources.history_records import WalkedList, WalkLimits, WalkRequest, WalkSummary
from benchwright.sources.history_walk import walk

HEAD = "HEAD"
_COMMIT_ID = re.compile(r"git:.*:commit:([0-9a-f]{40})", re.DOTALL)
_PLAIN_REFERENCES = re.compile(r"refs/(?:heads|tags|remotes)/.+")


class CommitSpread(NamedTuple):
    """Reads many commits elsewhere: `read` returns the events of `commit_events` in the same order."""

    read: Callable[[list[str]], Iterator[RepoEvent | FilePatch | Drop]]
    above: int  # up to this number of commits, they are read here


class GitHistory(NamedTuple):
    """The history of one clone. Without `pulls`, heads of pull requests and Gerrit changes are left out."""

    repo: str
    place: Path
    licence: str = ""
    pulls: bool = True
    comments: bool = True
    limits: WalkLimits = WalkLimits()

    def events(
        self, folder: Path, clean: Cleaner, tell: Callable[[str], None], /
    ) -> Iterator[RepoEvent | FilePatch | Drop]:
        """All events of the clone, with the patch of each changed file before its commit."""
        return self.new_events(clean, known=())

    def new_events(
        self, clean: Cleaner, *, known: Collection[str], spread: CommitSpread | None = None
    ) -> Iterator[RepoEvent | FilePatch | Drop]:
        """The events of all references, and those of commits whose event is not among the `known` ids.

        Commits are sorted by committer time. `spread` reads them if they are many. Raises CloneError if the
        clone cannot be read at all.
        """
        check_enclosed(self.place)
        references = References(git_folder(self.place))
        converter = GitEvents(self.repo, clean, licence=self.licence, head_branch=references.head_branch())
        request = WalkRequest(
            path=str(self.place),
            references=self._wanted_references(references),
            known=[match[1] for each in known if (match := _COMMIT_ID.fullmatch(each))],
            limits=self.limits,
            comments=self.comments,
            list_above=None if spread is None else spread.above,
        )
        listed: dict[str, None] = {}
        for message in walk(request):
            if isinstance(message, WalkedList):
                listed |= dict.fromkeys(message.commits)
                continue
            if isinstance(message, WalkSummary) and spread is not None and listed:
                yield from spread.read(list(listed))
            yield from converter.convert(message)

    def commit_events(
        self, commits: Collection[str], clean: Cleaner
    ) -> Iterator[RepoEvent | FilePatch | Drop]:
        """The events of these commits alone, in this order. Raises CloneError as `new_events` does."""
        converter = GitEvents(self.repo, clean, licence=self.licence)
        request = WalkRequest(
            path=str(self.place),
            references={},
            commits=list(commits),
            limits=self.limits,
            comments=self.comments,
        )
        for message in walk(request):
            yield from converter.convert(message)

    def _wanted_references(self, references: References) -> dict[str, str]:
        head = references.named(HEAD)
        found = {HEAD: head} if head else {}
        for name, target in references.all().items():
            is_pull = PULL_HEADS.fullmatch(name) or CHANGE_HEADS.fullmatch(name)
            if _PLAIN_REFERENCES.fullmatch(name) or (self.pulls and is_pull):
                found[name] = target
        return found


def references(*, pulls: bool) -> tuple[str, ...]:
    """Patterns of the references to fetch from an address."""
    plain = ("refs/heads/*", "refs/tags/*")
    return (*plain, "refs/pull/*/head", "refs/merge-requests/*/head", "refs/changes/*") if pulls else plain
