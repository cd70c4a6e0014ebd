"""Stage 2, pair: each test file of a repository with the file that it tests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from benchwright.building.nouns import Drop, Pair, Repository
from benchwright.building.opening import Source, opened
from benchwright.building.options import Bounds
from benchwright.lang.languages import language_of
from benchwright.lang.pairing import behind_package, focal_for, is_test_path
from benchwright.lang.paths import is_plain_path
from benchwright.sources.clones import TextError

MAX_FILE = 400_000  # bytes of a file that is read at all; rows have limits of their own


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


def _pair(source: Source, path: str, bounds: Bounds) -> Pair | Drop:
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
