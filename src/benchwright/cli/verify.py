"""`benchwright verify DATA`."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Any

import click
import msgspec
from rich.console import Console
from rich.table import Table

from benchwright.building.codecorrectness.verification import (
    CorrectedCopy,
    RowFinding,
    VerificationReport,
    document,
    verify,
    write_corrected,
)
from benchwright.cli.arguments import as_path, json_option, not_empty, print_json
from benchwright.cli.build_options import libraries_option, quiet_option
from benchwright.cli.place_options import place_options
from benchwright.cli.shell_completion import files
from benchwright.cli.terminal import console, print_whole, watcher_for
from benchwright.display.escape import markup
from benchwright.display.text_table import text_table
from benchwright.display.wording import counted

SHOWN = 20  # rows of each finding in the table; --json has all
_MEANING = {
    "agrees": "every execution confirms the label",
    "wrong_label": "every execution contradicts the label",
    "unlabelled": "the data set hides the label",
    "flaky": "executions disagree",
    "environment": "a requirement is missing on this machine",
    "tampered": "the code interfered with the report",
    "sandbox_error": "the sandbox failed; run the same command to retry",
    "absent": "the toolchain is not installed",
    "no_layout": "the two files cannot be laid out as a project",
}


@click.command()
@click.argument("data", metavar="DATA", callback=not_empty, shell_complete=files)
@click.option(
    "--repeat",
    type=click.IntRange(min=1),
    default=5,
    show_default=True,
    help="Number of executions of each row; hash seed, order, clock and time zone differ each time.",
)
@click.option(
    "--steady-repeat",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    help="Number of executions of rows that depend on time, threads or identity, the additional ones under "
    "a stressed scheduler.",
)
@click.option(
    "--out",
    callback=as_path,
    shell_complete=files,
    metavar="FOLDER",
    help="Folder of all executions; reuse it to resume.  [default: runs/verify-DATA-HASH]",
)
@click.option(
    "--corrected",
    callback=as_path,
    shell_complete=files,
    metavar="FILE",
    help="Write a copy with the labels of the executions; rows without a stable label are left out.",
)
@libraries_option
@place_options
@json_option
@quiet_option
def command(
    data: str,
    repeat: int,
    steady_repeat: int,
    out: Path | None,
    corrected: Path | None,
    libraries: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Execute every row of a CodeCorrectness data set again and compare its label with the result.

    Exit code 0: no label is wrong. 1: some are. 3: no label could be checked, because of a missing
    toolchain, no sandbox, or only flaky rows.
    The same command resumes an interrupted check; a larger --repeat only adds executions.

    \b
    benchwright verify codecorrectness/test.json
    benchwright verify rows.jsonl --repeat 10 --corrected corrected.jsonl
    benchwright verify rows.jsonl --json > report.json
    """
    target = console()
    watch = watcher_for(target, quiet=quiet, as_json=as_json)
    report = verify(
        data, out=out, repeat=repeat, steady_repeat=steady_repeat, libraries=libraries or "", watch=watch
    )
    copy = None if corrected is None else write_corrected(data, corrected, findings=report.findings)
    if as_json:
        print_json(_document(report, copy))
    else:
        _print(target, report, copy)
    sys.exit(_code(report))


def _code(report: VerificationReport) -> int:
    if report.counts["wrong_label"]:
        return 1
    return 3 if report.agreement is None and report.counts["unlabelled"] < report.rows else 0


def _document(report: VerificationReport, copy: CorrectedCopy | None) -> dict[str, Any]:
    differing = [msgspec.structs.asdict(each) for each in report.findings if each.finding != "agrees"]
    copy_document = {} if copy is None else {"corrected": msgspec.structs.asdict(copy)}
    return {**document(report), "findings": differing, **copy_document}


def _print(target: Console, report: VerificationReport, copy: CorrectedCopy | None) -> None:
    target.print(_counts(report))
    notable = [each for each in report.findings if each.finding not in ("agrees", "unlabelled", "absent")]
    if notable:
        print_whole(target, _finding_table(notable))
    for line in [*_sentences(report), *([] if copy is None else [_copy_line(copy)])]:
        target.print(line, soft_wrap=True)


def _counts(report: VerificationReport) -> Table:
    table = text_table()
    table.add_column("finding")
    for lang in report.languages:
        table.add_column(lang, justify="right")
    table.add_column("all", justify="right")
    table.add_column("which means", overflow="fold")
    for name, count in report.counts.items():
        if count:
            each = [str(counts[name]) for counts in report.languages.values()]
            table.add_row(name.replace("_", " "), *each, str(count), _MEANING[name])
    return table


def _finding_table(findings: list[RowFinding]) -> Table:
    table = text_table()
    for name in ("row", "finding", "label", "passed", "why"):
        table.add_column(name, overflow="fold")
    seen: Counter[str] = Counter()
    for each in findings:
        seen[each.finding] += 1
        if seen[each.finding] > SHOWN:
            continue
        passed = f"{each.passes} of {each.runs}" if each.runs else "–"
        name = each.finding.replace("_", " ")
        table.add_row(markup(str(each.task_id)), name, each.published or "–", passed, markup(each.detail))
    for name, count in seen.items():
        if count > SHOWN:
            table.add_row("…", f"{count - SHOWN} more {name.replace('_', ' ')}")
    return table


def _sentences(report: VerificationReport) -> list[str]:
    lines = []
    if report.agreement is None:
        lines.append("no label could be checked")
    else:
        right = f"{report.counts['agrees']:,} of {report.checked:,}"
        lines.append(f"[bold]{100 * report.agreement:.1f} %[/] of the checked labels are correct: {right}")
    if report.unescaped:
        lines.append(
            f"note: the code of {report.unescaped:,} rows was escaped twice; it was unescaped for execution"
        )
    lines += [f"{lang} was not executed: {markup(reason)}" for lang, reason in report.absent.items()]
    tools = (
        " ".join(f"{part} {version}" for part, version in parts.items())
        for parts in report.toolchains.values()
    )
    times = counted(report.repeat, "execution")
    lines.append(f"{times} a row; {markup('; '.join(tools) or 'no toolchain')}")
    lines.append(f"every execution is in {markup(report.folder)}")
    return lines


def _copy_line(copy: CorrectedCopy) -> str:
    left_out = (
        ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in copy.left_out.items()) or "none"
    )
    return (
        f"written: {markup(copy.path)}: {counted(copy.kept, 'label')} unchanged, {copy.changed} changed, "
        f"{copy.filled} filled in; left out: {left_out}"
    )
