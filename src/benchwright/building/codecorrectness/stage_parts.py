"""Parts of the stages before any execution, processed on all cores by `spread`.

The files of a repository are opened once for each part. So test files and candidates are grouped, and a part
belongs to one repository.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby, islice
from typing import ClassVar, Self, TypeVar

import msgspec

from benchwright.building.codecorrectness.collect_pairs import pair_tests
from benchwright.building.codecorrectness.commit_states import history_pairs
from benchwright.building.codecorrectness.options import RowBounds
from benchwright.building.codecorrectness.row_gates import CHEAP, own_gates
from benchwright.building.codecorrectness.row_records import Candidate, Pair, PairLocation
from benchwright.building.codecorrectness.test_cases import complete_candidates, split_cases, tag_candidates
from benchwright.building.engine.gates import PrecomputedGate, admit, precomputed_decisions
from benchwright.building.engine.process_map import map_parts
from benchwright.contracts import Admission, Decision, Gate
from benchwright.executing.suite_runners import Libraries
from benchwright.records import Drop, Record
from benchwright.sources.repositories import Repository

PAIRS = 16  # pairs of one repository in a part
CANDIDATES = 64
L = TypeVar("L", bound=PairLocation)


class RepositoryPart(Record, frozen=True, kw_only=True):
    """A part that reads a repository."""

    repository: Repository

    @property
    def folder(self) -> str:
        """The folder of the clone."""
        return self.repository.place

    def moved(self, folder: str) -> Self:
        """The part for a copy of the clone."""
        return msgspec.structs.replace(
            self, repository=msgspec.structs.replace(self.repository, place=folder)
        )


class PairPart(RepositoryPart, frozen=True, kw_only=True):
    """A repository to pair."""

    gives: ClassVar[type[Record]] = Pair
    bounds: RowBounds

    def made(self) -> Iterator[Pair | Drop]:
        """A pair or a drop for each test file."""
        return pair_tests([self.repository], self.bounds)


class HistoryPart(RepositoryPart, frozen=True, kw_only=True):
    """All pairs of a repository; its commits are searched once."""

    gives: ClassVar[type[Record]] = Pair
    pairs: list[Pair]
    bounds: RowBounds
    most: int

    def made(self) -> Iterator[Pair | Drop]:
        """The states that commits give for these pairs."""
        return history_pairs(self.pairs, {self.repository.name: self.repository}, self.bounds, most=self.most)


class CasesPart(RepositoryPart, frozen=True, kw_only=True):
    """Pairs of a repository, to be split into cases."""

    gives: ClassVar[type[Record]] = Candidate
    pairs: list[Pair]
    bounds: RowBounds

    def made(self) -> Iterator[Candidate | Drop]:
        """A candidate or a drop for each case."""
        return complete_candidates(split_cases(self.pairs), [self.repository], self.bounds)


class TagPart(Record, frozen=True, kw_only=True):
    """Candidates to tag."""

    gives: ClassVar[type[Record]] = Candidate
    candidates: list[Candidate]

    def made(self) -> Iterator[Candidate | Drop]:
        """Each candidate with its tags."""
        return tag_candidates(self.candidates)


class PrecomputedDecisions(Record, frozen=True, kw_only=True):
    """Decisions of the gates that look at one candidate alone, by name."""

    decisions: dict[str, Decision]


class FilterPart(Record, frozen=True, kw_only=True):
    """Candidates for the gates that look at one candidate alone."""

    gives: ClassVar[type[Record]] = PrecomputedDecisions
    candidates: list[Candidate]
    bounds: RowBounds
    libraries: str

    def made(self) -> Iterator[PrecomputedDecisions]:
        """The decisions about each candidate."""
        gates = own_gates(_libraries(self.libraries), self.bounds)
        for each in self.candidates:
            yield PrecomputedDecisions(decisions=precomputed_decisions(each, gates, cheap=CHEAP))


@lru_cache(maxsize=1)
def _libraries(folder: str) -> Libraries:
    return Libraries(folder)


def filtered(
    tagged: Iterable[Candidate], gates: Sequence[Gate[Candidate]], bounds: RowBounds, libraries: str
) -> Iterator[Candidate | Drop | Admission]:
    """The result of `admit`; gates that look at one candidate alone run on all cores, the others here."""
    waiting: deque[Candidate] = deque()
    known: dict[str, Decision] = {}  # decisions about the current candidate
    own = {each.name for each in own_gates(_libraries(libraries), bounds)}

    def parts() -> Iterator[FilterPart]:
        for some in in_parts(tagged, CANDIDATES):
            waiting.extend(some)
            yield FilterPart(candidates=some, bounds=bounds, libraries=libraries)

    def read() -> Iterator[Candidate]:
        for each in map_parts(parts()):
            known.clear()
            known.update(each.decisions)
            yield waiting.popleft()

    applied = [PrecomputedGate(each, known) if each.name in own else each for each in gates]
    return admit(read(), applied, cheap=CHEAP)


def by_repository(records: Iterable[L], *, most: int | None = None) -> Iterator[tuple[str, list[L]]]:
    """Consecutive records of one repository, in groups of at most `most`."""
    for name, mine in groupby(records, key=lambda each: each.repository):
        while some := list(islice(mine, most)):
            yield name, some


def in_parts(records: Iterable[L], most: int) -> Iterator[list[L]]:
    """Records in order, in groups of `most`."""
    left = iter(records)
    while some := list(islice(left, most)):
        yield some
