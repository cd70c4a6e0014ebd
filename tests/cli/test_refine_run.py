"""`run smartcoding-refine` from a file to a score, and the commands that read it, in-process."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kit.command_line import called
from kit.needs import need_module, need_sandbox
from kit.smartcoding_rows import REFINE_CODE, refine_row, row_with_tests

WAY = "```python\n    for value in values:\n        if value is None: continue\n```"


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    need_sandbox()
    need_module("pytest")
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in (refine_row(), row_with_tests(id="tested"))))
    return path


def _run(rows: Path, model: str, out: Path) -> dict[str, float]:
    done = called(
        "run", "smartcoding-refine", "--data", str(rows), "--model", model, "--out", str(out), "--json"
    )
    assert done.code == 0, done.err
    return {name: each["value"] for name, each in done.document["metrics"].items()}


def test_gold_passes_and_the_lines_as_given_fail(rows: Path, tmp_path: Path) -> None:
    """Both runs apply; only one touches the remarked lines."""
    gold, stub = (_run(rows, f"{name}:", tmp_path / name) for name in ("gold", "stub"))

    assert (gold["resolved"], gold["applies"], gold["touches"], gold["tests"]) == (1, 1, 1, 1)
    assert (stub["resolved"], stub["applies"], stub["touches"], stub["tests"]) == (0, 1, 0, 0)


def test_stored_answers_are_judged_by_tests_or_the_reference(rows: Path, tmp_path: Path) -> None:
    """The same right answer passes the tests, and is not the reference. All commands read the run."""
    answers = tmp_path / "answers.jsonl"
    answers.write_text(
        "".join(json.dumps({"task_id": task, "text": WAY}) + "\n" for task in ("none", "tested"))
    )
    out = tmp_path / "run"
    values = _run(rows, f"replay:{answers}", out)
    verdicts = [json.loads(line) for line in (out / "verdicts.jsonl").read_text().splitlines()]

    assert [each["outcome"] for each in verdicts] == ["wrong", "passed"] and values["resolved"] == 0.5
    assert "the task has no tests" in called("show", str(out), "none").out
    assert called("report", str(out), "--out", str(tmp_path / "r.html")).code == 0
    assert "touches the remarked lines" in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_runs_are_compared_by_resolved_remarks(rows: Path, tmp_path: Path) -> None:
    """The sentence names the measure."""
    for name in ("gold", "stub"):
        _run(rows, f"{name}:", tmp_path / name)
    done = called("compare", str(tmp_path / "gold"), str(tmp_path / "stub"))

    assert done.code == 0 and "points of equal or tests pass" in done.out + done.err


def test_tests_that_pass_on_the_code_as_given_fail_the_self_check(tmp_path: Path) -> None:
    """Such a row would pass answers that change nothing."""
    need_sandbox()
    need_module("pytest")
    path = tmp_path / "rows.jsonl"
    tests = "from sums import total\n\n\ndef test_sum():\n    assert total([1, 2]) == 3\n"
    path.write_text(json.dumps(refine_row(tests={"code": tests, "name": "test_sums.py"})) + "\n")
    done = called(
        "run", "smartcoding-refine", "--data", str(path), "--model", "gold:", "--out", str(tmp_path / "o")
    )

    assert done.code == 1 and "stub passed 1 of 1" in done.out + done.err


def test_check_recognises_rows_and_lists_faults(tmp_path: Path) -> None:
    """With file, line, field and hint."""
    path = tmp_path / "bad.jsonl"
    bad = [refine_row(), refine_row(id="b", last=99), refine_row(id="c", code=REFINE_CODE * 9000)]
    path.write_text("".join(json.dumps(row) + "\n" for row in bad))
    done = called("check", str(path))
    said = done.out + done.err

    assert done.code == 1 and all(part in said for part in ("bad.jsonl:2", "`last`", "bad.jsonl:3", "hint"))
