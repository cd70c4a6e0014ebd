"""`benchwright cache`: size and clearing of the user's cache of model answers."""

from __future__ import annotations

import click

from benchwright.cli.arguments import json_option, print_json
from benchwright.display.escape import escaped_path
from benchwright.store.answer_cache import AnswerCache

MB = 1_000_000


@click.command()
@click.option("--clear", is_flag=True, help="Delete all cached answers; run folders are not changed.")
@json_option
def command(clear: bool, as_json: bool) -> None:
    """Show or clear the cache of answers, which saves later runs from repeating requests.

    \b
    benchwright cache
    benchwright cache --clear
    """
    with AnswerCache() as cache:
        if clear:
            cache.clear()
        path, answers, size, most = cache.size()
    if as_json:
        print_json({"path": str(path), "answers": answers, "bytes": size, "most_bytes": most})
        return
    click.echo(f"{answers:,} answers, {size / MB:,.1f} of at most {most / MB:,.0f} MB: {escaped_path(path)}")
