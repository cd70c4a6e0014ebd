"""`benchwright setup`."""

from __future__ import annotations

from functools import partial

import click
from rich.markup import escape

from benchwright.cli.terminal import console
from benchwright.sandbox.environments import interpreter
from benchwright.sandbox.installing import install_packages
from benchwright.sandbox.profiles import NAMED, profiles_folder


@click.command()
@click.argument("names", metavar="NAME...", nargs=-1, required=True, type=click.Choice(sorted(NAMED)))
def command(names: tuple[str, ...]) -> None:
    """Install the packages of dependency profiles: what programs of an AI library are executed with.

    Each profile has its packages, at the versions and hashes of its lock, in a folder of its own that only
    its programs see: sklearn takes 0.4 GB, torch 1.2 GB. What is there already is left as it is. Exit code 3
    where a lock does not hold for this Python and machine, or cannot be installed.

    \b
    benchwright setup sklearn
    benchwright setup torch
    """
    for name in names:
        found = install_packages(name, interpreter(), tell=partial(_tell, name))
        versions = ", ".join(f"{package} {found.packages[package]}" for package in NAMED[name])
        _tell(name, f"ready ({versions}; in {profiles_folder() / name})")


def _tell(name: str, text: str) -> None:
    console().print(f"{name}: {escape(text)}", soft_wrap=True)
