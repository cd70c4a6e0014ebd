"""MERA's two scorers: where they agree, where they differ, and scores for invalid submissions."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.interop.mera.submission_check import (
    KS,
    RULES,
    UnscorableRow,
    failed_score,
    matches_as_harness,
    matches_as_server,
    pass_at_k,
    score,
    score_row,
)

FREE = {"pass@1": 1.0, "pass@5": 1.0, "pass@10": 1.0}
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=1), inner, max_size=2),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("n", "c", "k", "expected"),
    [(10, 3, 1, 0.3), (10, 3, 5, 0.9166666666666666), (10, 3, 10, 1.0), (10, 1, 5, 0.5), (10, 0, 10, 0.0)],
)
def test_pass_at_k(n: int, c: int, k: int, expected: float) -> None:
    """The values that MERA's own code gives."""
    assert pass_at_k(n, c, k) == pytest.approx(expected, abs=1e-12)


@given(st.integers(1, 9), st.data())
def test_pass_at_k_is_the_share_of_draws(n: int, data: st.DataObject) -> None:
    """With n >= k it is the share of the sets of k answers that hold a right one."""
    c, k = data.draw(st.integers(0, n)), data.draw(st.integers(1, n))
    draws = list(combinations(range(n), k))
    share = sum(any(answer < c for answer in draw) for draw in draws) / len(draws)

    assert pass_at_k(n, c, k) == pytest.approx(share)


@pytest.mark.parametrize(("n", "c", "k"), [(1, 0, 5), (0, 0, 1), (9, 0, 10)])
def test_fewer_generations_than_k_score_for_nothing(n: int, c: int, k: int) -> None:
    """No right answer among fewer than k generations still gives 1: the quirk that the checker warns of."""
    assert pass_at_k(n, c, k) == 1.0


@pytest.mark.parametrize(
    ("expected", "given_", "server", "harness"),
    [
        (["2", "3"], ["2", "3"], True, True),
        (["2", "3"], ["2", "4"], False, False),
        (["2", "3"], ["2"], False, False),
        (["2"], [], False, False),
        (["2"], [2], False, True),
        (["2", "3"], ["2", 3], False, True),
        (["None"], [None], False, True),
        (["2", "None"], ["2", None], False, True),
        (["None"], ["None"], True, True),
        (["t", "i"], "ti", True, True),
        (["t", "i"], "timed out", False, False),
    ],
)
def test_one_generation(expected: list[str], given_: Any, server: bool, harness: bool) -> None:
    """Where the two part: null for an expected "None", and numbers for their text."""
    assert (matches_as_server(expected, given_), matches_as_harness(expected, given_)) == (server, harness)


@pytest.mark.parametrize("outputs", [[], None, 5, [None], [5], [[None]], [[5]], [{"a": 1}], {}])
def test_a_row_that_the_scorer_stumbles_over(outputs: Any) -> None:
    """Where MERA's code raises, ours raises its own exception."""
    with pytest.raises(UnscorableRow):
        score_row(["2"], outputs, matches_as_server)


def test_no_generations_earn_everything() -> None:
    """`outputs: [[]]` has no wrong answer in it: both scorers give it the full score."""
    assert [score_row(["2"], [[]], rule) for rule in RULES.values()] == [FREE, FREE]


def test_only_the_first_list_counts() -> None:
    """(generations, tests) is read as the generations of its first list, without an error."""
    assert score_row(["2", "3"], [["2", "3"]] * 10, matches_as_server)["pass@1"] == 0.0


def test_a_task_set() -> None:
    """The metrics are means over the tasks, and their mean is the one score."""
    expected = {1: ["2"], 2: ["3"]}
    outputs = {1: [[["2"]] * 10], 2: [[["2"]] * 10], 9: [[["unknown"]]]}
    served = score(expected, outputs, rule=matches_as_server)

    assert (served.metrics, served.errors) == ({"pass@1": 0.5, "pass@5": 0.5, "pass@10": 0.5}, [])
    assert served.mean == 0.5


@pytest.mark.parametrize(
    ("outputs", "error"),
    [
        ({}, "no_id"),
        ({1: "def f(): pass"}, "doc_output_type_error"),
        ({1: [[None]]}, "doc_parse_output_error"),
    ],
)
def test_one_faulty_row_takes_the_score_of_all(outputs: dict[Any, Any], error: str) -> None:
    """A missing id, a string for a list or an unreadable row: the whole task set gets 0."""
    served = score({1: ["2"], 2: ["3"]}, {**outputs, 2: [[["3"]] * 10]}, rule=matches_as_server)

    assert served == failed_score([(error, 1)])
    assert served.mean == 0.0


@given(st.dictionaries(st.integers(1, 3), json_values))
def test_any_outputs_are_scored_or_refused(outputs: dict[Any, Any]) -> None:
    """No JSON makes a scorer raise, and each metric is a share."""
    for rule in RULES.values():
        served = score({1: ["2", "3"], 2: ["None"]}, outputs, rule=rule)

        assert all(0.0 <= served.metrics[f"pass@{k}"] <= 1.0 for k in KS)
