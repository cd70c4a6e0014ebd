"""`benchwright export training`: training data from releases and runs, and its check."""

from __future__ import annotations

import sys
from typing import Any

import click

from benchwright.cli.arguments import json_option, need_builders, not_empty, not_empty_each, print_json
from benchwright.cli.shell_completion import files
from benchwright.display.escape import escaped_path
from benchwright.display.wording import counted
from benchwright.errors import UsageError, command_name
from benchwright.interop.training.export_folder import TrainingExport
from benchwright.interop.training.folder_check import TrainingCheck, check_training
from benchwright.interop.training.formats import FORMATS
from benchwright.interop.training.row_types import FORMS
from benchwright.records import full_document

SHOWN = 20


@click.command(context_settings={"show_default": True})
@click.argument("sources", metavar="[RELEASE]…", nargs=-1, callback=not_empty_each, shell_complete=files)
@click.option(
    "--recipe",
    "recipes",
    multiple=True,
    callback=not_empty_each,
    metavar="NAME",
    help="Recipe or family of recipes, such as refine or refine-dpo.  [default: all that fit]",
)
@click.option("--format", "file_format", type=click.Choice(list(FORMATS)), default="trl", help="File format.")
@click.option("--form", type=click.Choice(FORMS), default="conversational", help="Messages, or plain texts.")
@click.option(
    "--out",
    callback=not_empty,
    shell_complete=files,
    metavar="FOLDER",
    help="New folder, or an earlier export.",
)
@click.option("--allow-test", is_flag=True, help="Include test splits and runs on benchmarks.")
@click.option(
    "--check",
    "checked",
    callback=not_empty,
    shell_complete=files,
    metavar="PATH",
    help="Only check an export.",
)
@json_option
def command(
    sources: tuple[str, ...], out: str | None, checked: str | None, as_json: bool, **given: Any
) -> None:
    """Write training data for TRL and other trainers from releases of `build alignment` and from run folders.

    Each recipe becomes a configuration with exactly the columns of one type; `meta` has the provenance of
    each row. Rows of test splits are left out. --check reports each row that a trainer would refuse or
    misread, with file, line, column and hint; exit code 0 without errors, else 1.

    \b
    benchwright export training RELEASE --recipe refine --out training
    benchwright export training runs/mine --recipe executed-kto --form standard --out pairs
    benchwright export training --check training
    """
    if checked is not None:
        _check(sources, out, checked, as_json=as_json)
        return
    if not sources or out is None:
        missing = "RELEASE" if not sources else "--out"
        hint = f"{command_name()} export training RELEASE --out training"
        raise UsageError(f"missing {missing}", hint=hint)
    with need_builders("the export of training data"):
        from benchwright.building.alignment.exports.training_export import (  # noqa: PLC0415 (an extra)
            export_training,
        )
    exported = export_training(sources, out, **given)
    if as_json:
        print_json(full_document(exported))
    else:
        _print(exported)


def _print(exported: TrainingExport) -> None:
    for name, each in exported.configurations.items():
        rows = ", ".join(f"{count:,} {split}" for split, count in each.rows.items()) or "no rows"
        dropped = ", ".join(f"{count:,} {reason.replace('_', ' ')}" for reason, count in each.dropped.items())
        click.echo(f"{name}: {rows} ({each.type}){f'; left out: {dropped}' if dropped else ''}")
    click.echo(f"{escaped_path(exported.out)}: {counted(len(exported.files), 'file')}")


def _check(sources: tuple[str, ...], out: str | None, checked: str, *, as_json: bool) -> None:
    if sources or out is not None:
        raise UsageError("--check takes neither RELEASE nor --out", hint=f"--check {escaped_path(checked)}")
    found = check_training(checked)
    if as_json:
        print_json({**full_document(found), "holds": found.holds})
    else:
        _print_check(found)
    sys.exit(0 if found.holds else 1)


def _print_check(found: TrainingCheck) -> None:
    for error, hint in list(zip(found.errors, found.hints, strict=True))[:SHOWN]:
        click.echo(error)
        if hint:
            click.echo(f"  hint: {hint}")
    if len(found.errors) > SHOWN:
        click.echo(f"… and {counted(len(found.errors) - SHOWN, 'more error')}; print all with --json")
    total = f"{counted(sum(found.files.values()), 'row')} in {counted(len(found.files), 'file')}"
    result = counted(len(found.errors), "error") if found.errors else "no errors"
    click.echo(f"{escaped_path(found.path)}: {total}; {result}")
