"""Files of a repository: their texts at any commit, and the reasons why a file cannot be in a row.

Excluded are copies of other projects, test data, generated code, and files under another licence or of
another copyright holder. Only the head of a file, the comments before its first statement, is read for that:
a row is published under the licence of its repository.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from benchwright.building.codecorrectness.options import RowBounds
from benchwright.building.codecorrectness.row_records import Candidate
from benchwright.lang.languages import language, language_of
from benchwright.lang.paths import is_plain_path
from benchwright.lang.protocol import ProjectTexts
from benchwright.records import Drop
from benchwright.sources.clones import Clone, CloneError, File, TextError
from benchwright.sources.licences import MAX_TEXT, spdx, spdx_of_name
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

    def foreign(self, path: str, code: str) -> Exclusion | None:
        """Why this file cannot be in a row, by its path and its text."""
        licence, licence_text = self.repository.licence, self.licence_text
        return path_exclusion(path) or text_exclusion(path, code, licence=licence, licence_text=licence_text)


def open_repositories(
    repositories: Iterable[Repository], bounds: RowBounds
) -> Iterator[OpenedRepository | Drop]:
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
        self._files_by_path: dict[str, File] = {}
        self._texts: dict[str, str] = {}  # by content id, since most files are equal in each commit

    def near(self, candidate: Candidate) -> ProjectTexts:
        """The files that declarations may be taken from: publishable files of the candidate's language."""
        suffixes = language(candidate.lang).suffixes
        return self._companions(
            candidate, lambda path: path.endswith(suffixes) and path_exclusion(path) is None
        )

    def whole(self, candidate: Candidate) -> ProjectTexts:
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

    def _companions(self, candidate: Candidate, is_wanted: Callable[[str], bool]) -> ProjectTexts:
        """The candidate's focal file among the other files of its commit."""
        self._open(candidate.repository, candidate.commit)
        found = {path: file for path, file in self._files_by_path.items() if is_wanted(path)}
        own = {candidate.focal_path: candidate.focal_code}
        return ProjectTexts(found.keys(), lambda path: own.get(path) or self._text(found.get(path)))

    def _open(self, name: str, commit: str) -> None:
        if (name, commit) == self._commit:
            return
        if name != self._commit[0]:
            self._texts = {}
        self._commit, self._files_by_path, self._clone = (name, commit), {}, None
        if (repository := self._repositories.get(name)) is None:
            return
        try:
            self._clone = Clone(Path(repository.place), commit=commit)
            self._files_by_path = {
                file.path: file for file in self._clone.files() if is_plain_path(file.path)
            }
        except CloneError:  # a partial clone
            self._files_by_path = {}


HEAD_LINES, HEAD_CHARS = 60, 6_000  # the longest licence text that is put into heads has 30 lines

_VENDORED_TEXT = """
vendor vendored _vendor _vendored third_party third-party thirdparty 3rdparty node_modules bower_components
site-packages godeps
"""
_VENDORED = frozenset(_VENDORED_TEXT.split())
_TEST_DATA = frozenset(("testdata", "test_data", "test-data", "testresources"))
_GENERATED_NAME = re.compile(r"_pb2(_grpc)?\.pyi?$|\.pb(\.gw)?\.go$|(^|/)zz_generated\.|_generated\.(go|py)$")
_GENERATED = re.compile(
    r"(?i)\bcode generated\b.*\bdo not edit\b|@generated\b|\bautomatically generated\b|\bauto-?generated\b|"
    r"generated by the protocol buffer compiler|\bdo not (edit|modify)\b.*\bgenerated\b|"
    r"\bgenerated (by|from|with)\b.*\bdo not (edit|modify)\b"
)
_COMMENT = ("#", "//", "/*", "*", '"""', "'''", "--")
_SPDX = re.compile(r"SPDX-License-Identifier:\s*([^\r\n*]+)")
_COPYRIGHT = re.compile(  # a signature; "copyright ownership" in a sentence names nobody
    r"(?i)\bcopyright\b\s*(?:(?:\(c\)|©|\d{4}|by\b)[\s,–-]*)+([^\r\n]*)"
)
_WORD = re.compile(r"[^\W\d_]{2,}")
_PLAIN_WORDS_TEXT = """
all and at by can contributor contributors copyright corp file for found governed in inc is licence license
llc ltd author authors name of owner present project reserved rights see source code team the this to use
yyyy
"""
_PLAIN_WORDS = frozenset(_PLAIN_WORDS_TEXT.split())
# Phrases that mention a licence without its text, and the licence.
_LICENCE_PHRASES = (
    (re.compile(r"(?i)gnu (affero|lesser|library)?\s*general public licen[cs]e|\b[al]?gpl(v?\d)?\b"), "GPL"),
    (re.compile(r"(?i)mozilla public licen[cs]e|\bMPL\b"), "MPL-2.0"),
    (re.compile(r"(?i)eclipse public licen[cs]e"), "EPL"),
    (re.compile(r"(?i)apache licen[cs]e"), "Apache-2.0"),
    (re.compile(r"(?i)\bMIT licen[cs]e|\bMIT-style|permission is hereby granted, free of charge"), "MIT"),
    (re.compile(r"(?i)\bBSD[- ](style )?(\d-clause )?licen[cs]e|redistribution and use in source"), "BSD"),
)


class Exclusion(NamedTuple):
    """Why a file cannot be in a row: a reason code, and a sentence."""

    reason: str
    detail: str


def path_exclusion(path: str) -> Exclusion | None:
    """The exclusion by path: a folder of vendored code or test data, or a name that generators use."""
    *folders, _ = path.split("/")
    for folder in folders:
        if folder.lower() in _VENDORED:
            return Exclusion("vendored", f"{path}: below {folder}/")
        if folder.lower() in _TEST_DATA:
            return Exclusion("test_data", f"{path}: below {folder}/")
    return Exclusion("generated_code", f"{path}: by its name") if _GENERATED_NAME.search(path) else None


def text_exclusion(path: str, code: str, *, licence: str, licence_text: str) -> Exclusion | None:
    """The exclusion by the head of a file, given the licence of the repository and its licence text."""
    head = "\n".join(_head(code))
    if match := _GENERATED.search(head):
        return Exclusion("generated_code", f"{path}: {match[0][:100]}")
    if other := _other_licence(head, licence):
        host = f"under {licence}" if licence else "whose licence is unknown"
        return Exclusion("foreign_licence", f"{path}: {other}, in a repository {host}")
    if holder := _other_holder(head, licence_text):
        return Exclusion(
            "foreign_holder", f"{path}: {holder}, whom the licence of the repository does not name"
        )
    return None


def _head(code: str) -> Iterator[str]:
    """The comments at the beginning of a file; inner lines of a block may have no mark."""
    closing = ""
    for line in code[:HEAD_CHARS].splitlines()[:HEAD_LINES]:
        text = line.strip()
        if closing:
            yield text
            closing = "" if closing in text else closing
        elif text.startswith(_COMMENT):
            yield text
            closing = _left_open(text)
        elif text:
            return


def _left_open(text: str) -> str:
    """The end mark of a comment or docstring that a line opens and does not close."""
    for opening, ending in (("/*", "*/"), ('"""', '"""'), ("'''", "'''")):
        if text.startswith(opening):
            return "" if ending in text[len(opening) :] else ending
    return ""


def _other_licence(head: str, licence: str) -> str:
    """The licence that the head names if it differs from the repository's; otherwise empty."""
    if match := _SPDX.search(head):
        words = [spdx_of_name(word) or word for word in re.split(r"[\s()]+", match[1].strip()) if word]
        identifiers = [word for word in words if word not in ("OR", "AND", "WITH")]
        apart = licence in identifiers if "AND" not in words else set(identifiers) == {licence}
        return "" if apart else match[1].strip()[:100]
    if found := spdx(head):
        return "" if found == licence else found
    mentioned = {name for phrase, name in _LICENCE_PHRASES if phrase.search(head)}
    same = {name for name in mentioned if licence.startswith(name)}
    return "" if same or not mentioned else min(mentioned)


def _other_holder(head: str, licence_text: str) -> str:
    """The copyright holder of a head that grants a licence, if the repository's licence names others only.

    A head without a grant may name the author of the file; the licence of the repository still applies.
    """
    grants = any(phrase.search(head) for phrase, _ in _LICENCE_PHRASES)
    holders = _holders(head)
    known = {word for words in _holders(licence_text) for word in words}
    if not (grants and holders and known):
        return ""
    return "" if any(known.intersection(words) for words in holders) else " ".join(sorted(holders[0]))[:100]


def _holders(text: str) -> list[frozenset[str]]:
    """The distinctive words of each line that names a copyright holder."""
    found = [
        frozenset(word.lower() for word in _WORD.findall(match[1])) - _PLAIN_WORDS
        for match in _COPYRIGHT.finditer(text[:HEAD_CHARS])
    ]
    return [words for words in found if words]
