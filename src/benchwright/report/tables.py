"""The tables about runs and about tasks: scores, outcomes, curves, prompts, hardest and slowest tasks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from benchwright.contracts import Measure
from benchwright.display.escape import escaped_code, visible_name
from benchwright.display.palette import heat_step
from benchwright.display.wording import counted, in_order, interval, outcome_label, percent, seconds
from benchwright.records import Metric, TaskId
from benchwright.report.chart_layout import fitted_text
from benchwright.report.runs import Run
from benchwright.report.verdict_tally import OutcomeTally
from benchwright.stats.intervals import wilson

FEW_KS = 20  # answers per task up to which the curve has a point for each k


class OutcomeRow(NamedTuple):
    """The outcomes of one run: a number for each column, and the expected sum."""

    name: str
    numbers: list[int]
    answers: int

    @property
    def adds_up(self) -> bool:
        """Whether each answer has exactly one outcome."""
        return sum(self.numbers) == self.answers


class OutcomeTable(NamedTuple):
    """Outcomes by run; only outcomes that occurred have a column."""

    columns: list[str]
    rows: list[OutcomeRow]


class TableLine(NamedTuple):
    """A run's metrics by name: a row of the table of k or of prompts."""

    name: str
    metrics: dict[str, Metric]


class CheatRow(NamedTuple):
    """Answers of one run with one kind of cheating attempt."""

    kind: str
    track: str
    model: str
    number: int
    passed: int
    outcomes: str
    examples: list[tuple[str, str]]  # label, address


def outcome_table(runs: Sequence[Run]) -> OutcomeTable:
    """Outcomes of all answers. `answers` comes from the run's own score, so a lost row is visible."""
    columns = in_order({name for run in runs for name in run.tally.outcomes})
    rows = [
        OutcomeRow(run.name, [run.tally.outcomes[name] for name in columns], run.score.answers)
        for run in runs
    ]
    return OutcomeTable(columns, rows)


def measures_in(runs: Sequence[Run], lines: Iterable[TableLine]) -> list[Measure]:
    """The measures of a track that any line has, in table order."""
    measures = runs[0].measures
    return [
        measures.find(name) for name in measures.in_order({name for line in lines for name in line.metrics})
    ]


def score_lines(runs: Sequence[Run]) -> list[TableLine]:
    """The metrics of each run."""
    return [TableLine(run.name, run.score.metrics) for run in runs]


def curve(runs: Sequence[Run]) -> list[TableLine]:
    """A measure for each k that a run's tasks have answers for; a run with one answer has no curve."""
    family = runs[0].measures.family
    lines = [TableLine(run.name, _at_each_k(run, family)) for run in runs if family is not None]
    return [line for line in lines if len(line.metrics) > 1]


def _at_each_k(run: Run, family: Measure) -> dict[str, Metric]:
    """The run's own metrics, and values between them from the same counts.

    If every prompt was asked n times, a score is a mean over prompts, not over pooled answers, so only the
    run's own values of k are shown.
    """
    counts = [count for count in run.contestant.counts if count[0]]
    least = min((judged for judged, _ in counts), default=0)
    own = {name: metric for name, metric in run.score.metrics.items() if family.covers(name)}
    most = max((metric.n for metric in own.values()), default=0)
    own = {name: metric for name, metric in own.items() if metric.n == most}  # of one set of tasks
    pooled = own and least and run.score.prompt_design != "all"
    metrics = {**(run.measures.curve(counts, _ks(least)) if pooled else {}), **own}
    return {name: metrics[name] for name in run.measures.in_order(metrics)}


def _ks(least: int) -> list[int]:
    """All values of k if they are few, else about ten for each power of ten."""
    if least <= FEW_KS:
        return list(range(1, least + 1))
    steps = (1, 1.5, 2, 3, 4, 5, 7)
    candidates = {int(step * 10**power) for power in range(len(str(least))) for step in steps}
    return sorted({k for k in candidates if k < least} | {least})


def prompt_lines(run: Run) -> list[TableLine]:
    """The metrics by prompt, of a run with several prompts."""
    prompts = run.sections.prompts or run.score.prompts
    return [TableLine(visible_name(variant), metrics) for variant, metrics in prompts.items()]


def cheat_rows(runs: Sequence[Run]) -> list[CheatRow]:
    """Cheating attempts by kind and run, most frequent first."""
    rows = [
        CheatRow(
            kind=escaped_code(kind),
            track=escaped_code(run.contestant.track),
            model=run.name,
            number=cheats.outcomes.total(),
            passed=cheats.outcomes["passed"],
            outcomes=", ".join(
                f"{cheats.outcomes[name]} {outcome_label(name)}" for name in in_order(cheats.outcomes)
            ),
            examples=[
                (f"{answer_label(task)} #{sample}", run.address(task, sample))
                for task, sample in cheats.examples
            ],
        )
        for run in runs
        for kind, cheats in run.tally.cheats.items()
    ]
    return sorted(rows, key=lambda row: (-row.number, row.kind, row.model, row.track))


def totals(runs: Sequence[Run]) -> dict[str, Any]:
    """The counts of the whole report, for its first lines."""
    return {
        "answers": sum(run.tally.total for run in runs),
        "tasks": len({task for run in runs for task in run.tally.cells}),
        "ns": sorted({run.contestant.n for run in runs}),
        "cheats": sum(cheats.outcomes.total() for run in runs for cheats in run.tally.cheats.values()),
        "cheats_passed": sum(
            cheats.outcomes["passed"] for run in runs for cheats in run.tally.cheats.values()
        ),
    }


LISTED = 10
FEW_ANSWERS = 5  # answers to a task; with fewer, the interval of its pass rate covers most of the scale
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


def has_few_answers(rows: Sequence[TaskRow]) -> bool:
    """Return whether no task has enough answers to estimate its pass rate."""
    return max((row.judged for row in rows), default=0) < FEW_ANSWERS


def is_unsolved(row: TaskRow) -> bool:
    """Return whether a task has answers and none of them passed."""
    return row.judged > 0 and row.passed == 0


def hardest(rows: Sequence[TaskRow], *, few: bool = False) -> list[TaskRow]:
    """The tasks with the lowest pass rates, without those that all answers passed.

    `few`: with so few answers that rates tell little, only the tasks that no answer passed.
    """
    return [row for row in by_difficulty(rows) if (is_unsolved(row) if few else row.share < 1)][:LISTED]


def answer_label(task_id: TaskId) -> str:
    """The task's name in tables and sentences, shortened; the reader shows the full name."""
    return fitted_text(visible_name(task_id), LABEL)


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
            task=answer_label(task_id),
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
    present = [cell for cell in cells if cell is not None]
    slow = max((cell.slowest.cpu_s for cell in present), default=0.0)
    return TaskRow(
        task_id=task_id,
        name=name,
        label=answer_label(task_id),
        key=runs[0].task_keys[task_id],
        address=runs[0].task_address(task_id),
        number=number,
        cells=[_cell(task_id, run, cell) if cell else None for run, cell in zip(runs, cells, strict=True)],
        passed=sum(cell.passed for cell in present),
        judged=sum(cell.judged for cell in present),
        slowest=slow,
        slowest_text=seconds(slow),
        worth=sum(cell.worth for cell in present),
    )


def _cell(task_id: TaskId, run: Run, cell: OutcomeTally) -> TaskCell:
    return TaskCell(
        address=run.address(task_id),
        passed=cell.passed,
        judged=cell.judged,
        step=heat_step(cell.worth, cell.judged) or "",
        said=(_grade_cell_title if run.graded else _cell_title)(answer_label(task_id), run.name, cell),
        outcomes=" ".join(in_order(cell.outcomes)),
        value=cell.worth / cell.judged if cell.judged else -1,
        shown=_mean(cell) if run.graded else f"{cell.passed}/{cell.judged}",
    )


def _mean(cell: OutcomeTally) -> str:
    return f"{percent(cell.worth / cell.judged)} %" if cell.judged else "–"


def _grade_cell_title(task: str, model: str, cell: OutcomeTally) -> str:
    """The tooltip of a cell with graded answers."""
    outcomes_text = ", ".join(
        f"{cell.outcomes[name]} {outcome_label(name)}" for name in in_order(cell.outcomes)
    )
    return (
        f"{model}, task {task}: mean score {_mean(cell)} of {counted(cell.judged, 'answer')}; {outcomes_text}"
    )


def _cell_title(task: str, model: str, cell: OutcomeTally) -> str:
    """The tooltip of a cell, in the chart and in the table."""
    if not cell.judged:
        return f"{model}, task {task}: no judged answer"
    found = wilson(cell.passed, cell.judged)
    outcome_counts = Counter(cell.outcomes)
    others = ", ".join(
        f"{outcome_counts[name]} {outcome_label(name)}"
        for name in in_order(outcome_counts)
        if name != "passed"
    )
    share = f"{percent(found.value)} %, interval {interval(found)}"
    return f"{model}, task {task}: {cell.passed} of {cell.judged} passed ({share})" + (
        f"; {others}" if others else ""
    )
