"""The page of an audit: what it shows of a report, escaped, in one file that loads nothing."""

from __future__ import annotations

from pathlib import Path

from benchwright.auditing.audit import AuditReport
from benchwright.auditing.execution_findings import ExecutionTotals
from benchwright.auditing.findings import TaskFinding, rank_tasks
from benchwright.auditing.page import LONGEST, audit_context, write_audit_page
from benchwright.auditing.row_loading import UnreadableRow


def report(*findings: TaskFinding) -> AuditReport:
    """A report of these findings."""
    return AuditReport(
        folder="out",
        data="data/rows.jsonl",
        data_hash="ab" * 32,
        rows=3,
        tasks=2,
        shapes={"humaneval": 2},
        unreadable=[UnreadableRow(place="rows.jsonl:3", reason="no <row>", hint="mend it")],
        counts={"unreadable": 1},
        totals=ExecutionTotals(examined=2, gold_passed=2, executions=10, mutants={"killed": 3}),
        answers=None,
        answers_unfit=0,
        ranked=rank_tasks(findings, {"A": "rows.jsonl:1", "B": "rows.jsonl:2"}),
    )


WEAK = TaskFinding(
    task="A", code="weak_tests", detail="f(<1>) differs", diff="@@ -1 +1 @@\n-    return x < 1\n+    return x <= 1",
    call="f(1)", gold="False", other="True", test="assert candidate(1) is False",
)  # fmt: skip
TOLD = TaskFinding(task="B", code="examples_in_tests", detail="1 of 3")


def test_the_page_has_diff_witness_and_test(tmp_path: Path) -> None:
    """External text is escaped, and equal reports give equal bytes."""
    path = write_audit_page(report(WEAK, TOLD), tmp_path / "report.html")

    page = path.read_text()
    for text in ("<del class=\"line\">-    return x &lt; 1</del>", "<ins class=\"line\">+    return x &lt;= 1</ins>",
                 "assert candidate(1) is False", "f(&lt;1&gt;) differs", "no &lt;row&gt;", "mend it"):  # fmt: skip
        assert text in page, text
    assert "http" not in page.replace("http-equiv", "")
    assert write_audit_page(report(WEAK, TOLD), tmp_path / "again.html").read_text() == page


def test_information_stands_apart() -> None:
    """Tasks with information only are listed separately."""
    context = audit_context(report(TOLD, WEAK))

    assert ([each["name"] for each in context["tasks"]], [each["name"] for each in context["rest"]]) == (
        ["A"],
        ["B"],
    )


def test_an_audit_without_findings_has_a_page(tmp_path: Path) -> None:
    """And says that there is nothing."""
    assert (
        "No task has a defect, question or weakness."
        in write_audit_page(report(), tmp_path / "report.html").read_text()
    )


def test_long_texts_are_cut() -> None:
    """A value of a megabyte is not a page of a megabyte."""
    long = TaskFinding(task="A", code="weak_tests", detail="x" * 10**6, gold="y" * 10**6)
    [task] = audit_context(report(long))["tasks"]

    assert max(len(task["findings"][0][name]) for name in ("detail", "gold")) == LONGEST
