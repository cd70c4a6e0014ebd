"""Stage 6, label: execute each candidate again and again; only a unanimous result is a label."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from benchwright.building.codecorrectness.consensus import Consensus, agree
from benchwright.building.codecorrectness.nouns import Candidate
from benchwright.building.codecorrectness.rows import suite_of_paths
from benchwright.executing.ledger import Execution, Ledger, RowSuite, execute
from benchwright.executing.runners import Runners
from benchwright.progress import Watcher
from benchwright.records import Drop

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
