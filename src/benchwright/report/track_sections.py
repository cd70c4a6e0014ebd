"""The built-in sections of the report: each builds its data and its chart for one track."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from benchwright.contracts import Measure
from benchwright.contracts.measures import NO_LABEL, Figures
from benchwright.display.escape import escaped_code, visible_name
from benchwright.display.palette import GROUPS, HEAT, heat_step
from benchwright.display.wording import as_sentence, counted, percent
from benchwright.records import Metric
from benchwright.report.chart_kinds import GRADE_NAMES, HEAT_NAMES, line_style
from benchwright.report.grades import distribution_drawing, grades_part
from benchwright.report.run_charts import (
    curve_drawing,
    heat_drawing,
    metric_drawing,
    outcome_drawing,
    prompt_drawing,
)
from benchwright.report.runs import Run
from benchwright.report.section import ChartSet, ReportSection, SectionData, TrackRuns
from benchwright.report.standing import as_dict
from benchwright.report.tables import (
    TableLine,
    curve,
    hardest,
    has_few_answers,
    is_unsolved,
    measures_in,
    outcome_table,
    prompt_lines,
    score_lines,
    slowest,
    task_rows,
)

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
    labels = [*table, *sorted({name for row in table.values() for name in row} - set(table))]
    rows = [(visible_name(label), [_cell(row, name) for name in labels]) for label, row in table.items()]
    names = ["no label" if name == NO_LABEL else f"said {visible_name(name)}" for name in labels]
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


FEW = 4  # prompts that are shown without a click


def _standing(group: TrackRuns, charts: ChartSet) -> SectionData:
    baselines = baseline_lines(group.runs)
    lines = score_lines(group.runs) + baselines
    return {
        **as_dict(group.order),
        "baselines": baselines,
        "title": "Standing" if len(group.runs) > 1 else "Score",
        "drawing": charts.figure(metric_drawing(lines, group.order.measure)),
    }


def _comparisons(group: TrackRuns, _: ChartSet) -> SectionData | None:
    order = group.order
    if not order.sentences:
        return None
    return {"sentences": order.sentences, "pairs": order.pairs, "measure": order.measure}


def _outcomes(group: TrackRuns, charts: ChartSet) -> SectionData:
    runs = group.runs
    table = outcome_table(runs)
    groups = [group for group in GROUPS if any(outcome.value in table.columns for outcome in group.outcomes)]
    legend = [(f"g-{group.name}", group.title, group.sign) for group in groups]
    return {"table": table, "legend": legend, "drawing": charts.figure(outcome_drawing(runs))}


def _grades(group: TrackRuns, charts: ChartSet) -> SectionData | None:
    runs = group.runs
    part = grades_part(runs)
    if part is None:
        return None
    legend = [(run.name, *line_style(number)) for number, run in enumerate(runs)]
    return {**part, "drawing": charts.figure(distribution_drawing(runs)), "legend": legend}


def _details(group: TrackRuns, _: ChartSet) -> SectionData | None:
    return section_part(group.runs)


def _curve(group: TrackRuns, charts: ChartSet) -> SectionData | None:
    runs = group.runs
    lines, family = curve(runs), runs[0].measures.family
    if not lines:
        return None
    figure = charts.figure(curve_drawing(lines, family))
    legend = [(line.name, *line_style(number)) for number, line in enumerate(lines)]
    columns = [(each.name.rpartition("@")[2], each) for each in measures_in(runs, lines)]
    return {"lines": lines, "columns": columns, "drawing": figure, "legend": legend, "measure": family}


def _prompts(group: TrackRuns, charts: ChartSet) -> list[SectionData]:
    runs, measure = group.runs, group.order.measure
    groups = []
    for number, run in enumerate(runs):
        if lines := prompt_lines(run):
            drawing = charts.figure(prompt_drawing(run, lines, measure, number))
            design = escaped_code(run.score.prompt_design)
            groups.append(
                {
                    "name": run.name,
                    "lines": lines,
                    "columns": measures_in(runs, lines),
                    "drawing": drawing,
                    "design": design,
                    "folded": _folded(lines, measure),
                }
            )
    return groups


def _folded(lines: Sequence[TableLine], measure: Measure) -> str:
    """The summary of many prompts over their collapsed table; empty for a few, which are all shown."""
    values = [line.metrics[measure.name].value for line in lines if measure.name in line.metrics]
    if len(lines) <= FEW or not values:
        return ""
    spread = f"{measure.title} from {measure.number(min(values))} to {measure.number(max(values))}"
    return f"{counted(len(lines), 'prompt')}, {spread}"


def _tasks(group: TrackRuns, charts: ChartSet) -> SectionData:
    runs, tasks = group.runs, group.tasks
    rows = task_rows(tasks, runs)
    few = has_few_answers(rows) and not group.graded
    return {
        "rows": rows,
        "hardest": hardest(rows, few=few),
        "few": few,
        "unsolved": sum(is_unsolved(row) for row in rows),
        "slowest": slowest(tasks, runs),
        "timed": any(row.slowest for row in rows),
        "legend": [(step, title, "") for step, title in zip(HEAT, _step_names(runs), strict=True)],
        "drawing": charts.figure(heat_drawing(rows, runs)),
    }


def _step_names(runs: Sequence[Run]) -> Sequence[str]:
    return GRADE_NAMES if any(run.graded for run in runs) else HEAT_NAMES


STANDING = ReportSection("standing", "standing.html", _standing, lambda part: part["title"])
COMPARISONS = ReportSection("comparisons", "comparisons.html", _comparisons, lambda _: "Comparisons")
OUTCOMES = ReportSection("outcomes", "outcomes.html", _outcomes, lambda _: "Outcomes")
GRADES = ReportSection("grades", "grades.html", _grades, lambda _: "Grades")
DETAILS = ReportSection(
    "details", "details.html", _details, lambda part: part["title"], lambda part: part["anchor"]
)
CURVE = ReportSection("curve", "curve.html", _curve, lambda part: part["measure"].title)
PROMPTS = ReportSection("prompts", "prompts.html", _prompts, lambda _: "Prompts")
TASKS = ReportSection("tasks", "tasks.html", _tasks, lambda _: "Tasks")
