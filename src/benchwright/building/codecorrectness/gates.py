"""The gates of stage filter: a row can be decided from its own two texts, may be published, and is new.

They are asked in the order of GATES, cheap before dear. A gate more is a function here and its name
there, or one of another package with `--gate`.
"""

from __future__ import annotations

from functools import lru_cache

from benchwright.building.codecorrectness.nouns import Candidate
from benchwright.building.codecorrectness.options import Bounds
from benchwright.building.codecorrectness.rows import suite_of_paths
from benchwright.building.gates import gate
from benchwright.building.likeness import Shingles, bands, jaccard, shingles
from benchwright.contracts import KEEP, Decision, Gate, GateOpener
from benchwright.executing.libraries import Libraries
from benchwright.lang.faults import LayoutError
from benchwright.lang.languages import language
from benchwright.lang.source import executed_uses, libraries, syntax_fault, unresolved


@gate("codecorrectness.size")
def size(each: Candidate, bounds: Bounds) -> Decision:
    """Neither too large for a prompt nor too small to say anything."""
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
def syntax(each: Candidate, _: Bounds) -> Decision:
    """Both texts can be parsed."""
    for reason, code in (("focal_syntax", each.focal_code), ("test_syntax", each.test_code)):
        if (fault := syntax_fault(code, each.lang)) is not None:
            return Decision(reason=reason, detail=str(fault))
    return KEEP


@gate("codecorrectness.deterministic", version=4)
def deterministic(each: Candidate, bounds: Bounds) -> Decision:
    """A clock or a thread may be used well, which execution tells; what is not there never works.

    Random numbers are out by default: a Go test that failed once in fifteen runs passed five of five. Where
    an execution can tell which lines were executed, it is asked what of the focal file a test uses. A focal
    file that reads its callers can give what the test expects, so that it passes says nothing of the code.
    """
    if each.tags["dynamic_cases"]:
        return Decision(reason="dynamic_cases", detail="tests may exist that no parse can see")
    loaded = executed_uses(each.focal_code, each.lang, ())
    focal = set(each.tags["focal_uses"])
    used = {*each.tags["test_uses"], *(focal if loaded is None else focal & loaded)}
    found = sorted(used.intersection(bounds.uses))
    return Decision(reason=f"uses_{found[0]}", detail=", ".join(found)) if found else KEEP


@gate("codecorrectness.self_contained", version=2)
def self_contained(each: Candidate, _: Bounds) -> Decision:
    """The two files are a project with this one test case, and need no other file of theirs."""
    try:
        suite = suite_of_paths(
            each.focal_code, each.test_code, each.lang, focal_path=each.focal_path, test_path=each.test_path
        )
    except LayoutError as error:
        return Decision(reason=f"layout_{error.reason}", detail=error.message)
    if suite.cases != [each.case]:
        held = f"the row would hold {', '.join(suite.cases) or 'no case'}"
        return Decision(reason="other_cases", detail=held[:300])
    missing = list(dict.fromkeys([*unresolved(suite), *each.needs_files]))
    return Decision(reason="project_imports", detail=", ".join(missing)[:300]) if missing else KEEP


def library_gate(known: Libraries) -> GateOpener:
    """The gate that knows which packages are there: what is not need not be executed to be found missing."""

    @gate("codecorrectness.libraries", version=2)
    def opener(each: Candidate, _: Bounds) -> Decision:
        wanted = {*libraries(each.focal_code, each.lang), *libraries(each.test_code, each.lang)}
        missing = sorted(name for name in wanted - _own(each) if not known.has(each.lang, name))
        missing += each.needs_plugins
        return Decision(reason="needs_library", detail=", ".join(missing)[:300]) if missing else KEEP

    return opener


def _own(each: Candidate) -> set[str]:
    """Names that the row's own two files go by: a project may be named like a well-known package."""
    try:
        suite = suite_of_paths(
            each.focal_code, each.test_code, each.lang, focal_path=each.focal_path, test_path=each.test_path
        )
    except LayoutError:
        return set()
    return language(each.lang).own_packages(suite)


class Duplicates:
    """Remembers candidates and knows their doubles.

    Tests of one focal file share most of their input, so a double needs both: tests alike and focal files
    alike. That finds copies of a file in two repositories, and a test pasted with one number changed.
    """

    name = "codecorrectness.duplicate"
    version = 1

    def __init__(self, likeness: float) -> None:
        self._likeness = likeness
        self._exact: dict[str, str] = {}
        self._bands: dict[tuple[str, int, tuple[int, ...]], list[int]] = {}
        self._kept: list[tuple[Candidate, Shingles]] = []

    def decide(self, candidate: Candidate) -> Decision:
        """Whether it repeats an earlier one, letter for letter or nearly."""
        if candidate.revision in self._exact:
            return Decision(reason="duplicate", detail=self._exact[candidate.revision])
        marks = _marks(candidate.test_code)
        places = [(candidate.lang, *band) for band in _bands(candidate.test_code)]
        for number in sorted({number for place in places for number in self._bands.get(place, ())}):
            other, others = self._kept[number]
            if _is_version(candidate, other):
                continue
            if jaccard(marks, others) >= self._likeness and self._like_focal(candidate, other):
                return Decision(reason="near_duplicate", detail=other.unit)
        return KEEP

    def remember(self, candidate: Candidate) -> None:
        """What comes later may be its double."""
        self._exact[candidate.revision] = candidate.unit
        for band in _bands(candidate.test_code):
            self._bands.setdefault((candidate.lang, *band), []).append(len(self._kept))
        self._kept.append((candidate, _marks(candidate.test_code)))

    def _like_focal(self, one: Candidate, other: Candidate) -> bool:
        if one.focal_code == other.focal_code:
            return True
        return jaccard(_marks(one.focal_code), _marks(other.focal_code)) >= self._likeness


def _is_version(one: Candidate, other: Candidate) -> bool:
    """Two states of a file's history under one test are alike by nature: one cluster, and no doubles."""
    return bool(one.cluster) and one.cluster == other.cluster and "history" in (one.subset, other.subset)


def duplicate(bounds: Bounds) -> Duplicates:
    """Nothing twice."""
    return Duplicates(bounds.likeness)


OWN: tuple[GateOpener, ...] = (size, syntax, deterministic, self_contained)  # hang on the candidate alone
CHEAP = tuple(f"codecorrectness.{name}" for name in ("size", "deterministic", "self_contained", "libraries"))
libraries_gate = library_gate(Libraries())
GATES: tuple[GateOpener, ...] = (*OWN, libraries_gate, duplicate)


def own_gates(known: Libraries, bounds: Bounds) -> list[Gate[Candidate]]:
    """The gates that look at one candidate alone, in their order."""
    return [opener(bounds) for opener in (*OWN, library_gate(known))]


def all_gates(known: Libraries) -> tuple[GateOpener, ...]:
    """The recipe's gates in their order; one of them knows which libraries there are."""
    return tuple(library_gate(known) if opener is libraries_gate else opener for opener in GATES)


@lru_cache(maxsize=64)
def _marks(code: str) -> Shingles:
    return shingles(code)


@lru_cache(maxsize=1)
def _bands(code: str) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """Kept from the decision to the remembering: a signature is dear."""
    return tuple(bands(_marks(code)))
