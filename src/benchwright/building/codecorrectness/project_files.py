"""The files of the project that a pair is from: of its repository's commit, or of a state of its history."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from benchwright.building.codecorrectness.candidates import MAX_FILE
from benchwright.building.codecorrectness.foreign import foreign_path
from benchwright.building.codecorrectness.nouns import Candidate
from benchwright.lang.companions import Companions
from benchwright.lang.languages import language
from benchwright.lang.paths import is_plain_path
from benchwright.sources.clones import Clone, CloneError, File, TextError
from benchwright.sources.repositories import Repository


class ProjectFiles:
    """The texts of one repository after the other, as the candidates come."""

    def __init__(self, repositories: dict[str, Repository]) -> None:
        self._repositories = repositories
        self._commit = ("", "")
        self._clone: Clone | None = None
        self._found: dict[str, File] = {}
        self._texts: dict[str, str] = {}  # by the id of their content: most are the same in each commit

    def near(self, candidate: Candidate) -> Companions:
        """What declarations may be taken from: files of the candidate's language that rows may hold."""
        suffixes = language(candidate.lang).suffixes
        return self._companions(
            candidate, lambda path: path.endswith(suffixes) and foreign_path(path) is None
        )

    def whole(self, candidate: Candidate) -> Companions:
        """All files of the candidate's commit that have a plain path."""
        return self._companions(candidate, lambda path: True)

    def _text(self, file: File | None) -> str:
        """A file's text; "" for what is no text, or not there."""
        if self._clone is None or file is None:
            return ""
        if file.blob not in self._texts:
            try:
                self._texts[file.blob] = self._clone.text(file, limit=MAX_FILE)
            except TextError:
                self._texts[file.blob] = ""
        return self._texts[file.blob]

    def _companions(self, candidate: Candidate, is_wanted: Callable[[str], bool]) -> Companions:
        """The focal file in the state that the candidate has, among the others of its commit."""
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
        except CloneError:  # a partial clone: what it does not have cannot be looked at
            self._found = {}
