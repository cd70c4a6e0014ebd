"""Stage cases, its second half: a case whose two files do not stand alone is completed from its repository.

The focal file becomes the one that this case is about, and small parts of other files of the package are
brought into it. What was brought could change what a test does, so such a row is a passing one: its own
execution proves that nothing that it needs was lost. A state of history is completed from its own commit,
and may fail where the other state of that commit passes, completed in the same way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from benchwright.building.codecorrectness.foreign import foreign_path, foreign_text
from benchwright.building.codecorrectness.nouns import Candidate
from benchwright.building.codecorrectness.options import Bounds
from benchwright.building.codecorrectness.project_files import ProjectFiles
from benchwright.building.codecorrectness.rows import revision_of, suite_of_paths
from benchwright.lang.faults import LayoutError
from benchwright.lang.languages import language
from benchwright.lang.pairing import is_test_path
from benchwright.lang.source import completed, needs, unresolved
from benchwright.records import Drop
from benchwright.sources.repositories import Repository


def complete(
    candidates: Iterable[Candidate | Drop], repositories: Iterable[Repository], bounds: Bounds
) -> Iterator[Candidate | Drop]:
    """Each candidate, completed where it has to be and can be; those of a model's tests stay as they are.

    Of each is noted what it still needs of its project: other files, and plug-ins of the test runner.
    """
    files = ProjectFiles({each.name: each for each in repositories})
    for each in candidates:
        if isinstance(each, Drop):
            yield each
        elif each.written or _is_complete(each):
            yield _with_needs(each, files)
        else:
            yield _with_needs(_completed(each, files, bounds), files)


def _with_needs(each: Candidate, files: ProjectFiles) -> Candidate:
    pair = each.texts
    found = needs(pair, each.lang, files.whole(each))
    plugins = [] if each.written else sorted(found.plugins)
    return msgspec.structs.replace(each, needs_files=sorted(found.files), needs_plugins=plugins)


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


def _completed(each: Candidate, files: ProjectFiles, bounds: Bounds) -> Candidate:
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
