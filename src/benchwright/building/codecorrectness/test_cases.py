"""Stages cases and tag: one candidate for each test case, completed from its repository, and its tags.

A candidate has a copy of the test file from which the other cases are cut. If its two files need others, the
focal file becomes the one that this case tests, and small parts of other files of the package are added to
it. Added code could change what a test does, so such a row must be a passing one: its own execution
proves that nothing it needs was lost. A state of history is completed from its own commit, and may fail where
the other state of that commit passes, completed in the same way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from benchwright.building.codecorrectness.options import RowBounds
from benchwright.building.codecorrectness.repository_files import ProjectFiles, path_exclusion, text_exclusion
from benchwright.building.codecorrectness.row_records import Candidate, Pair, revision_of, suite_of_paths
from benchwright.lang.languages import language
from benchwright.lang.protocol import Case
from benchwright.lang.source import (
    cases,
    complete_pair,
    is_test_path,
    needs,
    only_case,
    syntax_fault,
    tags,
    unresolved,
)
from benchwright.lang.source_errors import CuttingError, LayoutError
from benchwright.records import Drop
from benchwright.sources.repositories import Repository
from benchwright.store.keys import content_key


def split_cases(pairs: Iterable[Pair]) -> Iterator[Candidate | Drop]:
    """A candidate or a drop for each test case; a file without any is one drop."""
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


def complete_candidates(
    candidates: Iterable[Candidate | Drop], repositories: Iterable[Repository], bounds: RowBounds
) -> Iterator[Candidate | Drop]:
    """Complete each candidate where necessary and possible; candidates with a model's test stay unchanged.

    Each records what it still needs of its project: other files, and plug-ins of the test runner.
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
    """Whether nothing needs to be searched.

    In languages whose tests may be anywhere, the focal file may be another one. That cannot be seen from
    missing names, since the names of a test are assumed to be those of the focal file.
    """
    return language(each.lang).tests_beside_code and _stands_alone(each)


def _stands_alone(each: Candidate) -> bool:
    """Whether the two files form a project without missing files."""
    try:
        suite = suite_of_paths(
            each.focal_code, each.test_code, each.lang, focal_path=each.focal_path, test_path=each.test_path
        )
    except LayoutError:
        return False
    return not unresolved(suite)


def _completed(each: Candidate, files: ProjectFiles, bounds: RowBounds) -> Candidate:
    near = files.near(each)
    found = complete_pair(each.focal_path, each.test_path, each.test_code, each.lang, near)
    if found is None or (found.focal_path == each.focal_path and not found.brought):
        return each
    if each.subset == "history" and found.focal_path != each.focal_path:
        return each  # both states of a commit belong to one file
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
    """Whether a file is excluded: a test file by its text alone, any other also by its path."""
    by_path = None if is_test_path(path) else path_exclusion(path)
    return (by_path or text_exclusion(path, text, licence=each.licence, licence_text="")) is not None


def tag_candidates(candidates: Iterable[Candidate]) -> Iterator[Candidate | Drop]:
    """Add the tags to each candidate."""
    for each in candidates:
        found = tags(each.focal_code, each.test_code, each.lang)
        brought = {"inlined": each.inlined} if each.inlined else {}
        yield msgspec.structs.replace(each, tags={**found, **brought})
