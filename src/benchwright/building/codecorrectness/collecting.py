"""Stage collect: which commit of which repository under which licence, each once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from benchwright.building.codecorrectness.options import BuildOptions
from benchwright.building.collecting import source_named
from benchwright.contracts import Item, Source
from benchwright.display.escape import escaped_path
from benchwright.errors import UsageError
from benchwright.records import Drop
from benchwright.sources.repositories import ClonesSource, GitHubSource, Repository


def sources_of(options: BuildOptions) -> list[Source[Any]]:
    """Clones and addresses, then sources by name, then a search. Raises UsageError for what is not there."""
    licences = options.bounds.licences
    named = {text: source_named(text, licences=licences) for text in options.sources}
    found: list[Source[Any]] = [ClonesSource([text for text, source in named.items() if source is None])]
    found += [source for source in named.values() if source is not None]
    return found if options.search is None else [*found, GitHubSource(options.search, licences)]


def each_once(items: Iterable[Item[Any] | Drop]) -> Iterator[Repository | Drop]:
    """The repositories of all sources. Two places with one commit are one repository."""
    seen: dict[str, str] = {}
    names: set[str] = set()
    for item in items:
        if isinstance(item, Drop):
            yield item
            continue
        found = _repository(item)
        if found.commit in seen:
            yield Drop(unit=item.origin, reason="same_commit", detail=f"as {seen[found.commit]}")
            continue
        seen[found.commit] = found.place
        if found.name in names:  # two forks: rows and drops must still say which
            found = msgspec.structs.replace(found, name=f"{found.name}@{found.commit[:8]}")
        names.add(found.name)
        yield found


def _repository(item: Item[Any]) -> Repository:
    if not isinstance(item.record, Repository):
        kind = type(item.record).__name__
        hint = "name a source of repositories, such as a folder of clones"
        message = f"{escaped_path(item.origin)}: its source gives a {kind}, and rows are made of repositories"
        raise UsageError(message, hint=hint)
    return item.record
