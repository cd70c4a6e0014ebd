"""Reader of a release of the alignment recipe: its tables as records, its patches by commit and path."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from benchwright.building.alignment.exports.material import TRAIN, strictest_split
from benchwright.building.alignment.release_files import release_in, table_record, table_rows
from benchwright.building.alignment.release_rows import (
    CHANGES,
    EVENTS,
    FEEDBACK,
    LINKS,
    REPOSITORIES,
    TRAJECTORIES,
    PublishedEvent,
    PublishedFeedback,
    PublishedLink,
    PublishedPatch,
    PublishedTrajectory,
)
from benchwright.building.engine.recipe import MANIFEST
from benchwright.display.escape import escaped_path
from benchwright.errors import DataError
from benchwright.records import Record

R = TypeVar("R", bound=Record)
TABLES = (EVENTS, CHANGES, TRAJECTORIES, FEEDBACK, LINKS)


class _LicensedRepository(Record, frozen=True, kw_only=True):
    name: str
    licence: str = ""


class AlignmentRelease:
    """The tables of a release folder, or of the release in the folder of a build.

    A table that the release does not have is empty. A table stays in memory once it is read, since each
    recipe reads it again.
    """

    def __init__(self, folder: Path) -> None:
        """Open a release. Raises UsageError for a folder without its manifest or tables."""
        self._folder = release_in(folder, TABLES)
        manifest = self._folder / MANIFEST
        content = manifest.read_bytes()
        self._tables: dict[str, list[Any]] = {}
        self._digest = hashlib.sha256(content).hexdigest()
        try:
            self._manifest = msgspec.json.decode(content, type=dict[str, Any])
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            hint = "the manifest was edited or damaged: publish the release again"
            raise DataError(f"not JSON: {error}", path=escaped_path(manifest), hint=hint) from None

    def published(self) -> dict[str, Any]:
        """The facts of the release for the manifest of an export."""
        return {
            "repositories": self._manifest.get("repositories", []),
            "made_by": str(self._manifest.get("made_by", "")),
            "manifest": self._digest,
        }

    def events(self) -> list[PublishedEvent]:
        """All events."""
        return self._records(EVENTS, PublishedEvent)

    def feedback(self) -> list[PublishedFeedback]:
        """All feedback."""
        return self._records(FEEDBACK, PublishedFeedback)

    def links(self) -> list[PublishedLink]:
        """All links."""
        return self._records(LINKS, PublishedLink)

    def trajectories(self) -> list[PublishedTrajectory]:
        """All trajectories."""
        return self._records(TRAJECTORIES, PublishedTrajectory)

    def patch(self, repo: str, commit: str, path: str) -> str:
        """The patch of one file in a commit; empty if the release does not have it."""
        return self._patches.get((repo, commit, path), "")

    def split(self, record: Record, commits: Iterable[str] = ()) -> str:
        """The split of a row of a record and of commits whose patches it shows.

        A session on a test task counts as one of the test split.
        """
        repo = getattr(record, "repo", "")
        of_commits = (self._commit_splits.get((repo, sha), "") for sha in commits)
        guarded = "test" if getattr(record, "guard", "") else ""
        return strictest_split([getattr(record, "split", "") or TRAIN, guarded, *of_commits])

    def licence(self, repo: str) -> str:
        """The SPDX identifier of a repository; empty if it is unknown."""
        return self._licences.get(repo, "")

    def url(self, event: str) -> str:
        """The address of an event by its id; empty if it has none."""
        return self._urls.get(event, "")

    @cached_property
    def _urls(self) -> dict[str, str]:
        return {each.id: each.url for each in self.events() if each.url}

    @cached_property
    def _licences(self) -> dict[str, str]:
        return {each.name: each.licence for each in self._records(REPOSITORIES, _LicensedRepository)}

    @cached_property
    def _commit_splits(self) -> dict[tuple[str, str], str]:
        return {(each.repo, each.sha): each.split for each in self._records(CHANGES, PublishedPatch)}

    @cached_property
    def _patches(self) -> dict[tuple[str, str, str], str]:
        found = self._records(CHANGES, PublishedPatch)
        return {(each.repo, each.sha, each.path): each.patch for each in found}

    def _records(self, name: str, kind: type[R]) -> list[R]:
        """The records of a table, read once."""
        if name not in self._tables:
            rows = table_rows(self._folder, name)
            self._tables[name] = [table_record(name, path, row, kind) for path, row in rows]
        return self._tables[name]
