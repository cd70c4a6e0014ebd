"""`benchwright import inspect` and `benchwright import lm-eval`: answers out of other tools' logs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click
from rich.console import Console

from benchwright.cli.arguments import file_out, json_option, not_empty, print_json
from benchwright.cli.completing import files, tracks
from benchwright.cli.terminal import console
from benchwright.display.escape import markup
from benchwright.errors import UsageError
from benchwright.interop.imported import SHOWN, Imported, target
from benchwright.interop.inspect_ai_log.importing import import_inspect
from benchwright.interop.lm_eval import import_lm_eval
from benchwright.store.writing import STDOUT

_DATA_HELP = "Check the task ids against this data set; needs --track."


def _data_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """--data, --track and --json."""
    track = click.option(
        "--track", callback=not_empty, shell_complete=tracks, help="The track that --data is of."
    )
    data = click.option("--data", callback=not_empty, shell_complete=files, help=_DATA_HELP)
    return data(track(json_option(command)))


@click.command()
@click.argument("log", callback=not_empty, shell_complete=files)
@file_out("The answers file to write; FOLDER/ for logs of several models.")
@click.option("--task", callback=not_empty, help="Take only logs of this task of Inspect's.")
@_data_options
def inspect(log: str, out: str, task: str | None, data: str | None, track: str | None, as_json: bool) -> None:
    """Take the answers out of a log of Inspect AI, to judge them here.

    LOG is a .eval or .json file, or a folder of them. Epochs become the repetitions of a task, and sample
    errors stay errors: an answer that was never given is not a wrong one. What Inspect's scorers made of an
    answer is kept beside it, and is not used.

    \b
    benchwright import inspect logs/run.eval --out answers.jsonl
    benchwright run humaneval --data HumanEval.jsonl.gz --model replay:answers.jsonl
    """
    _check_streams(out, as_json=as_json)
    _report(import_inspect(log, out, task=task, aim=target(track, data)), as_json=as_json)


@click.command()
@click.argument("logs", nargs=-1, required=True, shell_complete=files, metavar="LOG...")
@file_out("The answers file to write; - is standard output.")
@click.option("--task", callback=not_empty, help="Take only logs of this task of lm-eval's.")
@click.option(
    "--id-field",
    callback=not_empty,
    metavar="PLACE",
    help="Where a row has the task's id, such as doc.meta.id.  [default: the first of the known places]",
)
@click.option(
    "--model-name",
    callback=not_empty,
    help="Who answered.  [default: what the results file beside the log says]",
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
    """Take the answers out of sample logs of lm-eval, to judge them here.

    LOG is a samples_TASK_TIME.jsonl, which lm-eval writes with --log_samples, or a folder of them. Several
    files are joined: their answers become further repetitions. The raw texts are taken, before any filter.

    The task's id is looked for at doc.task_id, doc.meta.id, doc.id, doc.question_id, doc.name, doc_id.

    \b
    benchwright import lm-eval out/some-model --out answers.jsonl --task humaneval
    benchwright run humaneval --data HumanEval.jsonl.gz --model replay:answers.jsonl
    """
    _check_streams(out, as_json=as_json)
    imported = import_lm_eval(
        logs, out, task=task, id_field=id_field, model=model_name, aim=target(track, data)
    )
    _report([imported], as_json=as_json)


def _check_streams(out: str, *, as_json: bool) -> None:
    """Refuse to mix the answers with the summary on standard output."""
    if as_json and out == STDOUT:
        raise UsageError("--json and --out - both want standard output", hint="--out answers.jsonl --json")


def _report(files: list[Imported], *, as_json: bool) -> None:
    """What was taken, what was not and why, and the command that judges it."""
    if as_json:
        print_json({"files": files})
        return
    screen = console()
    for imported in files:
        for line in _lines(imported):
            screen.print(line, soft_wrap=True)
    _print_commands(screen, files)


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
