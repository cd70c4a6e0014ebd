"""The records of one split of a release: rows of benchmarks come from its test split alone."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from benchwright.building.alignment.records import EvidenceLink, Feedback
from benchwright.building.alignment.release_files import release_in, table_record, table_rows
from benchwright.building.alignment.release_rows import (
    EVENTS,
    FEEDBACK,
    LINKS,
    REPOSITORIES,
    TRAJECTORIES,
    PublishedEvent,
    PublishedFeedback,
    PublishedLink,
)
from benchwright.building.alignment.splits import TEST, TEST_SHARE
from benchwright.building.engine.recipe import MANIFEST
from benchwright.display.escape import escaped_path
from benchwright.errors import DataError
from benchwright.records import Record
from benchwright.sources.events import RepoEvent

R = TypeVar("R", bound=Record)


class SplitRelease:
    """The records of a release, or of the release in a build folder, that are in one split.

    Raises UsageError for another folder, and DataError if a repository of the split has rows in another one,
    or if the split has no row.
    """

    def __init__(self, folder: Path, split: str = TEST) -> None:
        self._folder, self._split = release_in(folder, [EVENTS]), split
        self._digest = hashlib.sha256((self._folder / MANIFEST).read_bytes()).hexdigest()
        splits = self._splits()
        self.repos = frozenset(repo for repo, found in splits.items() if split in found)
        self._check(splits)

    def _check(self, splits: dict[str, set[str]]) -> None:
        shared = sorted(repo for repo in self.repos if splits[repo] != {self._split})
        place = escaped_path(self._folder)
        if shared:
            names = " and ".join(sorted(splits[shared[0]]))
            message = f"rows of {', '.join(shared[:5])} are in the splits {names}"
            hint = "training and test data may not share a repository: build the release again"
            raise DataError(message, path=place, hint=hint)
        if not self.repos:
            names = ", ".join(sorted({name for found in splits.values() for name in found})) or "none"
            hint = f"about {TEST_SHARE} % of repositories are for tests: build with more of them (--from)"
            raise DataError(
                f"no row is in the split {self._split}; its splits: {names}", path=place, hint=hint
            )

    @property
    def build(self) -> Path:
        """The folder around the release: that of its build, unless it was copied elsewhere."""
        return self._folder.resolve().parent

    def published(self) -> dict[str, str]:
        """The name of the release and the SHA-256 of its manifest."""
        folder = self._folder.resolve()
        name = folder.parent.name if folder.name == "release" else folder.name
        return {"release": name, "manifest": self._digest}

    def events(self) -> Iterator[RepoEvent]:
        """All events of the split."""
        return self._records(EVENTS, PublishedEvent)

    def feedback(self) -> Iterator[Feedback]:
        """All feedback of the split."""
        return self._records(FEEDBACK, PublishedFeedback)

    def links(self) -> Iterator[EvidenceLink]:
        """All links of the split."""
        return self._records(LINKS, PublishedLink)

    def licence(self, repo: str) -> str:
        """The SPDX identifier of a repository; empty if it is unknown."""
        return self._licences.get(repo, "")

    @cached_property
    def _licences(self) -> dict[str, str]:
        rows = table_rows(self._folder, REPOSITORIES)
        return {str(row.data.get("name")): str(row.data.get("licence") or "") for _, row in rows}

    def _splits(self) -> dict[str, set[str]]:
        """The splits of the rows of each repository."""
        found: dict[str, set[str]] = {}
        for table in (EVENTS, TRAJECTORIES, FEEDBACK, LINKS):
            for _, row in table_rows(self._folder, table):
                if split := row.data.get("split"):
                    found.setdefault(str(row.data.get("repo")), set()).add(str(split))
        return found

    def _records(self, table: str, kind: type[R]) -> Iterator[R]:
        for path, row in table_rows(self._folder, table):
            if row.data.get("split") != self._split:
                continue
            yield table_record(table, path, row, kind)
