"""Stage 5, filter: only rows that can be decided from their own two texts, may be published, and are new.

A candidate is dropped for the first reason that holds, in the order below: cheap before dear, and
duplicates last, so that a row is never dropped as the double of one that was dropped itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from benchwright.building.duplicates import Duplicates
from benchwright.building.nouns import Candidate, Drop
from benchwright.building.options import Bounds
from benchwright.building.rows import suite_of_paths
from benchwright.lang.faults import LayoutError
from benchwright.lang.source import syntax_fault, unresolved

Reason = tuple[str, str]  # name, detail


def keep(candidates: Iterable[Candidate], bounds: Bounds) -> Iterator[Candidate | Drop]:
    """The candidates that may be labelled.

    How many rows a focal file or a repository may give is counted over what is kept so far; the order is
    that of the files, so the same repositories give the same rows. Tests that a model wrote count by
    themselves, so that they take no room from a repository's own.
    """
    duplicates = Duplicates(bounds.likeness)
    focal: Counter[tuple[str, str, str]] = Counter()
    repositories: Counter[tuple[str, str]] = Counter()
    for each in candidates:
        file = (each.repository, each.focal_path, each.subset)
        repository = (each.repository, each.subset)
        reason: Reason | None = None
        if focal[file] >= bounds.a_focal_file:
            reason = "enough_of_file", f"{bounds.a_focal_file} rows of {each.focal_path}"
        if reason is None and repositories[repository] >= bounds.a_repository:
            reason = "enough_of_repository", f"{bounds.a_repository} rows of {each.repository}"
        reason = reason or own_reason(each, bounds) or duplicates.of(each)
        if reason is not None:
            yield Drop(unit=each.unit, reason=reason[0], detail=reason[1])
            continue
        focal[file] += 1
        repositories[repository] += 1
        yield each


def own_reason(candidate: Candidate, bounds: Bounds) -> Reason | None:
    """Why a candidate cannot be a row, whatever the others are; None when it can."""
    return next((found for check in _CHECKS if (found := check(candidate, bounds)) is not None), None)


def _size(each: Candidate, bounds: Bounds) -> Reason | None:
    if len(each.test_code) > bounds.test_chars:
        return "test_too_large", f"{len(each.test_code):,} characters"
    if not each.focal_code.strip():
        return "focal_empty", ""
    if each.tags["test_lines"] < bounds.test_lines:
        return "test_too_small", f"{each.tags['test_lines']} lines"
    if each.tags["asserts"] > bounds.asserts:
        return "too_many_asserts", str(each.tags["asserts"])
    return None


def _syntax(each: Candidate, _: Bounds) -> Reason | None:
    for name, code in (("focal_syntax", each.focal_code), ("test_syntax", each.test_code)):
        if (fault := syntax_fault(code, each.lang)) is not None:
            return name, str(fault)
    return None


def _steady(each: Candidate, bounds: Bounds) -> Reason | None:
    """A clock or a thread may be used well, which execution tells; what is not there never works.

    Random numbers are out by default: a Go test that failed once in fifteen runs passed five of five.
    """
    if each.tags["dynamic_cases"]:
        return "dynamic_cases", "tests may exist that no parse can see"
    used = {*each.tags["focal_uses"], *each.tags["test_uses"]}
    found = sorted(used.intersection(bounds.uses))
    return (f"uses_{found[0]}", ", ".join(found)) if found else None


def _alone(each: Candidate, _: Bounds) -> Reason | None:
    try:
        suite = suite_of_paths(
            each.focal_code, each.test_code, each.lang, focal_path=each.focal_path, test_path=each.test_path
        )
    except LayoutError as error:
        return f"layout_{error.reason}", error.message
    if suite.cases != [each.case]:
        return "other_cases", f"the row would hold {', '.join(suite.cases) or 'no case'}"[:300]
    missing = unresolved(suite)
    return ("project_imports", ", ".join(missing)[:300]) if missing else None


_CHECKS: tuple[Callable[[Candidate, Bounds], Reason | None], ...] = (
    _size,
    _syntax,
    _steady,
    _alone,
)
