"""Gates of stage filter: a row must be self-contained, publishable and new.

They run in the order of GATES, cheap ones first. To add a gate, write a function here and add it to GATES, or
install a package and use `--gate`.
"""

from __future__ import annotations

from functools import lru_cache

from benchwright.building.codecorrectness.options import RowBounds
from benchwright.building.codecorrectness.row_records import Candidate, suite_of_paths
from benchwright.building.engine.gates import gate
from benchwright.building.text_overlap import Shingles, bands, jaccard, shingles
from benchwright.contracts import KEEP, Decision, Gate, GateOpener
from benchwright.executing.suite_runners import Libraries
from benchwright.lang.languages import language
from benchwright.lang.source import executed_uses, libraries, syntax_fault, unresolved
from benchwright.lang.source_errors import LayoutError


@gate("codecorrectness.size")
def size(each: Candidate, bounds: RowBounds) -> Decision:
    """The row is neither too large for a prompt nor trivial."""
    if len(each.test_code) > bounds.test_chars:
        return Decision(reason="test_too_large", detail=f"{len(each.test_code):,} characters")
    if not each.focal_code.strip():
        return Decision(reason="focal_empty")
    if each.tags["test_lines"] < bounds.test_lines:
        return Decision(reason="test_too_small", detail=f"{each.tags['test_lines']} lines")
    if each.tags["asserts"] > bounds.asserts:
        return Decision(reason="too_many_asserts", detail=str(each.tags["asserts"]))
    return KEEP


@gate("codecorrectness.syntax")
def syntax(each: Candidate, _: RowBounds) -> Decision:
    """Both texts parse."""
    for reason, code in (("focal_syntax", each.focal_code), ("test_syntax", each.test_code)):
        if (fault := syntax_fault(code, each.lang)) is not None:
            return Decision(reason=reason, detail=str(fault))
    return KEEP


@gate("codecorrectness.deterministic", version=4)
def deterministic(each: Candidate, bounds: RowBounds) -> Decision:
    """The row uses nothing that rows may not use.

    A clock or a thread may be used correctly, which execution shows; a missing requirement never works.
    Random numbers are excluded by default: a Go test that failed once in fifteen runs passed five of five. If
    an execution can report the executed lines, it decides what a test uses of the focal file. A focal file
    that reads its callers can return what the test expects, so passing says nothing about the code.
    """
    if each.tags["dynamic_cases"]:
        return Decision(reason="dynamic_cases", detail="tests may exist that no parse can see")
    loaded = executed_uses(each.focal_code, each.lang, ())
    focal = set(each.tags["focal_uses"])
    used = {*each.tags["test_uses"], *(focal if loaded is None else focal & loaded)}
    found = sorted(used.intersection(bounds.uses))
    return Decision(reason=f"uses_{found[0]}", detail=", ".join(found)) if found else KEEP


@gate("codecorrectness.self_contained", version=2)
def self_contained(each: Candidate, _: RowBounds) -> Decision:
    """The two files form a project with this one test case, and need no other file of their repository."""
    try:
        suite = suite_of_paths(
            each.focal_code, each.test_code, each.lang, focal_path=each.focal_path, test_path=each.test_path
        )
    except LayoutError as error:
        return Decision(reason=f"layout_{error.reason}", detail=error.message)
    if suite.cases != [each.case]:
        summary = f"the row would hold {', '.join(suite.cases) or 'no case'}"
        return Decision(reason="other_cases", detail=summary[:300])
    missing = list(dict.fromkeys([*unresolved(suite), *each.needs_files]))
    return Decision(reason="project_imports", detail=", ".join(missing)[:300]) if missing else KEEP


def library_gate(known: Libraries) -> GateOpener:
    """A gate that knows the installed packages: a missing one need not be executed to be detected."""

    @gate("codecorrectness.libraries", version=2)
    def opener(each: Candidate, _: RowBounds) -> Decision:
        wanted = {*libraries(each.focal_code, each.lang), *libraries(each.test_code, each.lang)}
        missing = sorted(name for name in wanted - _own_packages(each) if not known.has(each.lang, name))
        missing += each.needs_plugins
        return Decision(reason="needs_library", detail=", ".join(missing)[:300]) if missing else KEEP

    return opener


def _own_packages(each: Candidate) -> set[str]:
    """The module names of the row's own two files; a project may be named like a well-known package."""
    try:
        suite = suite_of_paths(
            each.focal_code, each.test_code, each.lang, focal_path=each.focal_path, test_path=each.test_path
        )
    except LayoutError:
        return set()
    return language(each.lang).own_packages(suite)


class DuplicateGate:
    """A gate that remembers candidates and refuses duplicates.

    Tests of one focal file share most of their input, so a duplicate needs similar tests and similar focal
    files. That detects copies of a file in two repositories, and a pasted test with one changed number.
    """

    name = "codecorrectness.duplicate"
    version = 1

    def __init__(self, likeness: float) -> None:
        self._likeness = likeness
        self._exact: dict[str, str] = {}
        self._bands: dict[tuple[str, int, tuple[int, ...]], list[int]] = {}
        self._earlier_rows: list[tuple[Candidate, Shingles]] = []

    def decide(self, candidate: Candidate) -> Decision:
        """Refuse a copy or a near copy of an earlier candidate."""
        if candidate.revision in self._exact:
            return Decision(reason="duplicate", detail=self._exact[candidate.revision])
        marks = _marks(candidate.test_code)
        places = [(candidate.lang, *band) for band in _bands(candidate.test_code)]
        for number in sorted({number for place in places for number in self._bands.get(place, ())}):
            other, others = self._earlier_rows[number]
            if _is_version(candidate, other):
                continue
            if jaccard(marks, others) >= self._likeness and self._like_focal(candidate, other):
                return Decision(reason="near_duplicate", detail=other.unit)
        return KEEP

    def remember(self, candidate: Candidate) -> None:
        """Store a kept candidate for later comparisons."""
        self._exact[candidate.revision] = candidate.unit
        for band in _bands(candidate.test_code):
            self._bands.setdefault((candidate.lang, *band), []).append(len(self._earlier_rows))
        self._earlier_rows.append((candidate, _marks(candidate.test_code)))

    def _like_focal(self, one: Candidate, other: Candidate) -> bool:
        if one.focal_code == other.focal_code:
            return True
        return jaccard(_marks(one.focal_code), _marks(other.focal_code)) >= self._likeness


def _is_version(one: Candidate, other: Candidate) -> bool:
    """Whether two rows are states of one file under one test; they are similar by nature, not duplicates."""
    return bool(one.cluster) and one.cluster == other.cluster and "history" in (one.subset, other.subset)


def duplicate(bounds: RowBounds) -> DuplicateGate:
    """No duplicates."""
    return DuplicateGate(bounds.likeness)


OWN: tuple[GateOpener, ...] = (size, syntax, deterministic, self_contained)  # depend on the candidate alone
CHEAP = tuple(f"codecorrectness.{name}" for name in ("size", "deterministic", "self_contained", "libraries"))
libraries_gate = library_gate(Libraries())
GATES: tuple[GateOpener, ...] = (*OWN, libraries_gate, duplicate)


def own_gates(known: Libraries, bounds: RowBounds) -> list[Gate[Candidate]]:
    """The gates that look at one candidate alone, in order."""
    return [opener(bounds) for opener in (*OWN, library_gate(known))]


def all_gates(known: Libraries) -> tuple[GateOpener, ...]:
    """All gates of the recipe, in order; one of them knows the installed libraries."""
    return tuple(library_gate(known) if opener is libraries_gate else opener for opener in GATES)


@lru_cache(maxsize=64)
def _marks(code: str) -> Shingles:
    return shingles(code)


@lru_cache(maxsize=1)
def _bands(code: str) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """The bands of a text, cached between decision and remembering because a signature is expensive."""
    return tuple(bands(_marks(code)))
