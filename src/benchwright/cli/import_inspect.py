"""`benchwright import inspect LOG --out answers.jsonl`."""

from __future__ import annotations

import click

from benchwright.cli.arguments import not_empty
from benchwright.cli.completing import files
from benchwright.cli.importing import check_streams, data_options, report
from benchwright.interop.imported import target
from benchwright.interop.inspect_ai_log.importing import import_inspect


@click.command()
@click.argument("log", callback=not_empty, shell_complete=files)
@click.option(
    "--out",
    required=True,
    callback=not_empty,
    shell_complete=files,
    metavar="FILE",
    help="The answers file to write; FOLDER/ for logs of several models.",
)
@click.option("--task", callback=not_empty, help="Take only logs of this task of Inspect's.")
@data_options
def command(log: str, out: str, task: str | None, data: str | None, track: str | None, as_json: bool) -> None:
    """Take the answers out of a log of Inspect AI, to judge them here.

    LOG is a .eval or .json file, or a folder of them. Epochs become the repetitions of a task, and sample
    errors stay errors: an answer that was never given is not a wrong one. What Inspect's scorers made of an
    answer is kept beside it, and is not used.

    \b
    benchwright import inspect logs/run.eval --out answers.jsonl
    benchwright run humaneval --data HumanEval.jsonl.gz --model replay:answers.jsonl
    """
    check_streams(out, as_json=as_json)
    report(import_inspect(log, out, task=task, aim=target(track, data)), as_json=as_json)
