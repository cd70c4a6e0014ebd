"""Runs of labels compared: exact match is tested task by task, the other metrics are reported."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright.errors import RunError, UsageError
from benchwright.rank.comparison import compare
from benchwright.rank.contestant import load, unpaired_metrics
from benchwright.rank.standing import rank
from benchwright.records import Metric
from benchwright.stats.association import mcnemar
from kit.small_runs import rights, run_folder

METRICS = ("exact_match", "balanced_accuracy", "mcc", "macro_f1", "invalid")


def _run(folder: Path, name: str, counts: list[int], *, n: int = 1) -> Path:
    mean = sum(counts) / n / len(counts)
    metric = Metric(value=mean, low=max(-1.0, mean - 0.1), high=mean + 0.1, n=len(counts), samples=n)
    identity = {"track": "codecorrectness"}
    score = {"metrics": dict.fromkeys(sorted(METRICS), metric)}
    return run_folder(
        folder / name, rights(counts, n), model=f"openai:{name}", identity=identity, score=score
    )


def test_exact_match_is_a_share_of_each_task(tmp_path: Path) -> None:
    """It is the only such metric; the others are in the score, in the order of tables."""
    [a] = load([_run(tmp_path, "a", [2, 1, 0, 2], n=2)])

    assert (a.estimates, unpaired_metrics([a])) == ({"exact_match": [1.0, 0.5, 0.0, 1.0]}, list(METRICS[1:]))


def test_two_runs_are_compared_by_mcnemar(tmp_path: Path) -> None:
    """The sentence is about right answers, and the exact test is over the tasks on which they differ."""
    a, b = load([_run(tmp_path, "a", [1] * 11 + [0]), _run(tmp_path, "b", [0] * 9 + [1] * 3)])
    found = compare(a, b)

    assert (found.metric, found.better, found.difference.mcnemar) == ("exact_match", "a", mcnemar(9, 1))
    assert found.sentence.startswith("a is right more often than b: +")
    assert "points of exact match" in found.sentence


def test_equal_runs_are_not_told_apart(tmp_path: Path) -> None:
    """The sentence has the same form."""
    a, b = load([_run(tmp_path, "a", [1, 0, 1, 0]), _run(tmp_path, "b", [0, 1, 1, 0])])

    assert compare(a, b).sentence.startswith("Not established which of a and b is right more often")


@pytest.mark.parametrize("metric", METRICS[1:])
def test_other_metrics_are_not_tested(tmp_path: Path, metric: str) -> None:
    """The error has the metric that is tested, for comparisons and rankings."""
    runs = load([_run(tmp_path, "a", [1, 0]), _run(tmp_path, "b", [0, 1])])
    for work in (lambda: compare(*runs, metric=metric), lambda: rank(runs, metric=metric)):
        with pytest.raises(UsageError, match="reported but not tested") as caught:
            work()

        assert caught.value.hint == "--metric exact_match"


def test_another_profile_is_refused(tmp_path: Path) -> None:
    """Reading the same answers by other rules is another measurement."""
    one = _run(tmp_path, "a", [1, 0])
    other = run_folder(
        tmp_path / "b", rights([1, 0], 1), identity={"track": "codecorrectness", "profile": "mera-exact"}
    )
    with pytest.raises(RunError, match="`profile` differs"):
        compare(*load([one, other]))


def test_answers_that_were_never_judged_are_said_to_be(tmp_path: Path) -> None:
    """A run that was only asked can be resumed without that option; the hint says so."""
    path = _run(tmp_path, "a", [1, 0])
    (path / "scores.json").unlink()
    with pytest.raises(RunError, match="not finished"):
        load([path])
    (path / "verdicts.jsonl").rename(path / "answers.jsonl")
    with pytest.raises(RunError, match="answers without verdicts") as caught:
        load([path])

    assert "without --ask-only" in (caught.value.hint or "")
