"""The records and files that rows of benchmarks are made from, and how a row is checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, Protocol

from benchwright.building.alignment.records import EvidenceLink, Feedback
from benchwright.errors import DataError
from benchwright.lang.languages import COMMENTED, commented_language
from benchwright.records import Drop, Task
from benchwright.sources.events import RepoEvent
from benchwright.tracks.rows import Fields

MAX_LINES = 5000  # of a file from which rows are made
Lines = Callable[[str, str, str], list[str] | None]  # of a file, by repository, commit and path


class UnpublishableFileError(Exception):
    """A file that cannot be published line by line: a secret in it has several lines."""


class MinedRow(NamedTuple):
    """A row of a benchmark, with its repository and its licence."""

    repo: str
    licence: str
    row: dict[str, Any]
    whole: bool = True  # the row has a whole file, not an excerpt of it


class Records(Protocol):
    """The records of a release. Every call reads them from the beginning, in the order of the release."""

    def events(self) -> Iterable[RepoEvent]:
        """All events."""
        ...

    def feedback(self) -> Iterable[Feedback]:
        """All feedback."""
        ...

    def links(self) -> Iterable[EvidenceLink]:
        """All links."""
        ...

    def licence(self, repo: str) -> str:
        """The SPDX identifier of a repository; empty if it is unknown."""
        ...


def language_of_path(path: str) -> str:
    """The language of a file by its suffix; empty for another one."""
    for name in COMMENTED:
        if path.endswith(commented_language(name).suffixes):
            return name
    return ""


def load_row(row: dict[str, Any], read: Callable[[Fields], Task], unit: str) -> Task | Drop:
    """The task of a row, as the track reads a line of a data set; else a drop with the track's error."""
    try:
        return read(Fields(row, "row", 1))
    except DataError as error:
        field = f"{error.field}: " if error.field else ""
        return Drop(unit=unit, reason="invalid_row", detail=f"{field}{error.message}"[:300])
