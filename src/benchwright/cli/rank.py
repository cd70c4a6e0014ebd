"""`benchwright rank RUN…`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from benchwright.cli.arguments import data_of_runs, print_json
from benchwright.cli.scores import cell
from benchwright.cli.shell_completion import files, run_folders
from benchwright.cli.terminal import console, print_whole
from benchwright.display.escape import escaped_name, markup
from benchwright.display.text_table import text_table
from benchwright.display.wording import confidence_text, counted, p_value, points
from benchwright.errors import UsageError
from benchwright.rank.comparability import ALLOWANCES
from benchwright.rank.comparison import match_metric
from benchwright.rank.contestant import Contestant, load, unpaired_metrics
from benchwright.rank.documents import next_comparisons, standing_csv, standing_document
from benchwright.rank.standing import MEANING, METHODS, ModelPair, Standing, rank
from benchwright.running.run_data import data_by_hash
from benchwright.running.run_folders import named_runs
from benchwright.store.writing import replacing


@click.command()
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, shell_complete=run_folders)
@click.option(
    "--metric",
    help="Metric to rank by.  [default: the first that all runs have]  A=B: one metric with two names.",
)
@click.option(
    "--places",
    type=click.Choice(METHODS),
    default="each",
    show_default=True,
    help="Meaning of the rank ranges: for each model alone, for all together, or by resampling.",
)
@click.option(
    "--allow",
    type=click.Choice(ALLOWANCES),
    multiple=True,
    help="Rank even if the models were asked in different ways (prompts), or if far more "
    "answers of one could be decided (coverage).",
)
@click.option(
    "--csv",
    "table",
    metavar="FILE",
    shell_complete=files,
    help="Write the table as CSV to a file, or to stdout with -.",
)
@data_of_runs
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout.")
def command(
    runs: tuple[str, ...],
    metric: str | None,
    places: Any,
    allow: tuple[str, ...],
    table: str | None,
    data: tuple[str, ...],
    as_json: bool,
) -> None:
    """Rank runs, with the range of ranks that each could have.

    A rank such as 1–3 means that the tasks do not separate the model from its neighbours.
    Logs of Inspect and sample files of lm-eval can be used directly. A folder of run folders, such as a
    suite's, means all runs in it, ranked by track.

    \b
    benchwright rank runs/a runs/b runs/c
    benchwright rank logs/*.eval
    benchwright rank runs/* --metric pass@10 --places all
    benchwright rank runs/* --csv ranking.csv
    """
    if as_json and table == "-":
        raise UsageError("--json and --csv - both write to stdout", hint="--json --csv ranks.csv")
    selected_runs = named_runs(runs)
    loaded = load(selected_runs.runs, given=data_by_hash(data))
    tracks = list(dict.fromkeys(each.track for each in loaded)) if list(runs) != selected_runs.runs else [""]
    if table is not None and len(tracks) > 1:
        message = f"--csv needs runs of one track; these are of {', '.join(tracks)}"
        raise UsageError(message, hint="give the runs of one track")
    documents = []
    for track in tracks:
        contestants = match_metric([each for each in loaded if track in ("", each.track)], metric)
        if len(contestants) < 2 < len(loaded):
            continue
        standing = rank(contestants, metric=metric, method=places, allow=allow)
        documents.append(standing_document(standing))
        if table is not None:
            _write(table, standing_csv(standing))
        if not as_json and table != "-":
            _print(console(), standing, contestants)
    if as_json:
        print_json(documents[0] if len(documents) == 1 else {"tracks": documents})
    for each in selected_runs.unscored:
        click.echo(f"not ranked: {escaped_name(each.model)} on {each.track}: {each.why}", err=True)


def _write(place: str, text: str) -> None:
    if place == "-":
        click.echo(text, nl=False)
        return
    with replacing(Path(place)) as file:
        file.write(text.encode())


def _print(target: Console, standing: Standing, runs: Sequence[Contestant]) -> None:
    share = confidence_text(standing.confidence)
    grouped = f" in {standing.clusters} groups by {standing.grouping}" if standing.grouping else ""
    target.print(
        f"[italic]{counted(standing.tasks, 'task')}{markup(grouped)} · {share} intervals over tasks[/]"
    )
    print_whole(target, _table(standing, runs))
    target.print(f"[bold]{markup(standing.sentence)}[/]", soft_wrap=True)
    target.print(f"Rank ranges {MEANING[standing.method].format(share=share)}.", soft_wrap=True)
    target.print("p is corrected for all comparisons of the table.", soft_wrap=True)
    for note in standing.notes:
        target.print(f"note: {markup(note)}", soft_wrap=True)


def _table(standing: Standing, runs: Sequence[Contestant]) -> Table:
    """The table of the standing; untested metrics are to the right of the test."""
    measure = runs[0].measure(standing.metric)
    other_measures = [each for each in map(runs[0].measure, unpaired_metrics(runs)) if each.is_in("ranking")]
    scores = {run.name: run.score.metrics for run in runs}
    table = text_table()
    table.add_column("place", justify="center", no_wrap=True)
    table.add_column("model", overflow="fold")
    table.add_column(measure.title, justify="right", no_wrap=True)
    table.add_column("points over the next", justify="right")
    for other in other_measures:
        table.add_column(f"{other.title}, not tested", justify="right")
    for place, pair in zip(standing.places, next_comparisons(standing), strict=True):
        others = [cell(other, scores[place.name][other.name]) for other in other_measures]
        own = cell(measure, place.metric)
        table.add_row(place.range, markup(place.name), own, _lead(pair), *others)
    return table


def _lead(pair: ModelPair | None) -> str:
    if pair is None:
        return ""
    verdict = "" if pair.separated else "not separated, "
    return f"{points(pair.difference.value)[0]} ({verdict}{p_value(pair.p)})"
