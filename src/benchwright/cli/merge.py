"""`benchwright merge OUT RUN…`: merge runs of disjoint tasks."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from benchwright.cli.arguments import as_path, data_of_run, json_option, print_json, score_document
from benchwright.cli.scores import print_score
from benchwright.cli.shell_completion import run_folders
from benchwright.cli.terminal import TerminalWatcher, console
from benchwright.running.merging import merge


@click.command()
@click.argument("out", callback=as_path)
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, shell_complete=run_folders)
@data_of_run
@json_option
@click.option("--quiet", "-q", is_flag=True, help="Print no progress and no table.")
def command(out: Path, runs: tuple[str, ...], data: str | None, *, as_json: bool, quiet: bool) -> None:
    """Merge finished runs of disjoint parts of a data set into one run folder, OUT.

    Run the parts with `run --tasks`, on one or several machines, with otherwise equal options. The result
    equals that of one run over all of these tasks: the same rows in the same order. Nothing is asked or
    executed. Repeat the command to complete an interrupted merge.

    \b
    benchwright run humaneval --data HumanEval.jsonl.gz --model replay:s.jsonl --tasks 1/2 --out runs/1
    benchwright run humaneval --data HumanEval.jsonl.gz --model replay:s.jsonl --tasks 2/2 --out runs/2
    benchwright merge runs/whole runs/1 runs/2
    """
    silent = quiet or (as_json and not sys.stderr.isatty())
    score = merge(out, runs, data=data, watcher=None if silent else TerminalWatcher(console()))
    if as_json:
        print_json(score_document(score))
    elif not quiet:
        print_score(console(), score)
