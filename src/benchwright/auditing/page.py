"""The page of an audit: tasks with their findings, worst first, in one file that loads nothing.

It has the style and the policy of every report. The template escapes all text of the data set.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchwright.auditing.audit import AuditReport
from benchwright.auditing.findings import CODES, RankedTask, TaskFinding
from benchwright.display.escape import escaped_code, visible_name
from benchwright.display.wording import counted
from benchwright.report.page import diff_lines, render_template, write_file

LONGEST = 2000  # characters of a value or a diff on the page


def write_audit_page(report: AuditReport, path: Path) -> Path:
    """Write the page, whole or not at all. Equal reports give equal bytes."""
    write_file(path, render_template("audit.html", audit_context(report), packages=["benchwright.auditing"]))
    return path


def audit_context(report: AuditReport) -> dict[str, Any]:
    """The data of the template."""
    noted = [_task(each) for each in report.ranked if each.findings[0].weight != "information"]
    rest = [_task(each) for each in report.ranked if each.findings[0].weight == "information"]
    return {
        "title": f"Audit of {visible_name(Path(report.data).name)}",
        "lede": _lede(report),
        "counts": [(code, CODES[code], count) for code, count in report.counts.items()],
        "unreadable": [
            [escaped_code(text) for text in (row.place, row.reason, row.hint)] for row in report.unreadable
        ],
        "tasks": noted,
        "rest": rest,
        "totals": list(_totals(report)),
        "data_hash": report.data_hash,
    }


def _lede(report: AuditReport) -> str:
    noted = sum(each.findings[0].weight != "information" for each in report.ranked)
    return (
        f"{counted(report.rows, 'row')}, {counted(report.tasks, 'task')} audited; "
        f"{counted(noted, 'task has', 'tasks have')} a defect, question or weakness. Worst first."
    )


def _task(task: RankedTask) -> dict[str, Any]:
    return {
        "rank": task.rank,
        "name": visible_name(task.task),
        "origin": escaped_code(task.origin),
        "codes": list(dict.fromkeys(CODES[each.code].title for each in task.findings)),
        "findings": [_finding(each) for each in task.findings],
    }


def _finding(finding: TaskFinding) -> dict[str, Any]:
    names = ("detail", "place", "call", "gold", "other", "test")
    fields = {name: _cut(getattr(finding, name)) for name in names}
    return {
        **fields,
        "title": CODES[finding.code].title,
        "weight": finding.weight,
        "diff": diff_lines(_cut(finding.diff)),
    }


def _cut(text: str) -> str:
    return escaped_code(text if len(text) <= LONGEST else text[: LONGEST - 1] + "…")


def _totals(report: AuditReport) -> list[tuple[str, str]]:
    sums = report.totals
    fates = ", ".join(f"{count:,} {fate.replace('_', ' ')}" for fate, count in sums.mutants.items())
    lines = [
        (
            "References that pass all executions",
            f"{sums.gold_passed:,} of {sums.examined:,} ({sums.executions:,} executions)",
        ),
        ("Stubs that pass", f"{sums.stubs_passed:,} of {sums.stubs:,}"),
        ("Mutants", f"{sum(sums.mutants.values()):,}" + (f": {fates}" if fates else "")),
        ("Tasks with a counterexample", f"{sums.witnessed:,}"),
    ]
    if report.answers is not None:
        lines.append(
            ("Stored answers", f"{report.answers:,}, {report.answers_unfit:,} of them for unknown tasks")
        )
    return lines
