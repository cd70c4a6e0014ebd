"""`benchwright release private DATA`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from benchwright.cli.arguments import file_out, json_option, not_empty, not_empty_each, print_json
from benchwright.cli.completing import files
from benchwright.cli.terminal import console
from benchwright.display.escape import escaped_path, markup
from benchwright.display.wording import counted
from benchwright.errors import UsageError
from benchwright.interop.mera.gathering import unexportable
from benchwright.records import Task, TaskId
from benchwright.running.task_choice import named_tasks
from benchwright.store.writing import STDOUT, writing
from benchwright.tracks.hidden_outputs import without_golds
from benchwright.tracks.ruhumaneval import TRACK


@click.command()
@click.argument("data", callback=not_empty, shell_complete=files)
@file_out("The set to give away: MERA's document where the name ends in .json, else JSON Lines.")
@click.option(
    "--golds",
    required=True,
    callback=not_empty,
    shell_complete=files,
    metavar="FILE",
    help="The file to keep: the same rows with outputs and solutions, as JSON Lines.",
)
@click.option(
    "--tasks",
    multiple=True,
    callback=not_empty_each,
    metavar="WHICH",
    help="Hide only these, as `run --tasks` names them; repeatable.  [default: all]",
)
@click.option(
    "--rest",
    callback=not_empty,
    shell_complete=files,
    metavar="FILE",
    help="With --tasks: write the other rows here as they are, the open half.",
)
@json_option
def command(data: str, out: str, golds: str, tasks: tuple[str, ...], rest: str | None, as_json: bool) -> None:
    """Write ruHumanEval rows without outputs and solutions, and their golds into another file.

    Rows keep the function, its calls, the instruction, the id and the entry point; every other field is left
    out of the closed set, since it might hold a result. Both files are data sets: answers to the closed one
    are asked for with `run --ask-only` and written with `export mera`; with the golds they are scored.

    \b
    benchwright release private rows.jsonl --out private.json --golds golds.jsonl
    benchwright release private rows.jsonl --out half.json --golds golds.jsonl --tasks 2/2 --rest open.jsonl
    benchwright check-submission submission.zip --gold golds.jsonl
    """
    _check_files(data, {"--out": out, "--golds": golds, "--rest": rest})
    if rest and not tasks:
        raise UsageError(
            "--rest needs --tasks: all rows are hidden", hint="--tasks 2/2 hides every other row"
        )
    loaded = {task.task_id: task for task in TRACK.load(data)}
    closed = named_tasks(loaded, tasks, ())
    for fault in unexportable(closed.values()):
        raise fault
    hidden = [without_golds(task) for task in closed.values()]
    _write(golds, map(TRACK.to_row, closed.values()))
    if rest:
        _write(rest, map(TRACK.to_row, _others(loaded, closed)))
    _write(out, [row for row, _ in hidden])
    left = sorted({name for _, names in hidden for name in names})
    if as_json:
        print_json({"hidden": len(hidden), "open": len(loaded) - len(hidden), "fields_left_out": left})
    else:
        _print(len(hidden), left, out=out, golds=golds)


def _check_files(data: str, written: Mapping[str, str | None]) -> None:
    """Raises UsageError where one file would replace another, so that no gold is lost or given away."""
    seen = {Path(data).resolve(): "DATA"}
    for option, name in written.items():
        if name is None:
            continue
        if name == STDOUT:
            raise UsageError(f"{option} - is not possible: the files belong together", hint=f"{option} FILE")
        before = seen.setdefault(Path(name).resolve(), option)
        if before != option:
            raise UsageError(f"{option} is the file of {before}", hint=f"name another file for {option}")


def _others(loaded: Mapping[TaskId, Task], closed: Mapping[TaskId, Task]) -> list[Task]:
    return [task for task_id, task in loaded.items() if task_id not in closed]


def _write(name: str, rows: Iterable[Mapping[str, Any]]) -> None:
    """The rows as MERA's document, or one a line, as the file's name says."""
    lines = list(map(msgspec.json.encode, rows))
    with writing(name) as file:
        if name.endswith(".json"):
            access = b'{"access": "private", "data": [\n'
            file.write(access + b",\n".join(lines) + b"\n]}\n")
        else:
            file.writelines(line + b"\n" for line in lines)


def _print(hidden: int, left: Sequence[str], *, out: str, golds: str) -> None:
    place, kept = markup(escaped_path(out)), markup(escaped_path(golds))
    console().print(f"{counted(hidden, 'row')} without golds: {place}; golds: {kept}", soft_wrap=True)
    if left:
        console().print(markup(f"left out of the closed set: {', '.join(left)}"), soft_wrap=True)
