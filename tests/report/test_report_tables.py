"""Tables about runs: outcomes that add up, pass@k by k, prompts, cheats."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright.records import Metric
from benchwright.report.runs import load_runs
from benchwright.report.tables import (
    _ks,
    cheat_rows,
    curve,
    measures_in,
    outcome_table,
    prompt_lines,
    score_lines,
    totals,
)
from benchwright.stats.metrics import pass_metrics
from kit import small_data
from kit.made_runs import finished_run
from kit.reported import STRONG, WEAK, loaded, run_of

METRIC = Metric(value=0.5, low=0.4, high=0.6, n=12, samples=4)


def test_outcomes_add_up(tmp_path: Path) -> None:
    """Columns are in the records' order, only those that occur, with a sum next to the run's own count."""
    table = outcome_table(loaded(tmp_path, strong=STRONG, weak=WEAK))

    assert table.columns == ["passed", "wrong"]
    assert [(row.name, row.numbers, row.answers, row.adds_up) for row in table.rows] == [
        ("strong", [45, 3], 48, True),
        ("weak", [11, 37], 48, True),
    ]


def test_a_lost_row_shows(tmp_path: Path) -> None:
    """If the verdicts are fewer than the answers of the score, the table shows it."""
    runs = load_runs([run_of(tmp_path, "short", STRONG, answers=49)])

    assert [row.adds_up for row in outcome_table(runs).rows] == [False]


def test_the_curve_has_every_k(tmp_path: Path) -> None:
    """From 1 to the number of answers; if the run has the metric itself, the number is equal."""
    run = loaded(tmp_path, strong=STRONG)[0]
    (line,) = curve([run])

    assert list(line.metrics) == ["pass@1", "pass@2", "pass@3", "pass@4"]
    assert line.metrics["pass@1"] is run.score.metrics["pass@1"]
    assert line.metrics["pass@3"] == pass_metrics([(4, passed) for passed in STRONG], [3])["pass@3"]


def test_one_answer_a_task_is_no_curve(tmp_path: Path) -> None:
    """A single point is no line."""
    runs = load_runs([run_of(tmp_path, "once", [1, 0, 1], n=1)])

    assert (curve(runs), measures_in(runs, curve(runs))) == ([], [])


def test_a_mean_over_prompts_is_not_pooled(tmp_path: Path) -> None:
    """If each prompt was asked n times, only the ks of the run itself are drawn."""
    runs = load_runs([run_of(tmp_path, "crossed", STRONG, prompt_design="all")])

    assert curve(runs) == []


@pytest.mark.parametrize("least", [1, 2, 20, 21, 200, 1000])
def test_ks_begin_and_end_where_they_can(least: int) -> None:
    """All of them if they are few; otherwise a handful, from 1 to the last."""
    ks = _ks(least)

    assert (ks[0], ks[-1], ks == sorted(set(ks))) == (1, least, True)
    assert len(ks) == least if least <= 20 else len(ks) < 30


def test_metrics_are_sorted_by_k(tmp_path: Path) -> None:
    """pass@10 comes after pass@5."""
    runs = load_runs([run_of(tmp_path, "a", [5] * 12, n=10)])

    assert [each.name for each in measures_in(runs, score_lines(runs))] == ["pass@1", "pass@5", "pass@10"]


def test_prompts_have_lines(tmp_path: Path) -> None:
    """There is one for each variant, with its metrics; none for runs without variants."""
    prompts = {"en-01": {"pass@1": METRIC}, "en-02\x00": {"pass@1": METRIC}}
    with_prompts, without = load_runs(
        [run_of(tmp_path, "a", STRONG, prompts=prompts), run_of(tmp_path, "b", STRONG)]
    )

    assert [(line.name, line.metrics) for line in prompt_lines(with_prompts)] == [
        ("en-01", {"pass@1": METRIC}),
        ("en-02\\x00", {"pass@1": METRIC}),
    ]
    assert prompt_lines(without) == []


def test_cheats_are_listed_with_examples(tmp_path: Path) -> None:
    """The most frequent kind comes first, with outcomes, and links to some answers."""
    cheat, other = {"suspicious": "ends the process"}, {"suspicious": "reads\x00frames"}
    rows = {
        "Small/0": [("a", "exception", cheat), ("b", "wrong", cheat), ("c", "passed", other), ("d", "passed")]
    }
    run = finished_run(tmp_path / "run", small_data.humaneval(tmp_path), rows, model="openai:m")
    found = [tuple(row) for row in cheat_rows(load_runs([run]))]

    assert found == [
        (
            "ends the process",
            "humaneval",
            "m",
            2,
            0,
            "1 wrong, 1 exception",
            [
                ("Small/0 #0", "#task=Small%2F0&model=m&sample=0"),
                ("Small/0 #1", "#task=Small%2F0&model=m&sample=1"),
            ],
        ),
        (
            "reads\\x00frames",
            "humaneval",
            "m",
            1,
            1,
            "1 passed",
            [("Small/0 #2", "#task=Small%2F0&model=m&sample=2")],
        ),
    ]


def test_totals_are_of_all_runs(tmp_path: Path) -> None:
    """Tasks count once, answers of every run."""
    sums = totals(loaded(tmp_path, a=STRONG, b=STRONG))

    assert (sums["tasks"], sums["answers"], sums["ns"], sums["cheats"]) == (12, 96, [4], 0)
