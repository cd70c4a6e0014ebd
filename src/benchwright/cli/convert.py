"""`benchwright convert`: HumanEval rows to ruHumanEval rows."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import click
import msgspec
from rich.markup import escape

from benchwright.cli.terminal import console
from benchwright.errors import RunError
from benchwright.records import Task
from benchwright.tracks.convert import Converted, convert
from benchwright.tracks.humaneval import TRACK


@click.command()
@click.option("--data", required=True, help="A data set in HumanEval's row shape.")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The JSONL file to write.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout.")
def command(data: str, out: Path, as_json: bool) -> None:
    """Turn HumanEval rows into ruHumanEval rows, where the asserts are data.

    A row whose test is a program (a loop, a tolerance, a random input) cannot be written as arguments
    and results; each one is listed with the reason.
    """
    tasks: list[Task] = list(TRACK.load(data))
    results = list(convert(tasks))
    rows = [result.row for result in results if isinstance(result, Converted)]
    left = [result for result in results if not isinstance(result, Converted)]
    _write(out, rows)
    if as_json:
        click.echo(
            msgspec.json.encode({"written": len(rows), "out": str(out), "not_converted": left}).decode()
        )
        return
    target = console()
    for result in left:
        target.print(
            escape(f"{result.task_id}, line {result.line} of its test: {result.reason}: {result.detail}")
        )
    reasons = ", ".join(
        f"{count} {reason}" for reason, count in Counter(str(row.reason) for row in left).most_common()
    )
    target.print(
        f"{len(rows)} of {len(tasks)} rows written to {escape(str(out))}"
        + (f"; left out: {reasons}" if left else "")
    )


def _write(out: Path, rows: list[dict[str, object]]) -> None:
    try:
        out.write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in rows))
    except OSError as error:
        raise RunError(f"cannot write {out}: {error.strerror}") from error
