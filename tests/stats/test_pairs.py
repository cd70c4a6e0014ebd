"""Bradley and Terry's model with Davidson's ties: compared with choix and the likelihood, refusals, coverage."""

from __future__ import annotations

from itertools import combinations
from math import exp, sqrt
from random import Random

import choix
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from benchmarks.calibration import strengths_held, voted
from benchwright.stats.bradley_terry import PairRanking, PairVote, Result, bradley_terry

NAMES = "abcd"
VOTES = st.lists(
    st.builds(
        lambda pair, result: PairVote(pair[0], pair[1], result),
        st.permutations(NAMES),
        st.sampled_from(["a", "b", "tie"]),
    ),
    min_size=12,
    max_size=60,
)


def values(found: PairRanking) -> dict[str, float]:
    """Return the strength of each contestant."""
    return {each.name: each.value for each in found.strengths}


@pytest.mark.parametrize("seed", range(5))
def test_without_ties_it_is_that_of_choix(seed: int) -> None:
    """The estimates agree to nine places."""
    votes = voted(Random(seed), 200, {"a": 1.0, "b": 0.4, "c": 0.0, "d": -1.0})
    won = [(v.a, v.b) if v.result == "a" else (v.b, v.a) for v in votes]
    data = [(NAMES.index(winner), NAMES.index(loser)) for winner, loser in won]
    expected = choix.ilsr_pairwise(4, data, max_iter=10_000, tol=1e-12)

    found = values(bradley_terry(votes, draws=1))
    assert [found[name] for name in NAMES] == pytest.approx(list(expected - expected.mean()), abs=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_with_ties_it_is_the_most_likely(seed: int) -> None:
    """No step from it increases Davidson's likelihood, and a general optimizer finds the same."""
    votes = voted(Random(seed), 150, {"a": 0.8, "b": 0.2, "c": 0.0, "d": -1.0}, tie=0.7)

    def unlikely(at: list[float]) -> float:
        strength, tie = dict(zip(NAMES, at[:4], strict=True)), exp(at[4])
        whole = 0.0
        for vote in votes:
            one, other = exp(strength[vote.a]), exp(strength[vote.b])
            even = tie * sqrt(one * other)
            chance = {"a": one, "b": other, "tie": even}[vote.result] / (one + other + even)
            whole -= float(np.log(chance))
        return whole

    found = bradley_terry(votes, draws=1)
    ours = [*(values(found)[name] for name in NAMES), float(np.log(found.tie))]
    best = minimize(unlikely, np.zeros(5), method="BFGS", options={"gtol": 1e-7})
    assert unlikely(ours) <= best.fun + 1e-9
    assert ours[:4] == pytest.approx(list(best.x[:4] - best.x[:4].mean()), abs=1e-4)


def test_two_by_hand() -> None:
    """Six to three: the odds are two. Additional ties do not change them."""
    votes = [PairVote("a", "b", "a")] * 6 + [PairVote("b", "a", "a")] * 3
    found = bradley_terry(votes)
    tied = bradley_terry([*votes, *[PairVote("a", "b", "tie")] * 9])

    assert found.strengths[0].value - found.strengths[1].value == pytest.approx(float(np.log(2)))
    # with two of them ties leave the odds of winning as they are
    assert tied.strengths[0].value == pytest.approx(found.strengths[0].value)
    assert tied.tie > 0
    assert [(each.win, each.tie, each.loss) for each in tied.strengths] == [(6, 9, 3), (3, 9, 6)]


def test_both_bad_is_counted_and_changes_nothing() -> None:
    """Such votes do not order the two."""
    votes = voted(Random(1), 100, {"a": 0.5, "b": 0.0, "c": -0.5})
    more = [*votes, *[PairVote("a", "b", "both_bad")] * 7]
    plain, found = bradley_terry(votes), bradley_terry(more)

    assert values(found) == values(plain)
    assert (found.votes, found.both_bad) == (100, 7)
    assert {each.name: each.both_bad for each in found.strengths} == {"a": 7, "b": 7, "c": 0}


@given(st.lists(st.lists(st.sampled_from(["a", "b", "tie"]), min_size=4, max_size=4), min_size=6, max_size=6))
def test_points_decide_the_order_where_all_met_equally(rounds: list[list[Result]]) -> None:
    """Every pair votes four times: more points mean a higher strength, with half a point for a tie."""
    votes = [
        PairVote(*pair, each)
        for pair, own in zip(combinations(NAMES, 2), rounds, strict=True)
        for each in own
    ]
    found = bradley_terry(votes, draws=1)
    points = [each.win + each.tie / 2 for each in found.strengths]

    assert points == sorted(points, reverse=True)


@given(VOTES, st.permutations(NAMES))
def test_names_and_sides_do_not_matter(votes: list[PairVote], order: list[str]) -> None:
    """Renamed contestants keep their strengths; a vote with swapped sides is the same vote."""
    renamed = dict(zip(NAMES, order, strict=True))
    other: dict[Result, Result] = {"a": "b", "b": "a", "tie": "tie", "both_bad": "both_bad"}
    turned = [PairVote(renamed[v.b], renamed[v.a], other[v.result]) for v in votes]
    ours, theirs = bradley_terry(votes, draws=1), bradley_terry(turned, draws=1)

    assert bool(ours.why) == bool(theirs.why)
    for each in ours.strengths:
        assert values(theirs)[renamed[each.name]] == pytest.approx(each.value, abs=1e-9)


@given(VOTES, st.integers(2, 5))
def test_votes_doubled_change_no_strength(votes: list[PairVote], times: int) -> None:
    """They narrow the intervals only."""
    once, often = bradley_terry(votes, draws=1), bradley_terry(votes * times, draws=1)

    assert values(once) == pytest.approx(values(often), abs=1e-9)


@pytest.mark.parametrize(
    ("votes", "why", "parts"),
    [
        ([], "no votes for an answer", []),
        ([PairVote("a", "b", "both_bad")], "no votes for an answer", []),
        ([PairVote("a", "b", "tie")], "all votes are ties", []),
        (
            [PairVote("a", "b", "a"), PairVote("b", "a", "a"), PairVote("c", "d", "tie")],
            "2 groups of contestants have no votes between them",
            [["a", "b"], ["c", "d"]],
        ),
        ([PairVote("a", "b", "a"), PairVote("b", "c", "tie")], "never lost", [["a"], ["b", "c"]]),
        ([PairVote("a", "b", "a")] * 2 + [PairVote("a", "b", "tie")] * 3, "only ties do", []),
        (
            [
                PairVote("a", "b", "a"),
                PairVote("b", "a", "a"),
                PairVote("a", "b", "both_bad"),
                PairVote("b", "c", "both_bad"),
            ],
            "2 groups of contestants have no votes between them",
            [["a", "b"], ["c"]],
        ),
    ],
)
def test_votes_that_give_no_order_say_why(votes: list[PairVote], why: str, parts: list[list[str]]) -> None:
    """The error lists the contestants on each side; "both bad" connects nobody."""
    found = bradley_terry(votes)

    assert (found.strengths, found.parts) == ([], parts)
    assert why in found.why


def test_a_vote_against_oneself_is_refused() -> None:
    """It is an error of the vote's source."""
    with pytest.raises(ValueError, match="'a' with itself"):
        bradley_terry([PairVote("a", "a", "tie")])


def test_votes_on_one_task_are_drawn_together() -> None:
    """Ten equal votes on each task are less evidence than votes on separate tasks."""
    sides: list[Result] = ["a", "b"]
    alone = [PairVote("x", "y", sides[task % 2]) for task in range(12) for _ in range(10)]
    together = [vote._replace(cluster=str(place // 10)) for place, vote in enumerate(alone)]
    narrow, wide = (bradley_terry(votes).strengths[0] for votes in (alone, together))

    assert wide.high - wide.low > 2 * (narrow.high - narrow.low)


def test_the_same_seed_gives_the_same_intervals() -> None:
    """Another seed gives other ones."""
    votes = voted(Random(2), 80, {"a": 0.5, "b": 0.0, "c": 0.0})

    assert bradley_terry(votes) == bradley_terry(votes)
    assert bradley_terry(votes) != bradley_terry(votes, seed=1)


def test_intervals_hold_the_truth() -> None:
    """Of 150 tables of 240 votes on four contestants 92 to 98 % of all intervals: 95 with room for chance."""
    assert 0.92 <= strengths_held(runs=150, seed=4) <= 0.98
