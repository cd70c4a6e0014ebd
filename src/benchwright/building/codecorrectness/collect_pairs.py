"""Stages collect and pair: the repositories of all sources, and each test file with the file that it
tests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from benchwright.building.codecorrectness.options import BuildOptions, RowBounds
from benchwright.building.codecorrectness.repository_files import (
    Exclusion,
    OpenedRepository,
    open_repositories,
    path_exclusion,
)
from benchwright.building.codecorrectness.row_records import Pair
from benchwright.building.engine.recipe import RecordKind, each_once, open_sources
from benchwright.contracts import Item, Source
from benchwright.lang.languages import language_of
from benchwright.lang.paths import is_plain_path
from benchwright.lang.protocol import ProjectTexts
from benchwright.lang.source import defining_file, focal_for, focal_of, is_test_path
from benchwright.records import Drop
from benchwright.sources.clones import TextError
from benchwright.sources.repositories import ClonesSource, GitHubSource, Repository


def pair_tests(repositories: Iterable[Repository], bounds: RowBounds) -> Iterator[Pair | Drop]:
    """A pair or a drop for each test file; a repository without test files is one drop.

    Tests of a focal file over the size limit are drops; splitting them would be wasted work.
    """
    for source in open_repositories(repositories, bounds):
        if isinstance(source, Drop):
            yield source
            continue
        tests = [path for path in source.files if is_test_path(path)]
        if not tests:
            unit = source.repository.name
            yield Drop(unit=unit, reason="no_tests", detail="no file is named like tests")
        excluded = {path: why for path in source.files if (why := path_exclusion(path))}
        plain = source._replace(
            files={
                path: file
                for path, file in source.files.items()
                if is_plain_path(path) and (path not in excluded or is_test_path(path))
            }
        )
        for path in tests:
            why = excluded.get(path)
            yield _foreign(plain, path, why) if why else _pair(plain, path, bounds)


def _pair(source: OpenedRepository, path: str, bounds: RowBounds) -> Pair | Drop:
    """The pair of a test file, if both files may be published and are small enough."""
    found = _matched(source, path)
    if isinstance(found, Drop):
        return found
    for each, code in ((path, found.test_code), (found.focal_path, found.focal_code)):
        if (why := source.foreign(each, code)) is not None:
            return _foreign(source, path, why)
    if len(found.focal_code) > bounds.focal_chars:
        detail = f"{found.focal_path}: {len(found.focal_code):,} characters"
        return Drop(unit=_unit(source, path), reason="focal_too_large", detail=detail)
    return found


def _matched(source: OpenedRepository, path: str) -> Pair | Drop:
    """A test file with the file that it tests, or the reason why there is none."""
    unit, lang, files = _unit(source, path), language_of(path), source.files
    if lang is None or path not in files:
        return Drop(unit=unit, reason="test_odd_path", detail="no name that every file system can hold")
    try:
        test_code = source.text(path)
    except TextError as error:
        return Drop(unit=unit, reason=f"test_{error.reason}", detail=error.message)
    focal = focal_for(path, files.keys(), test_code) or _imported(source, path, test_code, lang.name)
    if focal is None or focal not in files:
        return Drop(unit=unit, reason="no_focal_file", detail="no file, or several, fit this test file")
    try:
        focal_code = source.text(focal)
        if (behind := defining_file(focal, focal_code, test_code, files)) != focal:
            focal, focal_code = behind, source.text(behind)
    except TextError as error:
        return Drop(unit=unit, reason=f"focal_{error.reason}", detail=error.message)
    repository = source.repository
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


def _imported(source: OpenedRepository, path: str, test_code: str, lang: str) -> str | None:
    """The file that a test imports from, if its own name does not identify one; never a test file."""

    def read(each: str) -> str:
        try:
            return source.text(each)
        except TextError:
            return ""

    focal = focal_of(path, test_code, lang, ProjectTexts(source.files.keys(), read))
    return focal if focal and not is_test_path(focal) else None


def _unit(source: OpenedRepository, path: str) -> str:
    return f"{source.repository.name}:{path}"


def _foreign(source: OpenedRepository, path: str, why: Exclusion) -> Drop:
    return Drop(unit=_unit(source, path), reason=why.reason, detail=why.detail)


def repository_sources(options: BuildOptions) -> list[Source[Any]]:
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


def collect_repositories(items: Iterable[Item[Any] | Drop]) -> Iterator[Repository | Drop]:
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
