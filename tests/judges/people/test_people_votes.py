"""What a vote may say, and the order of a file of votes."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.judges.people.records import (
    GRADES,
    PREFERENCES,
    ROUNDS,
    Vote,
    allowed,
    fault_of,
    in_order,
    place_of,
    vote_key,
)
from kit.peoples_votes import vote


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"value": "maybe"}, "value"),
        ({"value": 3}, "value"),
        ({"field": "logic", "value": "3"}, "value"),
        ({"field": "logic", "value": 6}, "value"),
        ({"field": "logic", "value": True}, "value"),
        ({"judge": " "}, "judge"),
        ({"judge": "a\x1b[2J"}, "judge"),
        ({"judge": "a" * 81}, "judge"),
        ({"comment": "x" * 20_001}, "comment"),
        ({"answers": ["a", "a"]}, "answers"),
        ({"answers": ["a", "b", "c"]}, "answers"),
    ],
)
def test_what_is_wrong_is_named(changed: dict[str, Any], field: str) -> None:
    """By the field, with what would be right."""
    made = msgspec.structs.replace(vote(), **changed)

    assert fault_of(vote()) == ("", "")
    assert fault_of(made)[0] == field and fault_of(made)[1]


def test_the_values_of_a_field() -> None:
    """Preferences, decisions, grades for any criterion; an annotation is a text."""
    assert allowed("preference") == PREFERENCES
    assert allowed("decision")[-1] == "cannot_tell"
    assert allowed("logic") == allowed("any criterion") == GRADES
    assert allowed("annotation") == ()
    assert fault_of(vote("line 1: x", field="annotation")) == ("", "")


def test_a_key_says_who_judged_what() -> None:
    """Another value is the same place; another judge or round is not."""
    keys = {vote_key(vote(judge=judge, round=round)) for judge in ("anna", "boris") for round in ROUNDS}

    assert len(keys) == 2 * len(ROUNDS)
    assert vote_key(vote("wrong")) == vote_key(vote("correct"))


VOTES = st.lists(
    st.builds(
        lambda judge, item, round, answer: vote("wrong", judge, item=item, round=round, answers=[answer]),
        st.sampled_from("abc"),
        st.sampled_from("xyz"),
        st.sampled_from(ROUNDS),
        st.sampled_from(("1", "2", "other")),
    ),
    unique_by=place_of,
    max_size=12,
)


@given(VOTES, st.randoms())
def test_the_same_votes_are_the_same_bytes(votes: list[Vote], random: Any) -> None:
    """Whatever order they came in, and whether a file or a program named their rounds."""
    places = {"1": 0, "2": 1}
    named = [{**msgspec.to_builtins(each), "round": "".join(list(each.round))} for each in votes]
    mixed = msgspec.convert(named, list[Vote])
    random.shuffle(mixed)

    assert msgspec.json.encode(in_order(mixed, places)) == msgspec.json.encode(in_order(votes, places))
