"""`benchwright suite FILE.toml`: run models on tracks, with one report and one exit code."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from benchwright.cli.arguments import as_path, json_option, print_json, summary_option
from benchwright.cli.place_options import place_options
from benchwright.cli.shell_completion import files
from benchwright.cli.suite_file import SelectedRuns, read_suite, schema, select_runs
from benchwright.cli.suite_preset import pack, preset_document, preset_lines, why_unscored, without_judges
from benchwright.cli.suite_report import write_pages
from benchwright.cli.suite_results import (
    append_summary,
    as_markdown,
    print_results,
    result_document,
    run_watched,
)
from benchwright.cli.terminal import console, is_silent
from benchwright.display.escape import escaped_path, markup
from benchwright.display.wording import counted
from benchwright.running.suite import (
    CellResult,
    PlannedRun,
    SuiteCell,
    ThresholdResult,
    check_models_ready,
    checks,
    exit_code,
    forecast_run,
    is_good,
)


def _print_schema(context: click.Context, option: click.Parameter, is_requested: bool) -> None:
    if is_requested:
        print_json(schema())
        context.exit()


@click.command()
@click.argument("file", metavar="FILE.toml", callback=as_path, shell_complete=files)
@click.option(
    "--only",
    multiple=True,
    metavar="TRACK/MODEL",
    help="Only runs whose names match a pattern such as 'ru/*'; repeatable.",
)
@click.option(
    "--out",
    callback=as_path,
    metavar="FOLDER",
    shell_complete=files,
    help="Folder for runs and report.  [default: from the file, else runs/NAME]",
)
@summary_option
@click.option("--dry-run", is_flag=True, help="Print the number of requests and their cost, and run nothing.")
@click.option("--no-report", is_flag=True, help="Write no report.")
@click.option(
    "--schema",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_schema,
    help="Print the JSON Schema of suite files, for editors.",
)
@place_options
@json_option
@click.option("--quiet", "-q", is_flag=True, help="Print no progress and no table.")
def command(file: Path, only: tuple[str, ...], out: Path | None, **given: Any) -> None:
    """Run every model of a suite on every track, and write one report.

    Exit code 1 if a run failed or a figure misses its threshold, 4 if batches have not ended. Repeat the
    command to resume an interrupted suite; nothing is asked twice.

    \b
    benchwright suite nightly.toml
    benchwright suite nightly.toml --dry-run
    benchwright suite nightly.toml --only 'ru/*' --summary summary.md
    benchwright suite --schema > suite.schema.json
    """
    suite = select_runs(read_suite(file), only=only, out=out)
    if given["dry_run"]:
        _print_forecast(suite.planned, as_json=given["as_json"])
        return
    check_models_ready(suite.planned)
    _run(suite, {**given, "only": only})


def _run(suite: SelectedRuns, given: dict[str, Any]) -> None:
    target = console()
    quiet = is_silent(target, quiet=given["quiet"], as_json=given["as_json"])
    unscored = why_unscored if suite.preset else (lambda _: "")
    results = run_watched(suite.planned, target, silent=quiet, unscored=unscored)
    checked = list(checks(suite.thresholds, results))
    if not quiet:
        print_results(target, results, checked)
    page = None if given["no_report"] else _report(results, suite.others, suite.out, quiet=quiet)
    missing = {**suite.missing, **(without_judges(suite.planned) if suite.preset else {})}
    packed = pack(results, suite.out) if suite.preset and not given["only"] else []
    if not quiet:
        for line in preset_lines(missing, packed):
            target.print(markup(line), soft_wrap=True)
    if given["summary"]:
        append_summary(given["summary"], as_markdown(suite.name, results, checked))
    if given["as_json"]:
        document = _document(suite.name, results, checked, page)
        print_json({**document, **(preset_document(missing, packed) if suite.preset else {})})
    elif page and not quiet:
        click.echo(escaped_path(page))
    if code := exit_code(results, checked):
        click.get_current_context().exit(code)


def _report(
    results: Sequence[CellResult], others: Sequence[SuiteCell], out: Path, *, quiet: bool
) -> Path | None:
    """Write the report and print what of it was refused. An error here fails no suite."""
    pages = write_pages(results, others, out)
    if not quiet:
        for message, error in pages.refused:
            hint = f"; {error.hint}" if error.hint else ""
            console().print(markup(f"{message}: {error.message}{hint}"), soft_wrap=True)
        for track, page in pages.by_track.items():
            console().print(f"report on {markup(track)}: {markup(escaped_path(page))}", soft_wrap=True)
    return pages.page


def _print_forecast(planned: Sequence[PlannedRun], *, as_json: bool) -> None:
    """Print the expected requests and costs of each run on stdout."""
    forecasts = [(each, forecast_run(each)) for each in planned]
    if as_json:
        cells = [
            {"track": each.cell.track, "model": each.cell.model, "run": str(each.folder), **found._asdict()}
            for each, found in forecasts
        ]
        print_json({"cells": cells})
        return
    for each, found in forecasts:
        most = "" if found.most is None else f", at most {found.most:.2f}"
        asks = f"{counted(found.requests, 'request')}{most}" if found.requests else "no requests"
        click.echo(f"{each.cell.name}: {counted(found.answers, 'answer')}, {asks}")
    known = [found.most for _, found in forecasts if found.most is not None]
    requests = sum(found.requests for _, found in forecasts)
    cost = f", at most {sum(known):.2f}" if known else ""
    click.echo(f"total: {counted(requests, 'request')}{cost}")


def _document(
    name: str, results: Sequence[CellResult], checked: Sequence[ThresholdResult], page: Path | None
) -> dict[str, Any]:
    return {
        "suite": name,
        "good": is_good(results, checked),
        "cells": [{"track": each.planned.cell.track, **result_document(each)} for each in results],
        "checks": [
            {
                "track": each.cell.track,
                "model": each.cell.model,
                "measure": each.threshold.measure,
                "side": each.threshold.side,
                "by": each.threshold.by,
                "bound": each.threshold.bound,
                "figure": each.figure,
                "holds": each.holds,
            }
            for each in checked
        ],
        "report": str(page) if page else None,
    }
