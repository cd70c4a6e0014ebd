"""Stages mutate and broken: rows made from passing rows by one change of the focal file.

Stage mutate applies one named change in a line that the test executes, and keeps mutants of either label.
Stage broken inserts an error that a compiler or an interpreter detects.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, zip_longest
from typing import ClassVar

import msgspec

from benchwright.building.codecorrectness.label_executions import job_of, label_from_executions
from benchwright.building.codecorrectness.row_records import Candidate, revision_of
from benchwright.building.codecorrectness.stage_parts import in_parts
from benchwright.building.engine.process_map import map_parts
from benchwright.executing.suite_ledger import Ledger, RowSuite, execute, trace
from benchwright.executing.suite_runners import Runners
from benchwright.lang.protocol import Mutant
from benchwright.lang.source import compile_faults, mutants
from benchwright.lang.source_errors import LayoutError
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
            yield from _mutants_to_try(row, lines, self.most)


class _Progress:
    """The results of one row's mutants so far."""

    def __init__(self, waiting: Sequence[Candidate], quota: int) -> None:
        self._waiting, self._most = list(waiting), quota
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
        yield from _rows_and_drops(row, progress.get(row.revision))


def _waiting(
    passing: Iterable[Candidate], lines: Mapping[str, Sequence[int]], most: int
) -> dict[str, list[Candidate]]:
    """The mutants to try, by the revision of their row; empty without any."""
    parts = (
        MutantsPart(rows=some, lines=[lines[row.revision] for row in some], most=most)
        for some in in_parts(passing, ROWS)
    )
    found: dict[str, list[Candidate]] = defaultdict(list)
    for each in map_parts(parts):
        found[each.parent].append(each)
    return found


def _labels(
    trial: Mapping[str, Candidate], ledger: Ledger, runners: Runners, *, repeat: int, watch: Watcher
) -> dict[str, Candidate | Drop]:
    """Each mutant with its label, or the reason why it has none, by the revision of its parent."""
    jobs = [job_of(each) for each in trial.values()]
    done = execute(jobs, ledger, runners, repeat=repeat, watch=watch)
    return {parent: label_from_executions(each, done[each.revision]) for parent, each in trial.items()}


def _rows_and_drops(row: Candidate, progress: _Progress | None) -> Iterator[Candidate | Drop]:
    """The rows made of one row, and a drop for each missing label."""
    if progress is None:
        yield Drop(unit=row.unit, reason="fails_already", detail=row.kind)
        return
    new_rows = [each for rows in progress.made.values() for each in rows]
    yield from new_rows
    if progress.drop is not None and progress.drop.reason in PASSING:
        yield progress.drop
    elif not new_rows:
        detail = "nothing that the test executes can be changed"
        yield progress.drop or Drop(unit=row.unit, reason="no_mutants", detail=detail)
    elif not progress.made["failed"]:
        yield Drop(unit=row.unit, reason="survived", detail="the test passes with each change that was tried")
    elif not progress.made["success"]:
        yield Drop(unit=row.unit, reason="killed", detail="the test fails with each change that was tried")


def _mutants_to_try(row: Candidate, lines: Sequence[int], most: int) -> list[Candidate]:
    """The mutants of a row to try; those of the whole file if its executed lines are unknown."""
    known = set(lines)
    all_mutants = mutants(row.focal_code, row.lang)
    found = (
        each for each in all_mutants if (not known or each.line in known) and each.code != row.focal_code
    )
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


_DRAW_RANGE = 16**8


def break_rows(
    candidates: Iterable[Candidate],
    ledger: Ledger,
    runners: Runners,
    *,
    part: float,
    repeat: int,
    watch: Watcher,
) -> Iterator[Candidate | Drop]:
    """A broken row for each sampled passing row, or the reason why there is none."""
    jobs: list[tuple[Candidate, RowSuite]] = []
    for each in candidates:
        found = _broken(each, part)
        if isinstance(found, Drop):
            yield found
            continue
        try:
            jobs.append((found, job_of(found)))
        except LayoutError as error:
            yield Drop(unit=found.unit, reason="broken_layout", detail=error.message)
    done = execute([job for _, job in jobs], ledger, runners, repeat=repeat, watch=watch)
    for row, _ in jobs:
        ended = label_from_executions(row, done[row.revision], made=True)
        yield (
            msgspec.structs.replace(ended, reason=f"broken_{ended.reason}")
            if isinstance(ended, Drop)
            else ended
        )


def _broken(row: Candidate, part: float) -> Candidate | Drop:
    if row.label != "success":
        return Drop(unit=row.unit, reason="fails_already", detail=row.kind)
    if int(content_key("broken", row.revision)[:8], 16) >= part * _DRAW_RANGE:
        return Drop(unit=row.unit, reason="not_drawn", detail=f"{part:.0%} of the passing rows are broken")
    slip = _slip(row)
    if slip is None:
        return Drop(unit=row.unit, reason="nothing_to_break")
    return msgspec.structs.replace(
        row,
        focal_code=slip.code,
        revision=revision_of(row.lang, slip.code, row.test_code),
        subset="broken",
        mutation=slip.name,
        parent=row.revision,
        origin=f"a slip of the kind {slip.kind!r} in a row that passes",
        label="",
        runs=0,
        passes=0,
    )


def _slip(row: Candidate) -> Mutant | None:
    return next(
        compile_faults(row.focal_code, row.lang, lambda name: content_key("slip", row.revision, name)), None
    )
