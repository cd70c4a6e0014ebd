"""`benchwright data get`: download and verify named data sets."""

from __future__ import annotations

import click

from benchwright.cli.arguments import json_option, not_empty, print_json
from benchwright.cli.completing import data_names, files
from benchwright.display.escape import escaped_path
from benchwright.errors import UsageError
from benchwright.records import whole
from benchwright.running.listing import listed_name
from benchwright.store.named_data import find_data, get_data


@click.command("get")
@click.argument("names", metavar="NAME...", nargs=-1, required=True, shell_complete=data_names)
@click.option(
    "--from",
    "mirror",
    metavar="FILE|URL",
    callback=not_empty,
    shell_complete=files,
    help="Read the data set from this file or address, compressed or not; the SHA-256 must match.",
)
@json_option
def get_command(names: tuple[str, ...], mirror: str | None, as_json: bool) -> None:
    """Download data sets, verify them and print their paths. Existing files are only verified.

    Data sets are stored in `data` below BENCHWRIGHT_CACHE, or below XDG_CACHE_HOME/benchwright. No network
    access is needed once a data set is there.

    \b
    benchwright data get humaneval mbpp
    benchwright data get humaneval --from HumanEval.jsonl.gz
    benchwright run humaneval --data humaneval --model gold:
    """
    if mirror is not None and len(names) > 1:
        raise UsageError("--from takes one data set", hint="get one data set at a time")
    found = [find_data(name) for name in names]
    for data in found:
        get_data(data, mirror=mirror)
        if not as_json:
            click.echo(escaped_path(data.place))
    if as_json:
        print_json([whole(listed_name(data)) for data in found])
