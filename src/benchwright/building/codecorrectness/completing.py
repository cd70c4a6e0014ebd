"""Stage cases, its second half: a case whose two files do not stand alone is completed from its repository.

The focal file becomes the one that this case is about, and small parts of other files of the package are
brought into it. What was brought could change what a test does, so such a row is only ever a passing one:
its own execution proves that nothing that it needs was lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from benchwright.building.codecorrectness.candidates import MAX_FILE
from benchwright.building.codecorrectness.foreign import foreign_path, foreign_text
from benchwright.building.codecorrectness.nouns import Candidate
from benchwright.building.codecorrectness.options import Bounds
from benchwright.building.codecorrectness.rows import revision_of, suite_of_paths
from benchwright.lang.companions import Companions
from benchwright.lang.faults import LayoutError
from benchwright.lang.languages import language
from benchwright.lang.pairing import is_test_path
from benchwright.lang.paths import is_plain_path
from benchwright.lang.source import completed, unresolved
from benchwright.records import Drop
from benchwright.sources.clones import Clone, CloneError, File, TextError
from benchwright.sources.repositories import Repository


def complete(
    candidates: Iterable[Candidate | Drop], repositories: Iterable[Repository], bounds: Bounds
) -> Iterator[Candidate | Drop]:
    """Each candidate, completed where it has to be and can be.

    Those of a model's tests and of earlier commits stay as they are: today's files are none of theirs.
    """
    files = _Files({each.name: each for each in repositories})
    for each in candidates:
        if isinstance(each, Drop) or each.written or each.subset == "history" or _is_complete(each):
            yield each
        else:
            yield _completed(each, files, bounds)


def _is_complete(each: Candidate) -> bool:
    """Whether nothing is to be looked for. Where tests may stand anywhere, the focal file may be another one:
    it is not known to be missing, since a test's names are taken to be the focal file's."""
    return language(each.lang).tests_beside_code and _stands_alone(each)


def _stands_alone(each: Candidate) -> bool:
    """Whether the two files are a project that lacks no file of theirs."""
    try:
        suite = suite_of_paths(
            each.focal_code, each.test_code, each.lang, focal_path=each.focal_path, test_path=each.test_path
        )
    except LayoutError:
        return False
    return not unresolved(suite)


def _completed(each: Candidate, files: _Files, bounds: Bounds) -> Candidate:
    near = files.near(each)
    found = completed(each.focal_path, each.test_path, each.test_code, each.lang, near)
    if found is None or (found.focal_path == each.focal_path and not found.brought):
        return each
    if max(len(found.focal_code) / bounds.focal_chars, len(found.test_code) / bounds.test_chars) > 1:
        return each
    if any(files.is_foreign(each, path) for path in {found.focal_path, *found.brought}):
        return each
    changed = msgspec.structs.replace(
        each,
        focal_path=found.focal_path,
        focal_code=found.focal_code,
        test_code=found.test_code,
        inlined=found.brought,
        origin=_origin(found.brought),
        revision=revision_of(each.lang, found.focal_code, found.test_code),
    )
    return changed if _stands_alone(changed) else each


def _origin(brought: list[str]) -> str:
    return f"with declarations of {', '.join(brought)}"[:300] if brought else ""


class _Files:
    """The texts of one repository after the other, as the candidates come."""

    def __init__(self, repositories: dict[str, Repository]) -> None:
        self._repositories = repositories
        self._name, self._licence = "", ""
        self._clone: Clone | None = None
        self._found: dict[str, File] = {}
        self._texts: dict[str, str] = {}

    def near(self, candidate: Candidate) -> Companions:
        """The files of the candidate's language in its repository."""
        if candidate.repository != self._name:
            self._open(candidate.repository)
        suffixes = language(candidate.lang).suffixes
        return Companions([path for path in self._found if path.endswith(suffixes)], self._read)

    def is_foreign(self, candidate: Candidate, path: str) -> bool:
        """Whether a file may not be published under the repository's licence."""
        said = foreign_text(path, self._read(path), licence=candidate.licence, licence_text="")
        return said is not None or (foreign_path(path) is not None and not is_test_path(path))

    def _open(self, name: str) -> None:
        self._name, self._texts, self._found, self._clone = name, {}, {}, None
        repository = self._repositories.get(name)
        if repository is None:
            return
        try:
            self._clone = Clone(Path(repository.place), commit=repository.commit)
            found = {file.path: file for file in self._clone.files()}
        except CloneError:  # it was read before; without it nothing is completed
            return
        self._found = {
            path: file for path, file in found.items() if is_plain_path(path) and foreign_path(path) is None
        }

    def _read(self, path: str) -> str:
        if path not in self._texts:
            self._texts[path] = self._text(path)
        return self._texts[path]

    def _text(self, path: str) -> str:
        if self._clone is None or path not in self._found:
            return ""
        try:
            return self._clone.text(self._found[path], limit=MAX_FILE)
        except TextError:
            return ""
