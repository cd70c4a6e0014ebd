"""From repositories to candidates, stages 1 to 4: commits under a licence, pairs of files, one candidate
for each test case, tags."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from benchwright.building.codecorrectness.foreign import Foreign, foreign_path, foreign_text
from benchwright.building.codecorrectness.nouns import Candidate, Pair
from benchwright.building.codecorrectness.options import Bounds, BuildOptions
from benchwright.building.codecorrectness.rows import revision_of
from benchwright.building.collecting import RecordKind, each_once, open_sources
from benchwright.contracts import Item, Source
from benchwright.lang.answers import Case
from benchwright.lang.companions import Companions
from benchwright.lang.faults import CuttingError
from benchwright.lang.languages import language_of
from benchwright.lang.pairing import behind_package, focal_for, is_test_path
from benchwright.lang.paths import is_plain_path
from benchwright.lang.source import cases, focal_of, only_case, syntax_fault, tags
from benchwright.records import Drop
from benchwright.sources.clones import Clone, CloneError, File, TextError
from benchwright.sources.licences import MAX_TEXT
from benchwright.sources.repositories import ClonesSource, GitHubSource, Repository
from benchwright.store.keys import content_key

# Stage collect: which commit of which repository under which licence, each once.


def sources_of(options: BuildOptions) -> list[Source[Any]]:
    """Clones and addresses, then sources by name, then a search. Raises UsageError for what is not there."""
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


def collect(items: Iterable[Item[Any] | Drop]) -> Iterator[Repository | Drop]:
    """The repositories of all sources. Two places with one commit are one repository."""
    names: set[str] = set()

    def unique(found: Repository) -> Repository:
        """Two forks: rows and drops must still say which."""
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


# Stage 2, pair: each test file of a repository with the file that it tests.

MAX_FILE = 400_000  # bytes of a file that is read at all; rows have limits of their own


class OpenedRepository(NamedTuple):
    """A repository's clone, and its files in the languages that rows are in, by path."""

    repository: Repository
    clone: Clone
    files: dict[str, File]
    licence_text: str = ""

    def foreign(self, path: str, code: str | None = None) -> Foreign | None:
        """Why this file can be no row, by its path and, where it is given, by its text."""
        found = foreign_path(path)
        if found is not None or code is None:
            return found
        licence = self.repository.licence
        return foreign_text(path, code, licence=licence, licence_text=self.licence_text)


def opened(repositories: Iterable[Repository], bounds: Bounds) -> Iterator[OpenedRepository | Drop]:
    """Each repository, or why nothing is taken from it.

    The licence is looked at here, before anything is read: what no row may come of need not be cut apart.
    """
    for repository in repositories:
        if not bounds.allows(repository.licence):
            reason = "licence" if repository.licence else "licence_unknown"
            yield Drop(unit=repository.name, reason=reason, detail=repository.licence)
            continue
        try:
            clone = Clone(Path(repository.place), commit=repository.commit)
            found = {file.path: file for file in clone.files()}
        except CloneError as error:
            yield Drop(unit=repository.name, reason=error.reason, detail=error.message)
            continue
        files = {path: file for path, file in found.items() if language_of(path)}
        yield OpenedRepository(repository, clone, files, _licence_text(clone, found, repository))


def _licence_text(clone: Clone, files: Mapping[str, File], repository: Repository) -> str:
    """The texts of the files that the licence was read from, as far as they are texts."""
    found = []
    for path in repository.licence_file.split(", "):
        try:
            found += [clone.text(files[path], limit=MAX_TEXT)] if path in files else []
        except TextError:
            continue
    return "\n".join(found)


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
            files={
                path: file
                for path, file in source.files.items()
                if is_plain_path(path) and (is_test_path(path) or foreign_path(path) is None)
            }
        )
        if not tests:
            unit = source.repository.name
            yield Drop(unit=unit, reason="no_tests", detail="no file is named like tests")
        for path in tests:
            yield _pair(plain, path, bounds)


def _pair(source: OpenedRepository, path: str, bounds: Bounds) -> Pair | Drop:
    """The pair of a test file, if its two files may be published and are not too large."""
    unit = f"{source.repository.name}:{path}"
    found = source.foreign(path) or _matched(source, path)
    if isinstance(found, Pair):
        texts = ((path, found.test_code), (found.focal_path, found.focal_code))
        found = next(filter(None, (source.foreign(*text) for text in texts)), found)
    if isinstance(found, Foreign):
        return Drop(unit=unit, reason=found.reason, detail=found.detail)
    if isinstance(found, Pair) and len(found.focal_code) > bounds.focal_chars:
        detail = f"{found.focal_path}: {len(found.focal_code):,} characters"
        return Drop(unit=unit, reason="focal_too_large", detail=detail)
    return found


def _matched(source: OpenedRepository, path: str) -> Pair | Drop:
    """A test file with the file that it tests."""
    repository, clone, files, _ = source
    unit, lang = f"{repository.name}:{path}", language_of(path)
    if lang is None or path not in files:
        return Drop(unit=unit, reason="test_odd_path", detail="no name that every file system can hold")
    try:
        test_code = clone.text(files[path], limit=MAX_FILE)
    except TextError as error:
        return Drop(unit=unit, reason=f"test_{error.reason}", detail=error.message)
    focal = focal_for(path, files.keys(), test_code) or _taken_from(source, path, test_code, lang.name)
    if focal is None or focal not in files:
        return Drop(unit=unit, reason="no_focal_file", detail="no file, or several, fit this test file")
    try:
        focal_code = clone.text(files[focal], limit=MAX_FILE)
        if (behind := behind_package(focal, focal_code, test_code, files)) != focal:
            focal, focal_code = behind, clone.text(files[behind], limit=MAX_FILE)
    except TextError as error:
        return Drop(unit=unit, reason=f"focal_{error.reason}", detail=error.message)
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


def _taken_from(source: OpenedRepository, path: str, test_code: str, lang: str) -> str | None:
    """The file that a test imports from, where its own name says nothing: not another file of tests."""

    def read(each: str) -> str:
        try:
            return source.clone.text(source.files[each], limit=MAX_FILE)
        except TextError:
            return ""

    found = focal_of(path, test_code, lang, Companions(source.files.keys(), read))
    return found if found and not is_test_path(found) else None


# Stage 3, cases: one candidate for each test case, its siblings cut. Stage 4, tag: what the texts tell.


def split(pairs: Iterable[Pair]) -> Iterator[Candidate | Drop]:
    """A candidate or a drop for each test case; a file without any is a drop itself."""
    for each in pairs:
        found = cases(each.test_code, each.lang)
        if each.only:
            found = [case for case in found if case.name in each.only]
        if not found:
            fault = syntax_fault(each.test_code, each.lang)
            reason = "test_syntax" if fault else "no_cases"
            yield Drop(unit=f"{each.repository}:{each.test_path}", reason=reason, detail=str(fault or ""))
        for case in found:
            yield _candidate(each, case)


def tag(candidates: Iterable[Candidate]) -> Iterator[Candidate | Drop]:
    """Each candidate with its tags."""
    for each in candidates:
        found = tags(each.focal_code, each.test_code, each.lang)
        brought = {"inlined": each.inlined} if each.inlined else {}
        yield msgspec.structs.replace(each, tags={**found, **brought})


def _candidate(pair: Pair, case: Case) -> Candidate | Drop:
    try:
        test_code = only_case(pair.test_code, case, pair.lang)
    except CuttingError as error:
        unit = f"{pair.repository}:{pair.test_path}::{case.name}"
        return Drop(unit=unit, reason=f"cutting_{error.reason}", detail=error.message)
    return Candidate(
        repository=pair.repository,
        commit=pair.commit,
        committed_at=pair.committed_at,
        licence=pair.licence,
        lang=pair.lang,
        focal_path=pair.focal_path,
        test_path=pair.test_path,
        case=case.name,
        focal_code=pair.focal_code,
        test_code=test_code,
        subset="generated" if pair.written else pair.subset,
        written=pair.written,
        revision=revision_of(pair.lang, pair.focal_code, test_code),
        cluster=content_key(pair.repository, pair.test_path, case.name),
        origin=pair.origin,
    )
