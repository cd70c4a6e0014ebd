"""The options --on and --trust-cluster: where a command executes programs and makes the parts of a build."""

from __future__ import annotations

from functools import wraps
from typing import Any

import click

from benchwright import registry
from benchwright.cli.arguments import Command, Option
from benchwright.cli.shell_completion import executors
from benchwright.errors import UsageError
from benchwright.executing.executors import LOCAL, TRUST, parse_place, work_on

_SECTION = "Sandbox"


def place_options(command: Command) -> Command:
    """Add the options to a command, which then runs at that place; it receives neither of them."""

    @wraps(command)
    def placed(*args: Any, on: str, trust_cluster: bool, **given: Any) -> Any:
        place = parse_place(on)
        registry.find("executor", place.name)  # an unknown name fails before anything is read or asked
        if trust_cluster and not place.address:
            raise UsageError(f"--trust-cluster needs an address, --on is {on}", hint="--on ray://HOST:PORT")
        is_own = bool(click.get_current_context().find_root().obj)  # set by `cli.main.main`
        with work_on(on + TRUST if trust_cluster else on, forks=is_own):
            return command(*args, **given)

    on_option = click.option(
        "--on",
        cls=Option,
        section=_SECTION,
        rare=True,
        default=LOCAL,
        shell_complete=executors,
        metavar="PLACE",
        help="Where programs are executed: local, ray for a private Ray on this machine, or ray://HOST:PORT "
        "for a cluster.",
    )
    trust_option = click.option(
        "--trust-cluster",
        cls=Option,
        section=_SECTION,
        rare=True,
        is_flag=True,
        help="Use a cluster without token authentication. Anyone who can connect to it can run commands.",
    )
    return on_option(trust_option(placed))
