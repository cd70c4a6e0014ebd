"""`at_least` and `at_most`: the bound decides, and a failure says which answers were wrong and where they are."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import benchwright as bw
from benchwright.pytest_plugin.thresholds import MeasuredRun
from kit.made_runs import finished_run
from kit.small_data import humaneval
from kit.small_labels import label_run

WRONG = ("    return x - 1\n", "wrong", {"detail": "call 1: plus_0(7) gave 6, expected 7"})
RIGHT = ("    return x\n", "passed")


def measured(folder: Path, *, passed: int, failed: int, **more: Any) -> MeasuredRun:
    """A run of which so many tasks passed and failed."""
    data = humaneval(folder, passed + failed)
    rows = {f"Small/{number}": [RIGHT if number < passed else WRONG] for number in range(passed + failed)}
    return MeasuredRun.of(bw.open_run(finished_run(folder / "run", data, rows, **more)))


def test_the_bound_decides(tmp_path: Path) -> None:
    """18 of 20: the value is above 0.8, the lower bound is not; the upper bound is above 0.95."""
    run = measured(tmp_path, passed=18, failed=2)
    low, high = run.scores["pass@1"].low, run.scores["pass@1"].high

    assert low < 0.8 < run.scores["pass@1"].value < 0.95 < high
    assert run.at_least("pass@1", low) == run.at_most("pass@1", high) == run.scores["pass@1"]
    with pytest.raises(AssertionError, match=r"lower bound .* below 0.8; 20 tasks do not establish it"):
        run.at_least("pass@1", 0.8)
    with pytest.raises(AssertionError, match=r"upper bound .* above 0.95; 20 tasks do not establish it"):
        run.at_most("pass@1", 0.95)
    with pytest.raises(AssertionError, match=r"below 0.95\n"):
        run.at_least("pass@1", 0.95)


def test_a_failure_shows_the_answers(tmp_path: Path) -> None:
    """Value, interval, n, counts, the first ten failed answers with their reasons, and the folder."""
    run = measured(tmp_path, passed=3, failed=12)
    with pytest.raises(AssertionError) as caught:
        run.at_least("pass@1", 0.6)
    text = str(caught.value)

    assert re.search(r"pass@1 0.2000 \(95 % interval 0.\d{4} to 0.\d{4}, 15 tasks\)", text)
    assert "15 answers: 3 passed, 12 wrong" in text
    assert "Small/3, answer 0: wrong: call 1: plus_0(7) gave 6, expected 7" in text
    assert (text.count(", answer 0: wrong"), "and 2 more" in text, str(run.path) in text) == (10, True, True)


def test_a_label_names_the_expected_one(tmp_path: Path) -> None:
    """A wrong label has no executed call; the expected label is that of the data set."""
    run = MeasuredRun.of(bw.open_run(label_run(tmp_path, "all-wrong", [("plain", False)] * 12)))
    with pytest.raises(AssertionError) as caught:
        run.at_least(next(iter(run.scores)), 0.99)

    assert re.search(r"wrong: .*expected \w+", str(caught.value))


@pytest.mark.parametrize("outcome", ["model_error", "undecided"])
def test_a_score_of_fewer_answers_establishes_nothing(tmp_path: Path, outcome: str) -> None:
    """Missing and undecided answers are not in the score, so they must be allowed."""
    run = measured(
        tmp_path, passed=2, failed=1, outcomes={"passed": 2, outcome: 1}, missing=int(outcome[0] == "m")
    )

    with pytest.raises(AssertionError, match="1 of 3 answers are missing or undecided"):
        run.at_least("pass@1", 0)
    assert run.at_least("pass@1", 0, allow_missing=1).n == 3


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ({"metric": "pass@9", "bound": 0.5}, "no metric 'pass@9'.*\n.*pass@1"),
        ({"metric": "pass@1", "bound": 60}, "between 0 and 1\nhint: bound=0.6"),
        ({"metric": "pass@1", "bound": -0.1}, "between 0 and 1"),
        ({"metric": "pass@1", "bound": "0.6"}, "must be a number"),
        ({"metric": "pass@1", "bound": float("nan")}, "must be a number"),
        ({"metric": "pass@1", "bound": True}, "must be a number"),
        ({"metric": "pass@1", "bound": 0.5, "profile": "strikt"}, "no profile 'strikt'\nhint: .*strict"),
        ({"metric": "pass@9", "bound": 0.5, "profile": "strict"}, "has no metric 'pass@9'\nhint: .*pass@1"),
    ],
)
def test_an_invalid_threshold_is_no_failed_test(tmp_path: Path, call: dict[str, Any], message: str) -> None:
    """A slip in the test is a UsageError, not a verdict on the model."""
    run = measured(tmp_path, passed=2, failed=1)
    with pytest.raises(bw.UsageError, match=message):
        run.at_least(**call)


def test_a_run_without_a_score(tmp_path: Path) -> None:
    """Answers alone establish nothing, and the error says how to judge them."""
    run = measured(tmp_path, passed=2, failed=1)
    (run.path / "scores.json").unlink()
    unfinished = MeasuredRun.of(bw.open_run(run.path))
    with pytest.raises(bw.RunError, match="not finished"):
        unfinished.at_least("pass@1", 0.1)
