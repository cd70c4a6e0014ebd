"""`benchwright export mera` and `benchwright export inspect`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from benchwright.cli.arguments import as_path, data_of_run, file_out, json_option, not_empty, print_json
from benchwright.cli.check_submission import findings_table, score_lines, task_set_document
from benchwright.cli.shell_completion import files, run_folders
from benchwright.cli.terminal import TerminalWatcher, console, print_whole
from benchwright.display.escape import escaped_path, markup, quoted
from benchwright.display.wording import counted
from benchwright.errors import UsageError, command_name
from benchwright.interop.inspect_ai_log.export import ExportedLog, export_inspect
from benchwright.interop.mera.run_results import RunToRepeat, from_file, from_run
from benchwright.interop.mera.submission import NULL, TEXT, ExportedSubmission, ExportPart, export
from benchwright.interop.mera.submission_check import SubmissionCheck
from benchwright.progress import Silent
from benchwright.records import full_document


@click.command(context_settings={"show_default": True})
@click.argument("runs", metavar="[RUN]…", nargs=-1, shell_complete=run_folders)
@click.option(
    "--data",
    callback=not_empty,
    shell_complete=files,
    help="Data set of --answers, or of a RUN that does not store it.",
)
@click.option(
    "--answers",
    callback=not_empty,
    shell_complete=files,
    help="File of answers to the tasks of --data, instead of a RUN.",
)
@click.option(
    "--task",
    "--task-name",  # its earlier name
    "names",
    multiple=True,
    help="Task set of each RUN.  [default: the track's; for ruhumaneval, ruCodeEval with hidden outputs, "
    "else ruHumanEval]",
)
@click.option(
    "--out",
    callback=as_path,
    shell_complete=files,
    default="submission.zip",
    metavar="ZIP",
    help="File to write.",
)
@click.option(
    "--none",
    type=click.Choice([NULL, TEXT]),
    default=TEXT,
    help='Write None and exceptions as null, or as the text "None".',
)
@click.option(
    "--missing",
    type=click.Choice(["refuse", "empty"]),
    default="refuse",
    help="If the model gave no answer: fail, or export an empty answer.",
)
@click.option("--logs/--no-logs", default=True, help="Include logs_public.zip with prompts and answers.")
@click.option(
    "--samples",
    callback=as_path,
    shell_complete=files,
    metavar="FOLDER",
    help="Also write lm-eval sample logs to FOLDER, for MERA's own packer.",
)
@click.option("--workers", type=click.IntRange(min=1), help="Concurrent sandboxes.  [default: one per core]")
@json_option
def mera(runs: tuple[str, ...], as_json: bool, **given: Any) -> None:
    """Write a MERA submission from runs on task sets of MERA Code, or from a file of answers.

    For ruHumanEval and ruCodeEval it contains the result of each test for each answer, but no code: every
    answer is executed again in the sandbox, by MERA's rules. For other task sets it contains the texts of
    answers, and nothing is executed. MERA's server scores the tasks whose outputs are hidden. Check the file
    with `benchwright check-submission`.

    \b
    benchwright export mera runs/mine --out submission.zip
    benchwright export mera runs/public runs/private --task ruHumanEval --task ruCodeEval
    benchwright export mera runs/labels --out labels.zip
    benchwright export mera --data ruCodeEval/test.json --answers answers.jsonl --task ruCodeEval
    """
    target = console()
    sources = _sources(runs, given)
    exported = export(
        sources,
        out=given["out"],
        none=given["none"],
        logs=given["logs"],
        samples=given["samples"],
        workers=given["workers"],
        watch=Silent() if as_json and not sys.stderr.isatty() else TerminalWatcher(target),
    )
    if as_json:
        print_json(_document(exported))
    else:
        _print_submission(target, exported)


def _sources(runs: tuple[str, ...], given: dict[str, Any]) -> list[RunToRepeat]:
    names, data, missing = given["names"], given["data"], given["missing"]
    if given["answers"] is not None:
        return [_from_file(runs, names, data, given["answers"], missing)]
    if not runs:
        hint = f"{command_name()} export mera RUN, or --data DATA --answers FILE"
        raise UsageError("missing RUN", hint=hint)
    if names and len(names) != len(runs):
        message = f"{counted(len(names), 'task name')} for {counted(len(runs), 'run')}"
        raise UsageError(message, hint="give one --task for each RUN, in the same order")
    if data is not None and len(runs) > 1:
        raise UsageError("--data takes one RUN", hint="export one run at a time")
    pairs = zip(runs, names or [None] * len(runs), strict=True)
    return [from_run(run, task_name=name, data=data, missing=missing) for run, name in pairs]


def _from_file(
    runs: tuple[str, ...], names: tuple[str, ...], data: str | None, answers: str, missing: str
) -> RunToRepeat:
    if runs or data is None or len(names) > 1:
        hint = f"{command_name()} export mera --data DATA --answers {quoted(answers)}"
        raise UsageError("--answers requires --data, no RUN, and at most one --task", hint=hint)
    return from_file(answers, data=data, task_name=names[0] if names else None, missing=missing)


def _document(exported: ExportedSubmission) -> dict[str, Any]:
    checked = _check_export(exported)
    return {
        "submission": escaped_path(exported.path),
        "bytes": exported.size,
        "task_sets": [_part_document(part) for part in exported.parts],
        "errors": checked.errors,
        "warnings": checked.warnings,
        "findings": full_document(checked.listed),
    }


def _part_document(part: ExportPart) -> dict[str, Any]:
    return {
        **task_set_document(part.checked),
        "source": part.source.name,
        "log": part.log.name,
        "answers": part.counts.total(),
        "outcomes": dict(sorted(part.counts.items())),
        "nulls": part.nulls,
    }


def _check_export(exported: ExportedSubmission) -> SubmissionCheck:
    return SubmissionCheck(exported.findings, [part.checked for part in exported.parts])


def _print_submission(target: Console, exported: ExportedSubmission) -> None:
    checked = _check_export(exported)
    if checked.listed:
        print_whole(target, findings_table(checked))
    for part in exported.parts:
        outcomes = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in part.counts.most_common())
        name, source = part.checked.kind.name, markup(part.source.name)
        target.print(
            f"[bold]{name}[/] from {source}: {counted(part.checked.rows, 'task')}; answers: {outcomes}"
        )
        for line in [*score_lines(part.checked), *_remarks(part)]:
            target.print(line, soft_wrap=True)
    target.print(f"written: {markup(str(exported.path))}, {exported.size:,} bytes", soft_wrap=True)


def _remarks(part: ExportPart) -> list[str]:
    kind, rows = part.checked.kind, part.checked.rows
    remarks = []
    if part.nulls:
        remarks.append(
            f"note: null in {counted(part.nulls, 'value')}. MERA's harness writes the text "
            '"None", and its server accepts a correct None only in this form (omit --none null)'
        )
    if kind.rows not in (0, rows):
        remarks.append(
            f"note: MERA's {kind.name} has {counted(kind.rows, 'task')}, this data set {rows}: "
            "its server scores a task set with a missing id as 0"
        )
    return remarks


@click.command()
@click.argument("run", callback=not_empty, shell_complete=run_folders)
@file_out("Log to write: FILE.eval, or FILE.json for a small run.")
@data_of_run
@json_option
def inspect(run: str, out: str, data: str | None, as_json: bool) -> None:
    """Write a finished run as an Inspect AI log, for its viewer and data frames.

    Each answer becomes a sample and each repetition an epoch. An answer that is missing because of an
    infrastructure error becomes a sample error. Requires the package inspect-ai:
    pip install 'benchwright[inspect]'.

    \b
    benchwright export inspect runs/mine --out logs/mine.eval
    inspect view --log-dir logs
    """
    exported = export_inspect(run, out, data=data)
    if as_json:
        print_json(exported)
    else:
        _print_log(exported)


def _print_log(exported: ExportedLog) -> None:
    target = console()
    facts = f"{counted(exported.tasks, 'task')}, {counted(exported.epochs, 'epoch')}"
    errors = f", {exported.errors} of them errors because answers are missing" if exported.errors else ""
    target.print(
        f"{markup(exported.out)}: {counted(exported.samples, 'sample')} ({facts}){errors}; "
        f"model {markup(exported.model)}",
        soft_wrap=True,
    )
    for note in exported.notes:
        target.print(f"note: {markup(note)}", soft_wrap=True)
    folder = Path(exported.out).parent
    target.print(f"view it with: inspect view --log-dir {markup(quoted(folder))}", soft_wrap=True)
