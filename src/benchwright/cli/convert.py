"""`benchwright convert`: HumanEval rows to ruHumanEval rows."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import click
import msgspec
from rich.console import Console

from benchwright.cli.printing import print_json
from benchwright.cli.terminal import console, safe
from benchwright.errors import RunError
from benchwright.records import Task
from benchwright.store.atomic import replacing, write_error
from benchwright.store.files import shown
from benchwright.tracks.convert import Converted, NotConverted, convert
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
    left = [result for result in results if isinstance(result, NotConverted)]
    _write(out, rows)
    if as_json:
        print_json({"written": len(rows), "out": shown(out), "not_converted": left})
    else:
        _print(console(), left, f"{len(rows)} of {len(tasks)} rows written to {safe(str(out))}")


def _print(target: Console, left: list[NotConverted], summary: str) -> None:
    for result in left:
        said = f"{result.task_id}, line {result.line} of its test: {result.reason}: {result.detail}"
        target.print(safe(said), soft_wrap=True)
    reasons = Counter(str(result.reason) for result in left).most_common()
    listed = ", ".join(f"{count} {reason}" for reason, count in reasons)
    target.print(summary + (f"; left out: {listed}" if left else ""), soft_wrap=True)


def _write(out: Path, rows: list[dict[str, object]]) -> None:
    """The rows in one file, whole or not at all. A link or a device (/dev/stdout is both) is written through:
    putting a new file in its place would replace the link itself."""
    content = b"".join(msgspec.json.encode(row) + b"\n" for row in rows)
    try:
        if out.is_symlink() or (out.exists() and not out.is_file()):
            out.write_bytes(content)
            return
    except OSError as error:
        raise write_error(error, out) from None
    if not out.parent.is_dir():
        raise RunError(f"{shown(out.parent)} is not a folder", hint=f"mkdir -p {shown(out.parent)}")
    with replacing(out) as file:
        file.write(content)
