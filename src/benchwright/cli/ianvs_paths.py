"""Options of the `ianvs` commands for paths in the files of an example."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import click

from benchwright.cli.arguments import as_path
from benchwright.cli.completing import files
from benchwright.display.escape import escaped_name
from benchwright.errors import UsageError

Command = TypeVar("Command", bound=Callable[..., object])


def pairs(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Parse values of the form A=B into pairs. Raises UsageError for others."""
    found = []
    for each in value:
        left, sign, right = each.partition("=")
        if not (left and sign and right):
            name = max(param.opts, key=len)
            raise UsageError(
                f"{name}: expected {param.metavar}, got {escaped_name(each)}", hint=f"{name} {param.metavar}"
            )
        found.append((left, right))
    return tuple(found)


_ROOT = click.option(
    "--root",
    callback=as_path,
    shell_complete=files,
    metavar="FOLDER",
    help="Base of relative paths in the files.  [default: the current folder]",
)
_PATH_MAP = click.option(
    "--path-map",
    multiple=True,
    callback=pairs,
    metavar="OLD=NEW",
    help="Replace the prefix OLD of paths in the files with NEW; repeatable.",
)


def path_options(command: Command) -> Command:
    """Add --root and --path-map to a command."""
    return _ROOT(_PATH_MAP(command))
