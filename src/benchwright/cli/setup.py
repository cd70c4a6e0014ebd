"""`benchwright setup`: install the packages of dependency profiles."""

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
    """Install the packages of dependency profiles, for executing programs that use AI libraries.

    Packages have the versions and hashes of the profile's lock file. Each profile has its own folder, which
    only its programs see: sklearn takes 0.4 GB, torch 1.2 GB. Installed profiles are not changed. Exit code 3
    if the lock file does not fit this Python and machine, or if the installation fails.

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
