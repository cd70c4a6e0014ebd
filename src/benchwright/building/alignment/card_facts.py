"""Collects what the card of a release shows: indicators and projects, from the build and its clones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.building.alignment.card import CardFacts, tally_of_links
from benchwright.building.alignment.feedback import FAILED, PASSED
from benchwright.building.alignment.indicators import (
    DataIndicator,
    DataIndicators,
    functionality,
    interpretability,
    label_agreement,
    reliability,
    share_of,
)
from benchwright.building.alignment.label_project import LabelProject, read_label_project
from benchwright.building.alignment.project_sheets import ProjectSheet, project_sheet
from benchwright.building.alignment.records import (
    DevelopmentTrajectory,
    EvidenceLink,
    Feedback,
    MinedRepository,
)
from benchwright.building.alignment.release_rows import ReleaseRow
from benchwright.building.alignment.stage_parts import AlignmentContext
from benchwright.building.engine.recipe import MADE_BY
from benchwright.building.engine.stages import FunnelLevel
from benchwright.sources.changed_lines import language_of
from benchwright.sources.clone_objects import MissingObjectError
from benchwright.sources.clones import Clone, CloneError
from benchwright.sources.events import RepoEvent
from benchwright.sources.object_reader import ObjectReader

CHECKS = ("check", "test_result")
NAMED = 3  # repositories in the title


class CardOptions(NamedTuple):
    """Further content of the card: an address for removals, and a project with labels of links."""

    contact: str = ""
    labels: Path | None = None


PLAIN = CardOptions()


def card_facts(
    context: AlignmentContext,
    repositories: Sequence[MinedRepository],
    manifest: dict[str, Any],
    levels: Sequence[FunnelLevel],
    options: CardOptions,
) -> CardFacts:
    """Collect the facts of a complete build. Raises UsageError for a folder that has no labels of links."""
    links = list(context.folder.kept("links", EvidenceLink))
    times = [each.at for each in context.folder.kept("split", ReleaseRow) if each.at]
    names = [each.name for each in repositories]
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return CardFacts(
        name=", ".join(names[:NAMED]) + more,
        made_by=MADE_BY,
        tables=manifest["tables"],
        levels=list(levels),
        links=tally_of_links(links),
        indicators=_indicators(context, repositories, links, options),
        licences=manifest["licences"],
        first_at=min(times, default=""),
        last_at=max(times, default=""),
        projects=list(_projects(context, repositories)),
        contact=options.contact,
    )


def _indicators(
    context: AlignmentContext,
    repositories: Sequence[MinedRepository],
    links: Sequence[EvidenceLink],
    options: CardOptions,
) -> DataIndicators:
    feedback = context.folder.kept("resolve", Feedback)
    checks: dict[str, bool] = {}
    for each in repositories:
        if any(kind in each.kinds for kind in CHECKS):
            checks |= check_outcomes(context.store.read(each.name, CHECKS))
    project = LabelProject([], [], []) if options.labels is None else read_label_project(options.labels)
    return DataIndicators(
        functionality=functionality(links, feedback, checks, {}),
        reliability=reliability(project.links, project.votes),
        interpretability=resolved_links(repositories, links, context.store.known),
        agreement=label_agreement(project.votes) if project.votes else None,
    )


def check_outcomes(events: Iterable[RepoEvent]) -> dict[str, bool]:
    """Map commits to whether all their checks and tests passed; those without an outcome are left out."""
    found: dict[str, bool] = {}
    for event in events:
        state = event.state.lower()
        if event.heads and state in PASSED | FAILED:
            found[event.heads[0]] = found.get(event.heads[0], True) and state in PASSED
    return found


class _CloneEvidence:
    """Commits and lines of files in a clone; `events` are the ids of the events that were read from it."""

    def __init__(self, objects: ObjectReader, repo: str, events: Iterable[str]) -> None:
        self._objects = objects
        self._prefix, self._events = f"git:{repo}:commit:", frozenset(events)
        self.has_commit = lru_cache(maxsize=100_000)(self._has_commit)
        self.line_count = lru_cache(maxsize=100_000)(self._line_count)

    def _has_commit(self, commit: str) -> bool:
        if self._prefix + commit in self._events:
            return True
        try:
            self._objects.parents(commit)
        except MissingObjectError:
            return False
        return True

    def _line_count(self, commit: str, path: str) -> int | None:
        try:
            lines = self._objects.lines(commit, path)
        except MissingObjectError:
            return None
        return None if lines is None else len(lines)


def resolved_links(
    repositories: Iterable[MinedRepository],
    links: Sequence[EvidenceLink],
    known: Callable[[str], Iterable[str]] = lambda _: (),
) -> list[DataIndicator]:
    """Return how many links have evidence that exists in the clone of their repository.

    `known` gives the ids of the events of a repository; commits that have one were read from the clone.
    """
    by_repo: dict[str, list[EvidenceLink]] = {}
    for link in links:
        by_repo.setdefault(link.repo, []).append(link)
    found: list[DataIndicator] = []
    for each in repositories:
        if each.place and each.name in by_repo:
            with ObjectReader(Path(each.place)) as objects:
                found += interpretability(
                    by_repo[each.name], _CloneEvidence(objects, each.name, known(each.name))
                )
    return interpretability([], None) if not found else [_together(found)]


def _together(parts: Sequence[DataIndicator]) -> DataIndicator:
    """One share of several with the same meaning."""
    first = parts[0]
    outcomes = [hit for each in parts for hit in [True] * each.hits + [False] * (each.n - each.hits)]
    return share_of(first.name, first.about, outcomes, why=first.why)


def _projects(context: AlignmentContext, repositories: Iterable[MinedRepository]) -> Iterator[ProjectSheet]:
    units = list(context.folder.kept("trajectories", DevelopmentTrajectory))
    for each in repositories:
        names, languages = _tree_facts(each)
        yield project_sheet(each, units, root=names, languages=languages)


def _tree_facts(repository: MinedRepository) -> tuple[set[str], Counter[str]]:
    """Names at the root, and files by language, of the newest commit; nothing without a readable clone."""
    if not repository.place or not repository.head:
        return set(), Counter()
    try:
        paths = [file.path for file in Clone(Path(repository.place), commit=repository.head).files()]
    except CloneError:
        return set(), Counter()
    return {path.partition("/")[0] for path in paths}, Counter(language_of(path) for path in paths)
