"""`benchwright export FORMAT RUN…`."""

from __future__ import annotations

import click

from benchwright.cli.lazy import LazyGroup

FORMATS = {
    "mera": ("benchwright.cli.export_mera:command", "MERA's submission zip and lm-eval's sample logs."),
    "inspect": ("benchwright.cli.export_inspect:command", "An Inspect AI log."),
}


@click.group(cls=LazyGroup, table=FORMATS)
def command() -> None:
    """Write a run in the format of another tool."""
