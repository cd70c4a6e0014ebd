"""`benchwright import FORMAT LOG`."""

from __future__ import annotations

import click

from benchwright.cli.lazy import LazyGroup

FORMATS = {
    "inspect": ("benchwright.cli.import_inspect:command", "The answers in an Inspect AI log."),
    "lm-eval": ("benchwright.cli.import_lm_eval:command", "The answers in lm-eval's sample logs."),
}


@click.group(cls=LazyGroup, table=FORMATS)
def command() -> None:
    """Take the answers from another tool's log into a file that `--model replay:FILE` reads."""
