"""The short output of the demo: a title, a table and the comparison of each track, then what to do next."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from benchwright.cli.scores import cell
from benchwright.cli.terminal import fits_width, print_whole
from benchwright.contracts import Measure
from benchwright.display.escape import markup
from benchwright.display.text_table import text_table
from benchwright.display.wording import counted, points
from benchwright.errors import command_name
from benchwright.records import Outcome, Score, Verdict
from benchwright.registry import declaration
from benchwright.running.run_data import measures_of

if TYPE_CHECKING:
    from benchwright.rank.comparison import Comparison


def title_line(track: str, about: str, scores: Sequence[Score]) -> str:
    """The title of a track with its number of tasks: "MBPP · 24 tasks × 10 answers · judged by tests"."""
    tasks = max(metric.n for metric in scores[0].metrics.values())
    each = scores[0].answers // tasks
    size = counted(tasks, "task") + (f" × {counted(each, 'answer')}" if each > 1 else "")
    return f"{declaration(track).title} · {size} · {about}"


def print_intro(target: Console) -> None:
    """Print how to read the figures."""
    target.print(
        "Made-up models; the 95 % interval over tasks follows each figure. More with -v.", soft_wrap=True
    )


def print_track(target: Console, title: str, scores: Sequence[Score], compared: Sequence[Comparison]) -> None:
    """Print a title, the table of the models, and one line per comparison, followed by an empty line."""
    target.print(f"[bold]{markup(title)}[/]", soft_wrap=True)
    measures = measures_of(scores[0].track).shown_in(
        "ranking", (name for each in scores for name in each.metrics)
    )
    measures = [each for each in measures if each.name in scores[0].metrics]
    print_whole(target, _widest(target, scores, measures))
    for found in compared:
        target.print(markup(_sentence(found, scores[0].track)), soft_wrap=True)
    target.print()


def _widest(target: Console, scores: Sequence[Score], measures: list[Measure]) -> Table:
    """The table with as many figures as fit on a line; at least the first one."""
    for most in range(len(measures), 1, -1):
        table = _table(scores, measures[:most])
        if fits_width(target, table):
            return table
    return _table(scores, measures[:1])


def _table(scores: Sequence[Score], measures: Sequence[Measure]) -> Table:
    table = text_table()
    table.add_column("model", no_wrap=True)
    for measure in measures:
        table.add_column(measure.title, justify="right", no_wrap=True)
    for score in scores:
        table.add_row(markup(score.model), *(cell(each, score.metrics.get(each.name)) for each in measures))
    return table


def _sentence(found: Comparison, track: str) -> str:
    """The result of a comparison on a line of 80 characters, with the interval of the difference."""
    ends = [found.difference.value, found.difference.low, found.difference.high]
    if found.better is None:
        _, low, high = points(*ends)
        return f"{found.a} and {found.b}: no difference established ({low} to {high} points)."
    value, low, high = points(*(ends if ends[0] > 0 else [-ends[0], -ends[2], -ends[1]]))
    worse = found.b if found.better == found.a else found.a
    better = measures_of(track).find(found.metric).better
    return f"{found.better} {better} than {worse}: {value} points ({low} to {high})."


def print_cheats(target: Console, caught: dict[str, list[Verdict]], scores: Sequence[Score]) -> None:
    """Print one line for each model whose answers tried to cheat."""
    answers = {score.model: score.answers for score in scores}
    for model, verdicts in caught.items():
        if verdicts:
            passed = sum(verdict.outcome is Outcome.passed for verdict in verdicts)
            attempts = f"{len(verdicts)} of {counted(answers[model], 'answer')}"
            target.print(
                f"{markup(model)} tried to cheat in {attempts}: {passed or 'none'} passed.", soft_wrap=True
            )


def print_next(target: Console, run: str, card: str) -> None:
    """Print the commands to continue with, and the path of the alignment card unless it is empty."""
    call = markup(command_name())
    target.print(f"read the answers of a run: {call} show {markup(shlex.quote(run))}", soft_wrap=True)
    if card:
        target.print(f"read the alignment card:   {markup(card)}", soft_wrap=True)
    target.print(f"score your own model:      {call} run --help", soft_wrap=True)
