"""`benchwright ianvs lint PATH`: check the files of Ianvs jobs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from benchwright.cli.arguments import json_option, not_empty, print_json
from benchwright.cli.ianvs import path_options
from benchwright.cli.shell_completion import files
from benchwright.cli.terminal import console
from benchwright.display.escape import markup
from benchwright.display.wording import counted
from benchwright.interop.ianvs.job_lint import LintReport, lint, patch
from benchwright.interop.ianvs.lint_checks import LATEST, VERSIONS, LintTarget

_COLOURS = {"error": "red", "warning": "yellow"}


@click.command()
@click.argument("path", callback=not_empty, shell_complete=files)
@path_options
@click.option(
    "--for",
    "runner",
    type=click.Choice(["ianvs", "benchwright"]),
    default="ianvs",
    show_default=True,
    help="Runner of the jobs: Ianvs, or `benchwright ianvs run`.",
)
@click.option(
    "--ianvs-version",
    type=click.Choice(VERSIONS),
    default=LATEST,
    show_default=True,
    help="Version of Ianvs.",
)
@click.option("--patch", "as_patch", is_flag=True, help="Print the fixes as a patch for `git apply`.")
@json_option
def command(
    path: str,
    root: Path | None,
    path_map: tuple[tuple[str, str], ...],
    runner: Any,
    ianvs_version: str,
    as_patch: bool,
    as_json: bool,
) -> None:
    """Report each problem of an Ianvs example with file, line and fix.

    PATH is a benchmarkingjob.yaml, or a folder with jobs below it. No code of the example is executed. An
    error stops Ianvs or makes its figures wrong, and results in exit code 1; a warning does not.

    \b
    benchwright ianvs lint examples/smart_coding
    benchwright ianvs lint job.yaml --root ~/ianvs --json
    benchwright ianvs lint examples --patch | git apply
    """
    target = LintTarget(runner, ianvs_version)
    report = lint(Path(path), root=root or Path(), path_map=path_map, target=target)
    if as_patch:
        click.echo(patch(report.findings), nl=False)
    elif as_json:
        findings = [{**each._asdict(), "edit": each.edit and each.edit._asdict()} for each in report.findings]
        print_json({"jobs": report.jobs, "errors": report.errors, "findings": findings})
    else:
        _print(report)
    sys.exit(1 if report.errors else 0)


def _print(report: LintReport) -> None:
    target = console()
    for each in report.findings:
        text = f"[{_COLOURS[each.level]}]{each.level}[/]: {markup(each.text)}"
        target.print(f"{markup(each.place)}: {text}" if each.place else text, soft_wrap=True)
        if each.fix:
            target.print(f"  write: {markup(each.fix)}", soft_wrap=True)
    warnings = len(report.findings) - report.errors
    counts = f"{counted(report.errors, 'error')}, {counted(warnings, 'warning')}"
    target.print(f"{counted(len(report.jobs), 'job')}: {counts}", soft_wrap=True)
