"""What the page shows, in its order: each part's rows and drawings, for the templates to set."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from benchwright.records import TaskId
from benchwright.report.canvas import Drawing
from benchwright.report.charts import HEAT_NAMES
from benchwright.report.drawing import draw
from benchwright.report.facts import shared_and_own, track_title
from benchwright.report.figures import (
    curve_drawing,
    heat_drawing,
    metric_drawing,
    outcome_drawing,
    prompt_drawing,
)
from benchwright.report.palette import GROUPS, HEAT
from benchwright.report.runs import Run
from benchwright.report.standing import Order, as_dict
from benchwright.report.tables import (
    Line,
    cheat_rows,
    curve,
    curve_columns,
    metric_names,
    outcome_table,
    prompt_lines,
    totals,
)
from benchwright.report.tasks import TaskRow, hardest, slowest, task_rows
from benchwright.report.wording import count, listed, visible

Part = dict[str, Any]


class Easel:
    """Draws charts for the page and remembers them, so that the same ones can be saved as files."""

    def __init__(self) -> None:
        self.drawings: list[Drawing] = []

    def figure(self, drawing: Drawing | None) -> Any:
        """The chart as SVG for the page; None where there is nothing to draw."""
        if drawing is None:
            return None
        self.drawings.append(drawing)
        return draw(drawing)


def lay_out(order: Order, tasks: Sequence[TaskId]) -> Part:
    """Everything that the templates need but the answers."""
    runs, metric = order.runs, order.metric
    easel, rows = Easel(), task_rows(tasks, runs)
    part: Part = {
        **_opening(runs),
        "runs": runs,
        "standing": _standing(order, easel),
        "comparisons": order.sentences,
        "pairs": order.pairs,
        "metric": metric,
        "outcomes": _outcomes(runs, easel),
        "curve": _curve(runs, easel),
        "prompts": _prompts(runs, metric, easel),
        "tasks": _tasks(runs, tasks, rows, easel),
        "cheats": _cheats(runs),
        "notes": [(run.name, visible(note)) for run in runs for note in run.score.notes],
        "others": _others(runs),
        "facts": dict(zip(("shared", "own"), shared_and_own(runs), strict=True)),
        "task_names": [row.name for row in rows],
        "drawings": easel.drawings,
    }
    return {**part, "contents": list(_contents(part))}


def _opening(runs: Sequence[Run]) -> Part:
    first, sums = runs[0].contestant, totals(runs)
    track = visible(track_title(first.track))
    what = runs[0].name if len(runs) == 1 else count(len(runs), "model")
    each = listed(str(n) for n in sums["ns"])
    lede = (
        f"{count(sums['tasks'], 'task')}, {each} {'answer' if sums['ns'] == [1] else 'answers'} to each, "
        f"{count(sums['answers'], 'answer')} in all. Every score has its 95 % interval, "
        f"and every answer is one click away."
    )
    return {
        "title": f"{what} on {track}",
        "track": track,
        "profile": visible(first.profile),
        "lede": lede,
        "warnings": list(_warnings(runs)),
    }


def _warnings(runs: Sequence[Run]) -> Iterator[str]:
    """What a reader has to know before any number."""
    for run in runs:
        if not run.score.self_check.holds:
            yield f"{run.name}: the self-check does not hold, so its numbers mean nothing."
        if run.score.missing:
            missing = count(run.score.missing, "answer is", "answers are")
            yield f"{run.name}: {missing} missing through no fault of the model, and not counted."
        if "none" in run.tally.isolation:
            yield f"{run.name}: answers were run without isolation, so its verdicts can be forged."


def _standing(order: Order, easel: Easel) -> Part:
    lines = [Line(run.name, run.score.metrics) for run in order.runs]
    return {**as_dict(order), "drawing": easel.figure(metric_drawing(lines, order.metric))}


def _outcomes(runs: Sequence[Run], easel: Easel) -> Part:
    table = outcome_table(runs)
    used = [group for group in GROUPS if any(outcome.value in table.columns for outcome in group.outcomes)]
    legend = [(f"g-{group.name}", group.title, group.sign) for group in used]
    return {"table": table, "legend": legend, "drawing": easel.figure(outcome_drawing(runs))}


def _curve(runs: Sequence[Run], easel: Easel) -> Part:
    lines = curve(runs)
    return {"lines": lines, "columns": curve_columns(lines), "drawing": easel.figure(curve_drawing(lines))}


def _prompts(runs: Sequence[Run], metric: str, easel: Easel) -> list[Part]:
    groups = []
    for number, run in enumerate(runs):
        if lines := prompt_lines(run):
            drawing = easel.figure(prompt_drawing(run, lines, metric, number))
            design = visible(run.score.prompt_design)
            columns = curve_columns(lines)
            groups.append(
                {"name": run.name, "lines": lines, "columns": columns, "drawing": drawing, "design": design}
            )
    return groups


def _tasks(runs: Sequence[Run], tasks: Sequence[TaskId], rows: list[TaskRow], easel: Easel) -> Part:
    return {
        "rows": rows,
        "hardest": hardest(rows),
        "slowest": slowest(tasks, runs),
        "legend": [(step, title, "") for step, title in zip(HEAT, HEAT_NAMES, strict=True)],
        "drawing": easel.figure(heat_drawing(rows, runs)),
    }


def _cheats(runs: Sequence[Run]) -> Part:
    sums = totals(runs)
    number, passed = sums["cheats"], sums["cheats_passed"]
    summary = f"{count(number, 'answer')} tried to cheat or to escape; {passed or 'none'} of them passed."
    return {"rows": cheat_rows(runs), "summary": summary}


def _others(runs: Sequence[Run]) -> Part:
    lines = [
        (run.name, Line(visible(profile), metrics))
        for run in runs
        for profile, metrics in run.score.other_profiles.items()
    ]
    return {"lines": lines, "columns": metric_names(runs)}


def _contents(part: Part) -> Iterator[tuple[str, str]]:
    """The sections that are there."""
    yield "standing", "Standing" if len(part["runs"]) > 1 else "Score"
    if part["comparisons"]:
        yield "comparisons", "Comparisons"
    yield "outcomes", "Outcomes"
    if part["curve"]["lines"]:
        yield "curve", "pass@k"
    if part["prompts"]:
        yield "prompts", "Prompts"
    yield "tasks", "Tasks"
    yield "all-tasks", "Answers"
    if part["cheats"]["rows"]:
        yield "cheats", "Attempts to cheat"
    yield "method", "Method"
