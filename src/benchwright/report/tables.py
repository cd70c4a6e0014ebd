"""Tables about runs: scores, outcomes, a measure by k, prompts, cheating attempts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from benchwright.contracts import Measure
from benchwright.display.escape import escaped_code, visible_name
from benchwright.display.wording import in_order, outcome_label
from benchwright.records import Metric
from benchwright.report.runs import Run
from benchwright.report.tasks import label

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
    wanted = {int(step * 10**power) for power in range(len(str(least))) for step in steps}
    return sorted({k for k in wanted if k < least} | {least})


def prompt_lines(run: Run) -> list[TableLine]:
    """The metrics by prompt, of a run with several prompts."""
    prompts = run.sections.prompts or run.score.prompts
    return [TableLine(visible_name(variant), metrics) for variant, metrics in prompts.items()]


def cheat_rows(runs: Sequence[Run]) -> list[CheatRow]:
    """Cheating attempts by kind and run, most frequent first."""
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
