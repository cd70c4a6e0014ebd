"""Labels by execution, stages 6 and 7: several executions that agree, and changes that make a passing test
fail."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

import msgspec

from benchwright.building.codecorrectness.nouns import Candidate
from benchwright.building.codecorrectness.rows import revision_of, suite_of_paths
from benchwright.executing.ledger import Execution, Ledger, RowSuite, execute
from benchwright.executing.runners import Runners
from benchwright.lang.source import mutants
from benchwright.progress import Watcher
from benchwright.records import Drop, Record
from benchwright.store.keys import content_key

# What several executions of one row say together.

# In this order: a row is the first of these that any of its executions says, since a label needs all of
# them. Only then do successes and failures count.
UNKNOWN = ("absent", "sandbox_error", "tampered", "environment")
STATES = (*UNKNOWN, "flaky", "steady")


class Consensus(Record, frozen=True, kw_only=True):
    """`state` is one of STATES; `label` is what a data set writes, empty unless the state is "steady"."""

    state: str
    label: str = ""
    runs: int = 0
    passes: int = 0
    kinds: dict[str, int] = {}  # of the failures
    detail: str = ""  # of the execution that decided

    @property
    def pass_rate(self) -> float:
        """The part of the executions in which all tests passed."""
        return self.passes / self.runs if self.runs else 0.0


def agree(executions: Sequence[Execution]) -> Consensus:
    """One verdict on a row; unanimous or no label, as a majority would keep rows that answer by chance."""
    states = [_state(execution) for execution in executions]
    passes = states.count("success")
    kinds = dict(sorted(Counter(each.kind for each in executions if each.kind).items()))
    state, deciding = _verdict(states)
    return Consensus(
        state=state,
        label=states[0] if state == "steady" else "",
        runs=0 if state == "absent" else len(executions),
        passes=passes,
        kinds=kinds,
        detail=executions[deciding].detail if executions else "it was never executed",
    )


def _state(execution: Execution) -> str:
    known = execution.state in ("success", "failed") and execution.kind == "environment"
    return "environment" if known else execution.state


def _verdict(states: list[str]) -> tuple[str, int]:
    """The state, and which execution shows it best."""
    if not states:
        return "sandbox_error", 0
    for unknown in UNKNOWN:
        if unknown in states:
            return unknown, states.index(unknown)
    strange = [state for state in states if state not in ("success", "failed")]
    if strange:
        raise ValueError(f"a runner reported the state {strange[0]!r}")
    if len(set(states)) > 1:
        return "flaky", states.index("failed")
    return "steady", 0


# Stage 6, label: execute each candidate again and again; only a unanimous result is a label.

# A test that fails in another way does not say that the code is wrong: it was never built, or the machine
# was too small for it. Nobody who reads the two texts could know.
DECIDABLE = ("assertion", "exception")


def label(
    candidates: Iterable[Candidate], ledger: Ledger, runners: Runners, *, repeat: int, watch: Watcher
) -> Iterator[Candidate | Drop]:
    """Each candidate with its label, or why it has none."""
    waiting = list(candidates)
    jobs = [job_of(each) for each in waiting]
    done = execute(jobs, ledger, runners, repeat=repeat, watch=watch)
    for each in waiting:
        yield labelled(each, done[each.revision])


def job_of(candidate: Candidate) -> RowSuite:
    """The candidate as a suite to execute. Its layout was tried by the filter, so it has one."""
    suite = suite_of_paths(
        candidate.focal_code,
        candidate.test_code,
        candidate.lang,
        focal_path=candidate.focal_path,
        test_path=candidate.test_path,
    )
    return RowSuite(candidate.revision, suite)


def labelled(candidate: Candidate, executions: list[Execution]) -> Candidate | Drop:
    """The candidate with what its executions agree on, or a drop with the reason."""
    told = agree(executions)
    if (reason := _reason(told)) is not None:
        return Drop(unit=candidate.unit, reason=reason, detail=told.detail)
    return msgspec.structs.replace(
        candidate,
        label=told.label,
        kind=max(told.kinds, key=told.kinds.__getitem__, default=""),
        runs=told.runs,
        passes=told.passes,
    )


def _reason(told: Consensus) -> str | None:
    if told.state != "steady":
        return told.state
    if told.label == "success":
        return None
    strange = [kind for kind in told.kinds if kind not in DECIDABLE]
    return f"fails_by_{strange[0]}" if strange else None


# Stage 7, mutate: a passing row with one named change to its focal file, so that its test fails.
# Repositories hold few tests that fail, so without these rows "success" would be right nearly always. They
# are a subset of their own, "mutated": a made fault is not a natural one, and scores are told apart.

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
