"""The order of the models: the result of `rank`, in the form of the page."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright.errors import RunError, UsageError
from benchwright.rank.comparison import compare
from benchwright.rank.standing import rank
from benchwright.report.runs import all_tasks, load_runs
from benchwright.report.standing import as_dict, put_in_order, standing_rows
from kit.reported import STRONG, WEAK, loaded, run_of


def test_the_best_comes_first(tmp_path: Path) -> None:
    """The order on the command line has no effect; ranks and sentences are those of `rank` and `compare`."""
    runs = loaded(tmp_path, weak=WEAK, strong=STRONG)
    order = put_in_order(runs, metric=None)
    weak, strong = (run.contestant for run in runs)

    assert ([run.name for run in order.runs], order.metric) == (["strong", "weak"], "pass@1")
    assert order.ranks == [place.range for place in rank([weak, strong]).places] == ["1", "2"]
    assert order.sentences == [compare(strong, weak, metric="pass@1").sentence]


def test_three_models_have_a_sentence_for_all(tmp_path: Path) -> None:
    """First the standing in one sentence, then each against the next, then every pair with its p."""
    runs = loaded(tmp_path, a=STRONG, b=WEAK, c=[each + 1 if each < 4 else each for each in WEAK])
    order = put_in_order(runs, metric="pass@1")

    assert (len(order.sentences), len(order.pairs)) == (3, 3)
    assert order.sentences[0] == rank([run.contestant for run in runs]).sentence
    assert [(pair.above, pair.below) for pair in order.pairs] == [("a", "c"), ("a", "b"), ("c", "b")]
    assert all(pair.tasks == 12 and " to " in pair.interval for pair in order.pairs)


def test_a_correction_that_matters_is_said(tmp_path: Path) -> None:
    """Two models are separated alone, but not among many pairs: the sentence states both."""
    near = [3, 3, 2, 3, 3, 3, 2, 3, 3, 2, 3, 3]
    others = {f"m{number}": [*near[number:], *near[:number]] for number in range(4)}
    order = put_in_order(loaded(tmp_path, top=[3, 4, 3, 3, 4, 4, 2, 4, 3, 3, 3, 4], **others), metric=None)
    said = [sentence for sentence in order.sentences if "Corrected for the 10 pairs" in sentence]

    assert len(said) == 1
    assert ("passes more than" in said[0], "it is not established" in said[0]) == (True, True)


def test_one_run_has_a_score_and_no_standing(tmp_path: Path) -> None:
    """There is no rank and no comparison; the metric can still be chosen."""
    runs = loaded(tmp_path, alone=STRONG)
    order = put_in_order(runs, metric=None)
    part = as_dict(order)

    assert (order.metric, order.sentences, order.pairs, part["ranked"]) == ("pass@1", [], [], False)
    assert [(row.name, row.tasks, row.n) for row in part["rows"]] == [("alone", 12, 4)]


def test_a_run_without_metrics_can_be_reported(tmp_path: Path) -> None:
    """If no answer could be judged, the answers can still be read."""
    path = run_of(tmp_path, "alone", [0], metrics={})

    assert put_in_order(load_runs([path]), metric=None).metric == ""


@pytest.mark.parametrize("names", [["one"], ["one", "two"]])
def test_an_unknown_metric_is_said(tmp_path: Path, names: list[str]) -> None:
    """The error lists the existing ones."""
    runs = loaded(tmp_path, **dict.fromkeys(names, STRONG))
    with pytest.raises(UsageError, match=r"pass@7.*pass@1"):
        put_in_order(runs, metric="pass@7")


def test_metrics_have_a_column_each(tmp_path: Path) -> None:
    """Every metric of any run, in the order of k, with a gap if a run lacks it."""
    many = run_of(tmp_path, "many", [4] * 12, n=10)
    few = run_of(tmp_path, "few", WEAK, n=4)
    order = put_in_order(load_runs([many, few]), metric=None)
    rows = {row.name: [metric is not None for metric in row.metrics] for row in standing_rows(order)}

    assert [each.name for each in as_dict(order)["metrics"]] == ["pass@1", "pass@5", "pass@10"]
    assert rows == {"many": [True, True, True], "few": [True, False, False]}


def test_runs_of_different_kinds_are_refused(tmp_path: Path) -> None:
    """Runs that cannot be compared are not put into one report: its tables would suggest a comparison."""
    one, other = run_of(tmp_path, "one", STRONG), run_of(tmp_path, "other", STRONG, judging=2)
    with pytest.raises(RunError, match=r"cannot be compared.*judging"):
        load_runs([one, other])


def test_tasks_of_all_runs_are_listed(tmp_path: Path) -> None:
    """In the order of the first run that has them, including tasks without a judged answer."""
    runs = loaded(tmp_path, few=STRONG[:2], many=STRONG[:4])

    assert all_tasks(runs) == ["Small/0", "Small/1", "Small/2", "Small/3"]
