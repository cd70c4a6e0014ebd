"""`benchwright convert`: HumanEval rows to ruHumanEval rows."""

from __future__ import annotations

from collections import Counter

import click
import msgspec
from rich.console import Console

from benchwright.cli.arguments import file_out, json_option, not_empty, print_json
from benchwright.cli.completing import files
from benchwright.cli.terminal import console
from benchwright.display.escape import escaped_path, markup
from benchwright.errors import UsageError
from benchwright.records import Task
from benchwright.store.writing import STDOUT, writing
from benchwright.tracks.convert import Converted, NotConverted, convert
from benchwright.tracks.humaneval import TRACK


@click.command()
@click.option(
    "--data",
    required=True,
    callback=not_empty,
    shell_complete=files,
    help="A data set in HumanEval's row shape.",
)
@file_out("The JSONL file to write; - is standard output.")
@json_option
def command(data: str, out: str, as_json: bool) -> None:
    """Turn HumanEval rows into ruHumanEval rows, where the asserts are data.

    A row whose test is a program (a loop, a tolerance, a random input) cannot be written as arguments
    and results; each one is listed with the reason.

    \b
    benchwright convert --data HumanEval.jsonl.gz --out rows.jsonl
    benchwright convert --data HumanEval.jsonl.gz --out - | gzip > rows.jsonl.gz
    """
    if as_json and out == STDOUT:
        raise UsageError("--json and --out - both want standard output", hint="--out rows.jsonl --json")
    tasks: list[Task] = list(TRACK.load(data))
    results = list(convert(tasks))
    rows = [result.row for result in results if isinstance(result, Converted)]
    left = [result for result in results if isinstance(result, NotConverted)]
    with writing(out) as file:
        file.writelines(msgspec.json.encode(row) + b"\n" for row in rows)
    if as_json:
        print_json({"written": len(rows), "out": escaped_path(out), "not_converted": left})
    else:
        _print(console(), left, f"{len(rows)} of {len(tasks)} rows written to {_place(out)}")


def _print(target: Console, left: list[NotConverted], summary: str) -> None:
    for result in left:
        said = f"{result.task_id}, line {result.line} of its test: {result.reason}: {result.detail}"
        target.print(markup(said), soft_wrap=True)
    reasons = Counter(str(result.reason) for result in left).most_common()
    listed = ", ".join(f"{count} {reason}" for reason, count in reasons)
    target.print(summary + (f"; left out: {listed}" if left else ""), soft_wrap=True)


def _place(out: str) -> str:
    return "standard output" if out == STDOUT else markup(out)
