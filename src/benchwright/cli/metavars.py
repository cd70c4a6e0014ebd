"""Default names of values in --help, the same in all commands."""

from __future__ import annotations

import click

# By option, then by type.
NAMES = {
    "--answers": "FILE",
    "--budget": "COST",
    "--data": "DATA",
    "--encoding": "CODEC",
    "--host": "ADDRESS",
    "--judge-base-url": "URL",
    "--judge-budget": "COST",
    "--judge-model-id": "NAME",
    "--judge-per-minute": "N",
    "--judge-price-in": "COST",
    "--judge-price-out": "COST",
    "--judge-timeout": "SECONDS",
    "--metric": "METRIC",
    "--model": "MODEL",
    "--model-id": "NAME",
    "--model-name": "NAME",
    "--name": "NAME",
    "--out": "FOLDER",
    "--per-minute": "N",
    "--price-in": "COST",
    "--price-out": "COST",
    "--run": "RUN",
    "--task": "TASK",
    "--timeout": "SECONDS",
    "--track": "TRACK",
}
TYPES = {"integer": "N", "integer range": "N", "float": "NUMBER", "float range": "NUMBER", "text": "TEXT"}
SEVERAL = "…"


def named(command: click.Command) -> click.Command:
    """Set the names of a command's values in place, and return the command."""
    for param in command.params:
        if isinstance(param, click.Argument):
            _name_argument(param)
        elif param.metavar is None and not getattr(param, "is_flag", False):
            longest = max(param.opts, key=len)
            param.metavar = None if choice(param) else NAMES.get(longest) or TYPES.get(param.type.name)
        if param.metavar is not None:
            param.metavar = param.metavar.replace("...", SEVERAL)
    return command


def choice(param: click.Parameter) -> bool:
    """Return whether --help lists the values of a parameter."""
    return isinstance(param.type, click.Choice)


def _name_argument(argument: click.Argument) -> None:
    """Name an argument; one with several values is `RUN…`."""
    if argument.metavar is None and argument.nargs == -1 and not choice(argument):
        name = (argument.name or "").upper()
        argument.metavar = f"{name}{SEVERAL}" if argument.required else f"[{name}]{SEVERAL}"
