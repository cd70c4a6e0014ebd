"""Omissions of the page, with reasons: one sentence each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from benchwright.display.wording import counted
from benchwright.records import TaskId
from benchwright.report.programs import Programs
from benchwright.report.runs import Run

GONE = "The data set was not available when this page was written"


def left_out(tasks: Sequence[TaskId], runs: Sequence[Run], programs: Programs | None) -> Iterator[str]:
    """Omissions about one track's tasks and runs."""
    for run in runs:
        if missing := sum(task_id not in run.tally.cells for task_id in tasks):
            of = f"{counted(missing, 'task')} of {len(tasks):,}"
            yield f"{run.full_name}: {of} {_why_missing(run, missing)}."
    if any(run.logged for run in runs):
        yield "Questions and intermediate steps are omitted; see the tool's own viewer."
    elif all(run.executes or run.graded for run in runs):
        yield from _of_programs(tasks, programs)
    else:
        yield from _of_labels(tasks, programs)


def _why_missing(run: Run, missing: int) -> str:
    excluded = len(run.contestant.excluded)
    if excluded >= missing:
        return "not in its run: excluded when it was started"
    return "not in its run, but in another run here"


def _of_programs(tasks: Sequence[TaskId], programs: Programs | None) -> Iterator[str]:
    if programs is None:
        yield (
            f"{GONE}, so this page has no programs, no questions, no canonical solutions and no differences "
            "to them: only the texts of the answers."
        )
        return
    unsolved = sum(not programs.gold(task_id) for task_id in tasks)
    if unsolved:
        yield (
            f"{counted(unsolved, 'task')} of {len(tasks):,} have no canonical solution in the data set, "
            "so no difference to it is shown."
        )


def _of_labels(tasks: Sequence[TaskId], programs: Programs | None) -> Iterator[str]:
    if programs is None:
        yield f"{GONE}, so this page has no questions, no expected labels and not the labels that were read."
        return
    unknown = sum(not programs.gold(task_id) for task_id in tasks)
    if unknown:
        said = f"{counted(unknown, 'task')} of {len(tasks):,} have no expected label"
        yield f"{said} in the data set."
