"""Judges, human labels and indicators of a graded run, for the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.console import Console
from rich.table import Table

from benchwright.contracts import Indicator, Measure, read_indicators
from benchwright.display.escape import markup
from benchwright.display.wording import counted, interval, percent
from benchwright.records import Score
from benchwright.running.peoples_labels import PeopleFigure, people_of
from benchwright.running.reading import measures_of


def print_grades(target: Console, score: Score) -> None:
    """Print the judges and indicators of a graded run; nothing for other runs."""
    if facts := score.details.get("judges"):
        target.print(_judges(facts))
    for line in people_lines(score):
        target.print(markup(line), soft_wrap=True)
    if found := read_indicators(score.details):
        target.print(_indicators(found))


def people_lines(score: Score, *, figures: int | None = None) -> Iterator[str]:
    """Yield lines about human judgements of a run: votes, agreement, and at most `figures` metrics."""
    people = people_of(score)
    if people is None:
        return
    yield people.told
    for field, agreement in people.agreement.items():
        items = counted(agreement.items, "item")
        yield f"{field}: two people agree {percent(agreement.share)} % of the time, on {items}"
    measures = measures_of(score.track)
    for name, figure in list(people.figures.items())[:figures]:
        yield _figure_line(measures.find(name), figure)


def _figure_line(measure: Measure, figure: PeopleFigure) -> str:
    sides = {"judge": figure.judge, "people": figure.people, "people and judge": figure.both}
    values = [f"by {who} {' ('.join(measure.figures(metric))})" for who, metric in sides.items() if metric]
    of = f"{figure.labels:,} of {counted(figure.answers, 'answer')} labelled by people"
    of += f" ({figure.disputed:,} disputed, counted by mean vote)" if figure.disputed else ""
    mark = "calibrated" if figure.calibrated else "uncalibrated"
    return f"{measure.title}: {', '.join(values)}; {of}" + (f", {mark}" if figure.both else "")


def _judges(facts: dict[str, dict[str, Any]]) -> Table:
    columns = ("judged", "undecided", "unparsable", "missing", "contradictions")
    known = all(fact.get("calibrated") for fact in facts.values())
    title = f"model judges, {'calibrated against people' if known else 'uncalibrated'}"
    table = Table(title=title, title_justify="left", box=None)
    table.add_column("judge", overflow="fold")
    for name in columns:
        table.add_column(name, justify="right")
    for judge, fact in facts.items():
        table.add_row(markup(judge), *(f"{fact.get(name, 0):,}" for name in columns))
    return table


def _indicators(found: list[Indicator]) -> Table:
    """Make a table of indicators; unmeasured ones have a reason."""
    table = Table(title="indicators", title_justify="left", box=None)
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
