"""`benchwright release`: check, execute, compare, annotate and split releases of data sets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click
import msgspec

from benchwright.building.aicodereval.release_folder import (
    Erratum,
    ReleaseDifference,
    ScoreMigration,
    add_erratum,
    carried_scores,
    check_release,
    difference,
    errata_of,
    manifest_of,
)
from benchwright.building.aicodereval.release_recheck import EntryState, RecheckedRelease, recheck
from benchwright.cli.arguments import as_path, file_out, json_option, not_empty, not_empty_each, print_json
from benchwright.cli.shell_completion import files, run_folders
from benchwright.cli.terminal import console, watcher_for
from benchwright.display.escape import escaped_path, markup
from benchwright.display.wording import counted
from benchwright.errors import UsageError
from benchwright.executing.executors import open_executor
from benchwright.executing.trials import Trials
from benchwright.interop.mera.hidden_rows import check_readable, hidden_row
from benchwright.interop.mera.run_results import unexportable
from benchwright.interop.mera.task_sets import find_kind
from benchwright.records import Task, TaskId, full_document
from benchwright.registry import find
from benchwright.running.options import named_tasks
from benchwright.store.writing import STDOUT, writing


@click.command()
@click.argument("folder", callback=as_path, shell_complete=files)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout.")
def check(folder: Path, as_json: bool) -> int:
    """Compare each file of a release with its hash in the manifest. Exit code 1 if a file differs.

    \b
    benchwright release check builds/mine/mine@1.0.0
    """
    manifest, faults, errata = manifest_of(folder), check_release(folder), errata_of(folder)
    if as_json:
        errata_documents = [msgspec.to_builtins(each) for each in errata]
        print_json(
            {
                "name": manifest["name"],
                "version": manifest["version"],
                "faults": faults,
                "errata": errata_documents,
            }
        )
        return bool(faults)
    target = console()
    for fault in faults:
        target.print(f"[bold]changed:[/] {markup(fault)}", soft_wrap=True)
    for each in errata:
        target.print(f"erratum, {markup(each.task_id)}: {markup(each.text)}", soft_wrap=True)
    number = counted(len(manifest["sha256"]), "file")
    target.print(f"{len(faults)} of {number} changed" if faults else f"unchanged: {number}")
    return bool(faults)


@click.command(name="recheck")
@click.argument("folder", callback=as_path, shell_complete=files)
@click.option("--profile", default="", metavar="PROFILE", help="Execute in this dependency profile instead.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout.")
@click.option("--quiet", "-q", is_flag=True, help="No progress.")
def recheck_command(folder: Path, profile: str, as_json: bool, quiet: bool) -> int:
    """Execute the canonical solutions of a release again. Exit code 1 unless all have the same result.

    An entry passes if its result is that of the release. It fails if the result differs: the environment has
    changed, and an answer that fails there is not the model's fault. Entries that could not be executed are
    counted separately. Packages with other versions than at the release are listed.

    \b
    benchwright release recheck builds/mine/mine@1.0.0
    benchwright release recheck builds/mine/mine@1.0.0 --profile torch --json
    """
    target = console()
    watch = watcher_for(target, quiet=quiet, as_json=as_json)
    with (
        TemporaryDirectory(prefix="benchwright-") as temporary_folder,
        open_executor() as pool,
        Trials(Path(temporary_folder, "trials.jsonl"), pool, watch=watch) as trials,
    ):
        found = recheck(folder, trials, profile=profile)
    if as_json:
        print_json({**full_document(found), "counts": found.counts})
    else:
        for line in _recheck_lines(found):
            target.print(line, soft_wrap=True)
    return found.counts[EntryState.passed] < len(found.entries)


def _recheck_lines(found: RecheckedRelease) -> Iterator[str]:
    for profile, changes in found.locks.items():
        for package, (old_version, new_version) in changes.items():
            yield markup(
                f"profile {profile}: {package} {old_version or 'absent'} → {new_version or 'absent'}"
            )
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
    help="Run on the old release: list the tasks whose scores hold for the new one. Repeatable.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout.")
def diff(old: Path, new: Path, runs: tuple[str, ...], as_json: bool) -> None:
    """List the entries that were added, removed, changed or moved to another split, and the scores affected.

    A verdict of a run carries over to the new release if the task is the same in both.

    \b
    benchwright release diff builds/mine/mine@1.0.0 builds/more/mine@1.1.0
    benchwright release diff builds/mine/mine@1.0.0 builds/more/mine@1.1.0 --run runs/mine
    """
    found = difference(old, new)
    migrations = [carried_scores(run, old, new) for run in runs]
    if as_json:
        changes = {name: getattr(found, name) for name in found.__struct_fields__}
        print_json({**changes, **({"runs": [full_document(each) for each in migrations]} if runs else {})})
        return
    for line in [*_lines(found), *(line for each in migrations for line in _carried_lines(each))]:
        console().print(markup(line), soft_wrap=True)


def _carried_lines(found: ScoreMigration) -> Iterator[str]:
    """The number of tasks whose scores carry over, and the names of the others."""
    later = len(found.carried) + len(found.changed) + len(found.open)
    yield f"{found.run}: its scores carry over on {len(found.carried)} of {counted(later, 'test')}"
    for reason, tasks in (
        ("changed", found.changed),
        ("no longer in the test split", found.gone),
        ("without a verdict", found.open),
    ):
        if tasks:
            yield f"  {reason}: {', '.join(tasks)}"


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
    """Record a fault of an entry next to a release. The release itself does not change.

    \b
    benchwright release erratum builds/mine/mine@1.0.0 top-labels-vit "the docstring does not mention ties"
    """
    add_erratum(folder, Erratum(task_id=task_id, text=text, date=datetime.now(UTC).date().isoformat()))


@click.command()
@click.argument("data", callback=not_empty, shell_complete=files)
@file_out("Rows to publish: a MERA document if the name ends in .json, else JSON Lines.")
@click.option(
    "--golds",
    required=True,
    callback=not_empty,
    shell_complete=files,
    metavar="FILE",
    help="Rows to keep private: the same rows with outputs and solutions, as JSON Lines.",
)
@click.option(
    "--tasks",
    multiple=True,
    callback=not_empty_each,
    metavar="WHICH",
    help="Hide only these tasks, chosen as in `run --tasks`; repeatable.  [default: all]",
)
@click.option(
    "--rest",
    callback=not_empty,
    shell_complete=files,
    metavar="FILE",
    help="With --tasks: write the other rows to FILE, unchanged.",
)
@click.option(
    "--task",
    "task_set",
    callback=not_empty,
    default="ruHumanEval",
    show_default=True,
    metavar="NAME",
    help="Task set of the rows, as in MERA Code: ruHumanEval, stRuCom.",
)
@json_option
def command(
    data: str,
    out: str,
    golds: str,
    tasks: tuple[str, ...],
    rest: str | None,
    task_set: str,
    as_json: bool,
) -> None:
    """Write rows without outputs and solutions to one file, and the complete rows to another.

    A published row keeps the function, its calls, the instruction, the id and the entry point. Other fields
    are left out, because they might contain a result. Both files are data sets: use the published one with
    `run --ask-only` and `export mera`, and the private one to score the answers.

    \b
    benchwright release private rows.jsonl --out private.json --golds golds.jsonl
    benchwright release private rows.jsonl --out half.json --golds golds.jsonl --tasks 2/2 --rest open.jsonl
    benchwright release private rows.jsonl --task stRuCom --out private.json --golds golds.jsonl
    benchwright check-submission submission.zip --gold golds.jsonl
    """
    _check_files(data, {"--out": out, "--golds": golds, "--rest": rest})
    if rest and not tasks:
        raise UsageError(
            "--rest requires --tasks: else all rows are hidden", hint="--tasks 2/2 hides every other row"
        )
    kind = find_kind(task_set)
    if not kind.track:
        raise UsageError(f"no track reads data sets of {kind.name}", hint="--task stRuCom")
    track = find("track", kind.track)
    loaded = {task.task_id: task for task in track.load(data)}
    private_tasks = named_tasks(loaded, tasks, ())
    for fault in unexportable(private_tasks.values()):
        raise fault
    hidden = [hidden_row(track, kind, task) for task in private_tasks.values()]
    _write(golds, map(track.to_row, private_tasks.values()))
    if rest:
        _write(rest, map(track.to_row, _others(loaded, private_tasks)))
    _write(out, [row for row, _ in hidden])
    check_readable(track, out)
    omitted_fields = sorted({name for _, names in hidden for name in names})
    if as_json:
        print_json(
            {"hidden": len(hidden), "open": len(loaded) - len(hidden), "fields_left_out": omitted_fields}
        )
    else:
        _print(len(hidden), omitted_fields, out=out, golds=golds)


def _check_files(data: str, written: Mapping[str, str | None]) -> None:
    """Raise UsageError if one file would replace another: a gold answer could be lost or published."""
    seen = {Path(data).resolve(): "DATA"}
    for option, name in written.items():
        if name is None:
            continue
        if name == STDOUT:
            raise UsageError(f"{option} - is not supported for several files", hint=f"{option} FILE")
        before = seen.setdefault(Path(name).resolve(), option)
        if before != option:
            raise UsageError(f"{option} is the file of {before}", hint=f"name another file for {option}")


def _others(loaded: Mapping[TaskId, Task], private_tasks: Mapping[TaskId, Task]) -> list[Task]:
    return [task for task_id, task in loaded.items() if task_id not in private_tasks]


def _write(name: str, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write a MERA document to a .json file, else JSON Lines."""
    lines = list(map(msgspec.json.encode, rows))
    with writing(name) as file:
        if name.endswith(".json"):
            access = b'{"access": "private", "data": [\n'
            file.write(access + b",\n".join(lines) + b"\n]}\n")
        else:
            file.writelines(line + b"\n" for line in lines)


def _print(hidden: int, omitted_fields: Sequence[str], *, out: str, golds: str) -> None:
    place, golds_place = markup(escaped_path(out)), markup(escaped_path(golds))
    console().print(
        f"{counted(hidden, 'row')} without outputs: {place}; complete: {golds_place}", soft_wrap=True
    )
    if omitted_fields:
        console().print(markup(f"fields left out: {', '.join(omitted_fields)}"), soft_wrap=True)
