"""Stage 2, pair: each test file of a repository with the file that it tests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from benchwright.building.codecorrectness.nouns import Pair
from benchwright.building.codecorrectness.options import Bounds
from benchwright.lang.languages import language_of
from benchwright.lang.pairing import behind_package, focal_for, is_test_path
from benchwright.lang.paths import is_plain_path
from benchwright.records import Drop
from benchwright.sources.clones import Clone, CloneError, File, TextError
from benchwright.sources.repositories import Repository

MAX_FILE = 400_000  # bytes of a file that is read at all; rows have limits of their own


class OpenedRepository(NamedTuple):
    """A repository's clone, and its files in the languages that rows are in, by path."""

    repository: Repository
    clone: Clone
    files: dict[str, File]


def opened(repositories: Iterable[Repository], bounds: Bounds) -> Iterator[OpenedRepository | Drop]:
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
        yield OpenedRepository(repository, clone, files)


def pair(repositories: Iterable[Repository], bounds: Bounds) -> Iterator[Pair | Drop]:
    """A pair or a drop for each test file; a repository without test files is a drop itself.

    So are the tests of a focal file over the bound: cutting them apart would be for nothing.
    """
    for source in opened(repositories, bounds):
        if isinstance(source, Drop):
            yield source
            continue
        tests = [path for path in source.files if is_test_path(path)]
        plain = source._replace(
            files={path: file for path, file in source.files.items() if is_plain_path(path)}
        )
        if not tests:
            unit = source.repository.name
            yield Drop(unit=unit, reason="no_tests", detail="no file is named like tests")
        for path in tests:
            yield _pair(plain, path, bounds)


def _pair(source: OpenedRepository, path: str, bounds: Bounds) -> Pair | Drop:
    repository, clone, files = source
    unit, lang = f"{repository.name}:{path}", language_of(path)
    if lang is None or path not in files:
        return Drop(unit=unit, reason="test_odd_path", detail="no name that every file system can hold")
    try:
        test_code = clone.text(files[path], limit=MAX_FILE)
    except TextError as error:
        return Drop(unit=unit, reason=f"test_{error.reason}", detail=error.message)
    focal = focal_for(path, files.keys(), test_code)
    if focal is None or focal not in files:
        return Drop(unit=unit, reason="no_focal_file", detail="no file, or several, fit this test file")
    try:
        focal_code = clone.text(files[focal], limit=MAX_FILE)
        if (behind := behind_package(focal, focal_code, test_code, files)) != focal:
            focal, focal_code = behind, clone.text(files[behind], limit=MAX_FILE)
    except TextError as error:
        return Drop(unit=unit, reason=f"focal_{error.reason}", detail=error.message)
    if len(focal_code) > bounds.focal_chars:
        return Drop(unit=unit, reason="focal_too_large", detail=f"{focal}: {len(focal_code):,} characters")
    return Pair(
        repository=repository.name,
        commit=repository.commit,
        committed_at=repository.committed_at,
        licence=repository.licence,
        lang=lang.name,
        focal_path=focal,
        test_path=path,
        focal_code=focal_code,
        test_code=test_code,
    )
