"""How predict is called: once for all items as Ianvs does, and item by item only where that is the same."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

from benchwright.interop.ianvs.case_results import read_result
from benchwright.interop.ianvs.child.predictions import PROVED
from benchwright.interop.ianvs.job_run import JobReport
from kit.ianvs_jobs import JOBS, metric, one, predicting
from kit.made_ianvs import MODEL, run

LONG = "return ['long' if len(each) > 20 else 'short' for each in data]"
# What each job gives under Ianvs 1d3da5b, where numpy is not needed: integration/test_real_ianvs_jobs.py
BATCHES = {
    "mean_length": {"acc": 1.0, "weighed": 0.28},
    "mean_length_with_info": {"acc": 1.0, "weighed": 0.28},
    "order_within_the_batch": {"acc": 6 / 7, "weighed": 0.24},
    "data_sorted_in_place": {"acc": 3 / 7, "weighed": 0.14},
}
DIFFERENT = {  # models that give something else alone
    "counts": (
        "self.n = getattr(self, 'n', 0) + 1",
        "return ['long' if self.n > 1 else 'short'] * len(data)",
    ),
    "its place": ("pass", "return ['long' if at else 'short' for at in range(len(data))]"),
    "fails alone": ("assert len(data) > 1", LONG),
    "one too many": ("pass", "return ['long'] * (len(data) + (len(data) == 1))"),
    "a text": ("pass", "return 'long' if len(data) == 1 else ['long'] * len(data)"),
    "a tuple of one": ("pass", "return len(data) if len(data) == 1 else ['long'] * len(data)"),
}


def table(report: JobReport) -> list[dict[str, str]]:
    """The rows of all results."""
    with (report.job.workspace / "rank" / "all_rank.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def figures(report: JobReport) -> dict[str, Any]:
    """The metrics of the one result."""
    (result,) = report.results
    return {name: each.value for name, each in result.metrics.items()}


@pytest.mark.parametrize("name", BATCHES)
def test_a_model_sees_its_whole_batch(tmp_path: Path, name: str) -> None:
    """By default, and as `auto` finds out; the row says how it was called."""
    path = JOBS[name](tmp_path)
    whole, tried = run(path), run(path, items="auto")

    assert figures(whole) == figures(tried) == pytest.approx(BATCHES[name], abs=1e-12)
    assert [row["calls"] for row in table(whole)] == ["all"]


@pytest.mark.parametrize("name", DIFFERENT)
def test_what_differs_alone_is_called_once(tmp_path: Path, name: str) -> None:
    """In a new process, so that trying leaves nothing behind: the figures are those of one call."""
    path = one(tmp_path, predicting("\n".join(DIFFERENT[name])))
    whole, tried = run(path), run(path, items="auto")
    (result,) = tried.results

    assert figures(whole) == figures(tried)
    assert (result.calls, result.items_mode) == ("all", "auto")
    assert result.remarks == [
        "predict is called once for all items, because the first ones get other predictions one by one"
    ]


def test_what_is_equal_is_called_item_by_item(tmp_path: Path) -> None:
    """After the first items were tried both ways; the result and the row say that."""
    body = "with open('calls.txt', 'a') as file:\n    file.write(f'{len(data)} ')\n" + LONG
    path = one(tmp_path, predicting(body))
    report = run(path, items="auto")

    assert (tmp_path / "calls.txt").read_text().split() == [str(PROVED), *["1"] * 7]
    assert (report.results[0].calls, table(report)[0]["calls"]) == ("each, proved", "each, proved")
    assert figures(report) == figures(run(path))


def test_ways_of_calling_are_not_ranked_together(tmp_path: Path) -> None:
    """Nor is a prediction of one way taken for another: the same model has two figures here."""
    path = JOBS["mean_length"](tmp_path)
    each, whole = run(path, items="each"), run(path)

    assert (figures(each)["acc"], figures(whole)["acc"]) == (4 / 7, 1.0)
    assert [(row["rank"], row["calls"]) for row in table(whole)] == [("1", "all")]
    assert (whole.known, whole.other) == (0, 1)


def test_a_failure_alone_names_the_option(tmp_path: Path) -> None:
    """With the example's own line, not that of the library which it called."""
    body = "return random.sample(list(data), 3)"
    path = one(tmp_path, predicting(body, top="import random\n"))
    (failed,) = run(path, items="each").failures
    line = (tmp_path / "model.py").read_text().splitlines().index(f"        {body}") + 1

    assert failed.place == f"{tmp_path / 'model.py'}:{line}"
    assert failed.hint == "leave `--items each` out: predict is then called once for all items, as Ianvs does"


@pytest.mark.parametrize(
    ("top", "body"),
    [
        ("import json\n", "return json.loads('{')"),
        ("import random\n", "return random.sample(list(data), 30)"),
        ("import statistics\n", "return statistics.mean([])"),
        ("from fractions import Fraction\n", "return Fraction(1, 0)"),
        ("import re\n", "return re.compile('(')"),
        ("import subprocess\n", "return subprocess.run(['/no/such/program'])"),
    ],
)
def test_the_line_of_the_example_is_named(tmp_path: Path, top: str, body: str) -> None:
    """Wherever in Python's library the exception was raised."""
    (failed,) = run(one(tmp_path, predicting(body, top=top))).failures
    line = (tmp_path / "model.py").read_text().splitlines().index(f"        {body}") + 1

    assert failed.place == f"{tmp_path / 'model.py'}:{line}"


def test_the_line_of_a_wrong_syntax_is_named(tmp_path: Path) -> None:
    (failed,) = run(one(tmp_path, MODEL + "\n    def broken(:\n")).failures

    assert failed.place == f"{tmp_path / 'model.py'}:{MODEL.count(chr(10)) + 2}"


def test_predictions_for_other_than_all_items(tmp_path: Path) -> None:
    """The metrics get what predict gave, as in Ianvs; nothing is ranked by it."""
    path = one(tmp_path, predicting("return ['short', 'short']"))
    report = run(path)

    assert figures(report)["acc"] == 1.0 and not report.complete
    assert [row["rank"] for row in table(report)] == [""]
    assert {why for _, _, why in report.troubles} == {"predict gave 2 predictions for 7 items"}
    assert run(path, strict=True, path_map=(("./workspace", "./strict"),)).complete


def test_metrics_are_loaded_after_the_last_prediction(tmp_path: Path) -> None:
    """As in Ianvs: one that seeds decides nothing of the model, one that fails costs no prediction."""
    drawn = metric(tmp_path, "drawn", "return random.random()", top="import random\nrandom.seed(3)\n")
    body = "return [random.choice(['long', 'short']) for each in data]"
    path = one(tmp_path, predicting(body, top="import random\nrandom.seed(5)\n"), metrics=[drawn])
    (report,) = run(path).results
    (tmp_path / "drawn.py").write_text("import no_such_module\n")
    (failed,) = run(path).failures

    assert report.metrics["drawn"].value == pytest.approx(0.23796462709189137, abs=0)
    assert (failed.stage, failed.place) == ("loading the metrics", f"{tmp_path / 'drawn.py'}:1")


def test_a_folder_of_an_earlier_version(tmp_path: Path) -> None:
    """Its predictions were made item by item: they are resumed by `--items each`, and by nothing else."""
    path = JOBS["mean_length"](tmp_path)
    (first,) = run(path, items="each").results
    (kept,) = Path(first.url).glob("result.*.json")

    assert read_result(kept).calls == "each"
    assert run(path, items="each").known == 1
    for mode in ("all", "auto"):
        report = run(path, items=mode)
        assert (report.known, [each.place for each in report.remarks]) == (0, [str(Path(first.url))])
        assert "single items" in report.remarks[0].text
