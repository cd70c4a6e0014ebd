"""Tables about tasks: shares with intervals, the hardest, the slowest, and addresses of answers."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qs

import pytest

from benchwright.report.pipeline import write_report
from benchwright.report.runs import load_runs
from benchwright.report.tables import LISTED, by_difficulty, hardest, has_few_answers, slowest, task_rows
from benchwright.stats.intervals import wilson
from kit import small_data
from kit.made_runs import Given, finished_run
from kit.reported import loaded, run_of


def test_a_cell_says_what_is_behind_it(tmp_path: Path) -> None:
    """Counts, the share with its interval, the other outcomes, and outcomes for the filter."""
    (row,) = task_rows(["Small/0"], loaded(tmp_path, weak=[1]))
    (cell,) = row.cells
    assert cell is not None
    expected = wilson(1, 4)

    assert (cell.passed, cell.judged, cell.step, cell.outcomes) == (1, 4, "heat-2", "passed wrong")
    assert cell.said == (
        "weak, task Small/0: 1 of 4 passed "
        f"(25.0 %, interval {100 * expected.low:.1f}–{100 * expected.high:.1f}); 3 wrong"
    )
    assert cell.address == "#task=Small%2F0&model=weak"


def test_a_task_without_judged_answers_has_no_share(tmp_path: Path) -> None:
    """Missing answers are neither passed nor failed."""
    rows: dict[int | str, list[Given]] = {"Small/0": [("", "model_error")], "Small/1": [("a", "passed")]}
    run = finished_run(tmp_path / "run", small_data.humaneval(tmp_path), rows)
    first, second = task_rows(["Small/0", "Small/1"], load_runs([run]))
    assert first.cells[0] is not None

    assert (first.cells[0].said, first.cells[0].step) == ("answers, task Small/0: no judged answer", "")
    assert (first.interval_text, second.share) == ("–", 1.0)


def test_tasks_left_out_by_a_run_are_gaps(tmp_path: Path) -> None:
    """The cell is empty, and not zero of four."""
    runs = load_runs([run_of(tmp_path, "few", [4]), run_of(tmp_path, "many", [4, 4])])
    rows = task_rows(["Small/0", "Small/1"], runs)

    assert [[cell is not None for cell in row.cells] for row in rows] == [[True, True], [False, True]]
    assert [(row.passed, row.judged) for row in rows] == [(8, 8), (4, 4)]


def test_the_hardest_come_first(tmp_path: Path) -> None:
    """By the share of all models' answers, equal ones in the data set's order; tasks that all passed are not
    listed."""
    runs = loaded(tmp_path, a=[4, 0, 2, 4], b=[4, 2, 0, 0])
    rows = task_rows([f"Small/{number}" for number in range(4)], runs)

    assert [row.name for row in by_difficulty(rows)] == ["Small/1", "Small/2", "Small/3", "Small/0"]
    assert [row.name for row in hardest(rows)] == ["Small/1", "Small/2", "Small/3"]
    assert hardest(rows * 20)[LISTED - 1 :] == hardest(rows * 20)[-1:]


def test_few_answers_give_no_share(tmp_path: Path) -> None:
    """With one answer of each of two models, only tasks that none solved are listed, without a rate."""
    paths = [run_of(tmp_path, name, counts, n=1) for name, counts in (("a", [1, 0, 0]), ("b", [0, 0, 1]))]
    runs = load_runs(paths)
    rows = task_rows([f"Small/{number}" for number in range(3)], runs)
    page = write_report(paths, tmp_path / "r.html").page.read_text(encoding="utf-8")
    table = page.partition('id="hardest"')[2].partition("</table>")[0]

    assert has_few_answers(rows)
    assert [row.name for row in hardest(rows, few=True)] == ["Small/1"]
    assert ("Small/1" in table, "Small/0" in table, 'class="range"' in table) == (True, False, False)


def test_slow_answers_are_named(tmp_path: Path) -> None:
    """Task, model, sample, time and outcome, the slowest first, one for each task and model."""
    rows: dict[int | str, list[Given]] = {
        "Small/0": [("a", "timed_out", {"cpu_s": 3.1}), ("b", "passed", {"cpu_s": 3.0})],
        "Small/1": [("a", "passed", {"cpu_s": 0.25}), ("b", "passed", {"cpu_s": 0.0})],
        "Small/2": [("a", "no_code", {"cpu_s": 0.0})] * 2,
    }
    run = finished_run(tmp_path / "run", small_data.humaneval(tmp_path), rows, model="openai:m")
    found = [tuple(row) for row in slowest(list(rows), load_runs([run]))]

    assert found == [
        ("Small/0", "#task=Small%2F0&model=m&sample=0", "m", 0, "3.10 s", "timed out", 2),
        ("Small/1", "#task=Small%2F1&model=m&sample=0", "m", 0, "250.0 ms", "passed", 2),
    ]


@pytest.mark.parametrize("task_id", [7, "Задача 7", "a\x07b"])
def test_names_of_tasks_are_printable(tmp_path: Path, task_id: int | str) -> None:
    """Pages and addresses use the printable form of an id."""
    data = small_data.humaneval(tmp_path)
    run = finished_run(tmp_path / "run", data, {task_id: [("a", "passed")]})
    (row,) = task_rows([task_id], load_runs([run]))

    assert row.name.isprintable()
    assert parse_qs(row.address.removeprefix("#"))["task"] == [row.name]
