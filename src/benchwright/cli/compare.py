"""`benchwright compare RUN RUN`."""

from __future__ import annotations

import click
from rich.console import Console
from rich.table import Table

from benchwright.cli.arguments import data_of_runs, print_json
from benchwright.cli.scores import cell
from benchwright.cli.shell_completion import run_folders
from benchwright.cli.terminal import console, print_whole
from benchwright.contracts import Measure
from benchwright.display.escape import markup
from benchwright.display.text_table import text_table
from benchwright.display.wording import counted, points
from benchwright.rank.comparability import ALLOWANCES
from benchwright.rank.comparison import Comparison, compare, match_metric
from benchwright.rank.contestant import Contestant, load, unpaired_metrics
from benchwright.rank.documents import comparison_document
from benchwright.running.run_data import data_by_hash

SHOWN = 20


@click.command()
@click.argument("a", metavar="RUN_A", shell_complete=run_folders)
@click.argument("b", metavar="RUN_B", shell_complete=run_folders)
@click.option(
    "--metric",
    help="Metric to compare.  [default: the first that both runs have]  A=B: one metric with two names.",
)
@click.option(
    "--allow",
    type=click.Choice(ALLOWANCES),
    multiple=True,
    help="Compare even if the models were asked in different ways (prompts), or if far more "
    "answers of one could be decided (coverage).",
)
@click.option("--all", "everything", is_flag=True, help=f"List all tasks that differ, not only {SHOWN}.")
@data_of_runs
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout.")
def command(
    a: str,
    b: str,
    metric: str | None,
    allow: tuple[str, ...],
    data: tuple[str, ...],
    everything: bool,
    as_json: bool,
) -> None:
    """Report the better of two runs, if the difference is established.

    Runs are compared task by task, so both need the same data set and scoring profile. A log of
    Inspect (.eval, .json) or of lm-eval (samples_TASK_TIME.jsonl) can be used directly, with its own scores.

    \b
    benchwright compare runs/mine runs/theirs
    benchwright compare logs/mine.eval logs/theirs.eval
    benchwright compare runs/mine runs/theirs --metric pass@10 --all
    benchwright compare runs/mine runs/theirs --json
    """
    run_a, run_b = match_metric(load([a, b], given=data_by_hash(data)), metric)
    found = compare(run_a, run_b, metric=metric, allow=allow)
    if as_json:
        print_json(comparison_document(found, run_a, run_b))
    else:
        _print(console(), found, run_a, run_b, limit=None if everything else SHOWN)


def _print(target: Console, found: Comparison, a: Contestant, b: Contestant, *, limit: int | None) -> None:
    measure = a.measure(found.metric)
    target.print(f"[bold]{markup(found.sentence)}[/]", soft_wrap=True)
    for run in (a, b):
        own = cell(measure, run.score.metrics[found.metric])
        target.print(f"  {markup(run.name)}: {measure.title} {own}", soft_wrap=True)
    for other in map(a.measure, unpaired_metrics([a, b])):
        each = "; ".join(f"{markup(run.name)} {cell(other, run.score.metrics[other.name])}" for run in (a, b))
        target.print(f"  {other.title}, not tested: {each}", soft_wrap=True)
    if found.difference.mcnemar is not None:
        exact = f"{found.difference.mcnemar:.3g}"
        target.print(f"  McNemar's exact test: p = {exact} (the interval and its p decide)")
    if found.changes and found.single and measure.scale == "share" and measure.higher_is_better:
        _print_lists(target, found, limit)
    elif found.changes:
        print_whole(target, _table(found, measure, limit))
        _print_omitted(target, len(found.changes) - (limit or len(found.changes)))
    for note in found.notes:
        target.print(f"note: {markup(note)}", soft_wrap=True)


def _print_lists(target: Console, found: Comparison, limit: int | None) -> None:
    """Print the tasks that only one of the two solved, if each task has one answer."""
    omitted_count = 0
    for name, winning_value in ((found.a, 1.0), (found.b, 0.0)):
        tasks = [markup(str(row.task_id)) for row in found.changes if row.a == winning_value]
        omitted_count += len(tasks) - len(tasks[:limit])
        ids = f": {', '.join(tasks[:limit])}" if tasks else ""
        target.print(f"  solved by {markup(name)} only, {counted(len(tasks), 'task')}{ids}", soft_wrap=True)
    _print_omitted(target, omitted_count)


def _print_omitted(target: Console, omitted_count: int) -> None:
    if omitted_count > 0:
        target.print(f"{counted(omitted_count, 'task')} more: use --all", soft_wrap=True)


def _table(found: Comparison, measure: Measure, limit: int | None) -> Table:
    """The tasks on which the two differ, largest difference first."""
    more, fewer = found.difference.a_more, found.difference.b_more
    if not measure.higher_is_better:
        more, fewer = fewer, more
    title = f"{markup(found.a)} is ahead on {counted(more, 'task')}, {markup(found.b)} on {fewer:,}"
    table = text_table(title)
    table.add_column("task", overflow="fold")
    for name in (found.a, found.b, "difference"):
        table.add_column(markup(name), justify="right", overflow="fold")
    for row in found.changes[:limit]:
        cells = [measure.rounded(row.a), measure.rounded(row.b), points(row.difference)[0]]
        table.add_row(markup(str(row.task_id)), *cells)
    return table
