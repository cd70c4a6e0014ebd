"""`benchwright audit DATA`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from benchwright.auditing.audit import (
    BARE_MEMORY_MB,
    AuditOptions,
    AuditReport,
    audit,
    audit_limits,
    document,
)
from benchwright.auditing.audit_tasks import SHAPES
from benchwright.auditing.findings import CODES, RankedTask, check_codes, failed_codes
from benchwright.cli.arguments import as_path, json_option, not_empty, not_empty_each, print_json
from benchwright.cli.build_options import quiet_option
from benchwright.cli.place_options import place_options
from benchwright.cli.shell_completion import files, finding_codes, run_folders
from benchwright.cli.terminal import console, watcher_for
from benchwright.display.escape import escaped_path, markup
from benchwright.display.text_table import text_table
from benchwright.display.wording import counted
from benchwright.executing.executors import ExecutorSetup, open_executor

SHOWN = 15  # tasks and unreadable rows that the terminal shows; the page and --json have all


@click.command()
@click.argument("data", metavar="DATA", callback=not_empty, shell_complete=files)
@click.option(
    "--track",
    type=click.Choice(["auto", *SHAPES]),
    default="auto",
    show_default=True,
    help="Format of the rows; auto detects it for each row.",
)
@click.option(
    "--tasks",
    multiple=True,
    callback=not_empty_each,
    metavar="TASK",
    help="Only this task; repeatable.  [default: all]",
)
@click.option(
    "--answers",
    multiple=True,
    callback=not_empty_each,
    shell_complete=run_folders,
    metavar="RUN",
    help="A run on this data set; its answers are used as additional programs; repeatable.",
)
@click.option(
    "--corpus",
    multiple=True,
    callback=not_empty_each,
    shell_complete=files,
    metavar="PATH",
    help="A file or folder of possible training data to search for the tasks; repeatable.",
)
@click.option(
    "--fail-on",
    multiple=True,
    callback=not_empty_each,
    shell_complete=finding_codes,
    metavar="CODE",
    help="Exit with 1 if a task has this finding: a code, or defect, question, weakness, information; "
    "repeatable.",
)
@click.option(
    "--out",
    callback=as_path,
    shell_complete=files,
    metavar="FOLDER",
    help="Folder of the audit; reuse it to resume.  [default: runs/audit-DATA-HASH]",
)
@click.option(
    "--memory",
    "memory_mb",
    type=click.IntRange(min=32),
    metavar="MIB",
    help="Memory limit of one program; a mutant may fill it.  "
    f"[default: {BARE_MEMORY_MB}; 1024 with libraries]",
)
@click.option(
    "--workers", type=click.IntRange(min=1), help="Number of worker processes.  [default: one for each core]"
)
@place_options
@json_option
@quiet_option
def command(data: str, fail_on: tuple[str, ...], out: Path | None, workers: int | None, **given: Any) -> None:
    """Find the tasks of a benchmark whose verdicts cannot be trusted, with evidence.

    Reads HumanEval, MERA, MBPP and AICoderEval rows and own tasks. Executes each canonical solution five
    times, and stubs, rewrites and mutants. Reports calls that the tests miss, examples that contradict the
    solution, tests that occur in the prompt, and duplicates. Needs no model and no network.

    Exit code 1 only with --fail-on. The same command resumes an interrupted audit and executes nothing twice.

    \b
    benchwright audit HumanEval.jsonl.gz
    benchwright audit mbpp.jsonl --fail-on defect --json > audit.json
    benchwright audit HumanEval.jsonl.gz --answers runs/mine --answers runs/other
    """
    codes = check_codes(fail_on)
    target = console()
    watch = watcher_for(target, quiet=given.pop("quiet"), as_json=given["as_json"])
    as_json = given.pop("as_json")
    options = AuditOptions(data=data, shape=given.pop("track"), **given)
    setup = ExecutorSetup(workers=workers, limits=audit_limits(options.memory_mb))
    with open_executor(setup) as pool:
        report = audit(options, pool, out=out, watch=watch)
    page = _write_page(report)
    if as_json:
        print_json({**document(report), "page": str(page), "failed_on": failed_codes(report.counts, codes)})
    else:
        _print(target, report, page)
    sys.exit(1 if failed_codes(report.counts, codes) else 0)


def _write_page(report: AuditReport) -> Path:
    from benchwright.auditing.page import write_audit_page  # noqa: PLC0415 (jinja2: 0.1 s)

    return write_audit_page(report, report.page)


def _print(target: Console, report: AuditReport, page: Path) -> None:
    if report.counts:
        target.print(_counts(report))
    for row in report.unreadable[:SHOWN]:
        hint = f" (hint: {markup(row.hint)})" if row.hint else ""
        target.print(f"{markup(row.place)}: {markup(row.reason)}{hint}", soft_wrap=True)
    notable = [task for task in report.ranked if task.findings[0].weight != "information"]
    if notable:
        target.print(_task_table(notable[:SHOWN]))
    if len(notable) > SHOWN:
        target.print(
            f"… and {counted(len(notable) - SHOWN, 'more task')} with a defect, a question or a weakness"
        )
    for line in _sentences(report, page):
        target.print(line, soft_wrap=True)


def _counts(report: AuditReport) -> Table:
    table = text_table()
    for name in ("finding", "weight"):
        table.add_column(name)
    table.add_column("tasks", justify="right")
    table.add_column("which means", overflow="fold")
    for code, count in report.counts.items():
        table.add_row(code, CODES[code].weight, str(count), CODES[code].meaning)
    return table


def _task_table(tasks: list[RankedTask]) -> Table:
    table = text_table()
    for name in ("", "task", "findings", "evidence"):
        table.add_column(name, overflow="fold")
    for each in tasks:
        names = dict.fromkeys(finding.code for finding in each.findings if finding.weight != "information")
        detail = each.findings[0].detail
        table.add_row(str(each.rank), markup(each.task), ", ".join(names), markup(_short(detail)))
    return table


def _short(text: str, limit: int = 160) -> str:
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def _sentences(report: AuditReport, page: Path) -> list[str]:
    sums = report.totals
    mutants = sum(sums.mutants.values())
    lines = [
        f"{counted(report.rows, 'row')}, {counted(report.tasks, 'task')} audited; the gold of "
        f"[bold]{sums.gold_passed} of {sums.examined}[/] passes all of its executions ({sums.executions:,})",
        f"{sums.stubs_passed} of {sums.stubs:,} stubs pass; {counted(mutants, 'mutant')}: "
        + (
            ", ".join(f"{count:,} {fate.replace('_', ' ')}" for fate, count in sums.mutants.items()) or "none"
        ),
        f"{counted(sums.witnessed, 'task')} with an input on which a surviving mutant is not the gold",
    ]
    if report.answers is not None:
        unfit = (
            f", {report.answers_unfit:,} of them to no task of this data set" if report.answers_unfit else ""
        )
        lines.append(f"{counted(report.answers, 'stored answer')} read{unfit}")
    lines.append(f"page with the diff and witness of each finding: {markup(escaped_path(page))}")
    return lines
