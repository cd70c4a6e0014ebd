"""`benchwright doctor`."""

from __future__ import annotations

import sys
from collections.abc import Iterable

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from benchwright.cli.printing import print_json
from benchwright.cli.terminal import console
from benchwright.sandbox.probes import Probe, probe_jails, probe_machine, probe_profiles


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout.")
def command(as_json: bool) -> None:
    """Probe the sandbox on this machine, layer by layer, and say how to get what is missing.

    Exit code 0 when at least one jail holds in every layer, else 3.
    """
    machine, jails = list(probe_machine()), dict(probe_jails())
    extras = list(probe_profiles())
    sound = [jail for jail, probes in jails.items() if all(probe.holds for probe in probes)]
    if as_json:
        groups = {
            "machine": machine,
            **{f"jail {jail}": probes for jail, probes in jails.items()},
            "extras": extras,
        }
        print_json({"usable": sound, "probes": groups})
    else:
        _print(
            console(),
            {"machine": machine, **{f"jail: {jail}": rows for jail, rows in jails.items()}, "extras": extras},
        )
        _conclude(console(), sound)
    sys.exit(0 if sound and all(probe.holds or not probe.needed for probe in machine) else 3)


def _print(target: Console, groups: dict[str, list[Probe]]) -> None:
    for name, probes in groups.items():
        table = Table(title=name, title_justify="left", show_header=False, box=None, padding=(0, 1))
        for probe in probes:
            table.add_row(_state(probe), probe.layer, probe.seen)
        target.print(table)
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
        target.print(f"Answers can be run: every layer holds in the {' and the '.join(sound)} jail.")
    else:
        target.print("[red]No jail holds in every layer, so no answer will be run.[/]")
