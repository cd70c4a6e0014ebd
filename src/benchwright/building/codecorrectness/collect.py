"""Stage collect: the repositories of all sources, each commit once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from benchwright.building.codecorrectness.options import BuildOptions
from benchwright.building.collecting import RecordKind, each_once, open_sources
from benchwright.contracts import Item, Source
from benchwright.records import Drop
from benchwright.sources.repositories import ClonesSource, GitHubSource, Repository


def sources_of(options: BuildOptions) -> list[Source[Any]]:
    """Clones and addresses, then sources by name, then a search. Raises UsageError for an invalid source."""
    depth = options.history + 1
    licences = options.bounds.licences
    opened = open_sources(
        dict.fromkeys(options.sources),
        licences=licences,
        unnamed=lambda places: [ClonesSource(places, depth=depth)],
    )
    if options.search is not None:
        opened.append(GitHubSource(options.search, licences, depth=depth))
    return opened


_KIND = RecordKind(
    Repository, "repositories", "rows", hint="name a source of repositories, such as a folder of clones"
)


def collect(items: Iterable[Item[Any] | Drop]) -> Iterator[Repository | Drop]:
    """The repositories of all sources. Two places with the same commit are one repository."""
    names: set[str] = set()

    def unique(found: Repository) -> Repository:
        """Rename the second of two forks, so that rows and drops identify it."""
        if found.name in names:
            found = msgspec.structs.replace(found, name=f"{found.name}@{found.commit[:8]}")
        names.add(found.name)
        return found

    return each_once(
        items,
        _KIND,
        key=lambda repository: repository.commit,
        duplicate="same_commit",
        name=lambda item: item.record.name,
        unique=unique,
    )
