"""Stage mutate: a passing row with one named change of its focal file, in a line that its test executes.

If the change makes the test fail, the row fails; if the test does not notice it, the row passes. So a changed
file says nothing about the label. These rows are a subset of their own, "mutated": an artificial fault is not
a natural one, and scores are reported separately.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, zip_longest
from typing import ClassVar

import msgspec

from benchwright.building.codecorrectness.labelling import job_of, labelled
from benchwright.building.codecorrectness.nouns import Candidate
from benchwright.building.codecorrectness.parts import in_parts
from benchwright.building.codecorrectness.rows import revision_of
from benchwright.building.spreading import spread
from benchwright.executing.ledger import Ledger, execute, trace
from benchwright.executing.runners import Runners
from benchwright.lang.answers import Mutant
from benchwright.lang.source import mutants
from benchwright.progress import Watcher
from benchwright.records import Drop, Record
from benchwright.store.keys import content_key

PASSING = ("mutant_absent", "mutant_sandbox_error")  # of the machine: the next run of the command tries again
MAX_MUTANTS = 2000  # of one row that are looked at, those in executed lines
ROWS = 8  # in a part: to find the mutants of a large file takes a second


class MutantEffort(Record, frozen=True, kw_only=True):
    """The work for a row: mutants to try, and rows of each label to keep."""

    tried: int = 12
    kept: int = 1


class MutantsPart(Record, frozen=True, kw_only=True):
    """Passing rows, each with the lines that its test executes, to be mutated."""

    gives: ClassVar[type[Record]] = Candidate
    rows: list[Candidate]
    lines: list[Sequence[int]]
    most: int

    def made(self) -> Iterator[Candidate]:
        """The mutants of each row to try, in order."""
        for row, lines in zip(self.rows, self.lines, strict=True):
            yield from _chosen(row, lines, self.most)


class _Progress:
    """The results of one row's mutants so far."""

    def __init__(self, waiting: Sequence[Candidate], kept: int) -> None:
        self._waiting, self._most = list(waiting), kept
        self.made: dict[str, list[Candidate]] = {"failed": [], "success": []}
        self.drop: Drop | None = None  # the last mutant that gave no row

    @property
    def next(self) -> Candidate | None:
        """The mutant to try next, as long as a label is missing."""
        wanted = any(len(rows) < self._most for rows in self.made.values())
        return self._waiting[0] if wanted and self._waiting else None

    def begun(self) -> Candidate:
        """Take the next mutant."""
        return self._waiting.pop(0)

    def wants(self, one: Candidate | Drop) -> bool:
        """Whether a mutant with this label would be kept, so that more executions are worthwhile."""
        return isinstance(one, Candidate) and len(self.made[one.label]) < self._most

    def note(self, one: Candidate | Drop, *, confirmed: bool) -> None:
        """Record the result of a mutant. A failure of the machine is not overwritten by later results."""
        if isinstance(one, Candidate):
            if confirmed and self.wants(one):
                self.made[one.label].append(one)
        elif self.drop is None or self.drop.reason not in PASSING:
            self.drop = msgspec.structs.replace(one, reason=f"mutant_{one.reason}")


def mutate(
    candidates: Iterable[Candidate],
    ledger: Ledger,
    runners: Runners,
    *,
    repeat: int,
    watch: Watcher,
    effort: MutantEffort | None = None,
) -> Iterator[Candidate | Drop]:
    """Mutated rows of each passing row, and the reason if there is no failing or no passing one.

    Mutants are taken from lines that the test executes, kinds in turn, each kind in the order of a hash with
    the row's key. The order of the file would give every row its first comparison. All rows try their next
    mutant together, since compilers are cheaper in batches.
    """
    rows, effort = list(candidates), effort or MutantEffort()
    passing = [row for row in rows if row.label == "success"]
    lines = trace([job_of(row) for row in passing], ledger, runners, watch=watch)
    waiting = _waiting(passing, lines, effort.tried)
    progress = {row.revision: _Progress(waiting[row.revision], effort.kept) for row in passing}
    for _ in range(effort.tried):
        trial = {parent: mine.begun() for parent, mine in progress.items() if mine.next is not None}
        first = _labels(trial, ledger, runners, repeat=1, watch=watch)
        wanted = {parent: trial[parent] for parent, one in first.items() if progress[parent].wants(one)}
        second = _labels(wanted, ledger, runners, repeat=repeat, watch=watch)
        for parent, one in {**first, **second}.items():
            progress[parent].note(one, confirmed=parent in second)
    for row in rows:
        yield from _ended(row, progress.get(row.revision))


def _waiting(
    passing: Iterable[Candidate], lines: Mapping[str, Sequence[int]], most: int
) -> dict[str, list[Candidate]]:
    """The mutants to try, by the revision of their row; empty without any."""
    parts = (
        MutantsPart(rows=some, lines=[lines[row.revision] for row in some], most=most)
        for some in in_parts(passing, ROWS)
    )
    found: dict[str, list[Candidate]] = defaultdict(list)
    for each in spread(parts):
        found[each.parent].append(each)
    return found


def _labels(
    trial: Mapping[str, Candidate], ledger: Ledger, runners: Runners, *, repeat: int, watch: Watcher
) -> dict[str, Candidate | Drop]:
    """Each mutant with its label, or the reason why it has none, by the revision of its parent."""
    jobs = [job_of(each) for each in trial.values()]
    done = execute(jobs, ledger, runners, repeat=repeat, watch=watch)
    return {parent: labelled(each, done[each.revision]) for parent, each in trial.items()}


def _ended(row: Candidate, progress: _Progress | None) -> Iterator[Candidate | Drop]:
    """The rows made of one row, and a drop for each missing label."""
    if progress is None:
        yield Drop(unit=row.unit, reason="fails_already", detail=row.kind)
        return
    made = [each for rows in progress.made.values() for each in rows]
    yield from made
    if progress.drop is not None and progress.drop.reason in PASSING:
        yield progress.drop
    elif not made:
        detail = "nothing that the test executes can be changed"
        yield progress.drop or Drop(unit=row.unit, reason="no_mutants", detail=detail)
    elif not progress.made["failed"]:
        yield Drop(unit=row.unit, reason="survived", detail="the test passes with each change that was tried")
    elif not progress.made["success"]:
        yield Drop(unit=row.unit, reason="killed", detail="the test fails with each change that was tried")


def _chosen(row: Candidate, lines: Sequence[int], most: int) -> list[Candidate]:
    """The mutants of a row to try; those of the whole file if its executed lines are unknown."""
    known = set(lines)
    made = mutants(row.focal_code, row.lang)
    found = (each for each in made if (not known or each.line in known) and each.code != row.focal_code)
    return [_mutated(row, each) for each in in_turn(row.revision, islice(found, MAX_MUTANTS))[:most]]


def in_turn(revision: str, found: Iterable[Mutant]) -> list[Mutant]:
    """One of each kind in turn; kinds, and mutants of a kind, by a hash with the row's key."""
    kinds: dict[str, list[tuple[str, Mutant]]] = defaultdict(list)
    for each in found:
        kinds[each.kind].append((content_key(revision, each.name), each))
    order = sorted(kinds, key=lambda kind: content_key(revision, kind))
    queues = [sorted(kinds[kind], key=lambda pair: pair[0]) for kind in order]
    return [pair[1] for turn in zip_longest(*queues) for pair in turn if pair is not None]


def _mutated(row: Candidate, mutant: Mutant) -> Candidate:
    return msgspec.structs.replace(
        row,
        focal_code=mutant.code,
        revision=revision_of(row.lang, mutant.code, row.test_code),
        subset="mutated",
        mutation=mutant.name,
        parent=row.revision,
        label="",
    )
