"""`benchwright convert`: rows and records of test sets in the formats of other tracks and tools."""

from __future__ import annotations

from collections import Counter
from typing import Any

import click
import msgspec
from rich.console import Console

from benchwright.cli.arguments import file_out, json_option, not_empty, not_empty_each, print_json
from benchwright.cli.completing import files
from benchwright.cli.convert_collected import Conversion, convert_collected
from benchwright.cli.terminal import console
from benchwright.display.escape import escaped_path, markup
from benchwright.errors import UsageError
from benchwright.records import Task
from benchwright.store.writing import STDOUT, writing
from benchwright.tracks.collected.converting import converted_tracks, record_formats
from benchwright.tracks.convert import Converted, NotConverted, convert
from benchwright.tracks.humaneval import TRACK

ROWS = "ruhumaneval"
TO = (ROWS, *(track.name for track in converted_tracks()), *record_formats())


@click.command(context_settings={"show_default": True})
@click.option(
    "--data",
    required=True,
    callback=not_empty,
    shell_complete=files,
    help="HumanEval rows; with --to, records of a comment or issue test set, or rows of these tracks.",
)
@file_out("The JSONL file to write; - is standard output.")
@click.option(
    "--to",
    type=click.Choice(TO),
    default=ROWS,
    help="Output: rows of a track, or records in the format of another tool.",
)
@click.option(
    "--fields",
    multiple=True,
    metavar="MINE=OURS",
    callback=not_empty_each,
    help="Map a field of the records to one of ours, such as solution=answers; repeatable.",
)
@click.option("--lang", default="", metavar="NAME", help="Language of code without one, such as Java.")
@click.option("--strict", is_flag=True, help="Refuse records with wrong commas instead of repairing them.")
@click.option("--keep-authors", is_flag=True, help="Keep names of people instead of pseudonyms.")
@json_option
def command(data: str, out: str, to: str, as_json: bool, **choices: Any) -> int:
    """Convert HumanEval rows into ruHumanEval rows, or records of smart-coding test sets into rows and back.

    A HumanEval row whose test is a program (a loop, a tolerance, a random input) cannot be converted into
    arguments and results; the command lists it with the reason.

    Records of comments (code with annotations, or with one comment) and of issues (a question with answer_1
    to answer_n) become rows of their track. The input is JSON, JSON Lines, or concatenated objects. Each
    repaired comma and each refused record is listed with its line.

    \b
    benchwright convert --data HumanEval.jsonl.gz --out rows.jsonl
    benchwright convert --data HumanEval.jsonl.gz --out - | gzip > rows.jsonl.gz
    benchwright convert --data comments.json --to smartcoding-comments --out rows.jsonl
    benchwright convert --data issues.json --to smartcoding-issues --fields title=question --out rows.jsonl
    benchwright convert --data rows.jsonl --to ianvs --out ianvs/data.jsonl
    """
    if as_json and out == STDOUT:
        raise UsageError("--json and --out - both write to standard output", hint="--out rows.jsonl --json")
    if to != ROWS:
        return convert_collected(Conversion(data=data, out=out, to=to, as_json=as_json, **choices))
    if given := [name for name, value in choices.items() if value]:
        name = given[0].replace("_", "-")
        raise UsageError(f"--{name} does not apply to HumanEval rows", hint=f"add --to {TO[1]}, or omit it")
    _convert_humaneval(data, out, as_json=as_json)
    return 0


def _convert_humaneval(data: str, out: str, *, as_json: bool) -> None:
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
        line = f"{result.task_id}, line {result.line} of its test: {result.reason}: {result.detail}"
        target.print(markup(line), soft_wrap=True)
    reasons = Counter(str(result.reason) for result in left).most_common()
    listed = ", ".join(f"{count} {reason}" for reason, count in reasons)
    target.print(summary + (f"; left out: {listed}" if left else ""), soft_wrap=True)


def _place(out: str) -> str:
    return "standard output" if out == STDOUT else markup(out)
