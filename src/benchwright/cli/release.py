"""`benchwright release check|recheck|diff|erratum`."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import click
import msgspec

from benchwright.building.aicodereval.recheck import EntryState, RecheckedRelease, recheck
from benchwright.building.aicodereval.release import (
    Erratum,
    ReleaseDifference,
    add_erratum,
    check_release,
    difference,
    errata_of,
    manifest_of,
)
from benchwright.building.aicodereval.score_migration import CarriedScores, carried_scores
from benchwright.cli.arguments import as_path, not_empty, not_empty_each, print_json
from benchwright.cli.completing import files, run_folders
from benchwright.cli.terminal import console, watcher_for
from benchwright.display.escape import markup
from benchwright.display.wording import counted
from benchwright.executing.executors import open_executor
from benchwright.executing.trials import Trials
from benchwright.records import whole


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


@click.command(name="recheck")
@click.argument("folder", callback=as_path, shell_complete=files)
@click.option("--profile", default="", metavar="PROFILE", help="Execute in this dependency profile instead.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout.")
@click.option("--quiet", "-q", is_flag=True, help="No progress.")
def recheck_command(folder: Path, profile: str, as_json: bool, quiet: bool) -> int:
    """Execute the canonical solutions of a release anew; exit 1 unless all end as they did.

    Each entry is one of three: it passes (ends as at the release), fails (the environment has drifted: a
    model that fails there is not to blame), or could not be executed, which says nothing about it. What was
    executed with otherwise than then is named.

    \b
    benchwright release recheck builds/mine/mine@1.0.0
    benchwright release recheck builds/mine/mine@1.0.0 --profile torch --json
    """
    target = console()
    watch = watcher_for(target, quiet=quiet, as_json=as_json)
    with (
        TemporaryDirectory(prefix="benchwright-") as kept,
        open_executor() as pool,
        Trials(Path(kept, "trials.jsonl"), pool, watch=watch) as trials,
    ):
        found = recheck(folder, trials, profile=profile)
    if as_json:
        print_json({**whole(found), "counts": found.counts})
    else:
        for line in _recheck_lines(found):
            target.print(line, soft_wrap=True)
    return found.counts[EntryState.passed] < len(found.entries)


def _recheck_lines(found: RecheckedRelease) -> Iterator[str]:
    for profile, changes in found.locks.items():
        for package, (then, now) in changes.items():
            yield markup(f"profile {profile}: {package} {then or 'not there'} → {now or 'not there'}")
    for each in found.entries:
        if each.state is not EntryState.passed:
            changed = [
                f"{level} {each.released[level]} → {end}"
                for level, end in each.levels.items()
                if each.released[level] is not end
            ]
            yield f"[bold]{each.state}:[/] {markup('; '.join([each.task_id, *changed, each.detail]))}"
    yield ", ".join(f"{count} {state}" for state, count in found.counts.items())


@click.command()
@click.argument("old", callback=as_path, shell_complete=files)
@click.argument("new", callback=as_path, shell_complete=files)
@click.option(
    "--run",
    "runs",
    multiple=True,
    callback=not_empty_each,
    shell_complete=run_folders,
    metavar="RUN",
    help="Say which scores of this run hold for the later release; repeatable.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout.")
def diff(old: Path, new: Path, runs: tuple[str, ...], as_json: bool) -> None:
    """Which entries were added, removed, moved to another split or changed, and which scores that affects.

    With --run: of each task of a stored run whether its verdicts carry over, since it is the same in both.

    \b
    benchwright release diff builds/mine/mine@1.0.0 builds/more/mine@1.1.0
    benchwright release diff builds/mine/mine@1.0.0 builds/more/mine@1.1.0 --run runs/mine
    """
    found = difference(old, new)
    carried = [carried_scores(run, old, new) for run in runs]
    if as_json:
        told = {name: getattr(found, name) for name in found.__struct_fields__}
        print_json({**told, **({"runs": [whole(each) for each in carried]} if runs else {})})
        return
    for line in [*_lines(found), *(line for each in carried for line in _carried_lines(each))]:
        console().print(markup(line), soft_wrap=True)


def _carried_lines(found: CarriedScores) -> Iterator[str]:
    """How many tasks, and all that need work by name."""
    later = len(found.carried) + len(found.changed) + len(found.open)
    yield f"{found.run}: its scores carry over on {len(found.carried)} of {counted(later, 'test')}"
    for why, tasks in (
        ("another task now", found.changed),
        ("no test any more", found.gone),
        ("without a verdict", found.open),
    ):
        if tasks:
            yield f"  {why}: {', '.join(tasks)}"


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
