"""Rows of a release: what filters decide about, and the table and split of each row.

A commit's events and patches follow its row. Other events follow their pull request, or their repository.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from benchwright.building.alignment.records import (
    DevelopmentTrajectory,
    EvidenceLink,
    Feedback,
    MinedRepository,
)
from benchwright.building.alignment.stage_parts import AlignmentContext
from benchwright.records import Drop, Record
from benchwright.sources.events import FilePatch, RepoEvent

COMMITS, TRAJECTORIES, FEEDBACK, LINKS = "commits", "trajectories", "feedback", "links"
EVENTS, CHANGES, REPOSITORIES = "events", "changes", "repositories"


class ReleaseRow(Record, frozen=True, kw_only=True):
    """One row that filters decide about."""

    table: str  # COMMITS, TRAJECTORIES, FEEDBACK or LINKS
    id: str
    repo: str
    at: str = ""
    licence: str = ""
    split: str = ""


class PublishedEvent(RepoEvent, frozen=True, kw_only=True):
    """An event in a release."""

    split: str = ""


class PublishedPatch(FilePatch, frozen=True, kw_only=True):
    """The patch of one file of a commit in a release."""

    split: str = ""


class PublishedTrajectory(DevelopmentTrajectory, frozen=True, kw_only=True):
    """A trajectory in a release."""

    split: str = ""


class PublishedFeedback(Feedback, frozen=True, kw_only=True):
    """Feedback in a release."""

    split: str = ""


class PublishedLink(EvidenceLink, frozen=True, kw_only=True):
    """A link in a release."""

    split: str = ""


class RowTable(NamedTuple):
    """A table whose rows a stage made: its name, that stage, and the records there and in the release."""

    name: str
    stage: str
    record: type[DevelopmentTrajectory | Feedback | EvidenceLink]
    published: type[Record]


ROW_TABLES = (
    RowTable(TRAJECTORIES, "trajectories", DevelopmentTrajectory, PublishedTrajectory),
    RowTable(FEEDBACK, "resolve", Feedback, PublishedFeedback),
    RowTable(LINKS, "links", EvidenceLink, PublishedLink),
)


def release_rows(
    repositories: Iterator[MinedRepository], context: AlignmentContext
) -> Iterator[ReleaseRow | Drop]:
    """The rows of all tables, by repository; a repository without any is a drop."""
    licences = {}
    for repository in repositories:
        licences[repository.name] = repository.licence
        commits = context.events(repository).commits.values()
        for each in commits:
            yield ReleaseRow(
                table=COMMITS, id=each.event, repo=repository.name, at=each.at, licence=repository.licence
            )
        if not commits:
            yield Drop(unit=repository.name, reason="no_commits")
    for table in ROW_TABLES:
        for record in context.folder.kept(table.stage, table.record):
            at = getattr(record, "at", "") or getattr(record, "opened_at", "")
            licence = licences.get(record.repo, "")
            yield ReleaseRow(table=table.name, id=record.id, repo=record.repo, at=at, licence=licence)
