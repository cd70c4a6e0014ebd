"""`benchwright suite FILE.toml`: run models on tracks, with one report and one exit code."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import click

from benchwright.cli.arguments import as_path, json_option, print_json, summary_option
from benchwright.cli.shell_completion import files
from benchwright.cli.suite_file import SuiteFile, read_suite, schema
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
from benchwright.errors import BenchwrightError, UsageError
from benchwright.running.run_folders import PAGE, NamedRuns, UnscoredRun
from benchwright.running.suite import (
    CellResult,
    PlannedRun,
    SuiteCell,
    ThresholdResult,
    check_models_ready,
    check_thresholds,
    checks,
    exit_code,
    forecast_run,
    other_runs,
    plan_cells,
)


def _print_schema(context: click.Context, option: click.Parameter, wanted: bool) -> None:
    if wanted:
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
    suite = read_suite(file)
    planned = plan_cells([each for each in suite.cells if _is_wanted(each.name, only)], out or suite.out)
    if not planned:
        names = ", ".join(each.name for each in suite.cells)
        raise UsageError(f"--only {' '.join(only)} matches no run of the suite", hint=f"one of: {names}")
    check_thresholds(_thresholds_of(suite, planned, only), planned)
    if given["dry_run"]:
        _print_forecast(planned, as_json=given["as_json"])
        return
    check_models_ready(planned)
    _run(suite, planned, out or suite.out, only, given)


def _is_wanted(name: str, only: Sequence[str]) -> bool:
    return not only or any(fnmatchcase(name, each) for each in only)


def _thresholds_of(suite: SuiteFile, planned: Sequence[PlannedRun], only: Sequence[str]) -> list[Any]:
    """Return the thresholds of the suite; with --only, those of the selected runs."""
    cells = [each.cell for each in planned]
    return [each for each in suite.thresholds if not only or any(map(each.meets, cells))]


def _run(
    suite: SuiteFile, planned: Sequence[PlannedRun], out: Path, only: Sequence[str], given: dict[str, Any]
) -> None:
    target = console()
    quiet = is_silent(target, quiet=given["quiet"], as_json=given["as_json"])
    results = run_watched(planned, target, silent=quiet)
    checked = list(checks(_thresholds_of(suite, planned, only), results))
    if not quiet:
        print_results(target, results, checked)
    others = [each for each in suite.cells if not _is_wanted(each.name, only)]
    page = None if given["no_report"] else _report(results, others, out, quiet=quiet)
    if given["summary"]:
        append_summary(given["summary"], as_markdown(suite.name, results, checked))
    if given["as_json"]:
        print_json(_document(suite.name, results, checked, page))
    elif page and not quiet:
        click.echo(escaped_path(page))
    if code := exit_code(results, checked):
        click.get_current_context().exit(code)


def _is_good(results: Sequence[CellResult], checked: Sequence[ThresholdResult]) -> bool:
    return all(each.error is None for each in results) and all(each.holds for each in checked)


def _report(
    results: Sequence[CellResult], others: Sequence[SuiteCell], out: Path, *, quiet: bool
) -> Path | None:
    """Write the report on all runs of the suite; `others` were not run now. An error here fails no suite.

    Tracks of one kind on different data cannot share a page; then each track gets its own.
    """
    try:
        return _page(results, others, out / PAGE)
    except BenchwrightError as error:
        _print_refusal("no common report", error, quiet=quiet)
    tracks = dict.fromkeys(each.planned.cell.track for each in results)
    for track in tracks if len(tracks) > 1 else ():
        mine = [each for each in results if each.planned.cell.track == track]
        rest = [each for each in others if each.track == track]
        try:
            page = _page(mine, rest, out / f"report-{track}.html")
        except BenchwrightError as error:
            _print_refusal(f"no report on {track}", error, quiet=quiet)
            continue
        if page and not quiet:
            console().print(f"report on {markup(track)}: {markup(escaped_path(page))}", soft_wrap=True)
    return None


def _print_refusal(what: str, error: BenchwrightError, *, quiet: bool) -> None:
    if not quiet:
        hint = f"; {error.hint}" if error.hint else ""
        console().print(markup(f"{what}: {error.message}{hint}"), soft_wrap=True)


def _page(results: Sequence[CellResult], others: Sequence[SuiteCell], path: Path) -> Path | None:
    """Write the report on these runs; None if no run has a score."""
    from benchwright.report.pipeline import write_report  # noqa: PLC0415 (jinja2: 0.1 s)

    scored, unscored = other_runs(others, path.parent)
    runs = [each.planned.folder for each in results if each.score is not None] + scored
    if not runs:
        return None
    failed = [
        UnscoredRun(each.planned.plan.track.name, each.planned.cell.model, each.error.message)
        for each in results
        if each.error is not None
    ]
    return write_report(NamedRuns(list(map(str, runs)), [*failed, *unscored]), path).page


def _print_forecast(planned: Sequence[PlannedRun], *, as_json: bool) -> None:
    """Print the expected requests and costs of each run on stdout."""
    ahead = [(each, forecast_run(each)) for each in planned]
    if as_json:
        cells = [
            {"track": each.cell.track, "model": each.cell.model, "run": str(each.folder), **found._asdict()}
            for each, found in ahead
        ]
        print_json({"cells": cells})
        return
    for each, found in ahead:
        most = "" if found.most is None else f", at most {found.most:.2f}"
        asks = f"{counted(found.requests, 'request')}{most}" if found.requests else "no requests"
        click.echo(f"{each.cell.name}: {counted(found.answers, 'answer')}, {asks}")
    known = [found.most for _, found in ahead if found.most is not None]
    requests = sum(found.requests for _, found in ahead)
    cost = f", at most {sum(known):.2f}" if known else ""
    click.echo(f"total: {counted(requests, 'request')}{cost}")


def _document(
    name: str, results: Sequence[CellResult], checked: Sequence[ThresholdResult], page: Path | None
) -> dict[str, Any]:
    return {
        "suite": name,
        "good": _is_good(results, checked),
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
