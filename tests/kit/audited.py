"""Audits of small rows with real executions, and run folders of stored answers to them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from benchwright.auditing.audit import AuditOptions, AuditReport, audit
from benchwright.auditing.findings import TaskFinding
from benchwright.executing.pool import Pool
from benchwright.running.options import RunOptions
from benchwright.running.pipeline import run_plan
from benchwright.running.plan import make_plan
from kit.audit_rows import answer
from kit.small_data import write


def audited(
    folder: Path, rows: Iterable[dict[str, Any]], pool: Pool, *, answers: Sequence[str] = (), **given: Any
) -> AuditReport:
    """Audit these rows in a separate folder."""
    data = write(folder / "rows.jsonl", rows)
    return audit(AuditOptions(data=str(data), answers=tuple(answers), **given), pool, out=folder / "audit")


def findings(report: AuditReport) -> list[TaskFinding]:
    """Return all findings, in the order of the ranking."""
    return [finding for task in report.ranked for finding in task.findings]


def codes(report: AuditReport, *weights: str) -> dict[str, set[str]]:
    """Return the codes of each task with any of these weights."""
    found: dict[str, set[str]] = {}
    for each in findings(report):
        if each.weight in weights:
            found.setdefault(each.task, set()).add(each.code)
    return found


def answered(folder: Path, given: Sequence[tuple[dict[str, Any], Sequence[str]]]) -> str:
    """Judge stored answers to these tasks, and return the run folder."""
    data = write(folder / "rows.jsonl", [task for task, _ in given])
    longest = max(len(texts) for _, texts in given)  # a run has the same number of answers to each task
    rows = [answer(task, text) for task, texts in given for text in islice(cycle(texts), longest)]
    stored = write(folder / "answers.jsonl", rows)
    plan = make_plan(RunOptions(track="humaneval", data=str(data), model=f"replay:{stored}"))
    run_plan(plan, out=folder / "run")
    return str(folder / "run")
