"""`benchwright run TRACK --model A --model B`: run several models on one data set."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import click
from msgspec.structs import replace
from rich.console import Console

from benchwright.cli.arguments import print_json
from benchwright.cli.scores import print_table
from benchwright.cli.suite_board import run_watched
from benchwright.cli.suite_summary import append_summary, as_markdown, print_failures, result_document
from benchwright.cli.terminal import console, is_silent
from benchwright.display.escape import escaped_path, markup
from benchwright.errors import command_name
from benchwright.running.options import RunOptions
from benchwright.running.suite import CellResult, SuiteCell, check_models_ready, plan_cells
from benchwright.store.runfolder import Mode


class Several(NamedTuple):
    """Models of a command `run`, with the settings of all runs."""

    models: Sequence[str]
    out: Path | None
    workers: int | None
    mode: Mode
    summary: Path | None = None


def run_several(options: RunOptions, several: Several, *, as_json: bool, quiet: bool) -> None:
    """Run each model with the same options. Exits with code 1 after all runs if one failed."""
    cells = [
        SuiteCell(
            model=each, track=options.track, options=replace(options, model=each), workers=several.workers
        )
        for each in dict.fromkeys(several.models)
    ]
    planned = plan_cells(cells, several.out)
    check_models_ready(planned)
    target = console()
    silent = is_silent(target, quiet=quiet, as_json=as_json)
    results = run_watched(planned, target, silent=silent, mode=several.mode)
    if several.summary:
        append_summary(several.summary, as_markdown(options.track, results))
    if as_json:
        print_json({"runs": [result_document(each) for each in results]})
    elif not quiet:
        _print(target, results)
    if any(each.error is not None for each in results):
        click.get_current_context().exit(1)


def _print(target: Console, results: Sequence[CellResult]) -> None:
    """Print a table of all scores, and the command that compares them."""
    scores = [each.score for each in results if each.score is not None]
    if scores:
        print_table(target, scores, kind="summary")
        runs = shlex.join(escaped_path(each.planned.folder) for each in results if each.score is not None)
        target.print(f"compare them with: {command_name()} report {markup(runs)}", soft_wrap=True)
    print_failures(target, results)
