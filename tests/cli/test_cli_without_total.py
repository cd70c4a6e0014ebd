"""Comments scored by rules alone have no total: no column, no figure in a suite, no metric in an Inspect log."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kit.command_line import called
from kit.graded_runs import ANSWER, comment_row
from kit.small_data import read_rows, write

TOTAL = "total"
SUITE = """
[[models]]
name = "mine"
model = "replay:mine.jsonl"

[[tracks]]
name = "comments"
track = "smartcoding-comments"
data = "rows.jsonl"
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two rows without references, answers to them, and a suite of one run."""
    folder = tmp_path_factory.mktemp("without")
    write(folder / "rows.jsonl", [comment_row(number, outputs={"annotations": []}) for number in (1, 2)])
    texts = {number: f"```python\n{ANSWER.replace('area', f'area_{number}')}```" for number in (1, 2)}
    write(folder / "mine.jsonl", [{"task_id": at, "completion": text} for at, text in texts.items()])
    (folder / "suite.toml").write_text(SUITE, encoding="utf-8")
    said = called("suite", "suite.toml", "--out", "all", "--summary", "summary.md", cwd=folder)
    assert said.code == 0, said.err
    assert "no figure" in said.err
    return folder


def run_of(place: Path) -> Path:
    (run,) = (path.parent for path in (place / "all").rglob("run.json"))
    return run


def test_no_column_stands_for_it(place: Path) -> None:
    """A table of groups that would hold dashes alone is left out, in the terminal and on the page."""
    run = run_of(place)
    said = called("run", "smartcoding-comments", "--data", "rows.jsonl", "--model", "replay:mine.jsonl",
                  "--out", "run", cwd=place)  # fmt: skip
    page = (place / "all" / "report.html").read_text(encoding="utf-8")

    assert run.is_dir() and "by group" not in said.err and "rules only: not a ranking" in said.err
    assert "By language" not in page


def test_a_suite_says_no_figure(place: Path) -> None:
    """In its table and its summary, with the other figures under it; a limit on the total is not met."""
    summary = (place / "summary.md").read_text(encoding="utf-8")
    limited = f'{SUITE}\n[[fail-under]]\nmeasure = "total"\nvalue = 0.5\n'
    (place / "limited.toml").write_text(limited, encoding="utf-8")
    said = called("suite", "limited.toml", "--out", "limited", cwd=place)

    assert ("| total |" in summary, "| format |" in summary) == (False, True)
    assert (said.code, TOTAL in said.out + said.err) == (1, True)


def test_an_inspect_log_has_no_total(place: Path) -> None:
    """It can be read back, with the parts as they were."""
    said = called("export", "inspect", str(run_of(place)), "--out", "log.json", cwd=place)
    back = called("import", "inspect", "log.json", "--out", "back.jsonl", cwd=place)
    log = json.loads((place / "log.json").read_text(encoding="utf-8"))
    (score,) = log["results"]["scores"]

    assert (said.code, back.code) == (0, 0)
    assert TOTAL not in score["metrics"] and {"format", "accuracy", "logic"} <= set(score["metrics"])
    assert len(read_rows(place / "back.jsonl")) == 2
