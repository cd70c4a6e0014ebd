"""`benchwright build TRACK --from FOLDER… --out DIR`."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import click
import msgspec
from rich.console import Console
from rich.table import Table

from benchwright.building.codecorrectness.options import Bounds, BuildOptions, Generating
from benchwright.building.codecorrectness.pipeline import Built, build
from benchwright.building.funnel import Level
from benchwright.cli.arguments import Option, SectionedCommand, as_path, not_empty, not_empty_each
from benchwright.cli.asking import asking_of, model_options
from benchwright.cli.completing import files, models
from benchwright.cli.printing import print_json
from benchwright.cli.searching import search_of, search_options
from benchwright.cli.terminal import console, watcher_for
from benchwright.display.escape import markup, quoted
from benchwright.errors import command_name
from benchwright.sources.licences import PERMISSIVE

_generate = partial(click.option, cls=Option, section="Tests written by a model")


@click.command(
    cls=SectionedCommand,
    context_settings={"show_default": True},
    short_help="Code and a test: does it pass? In Python, Java and Go.",
)
@click.option(
    "--from",
    "sources",
    multiple=True,
    shell_complete=files,
    metavar="FOLDER",
    help="A clone, a folder of clones, a list of clones and addresses, an address, or an installed source, "
    "NAME:REST; repeatable.",
)
@click.argument("more", metavar="[FOLDER]…", nargs=-1, shell_complete=files)
@click.option(
    "--out", callback=as_path, required=True, shell_complete=files, metavar="FOLDER", help="Its folder."
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
@click.option(
    "--gate",
    "gates",
    multiple=True,
    callback=not_empty_each,
    metavar="NAME",
    help="An installed gate that rows must pass beside the usual ones; repeatable.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout.")
@click.option("--quiet", "-q", is_flag=True, help="No progress.")
@search_options
@_generate(
    "--generate",
    callback=not_empty,
    shell_complete=models,
    metavar="MODEL",
    help="A model that writes further tests: openai:NAME, transformers:FOLDER, or replay:FOLDER, the "
    "stored replies of another build.",
)
@_generate(
    "--tests-per-file",
    type=click.IntRange(min=1),
    default=2,
    help="Test files asked for, of each focal file; each may hold several rows.",
)
@_generate(
    "--files-asked",
    type=click.IntRange(min=1),
    default=40,
    help="Focal files of a repository that are asked about, at most.",
)
@model_options
def codecorrectness(
    sources: tuple[str, ...],
    more: tuple[str, ...],
    out: Path,
    licences: tuple[str, ...],
    as_json: bool,
    quiet: bool,
    max_rows: int | None,
    repeat: int,
    **given: Any,
) -> None:
    """Build a CodeCorrectness data set from clones of repositories in Python, Java and Go.

    Files are read from the clones' commits; nothing of them is executed outside the sandbox. All that was
    left out is counted and named. The same command goes on where it was ended and executes nothing twice.

    \b
    benchwright build codecorrectness --from clones --out data/mine
    benchwright build codecorrectness --from boltons --from inflect --out data/mine --max-rows 200
    benchwright build codecorrectness --from list.txt --out data/mine --licence MIT --json
    benchwright build codecorrectness --github Go --stars 100.. --pushed-since 2025-01-01 --out data/go
    benchwright build codecorrectness --from clones --out data/more --generate openai:my-model \\
        --base-url http://localhost:8000/v1 --tests-per-file 2
    benchwright build codecorrectness --from clones --out data/again --generate replay:data/more/replies
    """
    bounds = Bounds(licences=licences) if licences else Bounds()
    options = BuildOptions(
        sources=(*sources, *more),
        search=search_of(given),
        bounds=bounds,
        repeat=repeat,
        max_rows=max_rows,
        name=given["name"],
        gates=given["gates"],
        generate=_generating(given),
    )
    target = console()
    watch = watcher_for(target, quiet=quiet, as_json=as_json)
    built = build(options, out, watch=watch)
    if as_json:
        print_json(_document(built))
    else:
        _print(target, built)


def _generating(given: dict[str, Any]) -> Generating | None:
    if given["generate"] is None:
        return None
    counts = {"tests": given["tests_per_file"], "files": given["files_asked"]}
    return Generating(model=given["generate"], asking=asking_of(given), **counts)


def _document(built: Built) -> dict[str, Any]:
    return {
        "folder": built.folder,
        "manifest": built.manifest,
        "funnel": [msgspec.structs.asdict(each) for each in built.levels],
        "absent": {each.lang: "; ".join(filter(None, (each.why, each.hint))) for each in built.absent},
    }


def _print(target: Console, built: Built) -> None:
    target.print(funnel_table(built.levels))
    for line in _sentences(built):
        target.print(line, soft_wrap=True)


def funnel_table(levels: list[Level]) -> Table:
    """How many went into each stage, how many came out, and why the rest did not."""
    table = Table()
    for name in ("stage", "considered", "kept"):
        table.add_column(name, justify="left" if name == "stage" else "right")
    table.add_column("dropped, and why", overflow="fold")
    for each in levels:
        why = ", ".join(f"{count} {reason.replace('_', ' ')}" for reason, count in each.dropped.items())
        table.add_row(each.stage, f"{each.considered} {each.unit}", str(each.kept), markup(why) or "–")
    return table


def _sentences(built: Built) -> list[str]:
    rows, folder = built.manifest["rows"], Path(built.folder)
    parts = (built.manifest[name].items() for name in ("labels", "languages", "subsets"))
    counts = "; ".join(", ".join(f"{count} {name}" for name, count in each) for each in parts)
    lines = [f"{each.lang} was not executed: {markup(each.why)}" for each in built.absent]
    lines.append(f"[bold]{rows['test']} rows[/] and {rows['shots']} shots: {markup(counts)}")
    if warning := built.manifest.get("shape", {}).get("warning"):
        lines.append(f"[bold]warning:[/] {markup(warning)}")
    lines.append(f"written: {markup(str(folder))}; its card is README.md, each drop is named in stages/")
    lines.append(f"check it: {command_name()} verify {markup(quoted(folder / 'test.json'))}")
    return lines
