"""Stage focal: the files that a model is asked to write tests for.

A request costs money, so a file is asked about only if a test of it could become a row: the smallest
possible test goes through the filter's own checks first, and the language must be one that runs here.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Iterator

import msgspec

from benchwright.building.codecorrectness.gates import OWN
from benchwright.building.codecorrectness.generated_openings import is_focal_path, written_path
from benchwright.building.codecorrectness.nouns import Candidate
from benchwright.building.codecorrectness.options import Bounds
from benchwright.building.codecorrectness.pairing import MAX_FILE, OpenedRepository, opened
from benchwright.building.gates import decide, refusal
from benchwright.executing.runners import Absent, Runners
from benchwright.lang.answers import Language, Opening
from benchwright.lang.languages import language_of
from benchwright.lang.pairing import is_test_path
from benchwright.lang.paths import is_plain_path
from benchwright.lang.source import tags
from benchwright.records import Drop, Record
from benchwright.sources.clones import TextError
from benchwright.sources.repositories import Repository
from benchwright.store.keys import content_key


class Focal(Record, frozen=True, kw_only=True):
    """A file to write tests for; `opening` is how they begin, `test_name` what the file of them is called.

    `name` says which file in which state, so that a stored reply is never taken for one to other code.
    """

    name: str
    repository: str
    commit: str
    committed_at: str
    licence: str
    lang: str
    path: str
    code: str
    opening: str
    test_name: str


def focal_files(
    repositories: Iterable[Repository], bounds: Bounds, runners: Runners, *, most: int
) -> Iterator[Focal | Drop]:
    """Up to `most` files of each repository, and why the others are not asked about.

    Which ones: in the order of a hash of their paths, so that they come from all over the repository.
    """
    free = msgspec.structs.replace(bounds, test_lines=0, test_chars=sys.maxsize, asserts=sys.maxsize)
    for source in opened(repositories, bounds):
        if isinstance(source, Drop):
            yield source
        else:
            yield from _of_repository(_Reader(source, free, runners), most)


class _Reader:
    """One repository's files, each read and tried."""

    def __init__(self, source: OpenedRepository, bounds: Bounds, runners: Runners) -> None:
        self.repository, self._clone, self.files = source
        self._bounds, self._runners = bounds, runners
        self._gates = [opener(bounds) for opener in OWN]

    def focal(self, path: str, lang: Language) -> Focal | Drop:
        """The file as one to ask about, or why it is none."""
        code = self._text(path, lang)
        if isinstance(code, Drop):
            return code
        name = f"{self.repository.name}:{path}@{content_key(lang.name, code)[:8]}"
        if len(code) > self._bounds.focal_chars:
            return Drop(unit=name, reason="focal_too_large", detail=f"{len(code):,} characters")
        opening = lang.opening(path, code, self.files)
        if opening is None:
            return Drop(unit=name, reason="nothing_to_test", detail="the file has nothing that can be called")
        if (refused := refusal(decide(self._probe(path, code, lang, opening), self._gates))) is not None:
            return Drop(unit=name, reason=refused.reason, detail=refused.detail)
        return Focal(
            name=name,
            repository=self.repository.name,
            commit=self.repository.commit,
            committed_at=self.repository.committed_at,
            licence=self.repository.licence,
            lang=lang.name,
            path=path,
            code=code,
            opening=opening.lines,
            test_name=opening.name,
        )

    def _text(self, path: str, lang: Language) -> str | Drop:
        """The file's text, if there is a use in reading it."""
        unit = f"{self.repository.name}:{path}"
        if not is_plain_path(path):
            why = "no name that every file system can hold"
            return Drop(unit=unit, reason="focal_odd_path", detail=why)
        opened = self._runners.get(lang.name)
        if isinstance(opened, Absent):
            return Drop(unit=unit, reason="absent", detail=opened.why)
        try:
            return self._clone.text(self.files[path], limit=MAX_FILE)
        except TextError as error:
            return Drop(unit=unit, reason=f"focal_{error.reason}", detail=error.message)

    def _probe(self, path: str, code: str, lang: Language, opening: Opening) -> Candidate:
        return Candidate(
            repository=self.repository.name,
            commit=self.repository.commit,
            committed_at=self.repository.committed_at,
            licence=self.repository.licence,
            lang=lang.name,
            focal_path=path,
            test_path=written_path(path, opening.name, 0),
            case=opening.case,
            focal_code=code,
            test_code=opening.probe,
            revision="",
            tags=tags(code, opening.probe, lang.name),
        )


def _of_repository(reader: _Reader, most: int) -> Iterator[Focal | Drop]:
    paths = [path for path in reader.files if is_focal_path(path) and not is_test_path(path)]
    if not paths:
        yield Drop(unit=reader.repository.name, reason="no_sources", detail="no file to write tests for")
    kept = 0
    for path, lang in sorted(_with_language(paths), key=lambda pair: content_key(pair[0])):
        unit = f"{reader.repository.name}:{path}"
        found = (
            reader.focal(path, lang)
            if kept < most
            else Drop(unit=unit, reason="enough_of_repository", detail=f"{most} files are asked about")
        )
        kept += isinstance(found, Focal)
        yield found


def _with_language(paths: Collection[str]) -> Iterator[tuple[str, Language]]:
    return ((path, lang) for path in paths if (lang := language_of(path)) is not None)
