"""Leave out the events of forgotten people, repositories and addresses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from benchwright.records import Drop
from benchwright.sources.cleaning.pseudonyms import FORGOTTEN, KeyedPseudonyms
from benchwright.sources.cleaning.text_cleaner import TextCleaner
from benchwright.sources.events import Cleaner, FilePatch, RepoEvent

SourceRecord = RepoEvent | FilePatch | Drop


def remembered(records: Iterable[SourceRecord], clean: Cleaner) -> Iterator[SourceRecord]:
    """The records of a source without the forgotten ones.

    The patches of a commit come before its event and wait for it.
    """
    people = clean.people if isinstance(clean, TextCleaner) else None
    if people is None or not people.forgotten:
        yield from records
        return
    waiting: list[FilePatch] = []
    for record in records:
        if isinstance(record, FilePatch):
            if waiting and waiting[0].sha != record.sha:
                yield from waiting
                waiting.clear()
            waiting.append(record)
        elif isinstance(record, RepoEvent) and is_forgotten(record, people):
            if record.kind == "commit":
                waiting.clear()
        else:
            if isinstance(record, RepoEvent) and record.kind == "commit":
                yield from waiting
                waiting.clear()
            yield record
    yield from waiting


def is_forgotten(event: RepoEvent, people: KeyedPseudonyms) -> bool:
    """Whether the author, the repository or the address of an event was requested to be forgotten."""
    if FORGOTTEN in (event.actor, event.committer) or people.is_forgotten("repo", event.repo.lower()):
        return True
    return any(
        people.is_forgotten("url", each) for each in (event.url, f"{event.repo} {event.subject}") if each
    )
