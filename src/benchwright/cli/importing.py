"""What the two `benchwright import` commands share: their last options, and what they say at the end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click
from rich.console import Console

from benchwright.cli.arguments import not_empty
from benchwright.cli.completing import files, tracks
from benchwright.cli.printing import print_json
from benchwright.cli.terminal import console
from benchwright.display.escape import markup
from benchwright.errors import UsageError
from benchwright.interop.imported import SHOWN, Imported
from benchwright.store.atomic import STDOUT

_DATA_HELP = "Check the task ids against this data set; needs --track."


def data_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """--data, --track and --json."""
    command = click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout.")(
        command
    )
    command = click.option(
        "--track", callback=not_empty, shell_complete=tracks, help="The track that --data is of."
    )(command)
    return click.option("--data", callback=not_empty, shell_complete=files, help=_DATA_HELP)(command)


def check_streams(out: str, *, as_json: bool) -> None:
    """Refuse to mix the answers with the summary on standard output."""
    if as_json and out == STDOUT:
        raise UsageError("--json and --out - both want standard output", hint="--out answers.jsonl --json")


def report(files: list[Imported], *, as_json: bool) -> None:
    """What was taken, what was not and why, and the command that judges it."""
    if as_json:
        print_json({"files": files})
        return
    target = console()
    for imported in files:
        for line in _lines(imported):
            target.print(line, soft_wrap=True)
    _print_commands(target, files)


def _lines(imported: Imported) -> list[str]:
    each = str(imported.most) if imported.least == imported.most else f"{imported.least} to {imported.most}"
    lines = [
        f"{markup(imported.out)}: {imported.answers} answers to {imported.tasks} tasks ({each} each), "
        f"model {markup(imported.model or 'not named in the log')}"
    ]
    lines += [
        f"  error: {count} answers are missing: {markup(reason)}" for reason, count in imported.errors.items()
    ]
    if imported.empty:
        lines.append(f"  note: {imported.empty} answers are empty; they are kept")
    for dropped in imported.dropped:
        names = ", ".join(str(task_id) for task_id in dropped.tasks)
        lines.append(f"  left out: {dropped.answers} answers, since {dropped.reason}: {markup(names)}")
    if imported.least != imported.most:
        lines.append(
            f"  note: a run takes equally many answers of each task, so here {imported.least} of each"
        )
    if imported.unanswered:
        names = ", ".join(str(task_id) for task_id in imported.unanswered[:SHOWN])
        lines.append(
            f"  note: {len(imported.unanswered)} tasks of the data set have no answer: {markup(names)}"
        )
    for name, found in imported.recorded.items():
        counts = ", ".join(f"{count} × {value}" for value, count in found.items())
        lines.append(f"  the log's own score, kept as recorded_score: {markup(f'{name}: {counts}')}")
    return [*lines, *(f"  note: {markup(note)}" for note in imported.notes)]


def _print_commands(target: Console, files: list[Imported]) -> None:
    target.print("nothing is judged yet; judge it with:")
    for imported in files:
        target.print(f"  {markup(imported.command)}", soft_wrap=True)
