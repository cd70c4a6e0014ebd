"""How many items count in a metric: -1 for nothing is no score, and what it leaves out is counted."""

from __future__ import annotations

from pathlib import Path

import pytest

from kit.ianvs_jobs import metric, one, predicting
from kit.made_ianvs import MODEL, judged_job, run

MEAN = """\
found = [re.search(PATTERN, text) for text in y_pred]
scores = [float(each.group(1)) for each in found if each]
return EMPTY if not scores else sum(scores) / len(scores)"""
SPACED, COLON = "'Composite score': ([0-9]+)", '"Score": ([0-9.]+)'


def judged(folder: Path, replies: list[str], pattern: str, empty: str = "-1", name: str = "score") -> Path:
    """A job whose metric reads the texts of a judge in its own way, and gives `empty` where it reads none."""
    body = MEAN.replace("PATTERN", repr(pattern)).replace("EMPTY", empty)
    return judged_job(folder, replies, metrics=[metric(folder, name, body, top="import re\n")])


@pytest.mark.parametrize(
    ("replies", "pattern", "scored"),
    [
        (['{"Composite score": 9}'] * 3, SPACED, 0),  # JSON in place of Python
        (["'Composite score':9"] * 3, SPACED, 0),  # no blank
        (["'Composite Score': 9"] * 3, SPACED, 0),
        (["**Composite score**: 9"] * 3, SPACED, 0),
        (["nine out of ten"] * 3, SPACED, 0),
        ([""] * 3, SPACED, 0),
        (["综合得分：9"] * 3, SPACED, 0),
        (["'Composite score': 9", '{"Composite score": 2}', "none"], SPACED, 1),
        (['"Score": 9', "Score = 2", '"Score": 1'], COLON, 2),  # a name of its own
        (['"Score": 9', '"Score": n/a', "sorry"], COLON, 1),
        (["'Composite score': 9"] * 3, SPACED, None),
        (['"Score": 0', '"Score": 9'], COLON, None),
    ],
)
def test_texts_that_a_metric_cannot_read(
    tmp_path: Path, replies: list[str], pattern: str, scored: int | None
) -> None:
    """For all forms of judges: they have no score, and the others are not ranked."""
    report = run(judged(tmp_path, replies, pattern))
    (measured,) = report.results[0].metrics.values()

    assert measured.scored == scored and (measured.total in (None, len(replies)))
    assert bool(report.standings.ranked) is report.complete is (scored is None)
    if scored == 0:
        assert (measured.cell, measured.trouble) == ("-1", f"0 of {len(replies)} scored")


@pytest.mark.parametrize("empty", ["-1", "-1.0", "None", "float('nan')", "0", "1 / 0"])
def test_how_a_metric_says_that_there_is_none(tmp_path: Path, empty: str) -> None:
    """One of three texts is read; the same is so however it would say none."""
    replies = ["'Composite score': 9", "no", "no"]
    (measured,) = run(judged(tmp_path, replies, SPACED, empty)).results[0].metrics.values()

    assert (measured.value, measured.scored, measured.total) == (9.0, 1, 3)


def test_a_minus_one_per_text_is_no_score(tmp_path: Path) -> None:
    """Nor where it is averaged with the others."""
    body = """\
found = [re.search(r"'Composite score': ([0-9]+)", text) for text in y_pred]
scores = [int(each.group(1)) if each else -1 for each in found]
return sum(scores) / len(scores) if scores else -1"""
    path = judged_job(
        tmp_path,
        ["'Composite score': 9", "no", "'Composite score': 7"],
        metrics=[metric(tmp_path, "score", body, top="import re\n")],
    )
    report = run(path)
    (measured,) = report.results[0].metrics.values()

    assert (measured.value, measured.scored, measured.total, report.complete) == (5.0, 2, 3, False)


@pytest.mark.parametrize(
    "name", ["mcc", "spearman", "cohen_kappa", "pearson_r", "sentiment", "R2", "mean_gain"]
)
def test_a_scale_below_zero_may_have_minus_one(tmp_path: Path, name: str) -> None:
    """A correlation of -1 is a value."""
    path = one(tmp_path, MODEL, metrics=[metric(tmp_path, name, "return -1.0")])
    report = run(path)

    assert report.complete and report.results[0].metrics[name].scored is None


def test_minus_one_over_numbers_is_asked_about(tmp_path: Path) -> None:
    """Whether it is what the metric gives for nothing too."""
    sentinel = metric(tmp_path, "sentinel", "return sum(y_pred) / len(y_pred) if 9 in y_pred else -1")
    value = metric(tmp_path, "value", "return -len(y_pred) / len(y_pred)")
    report = run(one(tmp_path, predicting("return [1] * len(data)"), metrics=[sentinel, value]))
    found = report.results[0].metrics

    assert (found["sentinel"].scored, found["value"].scored) == (0, None)


@pytest.mark.parametrize("sort", [[], [{"other": "descend"}], [{"score": "descend"}]])
def test_no_rank_whatever_is_sorted_by(tmp_path: Path, sort: list[dict[str, str]]) -> None:
    """Without a sort key, or with an unknown metric, every metric must have its value."""
    report = run(judged_job(tmp_path, ["no"] * 3, metrics=[metric(tmp_path, "score", "return -1")],
                            rank={"sort_by": sort}))  # fmt: skip

    assert (report.standings.ranked, report.complete) == ([], False)


@pytest.mark.parametrize(
    ("value", "complete"), [("float('nan')", True), ("None", True), ("-1", False), ("1 / 0", False)]
)
def test_a_metric_that_nothing_is_sorted_by(tmp_path: Path, value: str, complete: bool) -> None:
    """A NaN or None there is how it says that it has nothing to measure: no failure of the job."""
    metrics = [
        metric(tmp_path, "score", "return 0.5"),
        metric(tmp_path, "evidence", f"return {value}"),
    ]
    report = run(one(tmp_path, MODEL, metrics=metrics))

    assert len(report.standings.ranked) == 1 and report.complete is complete


@pytest.mark.parametrize(
    ("judged_items", "undecided", "scored"), [(1, 6, 1), (0, 7, 0), (7, 0, None), (5, 0, None), (7, 3, None)]
)
def test_counts_that_other_metrics_tell(
    tmp_path: Path, judged_items: int, undecided: int, scored: int | None
) -> None:
    """`NAME_judged` and `undecided` stand for a figure whose items they account for."""
    metrics = [
        metric(tmp_path, "score", "return 1.0"),
        metric(tmp_path, "score_judged", f"return {judged_items}"),
        metric(tmp_path, "undecided", f"return {undecided}"),
    ]
    report = run(one(tmp_path, MODEL, metrics=metrics))

    assert report.results[0].metrics["score"].scored == scored
    assert bool(report.standings.ranked) is (scored is None)


def test_metrics_are_not_called_again_before_all_have_their_value(tmp_path: Path) -> None:
    """To count costs calls: they come last, and leave every value as it was."""
    body = "with open('calls.txt', 'a') as file:\n    file.write('NAME ')\nreturn LOOK"
    look = MEAN.replace("PATTERN", repr(SPACED)).replace("EMPTY", "-1")
    first = metric(
        tmp_path, "first", body.replace("NAME", "first").replace("return LOOK", look), top="import re\n"
    )
    second = metric(tmp_path, "second", body.replace("NAME", "second").replace("LOOK", "len(y_pred)"))
    report = run(judged_job(tmp_path, ["'Composite score': 9", "no"], metrics=[first, second]))

    assert (tmp_path / "calls.txt").read_text().split()[:2] == ["first", "second"]
    assert report.results[0].metrics["first"].scored == 1
