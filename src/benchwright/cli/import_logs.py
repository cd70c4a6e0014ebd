"""`benchwright import inspect` and `benchwright import lm-eval`: read answers from logs of other tools."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click
from rich.console import Console

from benchwright.cli.arguments import file_out, json_option, not_empty, print_json
from benchwright.cli.shell_completion import files, tracks
from benchwright.cli.terminal import console
from benchwright.display.escape import markup
from benchwright.display.wording import counted
from benchwright.errors import UsageError
from benchwright.interop.answer_import import SHOWN, ImportedFile, import_target
from benchwright.interop.inspect_ai_log.answers import import_inspect
from benchwright.interop.lm_eval import import_lm_eval
from benchwright.store.writing import STDOUT

_DATA_HELP = "Check the task ids against this data set; requires --track."


def _data_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --data, --track and --json to a command."""
    track = click.option("--track", callback=not_empty, shell_complete=tracks, help="Track of --data.")
    data = click.option("--data", callback=not_empty, shell_complete=files, help=_DATA_HELP)
    return data(track(json_option(command)))


@click.command()
@click.argument("log", callback=not_empty, shell_complete=files)
@file_out("File of answers to write; FOLDER/ for logs of several models.")
@click.option("--task", callback=not_empty, help="Read only logs of this Inspect task.")
@_data_options
def inspect(log: str, out: str, task: str | None, data: str | None, track: str | None, as_json: bool) -> None:
    """Read the answers of an Inspect AI log, to judge them here.

    LOG is a .eval or .json file, or a folder of them. Epochs become repetitions of a task. Sample errors stay
    errors: a missing answer is not a wrong one. Scores by Inspect are stored with the answers, but not used.

    \b
    benchwright import inspect logs/run.eval --out answers.jsonl
    benchwright run humaneval --data HumanEval.jsonl.gz --model replay:answers.jsonl
    """
    _check_streams(out, as_json=as_json)
    _report(import_inspect(log, out, task=task, aim=import_target(track, data)), as_json=as_json)


@click.command()
@click.argument("logs", nargs=-1, required=True, shell_complete=files, metavar="LOG...")
@file_out("File of answers to write; - is standard output.")
@click.option("--task", callback=not_empty, help="Read only logs of this lm-eval task.")
@click.option(
    "--id-field",
    callback=not_empty,
    metavar="PLACE",
    help="Field with the task id, such as doc.meta.id.  [default: the first known field]",
)
@click.option(
    "--model-name",
    callback=not_empty,
    help="Name of the model.  [default: from the results file next to the log]",
)
@_data_options
def lm_eval(
    logs: tuple[str, ...],
    out: str,
    task: str | None,
    id_field: str | None,
    model_name: str | None,
    data: str | None,
    track: str | None,
    as_json: bool,
) -> None:
    """Read the answers of lm-eval sample logs, to judge them here.

    LOG is a samples_TASK_TIME.jsonl, which lm-eval writes with --log_samples, or a folder of them. Several
    files are joined: their answers become further repetitions. Raw texts are read, before any filter.

    Known fields with the task id: doc.task_id, doc.meta.id, doc.id, doc.question_id, doc.name, doc_id.

    \b
    benchwright import lm-eval out/some-model --out answers.jsonl --task humaneval
    benchwright run humaneval --data HumanEval.jsonl.gz --model replay:answers.jsonl
    """
    _check_streams(out, as_json=as_json)
    imported = import_lm_eval(
        logs, out, task=task, id_field=id_field, model=model_name, aim=import_target(track, data)
    )
    _report([imported], as_json=as_json)


def _check_streams(out: str, *, as_json: bool) -> None:
    """Raise UsageError if answers and summary would both go to standard output."""
    if as_json and out == STDOUT:
        raise UsageError("--json and --out - both write to stdout", hint="--out answers.jsonl --json")


def _report(files: list[ImportedFile], *, as_json: bool) -> None:
    """Print imported and skipped answers, and the command that judges them."""
    if as_json:
        print_json({"files": files})
        return
    screen = console()
    for imported in files:
        for line in _lines(imported):
            screen.print(line, soft_wrap=True)
    _print_commands(screen, files)


def _lines(imported: ImportedFile) -> list[str]:
    each = str(imported.most) if imported.least == imported.most else f"{imported.least} to {imported.most}"
    lines = [
        f"{markup(imported.out)}: {counted(imported.answers, 'answer')} to "
        f"{counted(imported.tasks, 'task')} ({each} each), "
        f"model {markup(imported.model or 'unknown')}"
    ]
    lines += [
        f"  error: {counted(count, 'answer')} missing: {markup(reason)}"
        for reason, count in imported.errors.items()
    ]
    if imported.empty:
        lines.append(f"  note: {counted(imported.empty, 'empty answer')} kept")
    for dropped in imported.dropped:
        names = ", ".join(str(task_id) for task_id in dropped.tasks)
        lines.append(f"  skipped: {counted(dropped.answers, 'answer')}, {dropped.reason}: {markup(names)}")
    if imported.unanswered:
        names = ", ".join(str(task_id) for task_id in imported.unanswered[:SHOWN])
        lines.append(
            f"  note: no answer to {counted(len(imported.unanswered), 'task')} of the data set: "
            f"{markup(names)}"
        )
    for name, found in imported.recorded.items():
        counts = ", ".join(f"{count} × {value}" for value, count in found.items())
        lines.append(f"  score in the log, stored as recorded_score: {markup(f'{name}: {counts}')}")
    return [*lines, *(f"  note: {markup(note)}" for note in imported.notes)]


def _print_commands(target: Console, files: list[ImportedFile]) -> None:
    target.print("to judge the answers:")
    for imported in files:
        target.print(f"  {markup(imported.command)}", soft_wrap=True)
