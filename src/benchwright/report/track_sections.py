"""The built-in sections of the report: each builds its data and its chart for one track."""

from __future__ import annotations

from collections.abc import Sequence

from benchwright.contracts import Measure
from benchwright.display.escape import escaped_code
from benchwright.display.palette import GROUPS, HEAT
from benchwright.report.charts import GRADE_NAMES, HEAT_NAMES, look
from benchwright.report.figures import (
    curve_drawing,
    heat_drawing,
    metric_drawing,
    outcome_drawing,
    prompt_drawing,
)
from benchwright.report.grades import distribution_drawing, grades_part
from benchwright.report.runs import Run
from benchwright.report.section import ChartSet, Part, ReportSection, TrackRuns
from benchwright.report.sections import baseline_lines, section_part
from benchwright.report.standing import as_dict
from benchwright.report.tables import (
    TableLine,
    curve,
    measures_in,
    outcome_table,
    prompt_lines,
    score_lines,
)
from benchwright.report.tasks import hardest, slowest, task_rows

FEW = 4  # prompts that are shown without a click


def _standing(group: TrackRuns, charts: ChartSet) -> Part:
    lines = score_lines(group.runs) + baseline_lines(group.runs)
    return {
        **as_dict(group.order),
        "title": "Standing" if len(group.runs) > 1 else "Score",
        "drawing": charts.figure(metric_drawing(lines, group.order.measure)),
    }


def _comparisons(group: TrackRuns, _: ChartSet) -> Part | None:
    order = group.order
    if not order.sentences:
        return None
    return {"sentences": order.sentences, "pairs": order.pairs, "measure": order.measure}


def _outcomes(group: TrackRuns, charts: ChartSet) -> Part:
    runs = group.runs
    table = outcome_table(runs)
    used = [group for group in GROUPS if any(outcome.value in table.columns for outcome in group.outcomes)]
    legend = [(f"g-{group.name}", group.title, group.sign) for group in used]
    return {"table": table, "legend": legend, "drawing": charts.figure(outcome_drawing(runs))}


def _grades(group: TrackRuns, charts: ChartSet) -> Part | None:
    runs = group.runs
    part = grades_part(runs)
    if part is None:
        return None
    legend = [(run.name, *look(number)) for number, run in enumerate(runs)]
    return {**part, "drawing": charts.figure(distribution_drawing(runs)), "legend": legend}


def _details(group: TrackRuns, _: ChartSet) -> Part | None:
    return section_part(group.runs)


def _curve(group: TrackRuns, charts: ChartSet) -> Part | None:
    runs = group.runs
    lines, family = curve(runs), runs[0].measures.family
    if not lines:
        return None
    drawn = charts.figure(curve_drawing(lines, family))
    legend = [(line.name, *look(number)) for number, line in enumerate(lines)]
    columns = [(each.name.rpartition("@")[2], each) for each in measures_in(runs, lines)]
    return {"lines": lines, "columns": columns, "drawing": drawn, "legend": legend, "measure": family}


def _prompts(group: TrackRuns, charts: ChartSet) -> list[Part]:
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
    return f"{len(lines)} prompts, {spread}"


def _tasks(group: TrackRuns, charts: ChartSet) -> Part:
    runs, tasks = group.runs, group.tasks
    rows = task_rows(tasks, runs)
    return {
        "rows": rows,
        "hardest": hardest(rows),
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
