"""Repositories as the stages read them: the source files of a commit, where rows may come from it at all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from benchwright.building.codecorrectness.nouns import Drop, Repository
from benchwright.building.codecorrectness.options import Bounds
from benchwright.lang.languages import language_of
from benchwright.sources.clones import Clone, CloneError, File


class Source(NamedTuple):
    """A repository's clone, and its files in the languages that rows are in, by path."""

    repository: Repository
    clone: Clone
    files: dict[str, File]


def opened(repositories: Iterable[Repository], bounds: Bounds) -> Iterator[Source | Drop]:
    """Each repository, or why nothing is taken from it.

    The licence is looked at here, before anything is read: what no row may come of need not be cut apart.
    """
    for repository in repositories:
        if repository.licence not in bounds.licences:
            reason = "licence" if repository.licence else "licence_unknown"
            yield Drop(unit=repository.name, reason=reason, detail=repository.licence)
            continue
        try:
            clone = Clone(Path(repository.place), commit=repository.commit)
            files = {file.path: file for file in clone.files() if language_of(file.path)}
        except CloneError as error:
            yield Drop(unit=repository.name, reason=error.reason, detail=error.message)
            continue
        yield Source(repository, clone, files)
