"""Several runs in order: ranks, pairs, and the sentence about separated models."""

from __future__ import annotations

import pytest

from benchwright.errors import RunError, UsageError
from benchwright.rank import standing
from benchwright.rank.comparison import compare
from benchwright.rank.standing import MEANING, METHODS, rank
from benchwright.stats.ranks import holm
from kit.contestants import contestant

BEST = [9, 10, 8, 10, 9, 7, 10, 9, 10, 8] * 4
WEAK = [2, 5, 1, 4, 3, 0, 6, 2, 3, 1] * 4
NOISE = [c + shift for c, shift in zip(WEAK, [1, -1, 0, 1, -1, 0, -2, 1, 0, 1] * 4, strict=True)]
MIDDLE = [6, 7, 4, 6, 7, 3, 8, 5, 6, 5] * 4


def three():
    return [contestant("weak", WEAK), contestant("best", BEST), contestant("noise", NOISE)]


def test_models_are_ordered_by_their_means():
    """The best comes first, for any given order."""
    assert rank(three()).places[0].name == "best"


def test_places_show_who_is_separated():
    """The best is separated; the two that differ by noise share the ranks below it."""
    places = {place.name: place.range for place in rank(three()).places}

    assert places == {"best": "1", "weak": "2–3", "noise": "2–3"}


@pytest.mark.parametrize("method", METHODS)
def test_every_method_agrees_on_clear_cases(method):
    """Three distant models have one rank each, and each method states its guarantee."""
    runs = [contestant("weak", WEAK), contestant("best", BEST), contestant("middle", MIDDLE)]
    standing = rank(runs, method=method)

    assert ([place.range for place in standing.places], "{share}" in MEANING[method]) == (
        ["1", "2", "3"],
        True,
    )


def test_the_sentence_when_all_are_separated():
    """A complete order is stated."""
    runs = [contestant("weak", WEAK), contestant("best", BEST), contestant("middle", MIDDLE)]

    assert rank(runs).sentence == "Every model is separated from every other: best above middle above weak."


def test_the_sentence_when_some_are():
    """Separated models come first, then the others."""
    names = [place.name for place in rank(three()).places][1:]

    assert rank(three()).sentence == (
        f"Separated: best above {names[0]} and {names[1]}. Not separated: {names[0]} and {names[1]}."
    )


def test_the_sentence_when_none_are():
    """The order may be due to chance, and the sentence says so."""
    runs = [contestant("a", WEAK), contestant("b", NOISE), contestant("c", WEAK[::-1])]

    assert rank(runs).sentence == "No two of these 3 models are separated: their order may be chance."


def test_the_sentence_for_two_that_are_not():
    """Two models are named."""
    actual = rank([contestant("a", WEAK), contestant("b", WEAK)]).sentence

    assert actual == "a and b are not separated: their order may be due to chance."


def test_the_sentence_for_many_counts_the_pairs():
    """From seven models on, pairs are counted and only separated neighbours are named."""
    low = [contestant(f"low{number}", WEAK) for number in range(6)]
    actual = rank([*low, contestant("best", BEST)]).sentence

    assert actual == (
        "6 of 21 pairs are separated; of neighbours best above low0. The others' order may be due to chance."
    )


def test_pairs_are_adjusted_over_the_whole_table():
    """Each pair has its own p and Holm's over all pairs, above minus below."""
    standing = rank(three())

    expected = holm([pair.difference.p for pair in standing.pairs])
    assert (expected, [pair.difference.value >= 0 for pair in standing.pairs]) == (
        [pair.p for pair in standing.pairs],
        [True, True, True],
    )


def test_a_pair_is_what_compare_gives():
    """Ranking two models and comparing them use one test."""
    a, b = contestant("a", BEST), contestant("b", MIDDLE)

    assert rank([a, b]).pair("a", "b").difference == compare(a, b).difference


def test_each_row_keeps_the_runs_own_metric():
    """The interval in the table is the one in the run's score."""
    a, b = contestant("a", BEST), contestant("b", MIDDLE)

    assert [place.metric for place in rank([a, b]).places] == [run.score.metrics["pass@1"] for run in (a, b)]


def test_equal_models_keep_the_order_given():
    """The name does not break a tie."""
    runs = [contestant(name, WEAK) for name in ("z", "a", "m")]

    assert [place.name for place in rank(runs).places] == ["z", "a", "m"]


def test_overlapping_intervals_of_separated_neighbours_are_explained():
    """A note says that the test pairs the tasks, so intervals may overlap."""
    spread = [0, 10, 1, 9, 2, 8, 0, 10, 1, 9] * 4
    better = [min(10, count + 1) for count in spread]
    [note] = rank([contestant("a", better), contestant("b", spread)]).notes

    assert note == "the intervals of a and b overlap, but the paired test separates them"


def test_clusters_are_used():
    """Groups of tasks are counted, and a small number is noted."""
    groups = [f"r{number // 8}" for number in range(40)]
    standing = rank([contestant("a", BEST, clusters=groups, grouping="repo"), contestant("b", WEAK)])

    assert (standing.clusters, standing.grouping, standing.notes) == (
        5,
        "repo",
        ["the tasks come from only 5 groups, which weakens the tests"],
    )


def test_the_same_table_twice():
    """Resampled ranges are equal in every call."""
    assert rank(three(), method="bootstrap") == rank(three(), method="bootstrap")


def test_known_differences_are_not_computed_again(monkeypatch):
    """The standing is equal, and a further run is only compared with the others."""
    known = {}
    first, *rest = three()
    assert rank(rest, known=known) == rank(rest)
    calls = []
    computed = standing.paired_difference
    monkeypatch.setattr(standing, "paired_difference", lambda *a, **b: calls.append(a) or computed(*a, **b))
    found = rank([first, *rest], known=known)
    assert len(calls) == 2
    assert found == rank([first, *rest])


def test_one_run_is_no_ranking():
    """At least two are needed."""
    with pytest.raises(UsageError, match="at least two runs"):
        rank([contestant("a", BEST)])


def test_an_unknown_method_is_refused():
    """The hint lists the existing ones."""
    with pytest.raises(UsageError) as caught:
        rank(three(), method="magic")  # type: ignore[arg-type]

    assert caught.value.hint == "one of: each, all, bootstrap"


def test_what_cannot_be_compared_is_not_ranked():
    """One run with another judging is refused."""
    with pytest.raises(RunError, match="`profile` differs"):
        rank([*three(), contestant("other", BEST, profile="mera-code")])
