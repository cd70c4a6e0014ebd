"""What commands ask of an argument before they use it, as click callbacks."""

from __future__ import annotations

from pathlib import Path

import click

from benchwright.cli.completing import files
from benchwright.errors import UsageError


def not_empty(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """The value, which may be left out but not empty: `--out "$OUT"` with OUT unset is a slip.

    Not a type: `click.Path` makes the current folder of an empty name before anybody can look at it.
    """
    if value == "":
        name = param.human_readable_name if isinstance(param, click.Argument) else max(param.opts, key=len)
        raise UsageError(f"{name} is empty", hint="give it a value; is a variable of the shell unset?")
    return value


def not_empty_each(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    """The values of an option that may be repeated, none of them empty."""
    for each in value:
        not_empty(ctx, param, each)
    return value


def as_path(ctx: click.Context, param: click.Parameter, value: str | None) -> Path | None:
    """The value as a path, if one was given; an empty one is refused."""
    given = not_empty(ctx, param, value)
    return None if given is None else Path(given)


data_of_runs = click.option(
    "--data",
    multiple=True,
    callback=not_empty_each,
    shell_complete=files,
    help="The data set of runs that do not keep it; repeatable.  [default: what the run keeps]",
)
