"""Votes to results: unanimous, majority, single, adjudicated, or none yet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.judges.people.records import DECISIONS, GRADES
from benchwright.judges.people.results import RESULTS, PeopleResult, results_of
from kit.peoples_votes import vote


def result(values: Sequence[int | str], *last: int | str, field: str = "decision") -> PeopleResult:
    """The one result of these blind votes, and of an adjudicator's."""
    blind = [vote(value, f"j{at}", field=field) for at, value in enumerate(values)]
    above = [
        vote(value, f"a{at}", field=field, round="adjudication", submitted_at=f"2026-01-0{at + 1}")
        for at, value in enumerate(last)
    ]
    (found,) = results_of([*blind, *above])
    return found


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["correct"], ("single", "correct")),
        (["wrong", "wrong", "wrong"], ("unanimous", "wrong")),
        (["correct", "correct", "wrong"], ("majority", "correct")),
        (["correct", "wrong"], ("none", None)),
        (["correct", "correct", "wrong", "partly"], ("none", None)),
        (["cannot_tell", "cannot_tell", "wrong"], ("none", None)),
        (["cannot_tell"], ("none", None)),
        (["correct", "correct", "cannot_tell"], ("majority", "correct")),
    ],
)
def test_decisions(values: list[str], expected: tuple[str, Any]) -> None:
    """More than half must say it; one who cannot tell counts among all."""
    found = result(values)

    assert (found.result, found.value) == expected
    assert found.needs_adjudication == (expected[0] == "none")
    assert bool(found.why) == (expected[0] == "none")


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([4, 4], ("unanimous", 4)),
        ([4, 5], ("majority", 4.5)),
        ([2, 5, 5], ("majority", 5)),
        ([1, 5], ("none", None)),
        ([1, 3, 5], ("none", None)),
    ],
)
def test_grades(values: list[int], expected: tuple[str, Any]) -> None:
    """Grades that lie next to each other agree, and their mean stands."""
    found = result(values, field="logic")

    assert (found.result, found.value) == expected


def test_an_adjudicator_stands_above_the_votes() -> None:
    """The last of them; one who cannot tell leaves it open. The votes are counted as they were."""
    assert result(["correct", "wrong"], "wrong").value == "wrong"
    assert result(["correct", "wrong"], "wrong", "partly").value == "partly"
    assert result(["correct", "correct"], "cannot_tell").result == "none"
    found = result(["correct", "wrong"], "wrong")
    assert (found.result, found.votes, found.share) == ("adjudicated", 2, 0.5)


def test_repeats_and_gold_are_no_opinions() -> None:
    """They measure who gave them."""
    votes = [vote("correct"), vote("wrong", round="repeat"), vote("wrong", "boris", round="gold")]

    (found,) = results_of(votes)

    assert (found.value, found.votes) == ("correct", 1)


@given(st.lists(st.sampled_from(DECISIONS), min_size=1, max_size=7), st.randoms())
def test_the_order_of_votes_does_not_matter(values: list[str], random: Any) -> None:
    """And what more than half say is the result."""
    mixed = list(values)
    random.shuffle(mixed)
    found, other = result(values), result(mixed)

    assert (found.result, found.value, found.share) == (other.result, other.value, other.share)
    assert found.result in RESULTS
    if found.value is not None:
        assert values.count(str(found.value)) > len(values) / 2


@given(st.lists(st.sampled_from(GRADES), min_size=1, max_size=7))
def test_a_grade_lies_among_those_given(values: list[int]) -> None:
    """It is never outside of what people said."""
    found = result(values, field="logic")

    assert found.value is None or min(values) <= float(found.value) <= max(values)
