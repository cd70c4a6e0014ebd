"""Stage 7, mutate: a passing row with one named change to its focal file, so that its test fails.

Repositories hold few tests that fail, so without these rows "success" would be right nearly always. They
are a subset of their own, "mutated": a made fault is not a natural one, and scores are told apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

import msgspec

from benchwright.building.codecorrectness.labelling import job_of, labelled
from benchwright.building.codecorrectness.nouns import Candidate
from benchwright.building.codecorrectness.rows import revision_of
from benchwright.executing.ledger import Ledger, execute
from benchwright.executing.runners import Runners
from benchwright.lang.source import mutants
from benchwright.progress import Watcher
from benchwright.records import Drop
from benchwright.store.keys import content_key

TRIES = 6  # mutants of a row that are tried, one after the other
MAX_MUTANTS = 2000  # of one file that are looked at


def mutate(
    candidates: Iterable[Candidate], ledger: Ledger, runners: Runners, *, repeat: int, watch: Watcher
) -> Iterator[Candidate | Drop]:
    """A mutated row for each passing row, or why there is none; rows that fail are no ground for one.

    Which mutant: those of the file in the order of a hash with the row's key, the first that fails steadily
    by an assertion or an exception. The file's own order would give every row its first comparison. All rows
    try their next mutant together, since compilers are cheaper in batches.
    """
    rows = list(candidates)
    chosen = {row.revision: _chosen(row) for row in rows if row.label == "success"}
    ended: dict[str, Candidate | Drop] = {}
    for turn in range(TRIES):
        trial = {
            parent: mine[turn]
            for parent, mine in chosen.items()
            if turn < len(mine) and not isinstance(ended.get(parent), Candidate)
        }
        ended.update(_tried(trial, ledger, runners, repeat=repeat, watch=watch))
    for row in rows:
        yield ended.get(row.revision) or _untried(row)


def _untried(row: Candidate) -> Drop:
    if row.label != "success":
        return Drop(unit=row.unit, reason="fails_already", detail=row.kind)
    return Drop(unit=row.unit, reason="no_mutants", detail="nothing in the file can be changed")


def _tried(
    trial: Mapping[str, Candidate], ledger: Ledger, runners: Runners, *, repeat: int, watch: Watcher
) -> dict[str, Candidate | Drop]:
    """Once first: most mutants survive most tests, and that needs no second look."""
    left, ended = dict(trial), dict[str, Candidate | Drop]()
    for times in (1, repeat):
        done = execute([job_of(each) for each in left.values()], ledger, runners, repeat=times, watch=watch)
        ended.update(
            {parent: _ended(each, labelled(each, done[each.revision])) for parent, each in left.items()}
        )
        left = {parent: each for parent, each in left.items() if isinstance(ended[parent], Candidate)}
    return ended


def _ended(mutant: Candidate, found: Candidate | Drop) -> Candidate | Drop:
    if isinstance(found, Drop):
        return Drop(unit=mutant.unit, reason=f"mutant_{found.reason}", detail=found.detail)
    if found.label == "success":
        return Drop(
            unit=mutant.unit, reason="survived", detail="the test passes with each change that was tried"
        )
    return found


def _chosen(each: Candidate) -> Sequence[Candidate]:
    found = list(islice(mutants(each.focal_code, each.lang), MAX_MUTANTS))
    found.sort(key=lambda mutant: content_key(each.revision, mutant.name))
    return [
        msgspec.structs.replace(
            each,
            focal_code=mutant.code,
            revision=revision_of(each.lang, mutant.code, each.test_code),
            subset="mutated",
            mutation=mutant.name,
            parent=each.revision,
            label="",
        )
        for mutant in found[:TRIES]
    ]
