"""Stage broken: passing rows with an error in the focal file that a compiler or an interpreter detects.

The task counts every error, so some failures are files that do not parse, do not compile or use an unknown
name. Stage label keeps those of the repositories; this stage makes more, of a sample of the passing rows. In
Python an error on a line that the test never reaches has no effect. Such rows stay, with the label of their
execution, so that an error alone does not reveal the label.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from benchwright.building.codecorrectness.labelling import job_of, labelled
from benchwright.building.codecorrectness.nouns import Candidate
from benchwright.building.codecorrectness.rows import revision_of
from benchwright.executing.ledger import Ledger, RowSuite, execute
from benchwright.executing.runners import Runners
from benchwright.lang.answers import Mutant
from benchwright.lang.faults import LayoutError
from benchwright.lang.source import broken
from benchwright.progress import Watcher
from benchwright.records import Drop
from benchwright.store.keys import content_key

_DRAWN = 16**8


def break_some(
    candidates: Iterable[Candidate],
    ledger: Ledger,
    runners: Runners,
    *,
    part: float,
    repeat: int,
    watch: Watcher,
) -> Iterator[Candidate | Drop]:
    """A broken row for each sampled passing row, or the reason why there is none."""
    made: list[tuple[Candidate, RowSuite]] = []
    for each in candidates:
        found = _broken(each, part)
        if isinstance(found, Drop):
            yield found
            continue
        try:
            made.append((found, job_of(found)))
        except LayoutError as error:
            yield Drop(unit=found.unit, reason="broken_layout", detail=error.message)
    done = execute([job for _, job in made], ledger, runners, repeat=repeat, watch=watch)
    for row, _ in made:
        ended = labelled(row, done[row.revision], made=True)
        yield (
            msgspec.structs.replace(ended, reason=f"broken_{ended.reason}")
            if isinstance(ended, Drop)
            else ended
        )


def _broken(row: Candidate, part: float) -> Candidate | Drop:
    if row.label != "success":
        return Drop(unit=row.unit, reason="fails_already", detail=row.kind)
    if int(content_key("broken", row.revision)[:8], 16) >= part * _DRAWN:
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
    return next(broken(row.focal_code, row.lang, lambda name: content_key("slip", row.revision, name)), None)
