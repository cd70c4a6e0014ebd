"""`benchwright data list` and `benchwright data get`: data sets by name."""

from __future__ import annotations

import click

from benchwright.cli.arguments import json_option, not_empty, print_json
from benchwright.cli.completing import data_names, files
from benchwright.display.escape import escaped_path
from benchwright.errors import UsageError
from benchwright.records import whole
from benchwright.store.named_data import NamedData, data_folder, find_data, get_data, is_here, known_data


@click.command("list")
@json_option
def list_command(as_json: bool) -> None:
    """List the data sets that can be named where a file can: `run TRACK --data NAME`.

    A set is fetched once, when it is first used or by `data get`, and is checked by its SHA-256 at each use.
    Listed is only what a track of ours judges truly, and each digest was taken from the set's own bytes.
    """
    known = list(known_data().values())
    if as_json:
        print_json([_document(data) for data in known])
        return
    _print(known)


@click.command("get")
@click.argument("names", metavar="NAME...", nargs=-1, required=True, shell_complete=data_names)
@click.option(
    "--from",
    "mirror",
    metavar="FILE|URL",
    callback=not_empty,
    shell_complete=files,
    help="Take it from this file or address, packed or not: whatever has the same SHA-256 serves.",
)
@json_option
def get_command(names: tuple[str, ...], mirror: str | None, as_json: bool) -> None:
    """Fetch data sets, check them, and print where each is kept. What is here already is checked alone.

    They are kept in `data` below BENCHWRIGHT_CACHE, or below XDG_CACHE_HOME/benchwright. Nothing is asked for
    over the network once a set is here.

    \b
    benchwright data get humaneval mbpp
    benchwright data get humaneval --from HumanEval.jsonl.gz
    benchwright run humaneval --data humaneval --model gold:
    """
    if mirror is not None and len(names) > 1:
        raise UsageError("--from is one file, and several data sets are named", hint="get one at a time")
    found = [find_data(name) for name in names]
    for data in found:
        get_data(data, mirror=mirror)
        if not as_json:
            click.echo(escaped_path(data.place))
    if as_json:
        print_json([_document(data) for data in found])


def _document(data: NamedData) -> dict[str, object]:
    return {**whole(data), "here": is_here(data), "path": escaped_path(data.place)}


def _print(known: list[NamedData]) -> None:
    from rich.table import Table  # noqa: PLC0415 (0.1 s)

    from benchwright.cli.terminal import console  # noqa: PLC0415

    table = Table(box=None, pad_edge=False)
    for name in ("name", "track"):
        table.add_column(name, overflow="fold")
    table.add_column("rows", justify="right")
    for name in ("licence", "here", "from"):
        table.add_column(name, overflow="fold")
    for data in known:
        here = "yes" if is_here(data) else ""
        table.add_row(data.name, data.track, f"{data.rows:,}", data.licence, here, _home(data))
    target = console()
    target.print(table)
    target.print(f"kept in {escaped_path(data_folder())}", markup=False, soft_wrap=True)


def _home(data: NamedData) -> str:
    """Owner and name of the repository: where it is from, short enough for a column."""
    return "/".join(data.homepage.removeprefix("https://").split("/")[1:3])
