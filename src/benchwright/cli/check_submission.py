"""`benchwright check-submission ZIP --gold DATA`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from benchwright.cli.arguments import as_path, json_option, print_json
from benchwright.cli.shell_completion import files
from benchwright.cli.terminal import console, print_whole
from benchwright.display.escape import escaped_path, markup
from benchwright.display.text_table import GAP, text_table
from benchwright.display.wording import counted
from benchwright.interop.mera.findings import Severity, SubmissionFinding
from benchwright.interop.mera.submission_check import (
    ServerScore,
    SubmissionCheck,
    TaskSet,
    check,
    has_score,
    name_golds,
)
from benchwright.interop.mera.submitted_answers import answers_of
from benchwright.interop.mera.task_sets import OutputsShape, load_gold
from benchwright.records import full_document
from benchwright.store.writing import write_records

SHOWN = 3  # places of an error in the table; --json lists up to 100


@click.command()
@click.argument("submission", metavar="ZIP", callback=as_path, shell_complete=files)
@click.option(
    "--gold",
    "golds",
    multiple=True,
    required=True,
    shell_complete=files,
    metavar="DATA",
    help="Data set of the submission, with or without hidden outputs; repeatable.",
)
@click.option(
    "--task",
    "tasks",
    multiple=True,
    help="Task set of each --gold.  [default: ruCodeEval if its outputs are hidden, else ruHumanEval]",
)
@click.option(
    "--answers",
    callback=as_path,
    shell_complete=files,
    metavar="FILE",
    help="Write the answers of the only task set for `run --model replay:FILE`, to judge them with --gold.",
)
@json_option
def command(
    submission: Path, golds: tuple[str, ...], tasks: tuple[str, ...], answers: Path | None, as_json: bool
) -> None:
    """Check a MERA submission before uploading it.

    Each error is listed with the reaction of MERA's server and a fix. If the outputs are public, both of
    MERA's scores are printed. Nothing in the archive is executed or written to disk.
    Exit code 0: ready to upload. 1: the submission has errors. 2: usage error.

    \b
    benchwright check-submission submission.zip --gold ruHumanEval.jsonl
    benchwright check-submission submission.zip --gold ruCodeEval/test.json --task ruCodeEval
    benchwright check-submission labels.zip --gold rows.jsonl --task CodeCorrectness
    benchwright check-submission s.zip --gold golds.jsonl --task ruCodeReviewer --answers answers.jsonl
    """
    names = tasks if len(tasks) == len(golds) else (None,) * len(golds)  # another number is rejected below
    loaded = [load_gold(source, task_set=name) for source, name in zip(golds, names, strict=True)]
    gold_names = name_golds(submission, loaded, list(tasks))
    checked = check(submission, gold_names)
    if answers is not None:
        write_records(answers, answers_of(submission, list(gold_names)))
    if as_json:
        print_json(_document(submission, checked))
    else:
        _print(console(), checked)
    sys.exit(1 if checked.errors else 0)


def _document(submission: Path, checked: SubmissionCheck) -> dict[str, Any]:
    counts = [
        {"kind": kind, "file": file, "count": count}
        for (kind, file), count in checked.findings.counts.items()
        if count
    ]
    return {
        "submission": escaped_path(submission),
        "errors": checked.errors,
        "warnings": checked.warnings,
        "findings": full_document(checked.listed),
        "counts": counts,
        "task_sets": [task_set_document(each) for each in checked.sets],
    }


def task_set_document(each: TaskSet) -> dict[str, Any]:
    """Return the JSON document of a task set; `scores` is empty if the outputs are hidden."""
    scores = {
        rule: {
            "metrics": served.metrics,
            "intervals": {
                metric: {"low": low, "high": high, "n": each.rows}
                for metric, (low, high) in served.intervals.items()
            },
            "errors": [{"type": kind, "id": task} for kind, task in served.errors],
        }
        for rule, served in each.served.items()
    }
    return {"task_set": each.kind.name, "file": each.file, "rows": each.rows, "scores": scores}


def _print(target: Console, checked: SubmissionCheck) -> None:
    if checked.listed:
        print_whole(target, findings_table(checked))
    for each in checked.sets:
        for line in score_lines(each):
            target.print(line, soft_wrap=True)
    if any("pass@1" in served.metrics for each in checked.sets for served in each.served.values()):
        older = "the older scorer in ai-forever/MERA expects another shape and returns a pass@1 of 0.0"
        target.print(f"scored as by MERA-Evaluation/MERA; {older}", soft_wrap=True)
    warnings = counted(checked.warnings, "warning")
    if checked.errors:
        target.print(f"[red]{counted(checked.errors, 'error')}[/], {warnings}: do not upload the submission")
    else:
        target.print(f"no errors, {warnings}: ready to upload")


def findings_table(checked: SubmissionCheck) -> Table:
    """Make a table with a row for each kind of error in a file: first place, problem, effect and fix."""
    table = text_table(header=False)
    table.padding = (0, GAP, 1, 0)
    for ratio in (None, 1, 3):
        table.add_column(overflow="fold", ratio=ratio)
    groups: dict[tuple[str, str], list[SubmissionFinding]] = {}
    for finding in checked.listed:
        groups.setdefault((finding.kind, finding.file), []).append(finding)
    for key, rows in groups.items():
        table.add_row(*_row(rows, checked.findings.counts[key]))
    return table


def _row(rows: list[SubmissionFinding], count: int) -> tuple[str, str, str]:
    first = rows[0]
    colour = "red" if first.severity is Severity.error else "yellow"
    times = f" ({count} times)" if count > 1 else ""
    lines = (
        f"[bold]{markup(first.problem)}[/]{times}",
        f"MERA's server: {escape(first.server)}",
        f"[cyan]fix:[/] {markup(first.hint)}",
    )
    places = "\n".join([markup(first.file), *_places(rows, count)])
    return f"[{colour}]{first.severity.value}[/]", places, "\n".join(lines)


def _places(rows: list[SubmissionFinding], count: int) -> list[str]:
    places = []
    for finding in rows[:SHOWN]:
        task = "" if finding.id is None else f"id {finding.id}"
        places.append(markup(" ".join(filter(None, (task, finding.field)))))
    shown_places = list(filter(None, places))
    return [*shown_places, "…"] if shown_places and count > SHOWN else shown_places


def score_lines(each: TaskSet) -> list[str]:
    """Format the scores by MERA's two rules, or the reason that there are none."""
    name = f"[bold]{each.kind.name}[/]"
    if not each.served and each.kind.shape is OutputsShape.responses:
        advice = (
            f"judge the answers with the track {each.kind.track}" if each.kind.track else "judge the answers"
        )
        return [f"{name}: {counted(each.rows, 'row')}; no score without MERA's linter: {advice}"]
    if not each.served and each.kind.track and not has_score(each.kind):
        advice = f"judge the answers with the track {each.kind.track} (--answers)"
        return [f"{name}: {counted(each.rows, 'row')}; no score without execution: {advice}"]
    if not each.served:
        return [f"{name}: {counted(each.rows, 'row')}; no score because the expected outputs are hidden"]
    return [
        f"{name} by MERA's {rule}, {counted(each.rows, 'row')}: {_server_score_text(served)}"
        for rule, served in each.served.items()
    ]


def _with_interval(served: ServerScore, metric: str) -> str:
    text = f"{metric} {served.metrics[metric]:.4f}"
    if metric in served.intervals:
        return text + " ({:.4f} to {:.4f})".format(*served.intervals[metric])
    return text if served.errors else f"{text} (no interval: the rows do not support one)"


def _server_score_text(served: ServerScore) -> str:
    metrics = ", ".join(_with_interval(served, metric) for metric in served.metrics)
    if not served.errors:
        return metrics
    kinds = dict.fromkeys(kind for kind, _ in served.errors)
    return f"{metrics}  [red]refused[/]: {', '.join(kinds)}"
