"""The details of a track: confusion, baselines, groups, findings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from benchwright.contracts import Measure
from benchwright.contracts.measures import NO_LABEL, Figures
from benchwright.display.escape import escaped_code, visible_name
from benchwright.display.palette import heat_step
from benchwright.display.wording import as_sentence, percent
from benchwright.records import Metric
from benchwright.report.runs import Run
from benchwright.report.tables import TableLine, measures_in

FOLDED = 8  # a table of more groups is collapsed


class ConfusionCell(NamedTuple):
    """The answers of one true label with one predicted label: number, share of the row, colour."""

    number: int
    share: str
    step: str


class ConfusionRows(NamedTuple):
    """The confusion table of one run: a row for each true label, a column for each predicted one."""

    name: str
    said: list[str]
    rows: list[tuple[str, list[ConfusionCell]]]


class GroupRow(NamedTuple):
    """A group: its number of tasks, and each run's metrics."""

    name: str
    tasks: int
    metrics: list[Metric | None]


class GroupTable(NamedTuple):
    """Groups of one kind by run. `small` is the number of groups with too few tasks to be listed."""

    kind: str
    title: str
    rows: list[GroupRow]
    small: int

    @property
    def folded(self) -> bool:
        """Whether the table is collapsed because of its length."""
        return len(self.rows) > FOLDED


def section_part(runs: Sequence[Run]) -> dict[str, Any] | None:
    """The details of a track's runs; None if there are none."""
    found = [run for run in runs if not run.sections.is_empty]
    if not found:
        return None
    lines, groups = baseline_lines(found), list(_group_tables(found))
    title = found[0].sections.title
    return {
        "title": title,
        "anchor": re.sub("[^a-z0-9]+", "-", title.lower()),
        "runs": [run.name for run in found],
        "findings": [
            (run.name, escaped_code(as_sentence(each))) for run in found for each in run.sections.findings
        ],
        "confusions": [confusion(run) for run in found if run.sections.confusion],
        "baselines": lines,
        "baseline_columns": measures_in(found, lines),
        "about_baselines": escaped_code(found[0].sections.about_baselines),
        "groups": groups,
        "in_groups": _in_groups(found),
    }


def baseline_lines(runs: Sequence[Run]) -> list[TableLine]:
    """The baselines, from the run with the most judged tasks: they are properties of the data set."""
    found = [run for run in runs if run.sections.baselines]
    if not found:
        return []
    fullest = max(found, key=lambda run: len(run.contestant.tasks))
    return [
        TableLine(f"{visible_name(each.name)} (baseline)", each.metrics)
        for each in fullest.sections.baselines
        if each.metrics
    ]


def confusion(run: Run) -> ConfusionRows:
    """Answers by true and predicted label; colours show shares of a row."""
    table = run.sections.confusion
    said = [*table, *sorted({name for row in table.values() for name in row} - set(table))]
    rows = [(visible_name(label), [_cell(row, name) for name in said]) for label, row in table.items()]
    names = ["no label" if name == NO_LABEL else f"said {visible_name(name)}" for name in said]
    return ConfusionRows(run.name, names, rows)


def _cell(row: Mapping[str, int], name: str) -> ConfusionCell:
    number, whole = row.get(name, 0), sum(row.values())
    share = f"{percent(number / whole)} %" if whole else "–"
    return ConfusionCell(number, share, heat_step(number, whole) or "")


def _group_tables(runs: Sequence[Run]) -> Iterator[GroupTable]:
    found = [{each.kind: each for each in run.sections.groupings} for run in runs]
    shown = [each.name for each in _in_groups(runs)]
    kinds = dict.fromkeys(kind for groupings in found for kind in groupings) if shown else ()
    for kind in kinds:
        columns = [groupings[kind].rows if kind in groupings else {} for groupings in found]
        rows = [
            _group_row(name, columns, shown) for name in sorted({name for each in columns for name in each})
        ]
        small = max(groupings[kind].small for groupings in found if kind in groupings)
        yield GroupTable(kind, f"By {escaped_code(kind)}", rows, small)


def _in_groups(runs: Sequence[Run]) -> list[Measure]:
    """The measures shown in tables of groups."""
    rows = [row for run in runs for each in run.sections.groupings for row in each.rows.values()]
    return runs[0].measures.in_groups(rows)


def _group_row(name: str, columns: Sequence[Mapping[str, Figures]], shown: Sequence[str]) -> GroupRow:
    of_runs = [column.get(name, {}) for column in columns]
    tasks = max((metric.n for metrics in of_runs for metric in metrics.values()), default=0)
    return GroupRow(visible_name(name), tasks, [metrics.get(each) for metrics in of_runs for each in shown])
