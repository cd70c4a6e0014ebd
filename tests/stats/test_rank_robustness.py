"""The fewest votes that decide the first place: compared with all sets of votes, found sets, bounds, and
refusals."""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.stats.bradley_terry import PairVote, bradley_terry
from benchwright.stats.rank_robustness import FARTHEST, first_place
from kit.examples import examples

SMALL = st.lists(
    st.builds(
        lambda pair, result: PairVote(pair[0], pair[1], result),
        st.permutations("abc"),
        st.sampled_from(["a", "b", "tie"]),
    ),
    min_size=5,
    max_size=12,
)


def smallest(votes: list[PairVote], leader: str) -> int | None:
    """Return the fewest votes without which another contestant is strictly ahead, by trying all subsets."""
    counts = Counter(votes)
    best: int | None = None
    for numbers in product(*(range(number + 1) for number in counts.values())):
        size = sum(numbers)
        if best is not None and size >= best:
            continue
        left = [vote for vote, gone in zip(counts, numbers, strict=True) for _ in range(counts[vote] - gone)]
        found = bradley_terry(left, draws=1)
        values = {each.name: each.value for each in found.strengths}
        if leader in values and len(values) == 3 and max(values.values()) > values[leader] + 1e-9:
            best = size
    return best


def normal(votes: list[PairVote]) -> list[PairVote]:
    """Return votes of one kind in one spelling, so that they can be counted."""
    swapped = {"a": "b", "b": "a", "tie": "tie"}
    return [v if v.a < v.b else PairVote(v.b, v.a, swapped[v.result]) for v in votes]  # type: ignore[arg-type]


@settings(max_examples=examples(10), deadline=None)
@given(SMALL)
def test_bounds_hold_for_every_set_of_votes(votes: list[PairVote]) -> None:
    """Never fewer than `at_least`, never more than `at_most`, and equal if it is exact."""
    votes = normal(votes)
    ranking = bradley_terry(votes, draws=1)
    found = first_place(votes)
    if ranking.why or len(ranking.strengths) < 3:
        assert not ranking.why or found is None
        return
    assert found is not None
    best, second = ranking.strengths[:2]
    if best.value - second.value < 1e-9:
        assert (found.at_least, found.at_most) == (0, 0)
        return
    true = smallest(votes, best.name)
    assert found.leader == best.name
    if true is not None:
        assert found.at_least <= true
        assert found.at_most is None or true <= found.at_most
        assert not found.is_exact or found.at_most == true


def test_by_hand() -> None:
    """Four to three: without two wins of a, b is ahead."""
    found = first_place([PairVote("a", "b", "a")] * 4 + [PairVote("a", "b", "b")] * 3)

    assert found is not None
    assert (found.leader, found.rival, found.at_least, found.at_most) == ("a", "b", 2, 2)
    assert (found.dropped, found.is_exact) == ({"a beat b": 2}, True)


def test_a_shared_first_place_takes_no_vote() -> None:
    """Both have equal wins and losses."""
    found = first_place([PairVote("a", "b", "a"), PairVote("a", "b", "b")])

    assert found is not None
    assert (found.at_least, found.at_most, found.is_exact) == (0, 0, True)


def test_what_is_found_does_change_the_first_place() -> None:
    """In a larger table not all sets can be tried: the reported set is dropped, and another contestant leads."""
    votes = [PairVote("a", "b", "a")] * 60 + [PairVote("a", "b", "b")] * 50
    votes += [PairVote("b", "c", "a")] * 40 + [PairVote("b", "c", "b")] * 20 + [PairVote("a", "c", "tie")] * 9
    votes += [PairVote("a", "c", "a")] * 30 + [PairVote("a", "c", "b")] * 12
    found = first_place(votes, tried=500)
    assert found is not None and found.at_most is not None
    left = Counter(votes)
    for words, number in found.dropped.items():
        one, verb, *_, last = words.split()
        other = last if verb == "beat" else words.split()[2]
        key = PairVote(one, other, "a") if verb == "beat" else PairVote(one, other, "tie")
        if key not in left:
            key = PairVote(other, one, "b")
        left[key] -= number
    ranking = bradley_terry(list(left.elements()), draws=1)

    assert sum(found.dropped.values()) == found.at_most
    assert ranking.strengths[0].name == found.rival != found.leader
    assert 1 < found.at_least < found.at_most
    assert not found.is_exact


def test_a_lead_that_no_few_votes_decide() -> None:
    """With a lead of 1,990 votes the search ends, and reports its limit."""
    votes = [PairVote("a", "b", "a")] * 2_000 + [PairVote("a", "b", "b")] * 10
    found = first_place(votes, tried=20)

    assert found is not None
    assert (found.at_most, found.dropped, found.is_exact) == (None, {}, False)
    assert 2 <= found.at_least <= FARTHEST


@pytest.mark.parametrize("votes", [[], [PairVote("a", "b", "a")], [PairVote("a", "b", "tie")]])
def test_votes_without_an_order_have_no_first(votes: list[PairVote]) -> None:
    """The ranking refuses them too."""
    assert first_place(votes) is None
