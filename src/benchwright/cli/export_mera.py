"""`benchwright export mera RUN…`."""

from __future__ import annotations

import sys
from typing import Any

import click
from rich.console import Console

from benchwright.cli.arguments import as_path, json_option, not_empty, print_json
from benchwright.cli.check_submission import findings_table, score_lines, task_set_document
from benchwright.cli.completing import files, run_folders
from benchwright.cli.terminal import TerminalWatcher, console, print_whole
from benchwright.display.escape import escaped_path, markup, quoted
from benchwright.errors import UsageError, command_name
from benchwright.interop.mera.check import Checked
from benchwright.interop.mera.exporting import NULL, TEXT, ExportedSubmission, Part, export
from benchwright.interop.mera.gathering import RunToRepeat, from_file, from_run
from benchwright.progress import Silent
from benchwright.records import whole


@click.command(context_settings={"show_default": True})
@click.argument("runs", metavar="[RUN]…", nargs=-1, shell_complete=run_folders)
@click.option(
    "--data",
    callback=not_empty,
    shell_complete=files,
    help="The data set: of --answers, or of a RUN that does not keep it.",
)
@click.option(
    "--answers",
    callback=not_empty,
    shell_complete=files,
    help="A file of answers in place of a RUN, to the tasks of --data.",
)
@click.option(
    "--task",
    "--task-name",  # its earlier name
    "names",
    multiple=True,
    help="The task set, one for each RUN.  [default: the track's; of ruhumaneval, ruCodeEval if the outputs "
    "are hidden, else ruHumanEval]",
)
@click.option(
    "--out",
    callback=as_path,
    shell_complete=files,
    default="submission.zip",
    metavar="ZIP",
    help="The file to write.",
)
@click.option(
    "--none",
    type=click.Choice([NULL, TEXT]),
    default=TEXT,
    help='How None and exceptions are written: as null, or as the text "None".',
)
@click.option(
    "--missing",
    type=click.Choice(["refuse", "empty"]),
    default="refuse",
    help="What to do when the model failed to give an answer; `empty` takes it for an empty one.",
)
@click.option(
    "--logs/--no-logs", default=True, help="Put logs_public.zip, with prompts and answers, into it."
)
@click.option(
    "--samples",
    callback=as_path,
    shell_complete=files,
    metavar="FOLDER",
    help="A folder to write lm-eval's sample logs to, for MERA's own packer.",
)
@click.option("--workers", type=click.IntRange(min=1), help="Sandboxes at a time.  [default: one a core]")
@json_option
def command(runs: tuple[str, ...], as_json: bool, **given: Any) -> None:
    """Write MERA's submission of runs of ruhumaneval and codecorrectness, or of a file of answers.

    A submission holds what each answer gave for each test, and never its code. So every answer is executed
    once more in the sandbox, by the rules of the profile mera-code. Of codecorrectness it holds the first
    answer's text to each task, and nothing is executed. The tasks may be private: nothing is
    scored then, and MERA's server does it. Check the file with `benchwright check-submission`.

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
        _print(target, exported)


def _sources(runs: tuple[str, ...], given: dict[str, Any]) -> list[RunToRepeat]:
    names, data, missing = given["names"], given["data"], given["missing"]
    if given["answers"] is not None:
        return [_from_file(runs, names, data, given["answers"], missing)]
    if not runs:
        hint = f"{command_name()} export mera RUN, or --data DATA --answers FILE"
        raise UsageError("there is nothing to export", hint=hint)
    if names and len(names) != len(runs):
        message = f"{len(names)} task names for {len(runs)} runs"
        raise UsageError(message, hint="give one --task for each RUN, in the same order")
    if data is not None and len(runs) > 1:
        raise UsageError("--data says where the data set of one RUN is", hint="export one run at a time")
    pairs = zip(runs, names or [None] * len(runs), strict=True)
    return [from_run(run, task_name=name, data=data, missing=missing) for run, name in pairs]


def _from_file(
    runs: tuple[str, ...], names: tuple[str, ...], data: str | None, answers: str, missing: str
) -> RunToRepeat:
    if runs or data is None or len(names) > 1:
        hint = f"{command_name()} export mera --data DATA --answers {quoted(answers)}"
        raise UsageError("--answers needs --data, no RUN, and one --task at most", hint=hint)
    return from_file(answers, data=data, task_name=names[0] if names else None, missing=missing)


def _document(exported: ExportedSubmission) -> dict[str, Any]:
    checked = _checked(exported)
    return {
        "submission": escaped_path(exported.path),
        "bytes": exported.size,
        "task_sets": [_part_document(part) for part in exported.parts],
        "errors": checked.errors,
        "warnings": checked.warnings,
        "findings": whole(checked.listed),
    }


def _part_document(part: Part) -> dict[str, Any]:
    return {
        **task_set_document(part.checked),
        "source": part.source.name,
        "log": part.log.name,
        "answers": part.counts.total(),
        "outcomes": dict(sorted(part.counts.items())),
        "nulls": part.nulls,
    }


def _checked(exported: ExportedSubmission) -> Checked:
    return Checked(exported.findings, [part.checked for part in exported.parts])


def _print(target: Console, exported: ExportedSubmission) -> None:
    checked = _checked(exported)
    if checked.listed:
        print_whole(target, findings_table(checked))
    for part in exported.parts:
        outcomes = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in part.counts.most_common())
        name, source = part.checked.kind.name, markup(part.source.name)
        target.print(f"[bold]{name}[/] from {source}: {part.checked.rows} tasks; answers: {outcomes}")
        for line in [*score_lines(part.checked), *_remarks(part)]:
            target.print(line, soft_wrap=True)
    target.print(f"written: {markup(str(exported.path))}, {exported.size:,} bytes", soft_wrap=True)


def _remarks(part: Part) -> list[str]:
    kind, rows = part.checked.kind, part.checked.rows
    remarks = []
    if part.nulls:
        remarks.append(
            f"note: {part.nulls} values are null, where the log of MERA's own harness has the text "
            '"None": a right None counts at its server only so (leave --none null out)'
        )
    if kind.rows not in (0, rows):
        remarks.append(
            f"note: MERA's {kind.name} has {kind.rows} tasks and this data set {rows}: "
            "its server gives 0 to a task set with an id missing"
        )
    return remarks
