"""The section of graded runs: numbers with their shares, judges, indicators; and tables of scores."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchwright.report.grades import distribution_drawing, grades_part
from benchwright.report.pipeline import write_report
from benchwright.report.runs import Run, load_runs
from benchwright.report.tables import task_rows
from benchwright.running.judged_items import store_votes
from benchwright.running.rescoring import rescore
from benchwright.running.run_data import data_of, open_run
from kit.graded_runs import COMMENTS, ISSUES, graded_run, rules
from kit.peoples_votes import items, votes_on
from kit.reported import STRONG, loaded, run_of

FACTS = {
    "model": "<big>",
    "judged": 2,
    "undecided": 1,
    "unparsable": 3,
    "missing": 4,
    "contradictions": 5,
    "own_family": 6,
    "self_check": {"pairs": 31, "wrong": 1, "injections": 8, "obeyed": 0},
    "calibrated": False,
}


def comments(folder: Path, name: str = "run", **more: Any) -> Run:
    """Write a run of three answers: a good one, one with changed code, and an undecided one."""
    ends = {
        1: [("a", "scored", {"scores": rules(1.0, 0.5, 0.3)})],
        2: [("b", "wrong", {})],
        3: [("c", "undecided", {})],
    }
    (run,) = load_runs([graded_run(folder / name, COMMENTS, ends, **more)])
    return run


def test_numbers_say_how_much_of_them_is_rule(tmp_path: Path) -> None:
    """Without a judge the share of rules is all of it, and nothing has to be calibrated."""
    part = grades_part([comments(tmp_path)])
    assert part is not None
    rows = [(row.measure.title, row.rule, row.judge, row.calibrated) for row in part["rows"]]

    assert rows == [(name, "100 %", "0 %", "") for name in ("format", "accuracy", "logic")]
    assert part["weights"] == "format 0.33, accuracy 0.33, logic 0.33"


def test_judged_numbers_are_uncalibrated(tmp_path: Path) -> None:
    """They need labels by people; undecided answers are in the table."""
    run = comments(tmp_path)
    run.score.details["judges"] = {"j": FACTS}
    run.score.details["shares"]["logic"] = {"rule": 0.3, "judge": 0.7}
    part = grades_part([run])
    assert part is not None
    (judge,) = part["judges"]

    assert [(row.judge, row.calibrated) for row in part["rows"]][-1] == ("70 %", "uncalibrated")
    assert (judge.counts, judge.own_family, judge.calibrated) == ([2, 1, 3, 4, 5], 6, "uncalibrated")
    assert judge.proof == "30 of 31 pairs ordered rightly, 0 of 8 injections obeyed"


def test_indicators_by_quality(tmp_path: Path) -> None:
    """A value that was not measured has a reason in its place."""
    part = grades_part([comments(tmp_path)])
    assert part is not None
    by_name = {row.name: row.cells for _, rows in part["indicators"] for row in rows}

    assert [quality for quality, _ in part["indicators"]] == [
        "functionality",
        "reliability",
        "interpretability",
    ]
    assert by_name["tests"] == [("not measured", "nothing is executed")]
    assert by_name["code unchanged"][0][0] == "66.7 %"


def test_the_spread_of_totals(tmp_path: Path) -> None:
    """It covers decided answers; answers to issues have no total."""
    drawing = distribution_drawing([comments(tmp_path)])
    ends = {1: [("a", "undecided", {})]}
    issues = load_runs([graded_run(tmp_path / "issues", ISSUES, ends)])

    assert drawing is not None and drawing.describe == "m: 2 answers, the median between 0 and 10 %"
    assert distribution_drawing(issues) is None


def test_cells_hold_mean_scores(tmp_path: Path) -> None:
    """A wrong answer is 0, an undecided one has no value."""
    run = comments(tmp_path)
    cells = [row.cells[0] for row in task_rows([1, 2, 3], [run])]

    assert [(cell.shown, cell.step, cell.judged) for cell in cells if cell] == [
        ("60.0 %", "heat-4", 1),
        ("0.0 %", "heat-0", 1),
        ("–", "", 0),
    ]
    assert "mean score 60.0 % of 1 answer" in cells[0].said if cells[0] else False


def test_other_runs_have_no_grades(tmp_path: Path) -> None:
    """Programs that pass or fail are shown as before."""
    assert grades_part(loaded(tmp_path, a=STRONG)) is None


@pytest.mark.parametrize("beside", [False, True], ids=["alone", "beside programs"])
def test_the_page(tmp_path: Path, beside: bool) -> None:
    """It has the section once, for the graded track only; names of judges are escaped."""
    run = comments(tmp_path)
    path = run.folder.path
    text = (path / "scores.json").read_text(encoding="utf-8")
    (path / "scores.json").write_text(
        text.replace('"distribution":', '"judges":{"j":{"model":"<big>","judged":1}},"distribution":'),
        encoding="utf-8",
    )
    (tmp_path / "others").mkdir()
    others = [run_of(tmp_path / "others", "a", STRONG)] if beside else []
    page = write_report([path, *others], tmp_path / "page.html").page.read_text(encoding="utf-8")

    assert page.count("Grading<") == 1
    assert "<big>" not in page and "&lt;big&gt;" in page
    assert ("--scored:" in page, "showGradedAnswer" in page, '"undecided"' in page) == (True, True, True)


def test_people_stand_beside_judges(tmp_path: Path) -> None:
    """Three figures with intervals, the number of labels, and the mark; each answer has people's votes."""
    ends: dict[Any, Any] = {
        task: [
            (
                "text",
                ("passed", "wrong")[task % 2],
                {"scores": {"answer": 1.0}, "parts": {"judge j": "passed"}},
            )
        ]
        for task in range(1, 61)
    }
    run = graded_run(tmp_path / "run", ISSUES, ends)
    manifest = json.loads((run / "run.json").read_text())
    manifest["identity"]["judges"] = {"j": {"model": {"name": "j"}}}
    (run / "run.json").write_text(json.dumps(manifest))
    says = {"anna": "correct", "<b>boris</b>": "wrong"}
    votes = votes_on(items(run), lambda item, field, who: says[who] if item.task_id <= 52 else None, "anna")
    votes += votes_on(items(run)[:1], lambda item, field, who: says[who], "<b>boris</b>")
    folder = open_run(run)
    store_votes(folder, votes)
    rescore(folder, data_of(folder))

    part = grades_part(load_runs([run]))
    page = write_report([run], tmp_path / "page.html").page.read_text()

    assert part is not None
    row = part["people"][0]
    # The one answer with two votes is disputed: it counts by their mean, and alpha is 0.
    assert (row.labels, row.calibrated) == ("52 of 60", "uncalibrated")
    assert row.people.value == pytest.approx(51.5 / 52) and row.both is not None
    told = "53 votes of 2 people; results: 0 unanimous, 0 majority, 51 single, 0 adjudicated, 1 none"
    assert told in part["votes"][0]
    assert "<h3>People</h3>" in page and "By people" in page
    assert "<b>boris" not in page
