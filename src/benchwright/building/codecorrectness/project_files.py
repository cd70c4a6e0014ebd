"""Files of a repository: those of its commit for pairing, and those around a pair at any commit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from benchwright.building.codecorrectness.foreign import Foreign, foreign_path, foreign_text
from benchwright.building.codecorrectness.nouns import Candidate
from benchwright.building.codecorrectness.options import Bounds
from benchwright.lang.companions import Companions
from benchwright.lang.languages import language, language_of
from benchwright.lang.paths import is_plain_path
from benchwright.records import Drop
from benchwright.sources.clones import Clone, CloneError, File, TextError
from benchwright.sources.licences import MAX_TEXT
from benchwright.sources.repositories import Repository

MAX_FILE = 400_000  # maximum size of a file in bytes; rows have their own limits


class OpenedRepository(NamedTuple):
    """A repository's clone, and its files in the languages of rows, by path."""

    repository: Repository
    clone: Clone
    files: dict[str, File]
    licence_text: str = ""

    def text(self, path: str) -> str:
        """The text of a file. Raises TextError."""
        return self.clone.text(self.files[path], limit=MAX_FILE)

    def foreign(self, path: str, code: str) -> Foreign | None:
        """Why this file cannot be in a row, by its path and its text."""
        licence, licence_text = self.repository.licence, self.licence_text
        return foreign_path(path) or foreign_text(path, code, licence=licence, licence_text=licence_text)


def opened(repositories: Iterable[Repository], bounds: Bounds) -> Iterator[OpenedRepository | Drop]:
    """Open each repository, or drop it with a reason.

    The licence is checked before anything is read, as nothing can be published without it.
    """
    for repository in repositories:
        if not bounds.allows(repository.licence):
            reason = "licence" if repository.licence else "licence_unknown"
            yield Drop(unit=repository.name, reason=reason, detail=repository.licence)
            continue
        try:
            clone = Clone(Path(repository.place), commit=repository.commit)
            listed = {file.path: file for file in clone.files()}
        except CloneError as error:
            yield Drop(unit=repository.name, reason=error.reason, detail=error.message)
            continue
        files = {path: file for path, file in listed.items() if language_of(path)}
        yield OpenedRepository(repository, clone, files, _licence_text(clone, listed, repository))


def _licence_text(clone: Clone, files: Mapping[str, File], repository: Repository) -> str:
    """The texts of the licence files, without unreadable ones."""
    texts = []
    for path in repository.licence_file.split(", "):
        try:
            texts += [clone.text(files[path], limit=MAX_TEXT)] if path in files else []
        except TextError:
            continue
    return "\n".join(texts)


class ProjectFiles:
    """The files of one repository after another, in the order of the candidates."""

    def __init__(self, repositories: dict[str, Repository]) -> None:
        self._repositories = repositories
        self._commit = ("", "")
        self._clone: Clone | None = None
        self._found: dict[str, File] = {}
        self._texts: dict[str, str] = {}  # by content id, since most files are equal in each commit

    def near(self, candidate: Candidate) -> Companions:
        """The files that declarations may be taken from: publishable files of the candidate's language."""
        suffixes = language(candidate.lang).suffixes
        return self._companions(
            candidate, lambda path: path.endswith(suffixes) and foreign_path(path) is None
        )

    def whole(self, candidate: Candidate) -> Companions:
        """All files of the candidate's commit with a plain path."""
        return self._companions(candidate, lambda path: True)

    def _text(self, file: File | None) -> str:
        """The text of a file; "" if it is missing or not text."""
        if self._clone is None or file is None:
            return ""
        if file.blob not in self._texts:
            try:
                self._texts[file.blob] = self._clone.text(file, limit=MAX_FILE)
            except TextError:
                self._texts[file.blob] = ""
        return self._texts[file.blob]

    def _companions(self, candidate: Candidate, is_wanted: Callable[[str], bool]) -> Companions:
        """The candidate's focal file among the other files of its commit."""
        self._open(candidate.repository, candidate.commit)
        found = {path: file for path, file in self._found.items() if is_wanted(path)}
        own = {candidate.focal_path: candidate.focal_code}
        return Companions(found.keys(), lambda path: own.get(path) or self._text(found.get(path)))

    def _open(self, name: str, commit: str) -> None:
        if (name, commit) == self._commit:
            return
        if name != self._commit[0]:
            self._texts = {}
        self._commit, self._found, self._clone = (name, commit), {}, None
        if (repository := self._repositories.get(name)) is None:
            return
        try:
            self._clone = Clone(Path(repository.place), commit=commit)
            self._found = {file.path: file for file in self._clone.files() if is_plain_path(file.path)}
        except CloneError:  # a partial clone
            self._found = {}
