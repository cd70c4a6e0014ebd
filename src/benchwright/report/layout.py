"""What the page shows, in its order: each part's rows and drawings, for the templates to set."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from benchwright.contracts import Measure
from benchwright.display.escape import escaped_code
from benchwright.display.palette import GROUPS, HEAT
from benchwright.display.wording import counted, in_order, joined
from benchwright.records import TaskId
from benchwright.report.canvas import Drawing
from benchwright.report.charts import GRADE_NAMES, HEAT_NAMES, look
from benchwright.report.drawing import ChartError, Figure, draw, lacking
from benchwright.report.facts import shared_and_own, track_title
from benchwright.report.figures import (
    MANY,
    curve_drawing,
    heat_drawing,
    metric_drawing,
    outcome_drawing,
    prompt_drawing,
)
from benchwright.report.grades import distribution_drawing, grades_part
from benchwright.report.leftout import left_out
from benchwright.report.programs import Programs
from benchwright.report.runs import Run
from benchwright.report.sections import baseline_lines, section_part
from benchwright.report.standing import Order, as_dict
from benchwright.report.tables import (
    TableLine,
    cheat_rows,
    curve,
    measures_in,
    outcome_table,
    prompt_lines,
    score_lines,
    totals,
)
from benchwright.report.task_groups import task_groups
from benchwright.report.tasks import TaskRow, hardest, slowest, task_rows
from benchwright.running.run_folders import UnscoredRun

Part = dict[str, Any]
FEW = 4  # prompts that are shown without a click


class TrackRuns(NamedTuple):
    """The runs of one track in their order, and all tasks of them."""

    order: Order
    tasks: list[TaskId]

    @property
    def runs(self) -> list[Run]:
        """The runs, best first."""
        return self.order.runs

    @property
    def executes(self) -> bool:
        """Whether the track's answers are programs that are run."""
        return all(run.executes for run in self.runs)

    @property
    def labels(self) -> bool:
        """Whether the answers are labels."""
        return not self.executes and not self.graded

    @property
    def graded(self) -> bool:
        """Whether the answers are graded: they do not just pass or fail."""
        return any(run.graded for run in self.runs)


class ChartSet:
    """Draws charts for the page and remembers them, so that the same ones can be saved as files."""

    def __init__(self) -> None:
        self.drawings: list[Drawing] = []
        self.lacking = lacking()
        self.failed: list[str] = []  # what could not be drawn, and why
        if self.lacking is not None:  # the command that gets it names places: it is for who writes the page
            self.failed.append(f"Charts are not here: {self.lacking.message}.")
        self.track = ""  # whose charts are drawn, where there are several tracks

    def figure(self, drawing: Drawing | None) -> Figure | None:
        """The chart as SVG for the page; None where there is nothing to draw.

        A chart that cannot be drawn is a note in its place, and the page stands.
        """
        if drawing is None or self.lacking is not None:
            return None
        if self.track:
            name = f"{drawing.name}-{re.sub('[^a-z0-9]+', '-', self.track.lower())}"
            drawing = drawing._replace(name=name, title=f"{self.track}: {drawing.title}")
        try:
            drawn = draw(drawing)
        except ChartError as error:
            self.failed.append(f"The chart “{drawing.title}” is not here. {error.message}.")
            return Figure(drawing.name, drawing.title, drawing.describe, "", "", self.failed[-1])
        self.drawings.append(drawing)
        return drawn


def lay_out(
    groups: Sequence[TrackRuns], programs: Sequence[Programs | None], *, unscored: Sequence[UnscoredRun] = ()
) -> Part:
    """Everything that the templates need but the answers: a part for each track, and what is said once.

    `programs` are those of each track; None where its data set is not at hand. `unscored` are runs without a
    score, which a table lists.
    """
    runs = [run for group in groups for run in group.runs]
    chart_set, parts, first = ChartSet(), [], 0
    belongs = task_groups([group.tasks for group in groups], programs)
    for number, group in enumerate(groups):
        chart_set.track = escaped_code(track_title(group.runs[0].contestant.track)) if len(groups) > 1 else ""
        part = _group_part(group, chart_set, number=number, first=first)
        parts.append({**part, "members": belongs.members[number]})
        first += len(group.runs)
    page: Part = {
        **_opening(groups),
        "runs": runs,
        "unscored": [UnscoredRun(*map(escaped_code, each)) for each in unscored],
        "graded": any(group.graded for group in groups),
        "groups": parts,
        "cheats": _cheats(runs),
        "notes": [(run.full_name, escaped_code(note)) for run in runs for note in _notes_of(run)],
        "facts": dict(zip(("shared", "own"), shared_and_own(runs), strict=True)),
        "prompt_names": _prompt_names(parts),
        "group_names": belongs.names,
        "outcome_names": in_order({name for run in runs for name in run.tally.outcomes}),
        "task_names": [row.name for part in parts for row in part["tasks"]["rows"]],
        "task_keys": [row.key for part in parts for row in part["tasks"]["rows"]],
        "drawings": chart_set.drawings,
        "left_out": [*_left_out(groups, programs), *_crowded(parts), *chart_set.failed],
    }
    return {**page, "contents": list(_contents(page))}


def _prompt_names(parts: Sequence[Part]) -> list[str]:
    return sorted({line.name for part in parts for each in part["prompts"] for line in each["lines"]})


def _notes_of(run: Run) -> list[str]:
    return [*run.score.notes, *run.contestant.log_notes]


def _left_out(groups: Sequence[TrackRuns], programs: Sequence[Programs | None]) -> Iterator[str]:
    """What the page does not show, with its track where there are several."""
    for group, known in zip(groups, programs, strict=True):
        title = f"{escaped_code(track_title(group.runs[0].contestant.track))}: " if len(groups) > 1 else ""
        for said in left_out(group.tasks, group.runs, known):
            yield title + said


def _crowded(parts: Sequence[Part]) -> Iterator[str]:
    for part in parts:
        lines = len(part["curve"]["lines"])
        if lines > MANY:
            title = part["curve"]["measure"].title
            yield f"The chart of {title} is not here: {lines} curves would hide one another. Its numbers are."


def _group_part(group: TrackRuns, chart_set: ChartSet, *, number: int, first: int) -> Part:
    """The sections of one track; `first` is the number of its first run among all of the page."""
    order, runs = group.order, group.runs
    rows = task_rows(group.tasks, runs)
    return {
        "title": escaped_code(track_title(runs[0].contestant.track)),
        "profile": escaped_code(runs[0].contestant.profile),
        "suffix": f"-{number + 1}" if number else "",  # of the anchors: no two on a page may be alike
        "first": first,
        "runs": runs,
        "executes": group.executes,
        "graded": group.graded,
        "standing": _standing(order, chart_set),
        "comparisons": order.sentences,
        "pairs": order.pairs,
        "measure": order.measure,
        "outcomes": _outcomes(runs, chart_set),
        "grades": _grades(runs, chart_set),
        "section": section_part(runs),
        "curve": _curve(runs, chart_set),
        "prompts": _prompts(runs, order.measure, chart_set),
        "tasks": _tasks(runs, group.tasks, rows, chart_set),
        "others": _others(runs),
    }


def _opening(groups: Sequence[TrackRuns]) -> Part:
    runs = [run for group in groups for run in group.runs]
    sums = totals(runs)
    titles = [escaped_code(track_title(group.runs[0].contestant.track)) for group in groups]
    profiles = list(dict.fromkeys(escaped_code(run.contestant.profile) for run in runs))
    what = runs[0].name if len(runs) == 1 else counted(len(runs), "run" if len(groups) > 1 else "model")
    each = joined(str(n) for n in sums["ns"])
    tasks = sum(len(group.tasks) for group in groups)
    lede = (
        f"{counted(tasks, 'task')}, {each} {'answer' if sums['ns'] == [1] else 'answers'} to each, "
        f"{counted(sums['answers'], 'answer')} in all. Every score has its 95 % interval, "
        f"and every answer is one click away."
    )
    return {
        "title": f"{what} on {joined(titles)}",
        "track": joined(titles),
        "profile": joined(profiles),
        "lede": lede,
        "warnings": list(_warnings(runs)),
    }


def _warnings(runs: Sequence[Run]) -> Iterator[str]:
    """What a reader has to know before any number."""
    for run in runs:
        if not run.score.self_check.holds:
            yield f"{run.full_name}: the self-check does not hold, so its numbers mean nothing."
        if run.score.missing:
            missing = counted(run.score.missing, "answer is", "answers are")
            yield f"{run.full_name}: {missing} missing through no fault of the model, and not counted."
        if "none" in run.tally.isolation and not run.logged:
            yield f"{run.full_name}: answers were run without isolation, so its verdicts can be forged."


def _standing(order: Order, chart_set: ChartSet) -> Part:
    lines = score_lines(order.runs) + baseline_lines(order.runs)
    return {**as_dict(order), "drawing": chart_set.figure(metric_drawing(lines, order.measure))}


def _outcomes(runs: Sequence[Run], chart_set: ChartSet) -> Part:
    table = outcome_table(runs)
    used = [group for group in GROUPS if any(outcome.value in table.columns for outcome in group.outcomes)]
    legend = [(f"g-{group.name}", group.title, group.sign) for group in used]
    return {"table": table, "legend": legend, "drawing": chart_set.figure(outcome_drawing(runs))}


def _grades(runs: Sequence[Run], chart_set: ChartSet) -> Part | None:
    part = grades_part(runs)
    if part is None:
        return None
    legend = [(run.name, *look(number)) for number, run in enumerate(runs)]
    return {**part, "drawing": chart_set.figure(distribution_drawing(runs)), "legend": legend}


def _curve(runs: Sequence[Run], chart_set: ChartSet) -> Part:
    lines, family = curve(runs), runs[0].measures.family
    drawn = chart_set.figure(curve_drawing(lines, family))
    legend = [(line.name, *look(number)) for number, line in enumerate(lines)]
    columns = [(each.name.rpartition("@")[2], each) for each in measures_in(runs, lines)]
    return {"lines": lines, "columns": columns, "drawing": drawn, "legend": legend, "measure": family}


def _prompts(runs: Sequence[Run], measure: Measure, chart_set: ChartSet) -> list[Part]:
    groups = []
    for number, run in enumerate(runs):
        if lines := prompt_lines(run):
            drawing = chart_set.figure(prompt_drawing(run, lines, measure, number))
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
    """What many prompts have in common, in a line over their fold; empty for a few, which are all shown."""
    values = [line.metrics[measure.name].value for line in lines if measure.name in line.metrics]
    if len(lines) <= FEW or not values:
        return ""
    spread = f"{measure.title} from {measure.number(min(values))} to {measure.number(max(values))}"
    return f"{len(lines)} prompts, {spread}"


def _tasks(runs: Sequence[Run], tasks: Sequence[TaskId], rows: list[TaskRow], chart_set: ChartSet) -> Part:
    return {
        "rows": rows,
        "hardest": hardest(rows),
        "slowest": slowest(tasks, runs),
        "timed": any(row.slowest for row in rows),
        "legend": [(step, title, "") for step, title in zip(HEAT, _step_names(runs), strict=True)],
        "drawing": chart_set.figure(heat_drawing(rows, runs)),
    }


def _step_names(runs: Sequence[Run]) -> Sequence[str]:
    return GRADE_NAMES if any(run.graded for run in runs) else HEAT_NAMES


def _cheats(runs: Sequence[Run]) -> Part:
    sums = totals(runs)
    number, passed = sums["cheats"], sums["cheats_passed"]
    summary = f"{counted(number, 'answer')} tried to cheat or to escape; {passed or 'none'} of them passed."
    return {"rows": cheat_rows(runs), "summary": summary}


def _others(runs: Sequence[Run]) -> Part:
    lines = [
        (run.name, TableLine(escaped_code(profile), metrics))
        for run in runs
        for profile, metrics in run.score.other_profiles.items()
    ]
    return {"lines": lines, "columns": measures_in(runs, score_lines(runs))}


def _contents(page: Part) -> Iterator[tuple[str, str]]:
    """The sections that are there; of several tracks, one entry for each."""
    parts = page["groups"]
    if page["unscored"]:
        yield "unscored", "Runs without a score"
    if len(parts) > 1:
        for part in parts:
            yield f"track{part['suffix']}", part["title"]
    else:
        yield from _group_contents(parts[0])
    yield "all-tasks", "Answers"
    if page["cheats"]["rows"]:
        yield "cheats", "Attempts to cheat"
    yield "method", "Method"


def _group_contents(part: Part) -> Iterator[tuple[str, str]]:
    yield "standing", "Standing" if len(part["runs"]) > 1 else "Score"
    if part["comparisons"]:
        yield "comparisons", "Comparisons"
    yield "outcomes", "Outcomes"
    if part["grades"]:
        yield "grades", "Grades"
    if part["section"]:
        yield part["section"]["anchor"], part["section"]["title"]
    if part["curve"]["lines"]:
        yield "curve", part["curve"]["measure"].title
    if part["prompts"]:
        yield "prompts", "Prompts"
    yield "tasks", "Tasks"
