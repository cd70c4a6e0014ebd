"""Parts of a history: commits of one clone, read and cleaned in another process or on another machine.

A part has no key of the build. Its texts have pseudonyms by the key of a deputy, and the process that stores
the events replaces them by those of the build.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import ClassVar

import msgspec

from benchwright.building.alignment.refactorings import with_refactorings
from benchwright.building.engine.process_map import map_parts
from benchwright.records import Drop, Record
from benchwright.sources.cleaning.pseudonyms import DeputyPseudonyms, KeyedPseudonyms, own_pseudonyms
from benchwright.sources.cleaning.text_cleaner import TextCleaner
from benchwright.sources.events import Cleaner, FilePatch, RepoEvent
from benchwright.sources.git_history import CommitSpread, GitHistory
from benchwright.sources.object_reader import ObjectReader

COMMITS = 1000  # of one part: a process that reads a clone starts in the time of 100
REFACTORED = 50  # commits of one part whose refactorings are found, at 40 ms each


class MinedCommit(Record, frozen=True, kw_only=True):
    """The records of one commit in their order, and the identity of each new pseudonym in them."""

    patches: list[FilePatch] = []
    gaps: list[Drop] = []
    events: list[RepoEvent] = []
    people: dict[str, str] = {}


class CommitsPart(Record, frozen=True, kw_only=True):
    """Some commits of a clone to read."""

    gives: ClassVar[type[Record]] = MinedCommit
    repo: str
    folder: str  # of the clone
    licence: str
    comments: bool
    refactorings: bool
    commits: list[str]
    key: bytes  # of the deputy

    def moved(self, folder: str) -> CommitsPart:
        """The part for a copy of the clone."""
        return msgspec.structs.replace(self, folder=folder)

    def made(self) -> Iterator[MinedCommit]:
        """The records of each commit."""
        people = DeputyPseudonyms(self.key)
        clean, place = TextCleaner(people), Path(self.folder)
        history = GitHistory(self.repo, place, self.licence, comments=self.comments)
        with ExitStack() as stack:
            records = history.commit_events(self.commits, clean)
            if self.refactorings:
                records = with_refactorings(records, stack.enter_context(ObjectReader(place)), clean)
            found = MinedCommit()
            for record in records:
                _sorted_into(found, record)
                if isinstance(record, RepoEvent) and record.kind == "commit":
                    yield msgspec.structs.replace(found, people=dict(people.seen))
                    people.seen.clear()
                    found = MinedCommit()


def _sorted_into(found: MinedCommit, record: RepoEvent | FilePatch | Drop) -> None:
    kind = found.patches if isinstance(record, FilePatch) else found.events
    (found.gaps if isinstance(record, Drop) else kind).append(record)  # type: ignore[arg-type]


def commit_spread(history: GitHistory, clean: Cleaner, *, refactorings: bool) -> CommitSpread | None:
    """How to read many commits of a clone in parts; None for a cleaner that only works in this process.

    With `refactorings` the parts find them, however few the commits are.
    """
    if not isinstance(clean, TextCleaner) or clean.people.forgotten:
        return None
    people = clean.people
    size = REFACTORED if refactorings else COMMITS

    def read(commits: list[str]) -> Iterator[RepoEvent | FilePatch | Drop]:
        known: dict[bytes, bytes] = {}
        for each in map_parts(
            _part(history, commits[at : at + size], people, refactorings)
            for at in range(0, len(commits), size)
        ):
            known |= {name.encode(): people.of(given).encode() for name, given in each.people.items()}
            found = _owned(each, known)
            yield from found.patches
            yield from found.gaps
            yield from found.events

    return CommitSpread(read, above=0 if refactorings else COMMITS)


def _part(
    history: GitHistory, commits: list[str], people: KeyedPseudonyms, refactorings: bool
) -> CommitsPart:
    return CommitsPart(
        repo=history.repo,
        folder=str(history.place),
        licence=history.licence,
        comments=history.comments,
        refactorings=refactorings,
        commits=commits,
        key=people.deputy_key(),
    )


def _owned(mined: MinedCommit, known: dict[bytes, bytes]) -> MinedCommit:
    body = msgspec.json.encode(msgspec.structs.replace(mined, people={}))
    return msgspec.json.decode(own_pseudonyms(body, known), type=MinedCommit)
