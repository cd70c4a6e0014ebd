"""One figure with several names: each run uses its own, and only requested names are matched."""

from __future__ import annotations

import pytest

from benchwright.contracts import Measure
from benchwright.errors import UsageError
from benchwright.rank.comparison import match_metric
from kit.contestants import contestant

OTHER = {
    "estimates": {"score": [0.0, 1.0]},
    "tool": "Inspect",
    "measured": [Measure(name="score", paired=True)],
}


def test_each_takes_the_first_name_that_it_has() -> None:
    """Tables and sentences have the joined name."""
    mine = contestant("a", [10, 0])
    log = contestant("b", [0, 10], **OTHER)
    log.score.metrics["score"] = log.score.metrics["pass@1"]
    ours, theirs = match_metric([mine, log], "pass@1=score")

    assert (ours.estimates["pass@1=score"], theirs.estimates["pass@1=score"]) == ([1.0, 0.0], [0.0, 1.0])
    assert ours.measure("pass@1=score").title == "pass@1=score"


def test_a_plain_name_changes_nothing() -> None:
    """Neither does a missing name."""
    runs = [contestant("a", [10, 0])]

    assert match_metric(runs, "pass@1") == match_metric(runs, None) == runs


def test_a_run_without_any_of_the_names_is_named() -> None:
    """The error lists its metrics."""
    with pytest.raises(UsageError, match="a has neither x nor y: it has pass@1"):
        match_metric([contestant("a", [10, 0])], "x=y")


def test_figures_of_two_directions_are_refused() -> None:
    """Higher is better in one and worse in the other."""
    lower = [Measure(name="score", paired=True, higher_is_better=False)]
    with pytest.raises(UsageError, match="worse for the other"):
        match_metric(
            [contestant("a", [10, 0]), contestant("b", [0, 1], **{**OTHER, "measured": lower})],
            "pass@1=score",
        )
