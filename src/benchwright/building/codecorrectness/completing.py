"""Stage cases, its second half: a case whose two files do not stand alone is completed from its repository.

The focal file becomes the one that this case is about, and small parts of other files of the package are
brought into it. What was brought could change what a test does, so such a row is a passing one: its own
execution proves that nothing that it needs was lost. A state of history is completed from its own commit,
and may fail where the other state of that commit passes, completed in the same way.
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
from benchwright.sources.history import History
from benchwright.sources.repositories import Repository


def complete(
    candidates: Iterable[Candidate | Drop], repositories: Iterable[Repository], bounds: Bounds
) -> Iterator[Candidate | Drop]:
    """Each candidate, completed where it has to be and can be; those of a model's tests stay as they are."""
    files = _Files({each.name: each for each in repositories})
    for each in candidates:
        if isinstance(each, Drop) or each.written or _is_complete(each):
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
    if each.subset == "history" and found.focal_path != each.focal_path:
        return each  # a commit's two states are of one file
    if max(len(found.focal_code) / bounds.focal_chars, len(found.test_code) / bounds.test_chars) > 1:
        return each
    if any(_is_foreign(each, path, near.read(path)) for path in {found.focal_path, *found.brought}):
        return each
    changed = msgspec.structs.replace(
        each,
        focal_path=found.focal_path,
        focal_code=found.focal_code,
        test_code=found.test_code,
        inlined=found.brought,
        origin=_origin(each, found.brought),
        revision=revision_of(each.lang, found.focal_code, found.test_code),
    )
    return changed if _stands_alone(changed) else each


def _origin(each: Candidate, brought: list[str]) -> str:
    added = [f"with declarations of {', '.join(brought)}"] if brought else []
    return ", ".join([*filter(None, [each.origin]), *added])[:300]


def _is_foreign(each: Candidate, path: str, text: str) -> bool:
    """Whether a file may not be published under the repository's licence."""
    said = foreign_text(path, text, licence=each.licence, licence_text="")
    return said is not None or (foreign_path(path) is not None and not is_test_path(path))


class _Files:
    """The texts of one repository after the other, as the candidates come."""

    def __init__(self, repositories: dict[str, Repository]) -> None:
        self._repositories = repositories
        self._name = ""
        self._clone: Clone | None = None
        self._history: History | None = None
        self._found: dict[str, File] = {}
        self._then_for: tuple[str, ...] = ()
        self._then_found: dict[str, File] = {}
        self._texts: dict[str, str] = {}  # by the id of their content: most are the same in each commit

    def near(self, candidate: Candidate) -> Companions:
        """The files of the candidate's language in its repository; of a state of history, those beside it
        at its commit."""
        if candidate.repository != self._name:
            self._open(candidate.repository)
        suffixes = language(candidate.lang).suffixes
        if candidate.subset == "history":
            return self._then(candidate, suffixes)
        paths = [path for path in self._found if path.endswith(suffixes)]
        return Companions(paths, lambda path: self._text(self._found.get(path)))

    def _open(self, name: str) -> None:
        self._name, self._texts, self._found, self._then_for = name, {}, {}, ()
        self._clone, self._history = None, None
        repository = self._repositories.get(name)
        if repository is None:
            return
        try:
            self._clone = Clone(Path(repository.place), commit=repository.commit)
            found = {file.path: file for file in self._clone.files()}
        except CloneError:  # it was read before; without it nothing is completed
            return
        self._history = History(self._clone)
        self._found = {path: file for path, file in found.items() if _may_be_taken(path)}

    def _then(self, candidate: Candidate, suffixes: tuple[str, ...]) -> Companions:
        """The state of the focal file that the candidate has, among its neighbours of that commit."""
        wanted = (candidate.commit, candidate.focal_path, candidate.test_path)
        if wanted != self._then_for:  # the cases of both states follow each other
            self._then_for, self._then_found = wanted, self._beside(*wanted, suffixes)
        found = self._then_found

        def read(path: str) -> str:
            return candidate.focal_code if path == candidate.focal_path else self._text(found.get(path))

        return Companions(found, read)

    def _beside(
        self, commit: str, focal_path: str, test_path: str, suffixes: tuple[str, ...]
    ) -> dict[str, File]:
        if self._clone is None or self._history is None:
            return {}
        try:
            tree = self._clone.tree_of(commit)
            beside = [self._history.beside(tree, path, suffixes) for path in (focal_path, test_path)]
        except CloneError:  # a partial clone: what it does not have cannot be brought in
            return {}
        return {file.path: file for files in beside for file in files if _may_be_taken(file.path)}

    def _text(self, file: File | None) -> str:
        if self._clone is None or file is None:
            return ""
        if file.blob not in self._texts:
            try:
                self._texts[file.blob] = self._clone.text(file, limit=MAX_FILE)
            except TextError:
                self._texts[file.blob] = ""
        return self._texts[file.blob]


def _may_be_taken(path: str) -> bool:
    return is_plain_path(path) and foreign_path(path) is None
