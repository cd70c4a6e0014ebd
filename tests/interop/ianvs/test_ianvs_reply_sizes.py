"""Sizes of replies, as far as the replies state them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.interop.ianvs.child.journal import reply_facts

TOLD = {
    "completion": "yes",
    "usage": {"prompt_tokens": 9, "completion_tokens": 2},
    "perf": {"time_to_first_token": 0.25, "throughput": 8.0},
}
ANYTHING = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.binary()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["completion", "usage", "perf", "completion_tokens"]), inner),
    ),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("replies", "facts"),
    [
        ([TOLD], {"tokens": 2, "first_token_s": 0.25}),
        ([TOLD, TOLD], {"tokens": 4}),
        ([None, TOLD], {"tokens": 2, "first_token_s": 0.25}),
        ([TOLD, "AB"], {"characters": 5}),
        ([{"completion_tokens": 7}], {"tokens": 7}),
        ([{"text": "four"}], {"characters": 4}),
        (["", None], {"characters": 0}),
        ([{"usage": {"completion_tokens": True}, "completion": "x"}], {"characters": 1}),
        ([{"usage": {"completion_tokens": -1}}], {}),
        ([{"usage": {"completion_tokens": 10**30}}], {}),
        ([{"perf": {"time_to_first_token": float("nan")}}], {}),
        ([{"perf": {"time_to_first_token": 10**400}}], {}),
        ([0.5], {}),
        ([None], {}),
        ([], {}),
    ],
)
def test_what_replies_tell(replies: list[Any], facts: dict[str, float]) -> None:
    """Tokens where all tell them, else characters where all are text, else nothing."""
    assert reply_facts(replies) == facts


@given(replies=st.lists(ANYTHING, max_size=4))
def test_any_reply_is_taken(replies: list[Any]) -> None:
    """For all return values of a model, and never both units."""
    facts = reply_facts(replies)

    assert (
        facts.keys() <= {"tokens", "characters", "first_token_s"}
        and len({"tokens", "characters"} & facts.keys()) < 2
    )
    assert all(value >= 0 for value in facts.values())
