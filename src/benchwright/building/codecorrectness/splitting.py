"""Stage 3, cases: one candidate for each test case, its siblings cut. Stage 4, tag: what the texts tell."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from benchwright.building.codecorrectness.nouns import Candidate, Pair
from benchwright.building.codecorrectness.rows import revision_of
from benchwright.lang.answers import Case
from benchwright.lang.faults import CuttingError
from benchwright.lang.source import cases, only_case, syntax_fault, tags
from benchwright.records import Drop


def split(pairs: Iterable[Pair]) -> Iterator[Candidate | Drop]:
    """A candidate or a drop for each test case; a file without any is a drop itself."""
    for each in pairs:
        found = cases(each.test_code, each.lang)
        if not found:
            fault = syntax_fault(each.test_code, each.lang)
            reason = "test_syntax" if fault else "no_cases"
            yield Drop(unit=f"{each.repository}:{each.test_path}", reason=reason, detail=str(fault or ""))
        for case in found:
            yield _candidate(each, case)


def tag(candidates: Iterable[Candidate]) -> Iterator[Candidate | Drop]:
    """Each candidate with its tags."""
    for each in candidates:
        yield msgspec.structs.replace(each, tags=tags(each.focal_code, each.test_code, each.lang))


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
        subset="generated" if pair.written else "original",
        written=pair.written,
        revision=revision_of(pair.lang, pair.focal_code, test_code),
    )
