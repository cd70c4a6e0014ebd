"""Tables about tasks: all of them, the hardest, and the slowest answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from benchwright.display.escape import visible_name
from benchwright.display.palette import heat_step
from benchwright.display.wording import counted, in_order, interval, outcome_label, percent, seconds
from benchwright.records import TaskId
from benchwright.report.measure import fitted
from benchwright.report.runs import Run
from benchwright.report.tally import Cell
from benchwright.stats.intervals import wilson

LISTED = 10
LABEL = 90  # em of a task's name in a table


class TaskCell(NamedTuple):
    """One model's answers to one task, as shown in the table; `outcomes` is for the filter."""

    address: str
    passed: int
    judged: int
    step: str
    said: str
    outcomes: str
    value: float  # the pass rate or the mean score; the sort key
    shown: str


class TaskRow(NamedTuple):
    """A task: a cell for each model, None if the model's run excluded the task."""

    task_id: TaskId
    name: str  # unique on the page
    label: str  # without the track, shortened for this track's tables
    key: str  # in addresses
    address: str
    number: int
    cells: list[TaskCell | None]
    passed: int
    judged: int
    slowest: float
    slowest_text: str
    worth: float  # the number of passed answers, or the sum of the scores

    @property
    def share(self) -> float:
        """The pass rate of all judged answers, or their mean score; 0 without judged answers."""
        return self.worth / self.judged if self.judged else 0.0

    @property
    def interval_text(self) -> str:
        """Wilson's interval of the pass rate."""
        return interval(wilson(self.passed, self.judged)) if self.judged else "–"


class SlowRow(NamedTuple):
    """An answer with much processor time."""

    task: str
    address: str
    model: str
    sample: int
    time: str
    outcome: str
    among: int


def task_rows(tasks: Sequence[TaskId], runs: Sequence[Run]) -> list[TaskRow]:
    """All tasks, in the data set's order."""
    return [_row(number, task_id, runs) for number, task_id in enumerate(tasks)]


def hardest(rows: Sequence[TaskRow]) -> list[TaskRow]:
    """The tasks with the lowest pass rates, without those that all answers passed."""
    return [row for row in by_difficulty(rows) if row.share < 1][:LISTED]


def label(task_id: TaskId) -> str:
    """The task's name in tables and sentences, shortened; the reader shows the full name."""
    return fitted(visible_name(task_id), LABEL)


def by_difficulty(rows: Sequence[TaskRow]) -> list[TaskRow]:
    """The tasks from hardest to easiest; ties in the data set's order."""
    return sorted(rows, key=lambda row: row.share)


def slowest(tasks: Sequence[TaskId], runs: Sequence[Run]) -> list[SlowRow]:
    """The answers with the most processor time, at most one for each task and model."""
    found = [
        (cell.slowest, task_id, run, cell.outcomes.total())
        for task_id in tasks
        for run in runs
        if (cell := run.tally.cells.get(task_id)) is not None
    ]
    found.sort(key=lambda item: -item[0].cpu_s)
    return [
        SlowRow(
            task=label(task_id),
            address=run.address(task_id, slow.sample),
            model=run.name,
            sample=slow.sample,
            time=seconds(slow.cpu_s),
            outcome=outcome_label(slow.outcome.value),
            among=among,
        )
        for slow, task_id, run, among in found[:LISTED]
        if slow.cpu_s > 0
    ]


def _row(number: int, task_id: TaskId, runs: Sequence[Run]) -> TaskRow:
    name = runs[0].task_name(task_id)
    cells = [run.tally.cells.get(task_id) for run in runs]
    there = [cell for cell in cells if cell is not None]
    slow = max((cell.slowest.cpu_s for cell in there), default=0.0)
    return TaskRow(
        task_id=task_id,
        name=name,
        label=label(task_id),
        key=runs[0].task_keys[task_id],
        address=runs[0].task_address(task_id),
        number=number,
        cells=[_cell(task_id, run, cell) if cell else None for run, cell in zip(runs, cells, strict=True)],
        passed=sum(cell.passed for cell in there),
        judged=sum(cell.judged for cell in there),
        slowest=slow,
        slowest_text=seconds(slow),
        worth=sum(cell.worth for cell in there),
    )


def _cell(task_id: TaskId, run: Run, cell: Cell) -> TaskCell:
    return TaskCell(
        address=run.address(task_id),
        passed=cell.passed,
        judged=cell.judged,
        step=heat_step(cell.worth, cell.judged) or "",
        said=(_said_of_grades if run.graded else _said)(label(task_id), run.name, cell),
        outcomes=" ".join(in_order(cell.outcomes)),
        value=cell.worth / cell.judged if cell.judged else -1,
        shown=_mean(cell) if run.graded else f"{cell.passed}/{cell.judged}",
    )


def _mean(cell: Cell) -> str:
    return f"{percent(cell.worth / cell.judged)} %" if cell.judged else "–"


def _said_of_grades(task: str, model: str, cell: Cell) -> str:
    """The tooltip of a cell with graded answers."""
    ended = ", ".join(f"{cell.outcomes[name]} {outcome_label(name)}" for name in in_order(cell.outcomes))
    return f"{model}, task {task}: mean score {_mean(cell)} of {counted(cell.judged, 'answer')}; {ended}"


def _said(task: str, model: str, cell: Cell) -> str:
    """The tooltip of a cell, in the chart and in the table."""
    if not cell.judged:
        return f"{model}, task {task}: no judged answer"
    found = wilson(cell.passed, cell.judged)
    ended = Counter(cell.outcomes)
    others = ", ".join(f"{ended[name]} {outcome_label(name)}" for name in in_order(ended) if name != "passed")
    share = f"{percent(found.value)} %, interval {interval(found)}"
    return f"{model}, task {task}: {cell.passed} of {cell.judged} passed ({share})" + (
        f"; {others}" if others else ""
    )
