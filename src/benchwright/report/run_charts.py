"""The charts of a report, made from the rows of its tables, with a sentence for each mark."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from benchwright.contracts import Measure
from benchwright.display.palette import GROUP_OF, GROUPS
from benchwright.display.wording import counted
from benchwright.records import Metric, Outcome
from benchwright.report import chart_kinds
from benchwright.report.chart_canvas import Drawing
from benchwright.report.runs import Run
from benchwright.report.tables import TableLine, TaskRow, by_difficulty

MANY = 12  # more curves overlap; the table is clearer


def metric_drawing(lines: Sequence[TableLine], measure: Measure) -> Drawing | None:
    """A metric of each run with its interval; None if no run has it."""
    rows = _interval_rows(lines, measure)
    if not rows:
        return None
    summary = _first_eight(row["said"] for row in rows)
    return Drawing(
        "standing", f"{measure.title} by model", summary, chart_kinds.interval_chart(rows, measure=measure)
    )


def prompt_drawing(run: Run, lines: Sequence[TableLine], measure: Measure, number: int) -> Drawing | None:
    """A metric of one run by prompt."""
    rows = _interval_rows(lines, measure)
    if len(rows) < 2:
        return None
    summary = _first_eight(row["said"] for row in rows)
    title = f"{measure.title} of {run.name} by prompt"
    return Drawing(f"prompts-{number}", title, summary, chart_kinds.interval_chart(rows, measure=measure))


def outcome_drawing(runs: Sequence[Run]) -> Drawing:
    """Outcomes by run, grouped."""
    rows = [row for line, run in enumerate(runs) for row in _outcome_rows(line, run)]
    summary = _first_eight(_outcome_counts(run) for run in runs)
    return Drawing(
        "outcomes", "Answers by outcome", summary, chart_kinds.outcome_chart(rows, [run.name for run in runs])
    )


def _outcome_counts(run: Run) -> str:
    ends, total = run.tally.outcomes, counted(run.tally.total, "answer")
    if run.graded:
        decided = sum(number for name, number in ends.items() if Outcome(name).is_decided)
        return f"{run.name}: {decided} of {total} decided"
    return f"{run.name}: {ends['passed']} of {total} passed"


def curve_drawing(lines: Sequence[TableLine], family: Measure | None) -> Drawing | None:
    """A measure over k; None for runs with one answer per task, and for too many runs."""
    if family is None or not lines or len(lines) > MANY:
        return None
    rows = [
        {
            "line": number,
            "k": int(name.rpartition("@")[2]),
            **_interval_row(line.name, metric, family, what=name),
        }
        for number, line in enumerate(lines)
        for name, metric in line.metrics.items()
    ]
    summary = _first_eight(_rise(line, family) for line in lines)
    make = chart_kinds.curve_chart(rows, [line.name for line in lines], measure=family)
    return Drawing(family.name.replace("@", "-at-"), f"{family.title} by k", summary, make)


def heat_drawing(tasks: Sequence[TaskRow], runs: Sequence[Run]) -> Drawing:
    """Pass rates or mean scores for each task and model."""
    sorted_rows = by_difficulty(tasks)
    rows = [
        {"line": line, "task": task, "step": cell.step, "said": cell.said, "address": cell.address}
        for task, row in enumerate(sorted_rows)
        for line, cell in enumerate(row.cells)
        if cell is not None and cell.step
    ]
    never, first = sum(row.share == 0 for row in tasks), f"{counted(len(tasks), 'task')}, the hardest first"
    names, labels = [run.name for run in runs], [row.label for row in sorted_rows]
    if any(run.graded for run in runs):
        summary = f"{first}; {never} with a mean score of 0"
        make = chart_kinds.heat_map(rows, names, labels, steps=chart_kinds.GRADE_NAMES)
        return Drawing("tasks", "Mean score of answers, by task and model", summary, make)
    summary = f"{first}; {never} never passed by any model"
    return Drawing(
        "tasks", "Passed answers, by task and model", summary, chart_kinds.heat_map(rows, names, labels)
    )


def _first_eight(sentences: Iterable[str]) -> str:
    """The first eight sentences, and the number of further ones in the table."""
    sentence_list = list(sentences)
    more = [f"and {len(sentence_list) - 8} more, in the table"] if len(sentence_list) > 8 else []
    return "; ".join(sentence_list[:8] + more)


def _interval_rows(lines: Sequence[TableLine], measure: Measure) -> list[dict[str, Any]]:
    """Rows of the lines that have the measure."""
    name = measure.name
    return [_interval_row(line.name, line.metrics[name], measure) for line in lines if name in line.metrics]


def _interval_row(name: str, metric: Metric, measure: Measure, *, what: str = "") -> dict[str, Any]:
    tasks, (value, ends) = counted(metric.n, "task"), measure.figures(metric)
    return {
        "name": name,
        "value": 100 * metric.value,
        "low": 100 * metric.low,
        "high": 100 * metric.high,
        "said": f"{name}: {what} {value}, interval {ends}, {tasks}".replace("  ", " "),
    }


def _outcome_rows(line: int, run: Run) -> Iterator[dict[str, Any]]:
    """The segments of one bar, in the order of the groups."""
    start = 0.0
    for group in GROUPS:
        number = sum(count for name, count in run.tally.outcomes.items() if GROUP_OF[Outcome(name)] is group)
        if number:
            end = start + 100 * number / run.tally.total
            description = f"{run.name}: {number} of {counted(run.tally.total, 'answer')} {group.title}"
            yield {
                "line": line,
                "group": group.title,
                "start": start,
                "end": end,
                "number": f"{number:,}",
                "said": description,
            }
            start = end


def _rise(line: TableLine, family: Measure) -> str:
    (first, low), *_, (last, high) = line.metrics.items()
    return f"{line.name}: {first} {family.number(low.value)}, {last} {family.number(high.value)}"
