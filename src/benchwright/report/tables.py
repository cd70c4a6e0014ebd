"""The tables about runs: scores, outcomes that add up, pass@k by k, prompts, and cheats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from benchwright.display.escape import escaped_code, visible_name
from benchwright.display.wording import in_order, outcome_label
from benchwright.rank.wording import LABEL_METRICS, in_metric_order
from benchwright.records import Metric, Score
from benchwright.report.runs import Run
from benchwright.report.tasks import label
from benchwright.stats.score import pass_metrics

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


class Line(NamedTuple):
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


def metric_names(runs: Sequence[Run]) -> list[str]:
    """Every metric that a run has: those of labels in their fixed order, pass@k by k."""
    return in_metric_order({name for run in runs for name in run.score.metrics})


def curve(runs: Sequence[Run]) -> list[Line]:
    """pass@k of each run for each k that its tasks have answers for; a run of one answer has no curve."""
    lines = [Line(run.name, _pass_at_all(run)) for run in runs]
    return [line for line in lines if len(line.metrics) > 1]


def _pass_at_all(run: Run) -> dict[str, Metric]:
    """The run's own metrics, and the ks between them from the same counts.

    Where every prompt was asked n times, a score is a mean over prompts and not one of pooled answers,
    so there are only the ks that the run itself has.
    """
    counts = [count for count in run.contestant.counts if count[0]]
    least = min((judged for judged, _ in counts), default=0)
    own = {name: metric for name, metric in run.score.metrics.items() if _is_pass(name)}
    if not own:  # a label has no pass@k, however often it was asked for
        return {}
    between = pass_metrics(counts, _ks(least)) if least and run.score.prompt_design != "all" else {}
    metrics = {**between, **own}
    return {name: metrics[name] for name in sorted(metrics, key=_k_of)}


def _ks(least: int) -> list[int]:
    """All ks while they are few, then about ten for each power of ten."""
    if least <= FEW_KS:
        return list(range(1, least + 1))
    steps = (1, 1.5, 2, 3, 4, 5, 7)
    wanted = {int(step * 10**power) for power in range(len(str(least))) for step in steps}
    return sorted({k for k in wanted if k < least} | {least})


def curve_columns(lines: Sequence[Line]) -> list[str]:
    """The metrics of all lines, pass@k by k."""
    return in_metric_order({name for line in lines for name in line.metrics})


def _k_of(name: str) -> tuple[str, int]:
    base, _, k = name.partition("@")
    return base, int(k) if k.isdecimal() else 0


def _is_pass(name: str) -> bool:
    """Whether a metric is pass@k; a stored score may hold anything."""
    base, k = _k_of(name)
    return base == "pass" and k > 0


def prompt_lines(run: Run) -> list[Line]:
    """The metrics by prompt variant of a run that has several."""
    if run.is_of_labels:
        return group_lines(run.score, "prompt")
    return [Line(visible_name(variant), metrics) for variant, metrics in run.score.prompts.items()]


def group_lines(score: Score, kind: str) -> list[Line]:
    """The metrics of a score of labels by "language", "subset", "tag" or "prompt"."""
    groups = score.details.get("groups", {}).get(kind, {})
    return [Line(visible_name(name), metrics_in(document)) for name, document in groups.items()]


def metrics_in(document: Mapping[str, Any]) -> dict[str, Metric]:
    """The metrics of labels among the fields of a JSON document."""
    return {name: msgspec.convert(document[name], Metric) for name in LABEL_METRICS if name in document}


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
