"""`benchwright build TRACK --from FOLDER… --out DIR`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click
import msgspec
from rich.console import Console
from rich.table import Table

from benchwright.build.funnel import Level
from benchwright.build.options import Bounds, Options
from benchwright.build.pipeline import Built, build
from benchwright.cli.arguments import as_path
from benchwright.cli.completing import files
from benchwright.cli.printing import print_json
from benchwright.cli.terminal import TerminalWatcher, console, safe
from benchwright.errors import command_name
from benchwright.run.watch import Silent
from benchwright.sources.licences import PERMISSIVE
from benchwright.store.files import quoted


@click.group()
def command() -> None:
    """Build a data set, every row of which was executed before it was published."""


@command.command()
@click.option(
    "--from",
    "sources",
    multiple=True,
    shell_complete=files,
    metavar="FOLDER",
    help="A clone, a folder of clones, a list of clones and addresses, or an address; repeatable.",
)
@click.argument("more", metavar="[FOLDER]…", nargs=-1, shell_complete=files)
@click.option(
    "--out", callback=as_path, required=True, shell_complete=files, metavar="DIR", help="Its folder."
)
@click.option(
    "--repeat", type=click.IntRange(min=2), default=5, show_default=True, help="Executions behind each label."
)
@click.option("--max-rows", type=click.IntRange(min=2), help="At most so many rows, shots among them.")
@click.option("--name", default="CodeCorrectness", show_default=True, help="The name in the card.")
@click.option(
    "--licence",
    "licences",
    multiple=True,
    metavar="SPDX",
    help=f"A licence that rows may have; repeatable.  [default: {', '.join(PERMISSIVE)}]",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout.")
def codecorrectness(
    sources: tuple[str, ...],
    more: tuple[str, ...],
    out: Path,
    licences: tuple[str, ...],
    as_json: bool,
    **given: Any,
) -> None:
    """Build a CodeCorrectness data set from clones of repositories in Python, Java and Go.

    Files are read from the clones' commits; nothing of them is executed outside the sandbox. All that was
    left out is counted and named. The same command goes on where it was ended and executes nothing twice.

    \b
    benchwright build codecorrectness --from clones --out data/mine
    benchwright build codecorrectness --from boltons --from inflect --out data/mine --max-rows 200
    benchwright build codecorrectness --from list.txt --out data/mine --licence MIT --json
    """
    bounds = Bounds(licences=licences) if licences else Bounds()
    options = Options(sources=(*sources, *more), bounds=bounds, **given)
    target = console()
    watch = Silent() if as_json and not sys.stderr.isatty() else TerminalWatcher(target)
    built = build(options, out, watch=watch)
    if as_json:
        print_json(_document(built))
    else:
        _print(target, built)


def _document(built: Built) -> dict[str, Any]:
    return {
        "folder": built.folder,
        "manifest": built.manifest,
        "funnel": [msgspec.structs.asdict(each) for each in built.levels],
        "absent": {each.lang: "; ".join(filter(None, (each.why, each.hint))) for each in built.absent},
    }


def _print(target: Console, built: Built) -> None:
    target.print(_funnel(built.levels))
    for line in _sentences(built):
        target.print(line, soft_wrap=True)


def _funnel(levels: list[Level]) -> Table:
    table = Table()
    for name in ("stage", "considered", "kept"):
        table.add_column(name, justify="left" if name == "stage" else "right")
    table.add_column("dropped, and why", overflow="fold")
    for each in levels:
        why = ", ".join(f"{count} {reason.replace('_', ' ')}" for reason, count in each.dropped.items())
        table.add_row(each.stage, f"{each.considered} {each.unit}", str(each.kept), safe(why) or "–")
    return table


def _sentences(built: Built) -> list[str]:
    rows, folder = built.manifest["rows"], Path(built.folder)
    parts = (built.manifest[name].items() for name in ("labels", "languages", "subsets"))
    counts = "; ".join(", ".join(f"{count} {name}" for name, count in each) for each in parts)
    lines = [f"{each.lang} was not executed: {safe(each.why)}" for each in built.absent]
    lines.append(f"[bold]{rows['test']} rows[/] and {rows['shots']} shots: {safe(counts)}")
    lines.append(f"written: {safe(str(folder))}; its card is README.md, each drop is named in stages/")
    lines.append(f"check it: {command_name()} verify {safe(quoted(folder / 'test.json'))}")
    return lines
