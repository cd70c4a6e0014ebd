"""`benchwright export inspect RUN --out FILE.eval`: write a run as an Inspect log."""

from __future__ import annotations

from pathlib import Path

import click

from benchwright.cli.arguments import data_of_run, file_out, json_option, not_empty, print_json
from benchwright.cli.completing import run_folders
from benchwright.cli.terminal import console
from benchwright.display.escape import markup, quoted
from benchwright.interop.inspect_ai_log.export import ExportedLog, export_inspect


@click.command()
@click.argument("run", callback=not_empty, shell_complete=run_folders)
@file_out("Log to write: FILE.eval, or FILE.json for a small run.")
@data_of_run
@json_option
def command(run: str, out: str, data: str | None, as_json: bool) -> None:
    """Write a finished run as an Inspect AI log, for its viewer and data frames.

    Each answer becomes a sample and each repetition an epoch. An answer that is missing because of an
    infrastructure error becomes a sample error. Requires the package inspect-ai:
    pip install 'benchwright[inspect]'.

    \b
    benchwright export inspect runs/mine --out logs/mine.eval
    inspect view --log-dir logs
    """
    exported = export_inspect(run, out, data=data)
    if as_json:
        print_json(exported)
    else:
        _print(exported)


def _print(exported: ExportedLog) -> None:
    target = console()
    facts = f"{exported.tasks} tasks, {exported.epochs} epochs"
    errors = f", {exported.errors} of them errors because answers are missing" if exported.errors else ""
    target.print(
        f"{markup(exported.out)}: {exported.samples} samples ({facts}){errors}; "
        f"model {markup(exported.model)}",
        soft_wrap=True,
    )
    for note in exported.notes:
        target.print(f"note: {markup(note)}", soft_wrap=True)
    folder = Path(exported.out).parent
    target.print(f"view it with: inspect view --log-dir {markup(quoted(folder))}", soft_wrap=True)
