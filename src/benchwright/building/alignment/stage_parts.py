"""The stages between mining and publishing. Each reads the events of one repository at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Self, TypeVar

import msgspec

from benchwright.building.alignment.event_index import RepositoryEvents
from benchwright.building.alignment.event_store import EventStore, folder_name
from benchwright.building.alignment.feedback import feedback, with_resolution
from benchwright.building.alignment.links.ladder import links
from benchwright.building.alignment.objects import AbsentObjects
from benchwright.building.alignment.options import AlignmentOptions
from benchwright.building.alignment.records import (
    DevelopmentTrajectory,
    EvidenceLink,
    Feedback,
    MinedRepository,
)
from benchwright.building.alignment.trajectories import trajectories
from benchwright.building.engine.stages import BuildFolder
from benchwright.progress import Watcher
from benchwright.records import Drop, Record
from benchwright.sources.object_reader import ObjectReader
from benchwright.store.writing import Appender, read_records


class AlignmentContext:
    """The context of the stages of one build. The events of the last repository are kept."""

    def __init__(
        self, options: AlignmentOptions, folder: BuildFolder, store: EventStore, watch: Watcher
    ) -> None:
        self.options, self.folder, self.store, self.watch = options, folder, store, watch
        self._last: RepositoryEvents | None = None

    def events(self, repository: MinedRepository) -> RepositoryEvents:
        """The events of a repository as a graph."""
        if self._last is None or self._last.repo != repository.name:
            read = self.store.read(repository.name)
            self._last = RepositoryEvents(read, repo=repository.name, head=repository.head)
        return self._last

    def repositories(self) -> Iterator[MinedRepository]:
        """All mined repositories."""
        return self.folder.kept("repositories", MinedRepository)


class StoredLinks(Record, frozen=True, kw_only=True):
    """The links of one pull request under a digest of everything they depend on."""

    key: str
    links: list[EvidenceLink]


class LinkFile:
    """The links of earlier calls, in a file that grows: ten more commits make no old link again."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> Self:
        self._file = Appender(self._path)
        self._known = {each.key: each.links for each in read_records(self._path, StoredLinks)}
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def get(self, key: str) -> list[EvidenceLink] | None:
        """The links under a key, or None."""
        return self._known.get(key)

    def put(self, key: str, links: list[EvidenceLink]) -> None:
        """Keep links under a key."""
        self._known[key] = links
        self._file.append(StoredLinks(key=key, links=links))


R = TypeVar("R", DevelopmentTrajectory, Feedback)


def _by_repository(records: Iterable[R]) -> dict[str, list[R]]:
    found: dict[str, list[R]] = {}
    for each in records:
        found.setdefault(each.repo, []).append(each)
    return found


def make_trajectories(
    repositories: Iterator[MinedRepository], context: AlignmentContext
) -> Iterator[DevelopmentTrajectory | Drop]:
    """The trajectories of each repository; one without pull requests, changes and sessions is a drop."""
    for repository in repositories:
        found = False
        for each in trajectories(context.events(repository)):
            found = True
            yield msgspec.structs.replace(each, licence=each.licence or repository.licence)
        if not found:
            yield Drop(unit=repository.name, reason="no_pull_requests")


def make_feedback(
    made: Iterator[DevelopmentTrajectory], context: AlignmentContext
) -> Iterator[Feedback | Drop]:
    """All feedback, with and without a trajectory; a trajectory without feedback is a drop."""
    units = _by_repository(made)
    for repository in context.repositories():
        mine, having = units.get(repository.name, []), set()
        for each in feedback(context.events(repository), mine):
            having.add(each.trajectory)
            yield each
        yield from (Drop(unit=unit.id, reason="no_feedback") for unit in mine if unit.id not in having)


def make_links(found: Iterator[Feedback], context: AlignmentContext) -> Iterator[EvidenceLink | Drop]:
    """The links of each repository. Feedback that is the end of no link is a drop."""
    items = _by_repository(found)
    units = _by_repository(context.folder.kept("trajectories", DevelopmentTrajectory))
    for repository in context.repositories():
        mine, linked = items.get(repository.name, []), set()
        with ExitStack() as stack:
            kept = stack.enter_context(LinkFile(_link_file(context, repository)))
            place = repository.place
            objects = stack.enter_context(ObjectReader(Path(place))) if place else AbsentObjects()
            graph, own = context.events(repository), units.get(repository.name, [])
            for each in links(graph, own, mine, objects, kept=kept):
                linked.add(each.source)
                yield each
        yield from (Drop(unit=each.id, reason="no_link") for each in mine if each.id not in linked)


def _link_file(context: AlignmentContext, repository: MinedRepository) -> Path:
    folder = context.folder.path / "links"
    folder.mkdir(exist_ok=True)
    return folder / f"{folder_name(repository.name)}.jsonl"


def resolve(found: Iterator[Feedback], context: AlignmentContext) -> Iterator[Feedback]:
    """The feedback with its resolution, by the links."""
    return with_resolution(found, context.folder.kept("links", EvidenceLink))
