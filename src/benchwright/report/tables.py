"""The tables about runs: scores, outcomes that add up, a measure by k, prompts, and cheats."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from benchwright.contracts import Measure
from benchwright.display.escape import escaped_code, visible_name
from benchwright.display.wording import in_order, outcome_label
from benchwright.records import Metric
from benchwright.report.runs import Run
from benchwright.report.tasks import label

FEW_KS = 20  # up to so many answers a task, the curve has a point for each k


class OutcomeRow(NamedTuple):
    """How the answers of one run ended: a number for each column, and what they must add up to."""

    name: str
    numbers: list[int]
    answers: int

    @property
    def adds_up(self) -> bool:
        """Each answer ended in exactly one outcome."""
        return sum(self.numbers) == self.answers


class OutcomeTable(NamedTuple):
    """Outcomes by run; only outcomes that happened have a column."""

    columns: list[str]
    rows: list[OutcomeRow]


class TableLine(NamedTuple):
    """A run's metric by name: a row of the curve's table, or of the table of prompts."""

    name: str
    metrics: dict[str, Metric]


class CheatRow(NamedTuple):
    """Answers of one run that tried to cheat in one way."""

    kind: str
    model: str
    number: int
    passed: int
    outcomes: str
    examples: list[tuple[str, str]]  # label, address


def outcome_table(runs: Sequence[Run]) -> OutcomeTable:
    """How all answers ended. `answers` is what the run's own score says, so a lost row shows."""
    columns = in_order({name for run in runs for name in run.tally.outcomes})
    rows = [
        OutcomeRow(run.name, [run.tally.outcomes[name] for name in columns], run.score.answers)
        for run in runs
    ]
    return OutcomeTable(columns, rows)


def measures_in(runs: Sequence[Run], lines: Iterable[TableLine]) -> list[Measure]:
    """The measures of one track that any of the lines has, in the order of tables."""
    measures = runs[0].measures
    return [
        measures.find(name) for name in measures.in_order({name for line in lines for name in line.metrics})
    ]


def score_lines(runs: Sequence[Run]) -> list[TableLine]:
    """The metrics of each run."""
    return [TableLine(run.name, run.score.metrics) for run in runs]


def curve(runs: Sequence[Run]) -> list[TableLine]:
    """A measure by k for each k that a run's tasks have answers for; a run of one answer has no curve."""
    family = runs[0].measures.family
    lines = [TableLine(run.name, _at_each_k(run, family)) for run in runs if family is not None]
    return [line for line in lines if len(line.metrics) > 1]


def _at_each_k(run: Run, family: Measure) -> dict[str, Metric]:
    """The run's own metrics, and the ks between them from the same counts.

    Where every prompt was asked n times, a score is a mean over prompts and not one of pooled answers,
    so there are only the ks that the run itself has.
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
    """All ks while they are few, then about ten for each power of ten."""
    if least <= FEW_KS:
        return list(range(1, least + 1))
    steps = (1, 1.5, 2, 3, 4, 5, 7)
    wanted = {int(step * 10**power) for power in range(len(str(least))) for step in steps}
    return sorted({k for k in wanted if k < least} | {least})


def prompt_lines(run: Run) -> list[TableLine]:
    """The metrics by prompt variant of a run that has several."""
    prompts = run.sections.prompts or run.score.prompts
    return [TableLine(visible_name(variant), metrics) for variant, metrics in prompts.items()]


def cheat_rows(runs: Sequence[Run]) -> list[CheatRow]:
    """What was tried and by whom, the most frequent first."""
    rows = [
        CheatRow(
            kind=escaped_code(kind),
            model=run.name,
            number=cheats.outcomes.total(),
            passed=cheats.outcomes["passed"],
            outcomes=", ".join(
                f"{cheats.outcomes[name]} {outcome_label(name)}" for name in in_order(cheats.outcomes)
            ),
            examples=[
                (f"{label(task)} #{sample}", run.address(task, sample)) for task, sample in cheats.examples
            ],
        )
        for run in runs
        for kind, cheats in run.tally.cheats.items()
    ]
    return sorted(rows, key=lambda row: (-row.number, row.kind, row.model))


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
