"""`benchwright check DATA`: report every error in a data set."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from typing import Any

import click

from benchwright.cli.arguments import json_option, map_option, not_empty, print_json, set_option
from benchwright.cli.shell_completion import files, tracks
from benchwright.display.escape import escaped_name, escaped_path
from benchwright.display.wording import counted
from benchwright.errors import DataError
from benchwright.records import full_document
from benchwright.running.data_check import (
    CheckedData,
    LoadedData,
    RowFault,
    check_rows,
    executed_faults,
    load_all,
)

SHOWN = 20
_KINDS = {
    "row": "invalid row",
    "gold": "gold answer fails",
    "stub": "stub passes",
    "not_executed": "not executed",
}


@click.command(context_settings={"show_default": True})
@click.argument("data", metavar="DATA", callback=not_empty, shell_complete=files)
@click.option(
    "--track",
    callback=not_empty,
    shell_complete=tracks,
    metavar="TRACK",
    help="Track of the rows.  [default: detected by their fields]",
)
@map_option
@set_option
@click.option(
    "--repositories",
    callback=not_empty,
    shell_complete=files,
    metavar="FOLDER",
    help="Clones in which answers are judged, as FOLDER/OWNER/NAME.",
)
@click.option("--execute", is_flag=True, help="Also judge the gold answer and a stub for each task.")
@click.option(
    "--most", type=click.IntRange(min=1), default=SHOWN, metavar="N", help="Maximum errors to print."
)
@click.option("--workers", type=click.IntRange(min=1), help="Worker processes.  [default: one per core]")
@json_option
def command(
    data: str,
    track: str | None,
    *,
    execute: bool,
    most: int,
    workers: int | None,
    as_json: bool,
    field_values: tuple[str, ...],
    **reading: Any,
) -> None:
    """Report every error in a data set with line, field and hint.

    A run stops at the first error; this command reads all rows. Exit code 0 without errors, else 1.

    \b
    benchwright check tasks.toml
    benchwright check tasks.toml --execute
    benchwright check rows.jsonl --track humaneval --json
    benchwright check realcode.jsonl --execute --repositories clones
    """
    loaded = load_all(data, track, values=field_values, **reading)
    faults: list[RowFault] = []
    if execute:
        faults = _execution_faults(loaded, workers, as_json=as_json)
    found = check_rows(data, loaded, faults, notes=_notes(loaded), executed=execute)
    if as_json:
        print_json({**full_document(found), "holds": found.holds})
    else:
        _print(found, most)
    sys.exit(0 if found.holds else 1)


def _notes(loaded: LoadedData) -> list[DataError]:
    """Return errors that prevent an export to MERA, for tracks with a task set there."""
    from benchwright.interop.mera.run_results import unexportable  # noqa: PLC0415 (its tracks: 0.1 s)
    from benchwright.interop.mera.task_sets import KINDS  # noqa: PLC0415

    exported = any(loaded.track in kind.tracks for kind in KINDS.values())
    return list(unexportable(loaded.tasks)) if exported else []


def _execution_faults(loaded: LoadedData, workers: int | None, *, as_json: bool) -> list[RowFault]:
    from benchwright.cli.terminal import console, watcher_for  # noqa: PLC0415 (rich: 0.1 s)
    from benchwright.executing.executors import ExecutorSetup, open_executor  # noqa: PLC0415

    watch = watcher_for(console(), quiet=False, as_json=as_json)
    with open_executor(ExecutorSetup(workers=workers, track=loaded.track)) as pool:
        return list(executed_faults(loaded, pool, watch))


def _print(found: CheckedData, most: int) -> None:
    """Print errors and a summary. Both are results, so they go to stdout."""
    for fault in found.faults[:most]:
        for line in fault_lines(fault):
            click.echo(line)
    if len(found.faults) > most:
        more = counted(len(found.faults) - most, "more error")
        click.echo(f"… and {more}; print all with --most {len(found.faults)} or --json")
    _print_first(found.unscored, "not scored: ")
    _print_first(found.notes, "note: `export mera` rejects ")
    click.echo(summary_sentence(found))


def _print_first(faults: Sequence[RowFault], start: str) -> None:
    """Print one fault for all tasks that have the same."""
    for fault in faults[:1]:
        more = f" ({len(faults):,} such tasks)" if len(faults) > 1 else ""
        text, *hint = fault_lines(fault)
        click.echo(f"{start}{text}{more}")
        for line in hint:
            click.echo(line)


def fault_lines(fault: RowFault) -> list[str]:
    """Format an error: place and message, then the hint."""
    parts = [fault.place]
    parts += [f"task {escaped_name(fault.task)}"] if fault.task else []
    parts += [f"field `{fault.field}`"] if fault.field else []
    text = f"{', '.join(filter(None, parts))}: {fault.message}"
    return [text, f"  hint: {fault.hint}"] if fault.hint else [text]


def summary_sentence(found: CheckedData) -> str:
    """Summarise the check in a sentence."""
    kinds = Counter(fault.kind for fault in found.faults)
    wrong = ", ".join(f"{count:,} × {_KINDS[kind]}" for kind, count in kinds.items()) or "no errors"
    addition = " (this track stops at the first error; there may be more)" if found.stops else ""
    executed = f" ({found.gold - len(found.unscored):,} executed)" if found.unscored else " (executed)"
    solved = f", {found.gold:,} with a solution{executed if found.executed else ''}"
    if found.gold and not found.executed and not found.faults:
        addition = "; use --execute to judge the solutions"
    addition += f"; {found.hidden:,} without gold answers, which cannot be scored" if found.hidden else ""
    subject = f"{counted(found.tasks, 'task')} of {found.track}{solved if found.gold else ''}"
    return f"{escaped_path(found.data)}: {subject}; {wrong}{addition}"
