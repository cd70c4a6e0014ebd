"""`run stdio` from a file to a score, in-process."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kit.command_line import called
from kit.needs import need_sandbox
from kit.stdio_rows import apps_row, own_row

RIGHT = "```python\na, b = map(int, input().split())\nprint(a + b)\n```"


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in (own_row(), apps_row(problem_id=8))))
    return path


def test_a_run_with_stored_answers(rows: Path, tmp_path: Path) -> None:
    """The self-check holds, and pass@1 has an interval."""
    need_sandbox()
    answers = tmp_path / "answers.jsonl"
    texts = [("sum", RIGHT), (8, "```python\nprint(3)\n```")]
    answers.write_text(
        "".join(json.dumps({"task_id": task, "completion": text}) + "\n" for task, text in texts)
    )
    out = tmp_path / "run"
    done = called(
        "run", "stdio", "--data", str(rows), "--model", f"replay:{answers}", "--out", str(out), "--json"
    )
    score = done.document
    verdicts = [json.loads(line) for line in (out / "verdicts.jsonl").read_text().splitlines()]

    assert (done.code, [each["outcome"] for each in verdicts]) == (0, ["passed", "wrong"])
    assert "pass@1" in score["metrics"] and score["metrics"]["pass@1"]["value"] == 0.5


def test_check_recognises_the_rows(rows: Path) -> None:
    """And executes their solutions."""
    need_sandbox()
    done = called("check", str(rows), "--execute")

    assert (done.code, "2 tasks of stdio" in done.out + done.err) == (0, True)


def test_check_lists_what_is_wrong(tmp_path: Path) -> None:
    """File, line, field and hint of each invalid row."""
    path = tmp_path / "bad.jsonl"
    path.write_text(
        json.dumps(own_row(lang="Pyton")) + "\n" + json.dumps(own_row(id="b", compare="floats")) + "\n"
    )
    done = called("check", str(path))
    said = done.out + done.err

    assert done.code == 1 and all(part in said for part in ("bad.jsonl:1", "lang", "bad.jsonl:2", "hint"))
