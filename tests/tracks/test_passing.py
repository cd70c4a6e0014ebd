"""pass@k of judged answers, with what is said under it."""

from __future__ import annotations

import pytest

from benchwright.tracks.passing import notes_on_coverage


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ([(10, 3)] * 2 + [(10, 0)] * 22, "only 2 of 24 tasks have any right answer"),
        ([(10, 9)] * 7 + [(10, 10)] * 100, "only 7 of 107 tasks have any wrong answer"),
        ([(2, 1)] + [(2, 0)] * 3, "only 1 of 4 tasks have any right answer"),
    ],
)
def test_few_tasks_carry_the_score(counts: list[tuple[int, int]], words: str) -> None:
    """There the interval holds the truth less often than it says, and it is said how often."""
    (note,) = notes_on_coverage(counts)

    assert note.startswith(words) and "some 90 % of cases" in note


@pytest.mark.parametrize(
    "counts",
    [
        [(10, 0)] * 24,
        [(10, 10)] * 24,
        [(10, 5)] * 4,
        [(10, 3)] * 8 + [(10, 0)] * 16,
        [(1, 1)] * 2 + [(1, 0)] * 22,
    ],
)
def test_elsewhere_nothing_is_said(counts: list[tuple[int, int]]) -> None:
    """At the edge, where all tasks tell something, from eight tasks on, and with one answer each."""
    assert notes_on_coverage(counts) == []
