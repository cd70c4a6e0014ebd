"""`benchwright release check|diff|erratum`."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click
import msgspec

from benchwright.building.aicodereval.release import (
    Erratum,
    ReleaseDifference,
    add_erratum,
    check_release,
    difference,
    errata_of,
    manifest_of,
)
from benchwright.cli.arguments import as_path, not_empty
from benchwright.cli.completing import files
from benchwright.cli.printing import print_json
from benchwright.cli.terminal import console
from benchwright.display.escape import markup


@click.command()
@click.argument("folder", callback=as_path, shell_complete=files)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout.")
def check(folder: Path, as_json: bool) -> int:
    """Compare each file of a release with the hash in its manifest; exit 1 where one is not as released.

    \b
    benchwright release check builds/mine/mine@1.0.0
    """
    manifest, faults, errata = manifest_of(folder), check_release(folder), errata_of(folder)
    if as_json:
        told = [msgspec.to_builtins(each) for each in errata]
        print_json(
            {"name": manifest["name"], "version": manifest["version"], "faults": faults, "errata": told}
        )
        return bool(faults)
    target = console()
    for fault in faults:
        target.print(f"[bold]changed:[/] {markup(fault)}", soft_wrap=True)
    for each in errata:
        target.print(f"erratum, {markup(each.task_id)}: {markup(each.text)}", soft_wrap=True)
    sound = f"sound: {len(manifest['sha256'])} files are as they were released"
    target.print("this is not what was released" if faults else sound)
    return bool(faults)


@click.command()
@click.argument("old", callback=as_path, shell_complete=files)
@click.argument("new", callback=as_path, shell_complete=files)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout.")
def diff(old: Path, new: Path, as_json: bool) -> None:
    """Which entries were added, removed, moved to another split or changed, and which scores that affects.

    \b
    benchwright release diff builds/mine/mine@1.0.0 builds/more/mine@1.1.0
    """
    found = difference(old, new)
    if as_json:
        print_json({name: getattr(found, name) for name in found.__struct_fields__})
        return
    for line in _lines(found):
        console().print(markup(line), soft_wrap=True)


def _lines(found: ReleaseDifference) -> list[str]:
    lines = [f"added: {task}" for task in found.added] + [f"removed: {task}" for task in found.removed]
    lines += [f"moved: {task}, {way}" for task, way in found.moved.items()]
    lines += [f"changed: {task} ({', '.join(fields)})" for task, fields in found.changed.items()]
    if found.affected:
        lines.append(f"scores do not carry over on: {', '.join(found.affected)}")
    return lines or ["the entries are the same"]


@click.command()
@click.argument("folder", callback=as_path, shell_complete=files)
@click.argument("task_id")
@click.argument("text", callback=not_empty)
def erratum(folder: Path, task_id: str, text: str) -> None:
    """Note beside a release what is wrong with an entry; the release itself does not change.

    \b
    benchwright release erratum builds/mine/mine@1.0.0 top-labels-vit "ties are not said in the docstring"
    """
    add_erratum(folder, Erratum(task_id=task_id, text=text, date=datetime.now(UTC).date().isoformat()))
