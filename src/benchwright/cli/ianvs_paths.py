"""Options of the `ianvs` commands that say where the paths in an example's files lead."""

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
    """Values of the form A=B, each as a pair."""
    found = []
    for each in value:
        left, sign, right = each.partition("=")
        if not (left and sign and right):
            name = max(param.opts, key=len)
            raise UsageError(f"{name} {escaped_name(each)} is no pair", hint=f"{name} {param.metavar}")
        found.append((left, right))
    return tuple(found)


_ROOT = click.option(
    "--root",
    callback=as_path,
    shell_complete=files,
    metavar="FOLDER",
    help="What the paths in the files are relative to.  [default: the current folder]",
)
_PATH_MAP = click.option(
    "--path-map",
    multiple=True,
    callback=pairs,
    metavar="OLD=NEW",
    help="Put NEW where a path in the files begins with OLD; repeatable.",
)


def path_options(command: Command) -> Command:
    """The command with --root and --path-map."""
    return _ROOT(_PATH_MAP(command))
