"""`benchwright doctor` and `benchwright setup`: check this machine, and install packages for programs."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from functools import partial
from importlib.util import find_spec

import click
from rich.console import Console
from rich.markup import escape

from benchwright import registry
from benchwright.cli.arguments import json_option, print_json
from benchwright.cli.terminal import console, print_whole
from benchwright.display.text_table import text_table
from benchwright.errors import PrerequisiteError, install_command
from benchwright.executing.suite_runners import runner_for
from benchwright.sandbox.environments import interpreter
from benchwright.sandbox.machine_probes import Probe, probe_build, probe_jails, probe_machine, probe_profiles
from benchwright.sandbox.profiles import NAMED, install_packages, profiles_folder

EXTRAS = {  # by extra: its purpose, and one of its packages
    "compare": ("comparisons and ranks", "scipy"),
    "report": ("charts as files", "vl_convert"),
    "build": ("building and verifying", "tree_sitter"),
    "code": ("comments in Java, Go, JavaScript, TypeScript and C#", "tree_sitter_typescript"),
    "web": ("sites for human judges", "litestar"),
    "postgres": ("PostgreSQL for those sites", "psycopg"),
}


@click.command()
@json_option
def doctor_command(as_json: bool) -> None:
    """Check the sandbox on this machine, layer by layer, with hints for missing parts.

    Toolchains execute test suites. A missing toolchain is not an error: its rows are counted as not executed.
    Exit code 0 if all layers of at least one jail work, else 3.

    \b
    benchwright doctor
    benchwright doctor --json
    """
    machine, jails = [*probe_machine(), probe_build()], dict(probe_jails())
    toolchains, extras = list(probe_toolchains()), [*probe_profiles(), *probe_extras()]
    sound = [jail for jail, probes in jails.items() if all(map(_is_well, probes))]
    if as_json:
        groups = {
            "machine": machine,
            **{f"jail {jail}": probes for jail, probes in jails.items()},
            "toolchains": toolchains,
            "extras": extras,
        }
        print_json({"usable": sound, "probes": groups})
    else:
        sections = {f"jail: {jail}": rows for jail, rows in jails.items()}
        _print(console(), {"machine": machine, **sections, "toolchains": toolchains, "extras": extras})
        _conclude(console(), sound)
    sys.exit(0 if sound and all(map(_is_well, machine)) else 3)


def _is_well(probe: Probe) -> bool:
    return probe.holds or not probe.needed


def probe_toolchains() -> Iterator[Probe]:
    """Probe the toolchain of each language: its versions, or the missing part."""
    for lang in registry.RUNNERS:
        try:
            versions = runner_for(lang).versions()
        except PrerequisiteError as error:
            hint = error.hint or ""
            yield Probe(layer=lang, holds=False, seen=error.message, needed=False, hint=hint)
            continue
        version_list = ", ".join(f"{part} {version}" for part, version in versions.items())
        yield Probe(layer=lang, holds=True, seen=version_list, needed=False)


def probe_extras() -> Iterator[Probe]:
    """Probe the packages of each extra."""
    for extra, (layer, package) in EXTRAS.items():
        is_installed = find_spec(package) is not None
        finding = f"{package} is {'installed' if is_installed else 'not installed'}"
        hint = install_command(extra)
        yield Probe(layer=layer, holds=is_installed, seen=finding, needed=False, hint=hint)


def _print(target: Console, groups: dict[str, list[Probe]]) -> None:
    for name, probes in groups.items():
        table = text_table(name, header=False)
        for probe in probes:
            table.add_row(_state(probe), probe.layer, probe.seen)
        print_whole(target, table)
    for hint in dict.fromkeys(_hints(groups.values())):
        target.print(f"[cyan bold]hint:[/] {escape(hint)}")


def _state(probe: Probe) -> str:
    if probe.holds:
        return "[green]holds[/]"
    return "[red]FAILS[/]" if probe.needed else "[yellow]absent[/]"


def _hints(groups: Iterable[list[Probe]]) -> Iterable[str]:
    for probes in groups:
        for probe in probes:
            if not probe.holds and probe.hint:
                yield f"{probe.layer}: {probe.hint}"


def _conclude(target: Console, sound: list[str]) -> None:
    if sound:
        target.print(f"The sandbox works: all layers of the {' and the '.join(sound)} jail hold.")
    else:
        target.print("[red]The sandbox cannot start here: no jail holds in all layers.[/]")


@click.command()
@click.argument("names", metavar="NAME...", nargs=-1, required=True, type=click.Choice(sorted(NAMED)))
def setup_profiles(names: tuple[str, ...]) -> None:
    """Install the packages of dependency profiles: AI libraries for programs, and the linter flake8.

    Packages have the versions and hashes of the profile's lock file. Each profile has its own folder, which
    only its programs see: flake8 takes 1 MB, sklearn 0.4 GB, torch 1.2 GB. Installed profiles are not
    changed. Exit code 3 if the lock file does not fit this Python and machine, or if the installation fails.

    \b
    benchwright setup flake8
    benchwright setup sklearn
    benchwright setup torch
    """
    for name in names:
        found = install_packages(name, interpreter(), tell=partial(_print_status, name))
        versions = ", ".join(f"{package} {found.packages[package]}" for package in NAMED[name])
        _print_status(name, f"ready ({versions}; in {profiles_folder() / name})")


def _print_status(name: str, text: str) -> None:
    console().print(f"{name}: {escape(text)}", soft_wrap=True)
