"""The parts that commands of recipes share: options, the funnel as a table, and the printed result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import click
import msgspec
from rich.table import Table

from benchwright.building.engine.recipe import BuildResult
from benchwright.building.engine.stages import FunnelLevel
from benchwright.cli.arguments import (
    Command,
    Option,
    as_path,
    json_option,
    not_empty,
    not_empty_each,
    print_json,
)
from benchwright.cli.shell_completion import files, gates
from benchwright.cli.terminal import console, print_whole, watcher_for
from benchwright.display.escape import markup
from benchwright.display.text_table import text_table
from benchwright.display.wording import counted, singular
from benchwright.progress import Silent, Watcher
from benchwright.sources.licences import PERMISSIVE

B = TypeVar("B", bound=BuildResult)

RESULT = "benchwright.build"  # in the `meta` of a context: takes the result, and nothing is printed
_KEPT = "Licences and gates"
quiet_option = click.option("--quiet", "-q", is_flag=True, help="No progress.")
libraries_option = click.option(
    "--libraries",
    callback=not_empty,
    shell_complete=files,
    metavar="FOLDER",
    help="Folder of libraries that the suites may import: packages in python/, jars in java/.",
)


def build_options(
    product: str, *, sources: str, place: str = "SOURCE", out: str | None = None
) -> Callable[[Command], Command]:
    """The options of every build: --from, --out, --licence, --gate, --json and --quiet.

    `product` is what the recipe makes ("rows"), `sources` the help text of --from, `place` its metavar, and
    `out` the default folder; without one --out is required.
    """
    default: dict[str, Any] = {} if out is None else {"default": out}  # None would count as a default
    options = (
        click.option(
            "--from",
            "sources",
            multiple=True,
            callback=not_empty_each,
            shell_complete=files,
            metavar=place,
            help=sources,
        ),
        click.option(
            "--out",
            callback=as_path,
            required=out is None,
            **default,
            shell_complete=files,
            metavar="FOLDER",
            help="The folder of the build.",
        ),
        click.option(
            "--licence",
            "licences",
            cls=Option,
            section=_KEPT,
            rare=True,
            multiple=True,
            metavar="SPDX",
            help=f"A licence allowed for {product}; repeatable.  [default: {', '.join(PERMISSIVE)}]",
        ),
        click.option(
            "--gate",
            "gates",
            cls=Option,
            section=_KEPT,
            rare=True,
            multiple=True,
            callback=not_empty_each,
            shell_complete=gates,
            metavar="NAME",
            help=f"An additional gate that {product} must pass; repeatable.",
        ),
        json_option,
        quiet_option,
    )

    def with_options(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return with_options


def run_build(
    build: Callable[[Watcher], B],
    *,
    as_json: bool,
    quiet: bool,
    sentences: Callable[[B], Iterable[str]],
    details: Callable[[B], Mapping[str, Any]] = lambda _: {},
) -> None:
    """Build, and print the result: the funnel and `sentences`, or one JSON document with `details`.

    `build` is given the watcher. `sentences` are markup of Rich, one a line.
    """
    meta = click.get_current_context().meta
    if RESULT in meta:
        meta[RESULT] = build(Silent())
        return
    target = console()
    built = build(watcher_for(target, quiet=quiet, as_json=as_json))
    if as_json:
        funnel = [msgspec.structs.asdict(each) for each in built.levels]
        print_json({"folder": built.folder, "manifest": built.manifest, "funnel": funnel, **details(built)})
        return
    print_whole(target, funnel_table(built.levels))
    for line in sentences(built):
        target.print(line, soft_wrap=True)


def funnel_table(levels: list[FunnelLevel]) -> Table:
    """The number of records that each stage considered and kept, and the reasons for its drops."""
    table = text_table()
    for name in ("stage", "considered", "kept"):
        table.add_column(name, justify="left" if name == "stage" else "right")
    table.add_column("dropped, and why", overflow="fold")
    for each in levels:
        reasons = ", ".join(f"{count} {reason.replace('_', ' ')}" for reason, count in each.dropped.items())
        table.add_row(
            each.stage,
            counted(each.considered, singular(each.unit), each.unit),
            str(each.kept),
            markup(reasons) or "–",
        )
    return table
