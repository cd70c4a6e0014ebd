"""`benchwright list`, `benchwright data get` and `benchwright cache`."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import click

from benchwright.cli.arguments import json_option, not_empty, print_json
from benchwright.cli.shell_completion import data_names, files
from benchwright.display.escape import escaped_name, escaped_path, markup, spreadsheet_cell
from benchwright.display.wording import counted
from benchwright.errors import UsageError
from benchwright.records import full_document
from benchwright.running.listing import (
    ListedData,
    ListedModel,
    ListedRun,
    ListedTrack,
    list_data,
    list_models,
    list_runs,
    list_tracks,
    listed_name,
)
from benchwright.running.run_data import measures_of
from benchwright.store.answer_cache import AnswerCache
from benchwright.store.named_data import find_data, get_data

Rows = Sequence[Mapping[str, Any]]
_csv_option = click.option("--csv", "as_csv", is_flag=True, help="Print CSV on stdout.")


@click.command()
@json_option
@_csv_option
def tracks(as_json: bool, as_csv: bool) -> None:
    """List tracks: how answers are judged, and the metric for comparisons.

    \b
    benchwright list tracks
    benchwright schema own
    """
    _print_listing(list_tracks(), _track_cells, as_json=as_json, as_csv=as_csv)


@click.command()
@json_option
@_csv_option
def models(as_json: bool, as_csv: bool) -> None:
    """List the schemes of --model.

    \b
    benchwright list models
    """
    _print_listing(list_models(), _model_cells, as_json=as_json, as_csv=as_csv)


@click.command()
@click.argument("folder", metavar="[FOLDER]", default="runs", callback=not_empty, shell_complete=files)
@json_option
@_csv_option
def runs(folder: str, as_json: bool, as_csv: bool) -> None:
    """List run folders in FOLDER and below, newest first. The default is runs.

    \b
    benchwright list runs
    benchwright list runs out --csv > runs.csv
    """
    _print_listing(list_runs(folder), _run_cells, as_json=as_json, as_csv=as_csv)


@click.command()
@click.argument("folder", metavar="[FOLDER]", required=False, callback=not_empty, shell_complete=files)
@json_option
@_csv_option
def data(folder: str | None, as_json: bool, as_csv: bool) -> None:
    """List values for --data: named data sets, then local files that a track reads.

    With FOLDER, only files in it and below. A named data set is downloaded at first use, or by `data get`,
    and its SHA-256 is checked at each use. `list data` and `data list` are the same command.

    \b
    benchwright list data
    benchwright list data tasks --json
    """
    _print_listing(list_data(folder), _data_cells, as_json=as_json, as_csv=as_csv)


def _print_listing(
    found: Sequence[Any], cells: Callable[[Any], dict[str, str]], *, as_json: bool, as_csv: bool
) -> None:
    """Print everything as JSON, flat fields as CSV, or a table of the main fields."""
    if as_json and as_csv:
        raise UsageError("--json and --csv are mutually exclusive", hint="use only one of them")
    if as_json:
        print_json(full_document(found))
    elif as_csv:
        click.echo(_as_csv([flat_json(full_document(each)) for each in found]), nl=False)
    elif found:
        _print([cells(each) for each in found])
    else:
        click.echo("none", err=True)


def flat_json(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the cells of a CSV row: a figure takes several columns, a list is joined."""
    row: dict[str, Any] = {}
    for name, value in document.items():
        if name == "score":
            figures = value or dict.fromkeys(("value", "low", "high", "n", "samples"), "")
            row |= {(name if part == "value" else part): each for part, each in figures.items()}
        else:
            row[name] = " ".join(value) if isinstance(value, list) else value
    return row


def _as_csv(rows: Rows) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    if rows:
        writer.writerow(rows[0])
    for row in rows:
        writer.writerow(spreadsheet_cell(cell) if isinstance(cell, str) else cell for cell in row.values())
    return text.getvalue()


def _print(rows: Sequence[dict[str, str]]) -> None:
    from rich.console import Console  # noqa: PLC0415 (0.1 s)

    from benchwright.cli.terminal import print_whole  # noqa: PLC0415
    from benchwright.display.text_table import text_table  # noqa: PLC0415

    table = text_table()
    for number, name in enumerate(rows[0]):  # the first column is for pasting
        table.add_column(name, overflow="fold", no_wrap=number == 0)
    for row in rows:
        table.add_row(*map(_cell, row.values()))
    print_whole(Console(highlight=False, emoji=False), table, two_lines=True)


def _cell(text: str) -> str:
    return markup(escaped_name(text, 400))


def _track_cells(each: ListedTrack) -> dict[str, str]:
    return {"track": each.name, "title": each.title, "answers are": each.judged, "measure": each.measure}


def _model_cells(each: ListedModel) -> dict[str, str]:
    return {"scheme": f"{each.scheme}:", "what": each.about}


def _run_cells(each: ListedRun) -> dict[str, str]:
    score_text = each.state
    if each.score is not None:
        number, interval = measures_of(each.track).find(each.measure).figures(each.score)
        score_text = f"{each.measure} {number} {interval}"
    return {
        "run": each.run,
        "track": each.track,
        "model": each.model,
        "score": score_text,
        "date": each.date[:10],
    }


def _data_cells(each: ListedData) -> dict[str, str]:
    rows = "" if each.rows is None else f"{each.rows:,}"
    cells = {"data": each.data, "track": each.track, "rows": rows}
    return {**cells, "licence": each.licence, "from": _origin(each)}


def _origin(each: ListedData) -> str:
    """Return "file" for a local file, else the repository as OWNER/NAME, and whether a copy is stored."""
    if not each.named:
        return "file"
    repository = "/".join(each.homepage.removeprefix("https://").split("/")[1:3])
    return f"{repository}, downloaded" if each.here else repository


@click.command("get")
@click.argument("names", metavar="NAME...", nargs=-1, required=True, shell_complete=data_names)
@click.option(
    "--from",
    "mirror",
    metavar="FILE|URL",
    callback=not_empty,
    shell_complete=files,
    help="Read the data set from this file or address, compressed or not; the SHA-256 must match.",
)
@json_option
def get(names: tuple[str, ...], mirror: str | None, as_json: bool) -> None:
    """Download data sets, verify them and print their paths. Existing files are only verified.

    Data sets are stored in `data` below BENCHWRIGHT_CACHE, or below XDG_CACHE_HOME/benchwright. No network
    access is needed once a data set is there.

    \b
    benchwright data get humaneval mbpp
    benchwright data get humaneval --from HumanEval.jsonl.gz
    benchwright run humaneval --data humaneval --model gold:
    """
    if mirror is not None and len(names) > 1:
        raise UsageError("--from takes one data set", hint="get one data set at a time")
    found = [find_data(name) for name in names]
    for data in found:
        get_data(data, mirror=mirror)
        if not as_json:
            click.echo(escaped_path(data.place))
    if as_json:
        print_json([full_document(listed_name(data)) for data in found])


MB = 1_000_000


@click.command()
@click.option("--clear", is_flag=True, help="Delete all cached answers; run folders are not changed.")
@json_option
def cache(clear: bool, as_json: bool) -> None:
    """Show or clear the cache of answers, which saves later runs from repeating requests.

    \b
    benchwright cache
    benchwright cache --clear
    """
    with AnswerCache() as cache:
        if clear:
            cache.clear()
        path, answers, size, most = cache.size()
    if as_json:
        print_json({"path": str(path), "answers": answers, "bytes": size, "most_bytes": most})
        return
    click.echo(
        f"{counted(answers, 'answer')}, {size / MB:,.1f} of at most {most / MB:,.0f} MB: {escaped_path(path)}"
    )
