"""A cleaner with visible effects: it removes "SECRET" from texts, and replaces people by marks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from benchwright.records import Drop
from benchwright.sources.events import EventSource, RepoEvent


class MarkingCleaner:
    """Replaces the word SECRET, and each identity by a mark with its length; `people` are the identities."""

    def __init__(self) -> None:
        self.people: list[str] = []

    def text(self, text: str) -> str:
        """Return the text without secrets."""
        return text.replace("SECRET", "<secret>")

    def person(self, identity: str) -> str:
        """Return the mark that equal identities share."""
        if identity not in self.people:
            self.people.append(identity)
        return f"person-{self.people.index(identity)}"


def events_of(source: EventSource, folder: Path) -> list[RepoEvent | Drop]:
    """Return all items of a source."""
    return list(source.events(folder, MarkingCleaner(), lambda message: None))


def only_events(found: Iterable[RepoEvent | Drop]) -> list[RepoEvent]:
    """Return the events among them."""
    return [each for each in found if isinstance(each, RepoEvent)]


def drop_reasons(found: Iterable[RepoEvent | Drop]) -> Counter[str]:
    """Return the number of drops by reason."""
    return Counter(each.reason for each in found if isinstance(each, Drop))


def kinds(found: Iterable[RepoEvent | Drop]) -> Counter[str]:
    """Return the number of events by kind."""
    return Counter(each.kind for each in found if isinstance(each, RepoEvent))
