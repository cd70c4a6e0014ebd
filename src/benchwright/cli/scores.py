"""Tables of scores for the terminal: metrics with intervals, grades, and groups of tasks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from benchwright.cli.terminal import fits_width, print_whole
from benchwright.contracts import (
    Baseline,
    Grouping,
    Indicator,
    Measure,
    MeasureSet,
    Sections,
    read_indicators,
)
from benchwright.contracts.measures import NO_LABEL, TableKind
from benchwright.display.escape import markup
from benchwright.display.text_table import text_table
from benchwright.display.wording import as_sentence, counted, interval, percent, self_check_text
from benchwright.errors import command_name
from benchwright.records import Metric, Outcome, Score
from benchwright.running.human_labels import HumanFigure, people_of
from benchwright.running.run_data import measures_of

WORST = 5  # listed groups of an open kind; the others are in the file of the score
BESIDE = 3  # maximum figures of a group with intervals on the same line, in 80 columns
MANY = 3  # columns from which intervals are printed below figures, in 80 columns
WIDE = 3  # metrics side by side


def print_score(target: Console, score: Score) -> None:
    """Print a score: figures, baselines, findings, groups, and sentences."""
    measures = measures_of(score.track)
    sections = measures.sections(score.details)
    if sections.is_empty:
        print_table(target, [score])
    else:
        _print_sections(target, score, measures, sections)
    if measures.grade:
        print_grades(target, score)
    for line in score_lines(score):
        target.print(line, soft_wrap=True)


def _print_sections(target: Console, score: Score, measures: MeasureSet, sections: Sections) -> None:
    target.print(_heading(score))
    columns = {score.profile: score.metrics}
    columns |= {name: metrics for name, metrics in score.other_profiles.items() if metrics != score.metrics}
    columns |= {each.name: each.metrics for each in sections.baselines if each.metrics}
    print_whole(target, _upright_table(measures, columns, compact=True))
    for finding in sections.findings:
        target.print(f"[bold]{markup(as_sentence(finding))}[/]", soft_wrap=True)
    if sections.confusion:
        print_whole(target, _confusion(sections.confusion))
    if (table := _groups(measures, sections.groupings)) is not None:
        print_whole(target, table)
    for line in _section_lines(score, measures, sections):
        target.print(line, soft_wrap=True)


def print_table(
    target: Console,
    scores: Sequence[Score],
    *,
    kind: TableKind = "score",
    baselines: Sequence[Baseline] = (),
    gaps: Sequence[str] = (" ", "\n"),
) -> None:
    """Print scores under a heading, in the widest form that fits the terminal.

    `gaps` are separators between a figure and its interval, tried in order: the second is a line break.
    """
    first = scores[0]
    target.print(_heading(first))
    if len(scores) == 1 and not baselines and len(first.metrics) > WIDE:
        columns = {first.profile: first.metrics, **first.other_profiles}
        print_whole(target, _upright_table(measures_of(first.track), columns))
        return
    for gap in gaps:
        table = _score_table(scores, gap, kind, baselines)
        if fits_width(target, table):
            target.print(table)
            return
    for score in scores:
        target.print(_lines_of(score), soft_wrap=True)


def _heading(score: Score) -> str:
    return f"[italic]{score.track} · profile {score.profile} · 95 % intervals over tasks[/]"


def _score_table(scores: Sequence[Score], gap: str, kind: TableKind, baselines: Sequence[Baseline]) -> Table:
    """Make a table with a row for each score and baseline; `gap` separates figures and intervals."""
    measures = measures_of(scores[0].track).shown_in(kind, (name for each in scores for name in each.metrics))
    rows = [row for score in scores for row in _rows(score)]
    rows += [(f"[dim]{markup(each.name)}[/]", each.metrics) for each in baselines if each.metrics]
    table = text_table()
    table.add_column("model", overflow="fold")
    for measure in measures:
        table.add_column(measure.title, justify="right", no_wrap=True)
    for title, metrics in rows:
        table.add_row(title, *(cell(each, metrics.get(each.name), gap) for each in measures))
    return table


def _rows(score: Score) -> list[tuple[str, dict[str, Metric]]]:
    """Return a score's metrics by its own profile and by the others, with titles."""
    others = [(f"[dim]  by {name}[/]", metrics) for name, metrics in score.other_profiles.items()]
    return [(markup(_short(score.model)), score.metrics), *others]


def _lines_of(score: Score) -> str:
    """Format a score with a line for each metric, for narrow terminals."""
    find = measures_of(score.track).find
    return "\n".join(
        line
        for title, metrics in _rows(score)
        for line in (
            title,
            *(f"  {find(name).title}: {cell(find(name), each)}" for name, each in metrics.items()),
        )
    )


def _upright_table(
    measures: MeasureSet, columns: Mapping[str, Mapping[str, Metric]], *, compact: bool = False
) -> Table:
    """Make a table with a row for each metric of the first column; `compact` has a smaller frame."""
    table = text_table()
    table.add_column("metric", no_wrap=compact)
    gap = "\n" if compact and len(columns) >= MANY else " "
    for name in columns:
        table.add_column(markup(name), justify="right", no_wrap=not compact)
    for measure in map(measures.find, measures.in_order(next(iter(columns.values())))):
        cells = (cell(measure, metrics.get(measure.name), gap) for metrics in columns.values())
        table.add_row(measure.title, *cells)
    return table


def cell(measure: Measure, metric: Metric | None, gap: str = " ") -> str:
    """Format a figure and its interval as markup."""
    if metric is None:
        return "–"
    value, interval = measure.figures(metric)
    return f"{value}{gap}[dim]{interval}[/dim]"


def _confusion(table: Mapping[str, Mapping[str, int]]) -> Table:
    answered = list(dict.fromkeys(name for row in table.values() for name in row))
    matrix = text_table("answers by true label and answered label")
    matrix.add_column("label")
    for name in answered:
        matrix.add_column("no label" if name == NO_LABEL else f"answered {markup(name)}", justify="right")
    for label, row in table.items():
        matrix.add_row(markup(label), *(f"{row.get(name, 0):,}" for name in answered))
    return matrix


def _groups(measures: MeasureSet, groupings: Sequence[Grouping]) -> Table | None:
    """Make one table for groups of all kinds; None if no figure applies to groups."""
    rows = [(each.kind, *row) for each in groupings for row in _listed_groups(measures, each)]
    grouped_measures = measures.in_groups([metrics for _, _, metrics in rows])
    if not grouped_measures:
        return None
    table = text_table("by group")
    table.add_column("group", overflow="fold")
    table.add_column("tasks", justify="right")
    gap = " " if len(grouped_measures) <= BESIDE else "\n"
    for measure in grouped_measures:
        table.add_column(measure.title, justify="right", no_wrap=True)
    for kind, name, metrics in rows:
        cells = [cell(each, metrics.get(each.name), gap) for each in grouped_measures]
        table.add_row(f"{kind} {markup(name)}", f"{next(iter(metrics.values())).n:,}", *cells)
    return table


def _listed_groups(measures: MeasureSet, grouping: Grouping) -> list[tuple[str, dict[str, Metric]]]:
    """Return all groups of a kind; of an open kind, those with the worst figures."""
    rows = [(name, metrics) for name, metrics in grouping.rows.items() if metrics]
    if not grouping.is_open:
        return rows
    headline = measures.headline
    sign = 1 if headline.higher_is_better else -1
    rows = [row for row in rows if headline.name in row[1]]
    return sorted(rows, key=lambda row: sign * row[1][headline.name].value)[:WORST]


def _section_lines(score: Score, measures: MeasureSet, sections: Sections) -> Iterator[str]:
    """Yield lines below the tables: missing baselines, prompts, other groups, profiles that agree."""
    yield from absent_baselines(sections.baselines)
    yield from _by_prompt(measures, sections.prompts)
    yield from filter(None, map(_omission_note, sections.groupings))
    if alike := [name for name, metrics in score.other_profiles.items() if metrics == score.metrics]:
        yield f"all metrics are equal by {', '.join(alike)}"


def absent_baselines(baselines: Sequence[Baseline]) -> list[str]:
    """Return a line for each missing baseline with its reason."""
    return [f"no {each.kind} baseline: {markup(each.absent)}" for each in baselines if each.absent]


def _omission_note(grouping: Grouping) -> str:
    omitted_count = max(0, len(grouping.rows) - WORST) if grouping.is_open else 0
    more = f"{counted(omitted_count, f'more {grouping.kind}')} in scores.json" if omitted_count else ""
    small_groups = (
        f"{counted(grouping.small, grouping.kind)} with few tasks not listed" if grouping.small else ""
    )
    return "; ".join(filter(None, (more, small_groups)))


def _by_prompt(measures: MeasureSet, prompts: Mapping[str, Mapping[str, Metric]]) -> Iterator[str]:
    """Yield the first metric by prompt, if there are several prompts."""
    rated = {name: metrics for name, metrics in prompts.items() if metrics}
    names = measures.in_order({name for metrics in rated.values() for name in metrics})
    if len(rated) > 1:
        first = measures.find(names[0])
        rates = (
            f"{markup(prompt)} {first.number(metrics[first.name].value)}"
            for prompt, metrics in rated.items()
            if first.name in metrics
        )
        yield f"{first.title} by prompt: {' · '.join(rates)}"


def _short(model: str) -> str:
    """Return a model's name without the folders of a file."""
    scheme, colon, rest = model.partition(":")
    return f"{scheme}{colon}{rest.rsplit('/', 1)[-1]}"


def _outcomes(outcomes: dict[str, int]) -> str:
    order = [outcome.value for outcome in Outcome]
    parts = [f"{outcomes[name]} {name.replace('_', ' ')}" for name in order if outcomes.get(name)]
    return " · ".join(parts)


def _facts(score: Score) -> list[str]:
    """Return lines about repeated and truncated answers, tokens and prompts, if any."""
    lines = []
    if score.identical:
        lines.append(
            f"{counted(score.identical, 'answer')} with the text of an earlier one to the same question"
        )
    if score.truncated:
        lines.append(f"{counted(score.truncated, 'answer')} truncated")
    if score.tokens_in or score.tokens_out:
        lines.append(f"{counted(score.tokens_in, 'token')} in, {score.tokens_out:,} out")
    return [*lines, *_by_prompt(measures_of(score.track), score.prompts)]


def score_lines(score: Score) -> list[str]:
    """Return the lines below a table of scores."""
    show = f"{command_name()} show {markup(score.run)}"
    tasks = next(iter(score.metrics.values())).n if score.metrics else 0
    lines = [
        f"{counted(score.answers, 'answer')}: {_outcomes(score.outcomes)}",
        f"self-check: {self_check_text(score.self_check)}",
        f"{counted(tasks, 'task')}; to read the answers: {show}",
        *_facts(score),
    ]
    if any(metrics != score.metrics for metrics in score.other_profiles.values()):
        lines.append(f"to list differences between profiles: {show} --differ")
    return [*lines, *(f"note: {markup(note)}" for note in score.notes)]


def print_grades(target: Console, score: Score) -> None:
    """Print the judges and indicators of a graded run; nothing for other runs."""
    if facts := score.details.get("judges"):
        print_whole(target, _judges(facts))
    for line in people_lines(score):
        target.print(markup(line), soft_wrap=True)
    if found := read_indicators(score.details):
        print_whole(target, _indicators(found))


def people_lines(score: Score, *, figures: int | None = None) -> Iterator[str]:
    """Yield lines about human judgements of a run: votes, agreement, and at most `figures` metrics."""
    people = people_of(score)
    if people is None:
        return
    yield people.summary
    for field, agreement in people.agreement.items():
        items = counted(agreement.items, "item")
        yield f"{field}: two people agree {percent(agreement.share)} % of the time, on {items}"
    measures = measures_of(score.track)
    for name, figure in list(people.figures.items())[:figures]:
        yield _figure_line(measures.find(name), figure)


def _figure_line(measure: Measure, figure: HumanFigure) -> str:
    sides = {"judge": figure.judge, "people": figure.people, "people and judge": figure.both}
    values = [
        f"by {source} {' ('.join(measure.figures(metric))})" for source, metric in sides.items() if metric
    ]
    label_count = f"{figure.labels:,} of {counted(figure.answers, 'answer')} labelled by people"
    label_count += f" ({figure.disputed:,} disputed, counted by mean vote)" if figure.disputed else ""
    mark = "calibrated" if figure.calibrated else "uncalibrated"
    return f"{measure.title}: {', '.join(values)}; {label_count}" + (f", {mark}" if figure.both else "")


def _judges(facts: dict[str, dict[str, Any]]) -> Table:
    columns = ("judged", "undecided", "unparsable", "missing", "contradictions")
    known = all(fact.get("calibrated") for fact in facts.values())
    title = f"model judges, {'calibrated against people' if known else 'uncalibrated'}"
    table = text_table(title)
    table.add_column("judge", overflow="fold")
    for name in columns:
        table.add_column(name, justify="right")
    for judge, fact in facts.items():
        table.add_row(markup(judge), *(f"{fact.get(name, 0):,}" for name in columns))
    return table


def _indicators(found: list[Indicator]) -> Table:
    """Make a table of indicators; unmeasured ones have a reason."""
    table = text_table("indicators")
    for name in ("quality", "indicator"):
        table.add_column(name)
    table.add_column("value", justify="right", no_wrap=True)
    table.add_column("description", overflow="fold")
    before = ""
    for each in found:
        table.add_row("" if each.quality == before else each.quality, *_cells(each))
        before = each.quality
    return table


def _cells(each: Indicator) -> Iterator[str]:
    yield markup(each.name.replace("_", " "))
    if each.metric is None:
        yield "–"
        yield f"[dim]not measured: {markup(each.absent)}[/dim]"
    else:
        yield f"{percent(each.metric.value)} % [dim]{interval(each.metric)}[/dim]"
        yield f"{markup(each.about)}; {markup(each.unit)}"
