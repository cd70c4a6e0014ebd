"""PPI++: the figures of ppi-python 0.2.3, limiting cases, and coverage of its interval."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.calibration import SHAPES, judged_items, shape_held, simulated
from benchwright.stats.ppi import FEWEST, LabelledItem, power_tuned, predicted_mean

GOLDEN: dict[str, dict[str, Any]] = json.loads((Path(__file__).parent / "ppi_golden.json").read_text())
CASES = [(name, place) for name, each in GOLDEN.items() for place in range(len(each["results"]))]
SHARES = st.floats(0, 1)
ITEMS = st.builds(LabelledItem, st.none() | SHARES, st.none() | SHARES, st.sampled_from(["", "ru", "en"]))


@pytest.mark.parametrize(("name", "place"), CASES)
def test_figures_of_the_reference(name: str, place: int) -> None:
    """Estimate and interval of ppi-python's code, with lam tuned and given."""
    case = GOLDEN[name]
    expected = case["results"][place]
    found = power_tuned(case["human"], case["judge"], case["unlabelled"], lam=expected["lam"])

    assert found.value == pytest.approx(expected["value"], abs=1e-9)
    assert found.interval() == pytest.approx((expected["low"], expected["high"]), abs=1e-9)


@pytest.mark.parametrize("name", GOLDEN)
def test_one_stratum_has_the_estimate_of_the_paper(name: str) -> None:
    """Strata, clusters and the correction for few labels change the interval of plain data, not the figure."""
    case = GOLDEN[name]
    items = [LabelledItem(f, y) for y, f in zip(case["human"], case["judge"], strict=True)]
    found = predicted_mean([*items, *(LabelledItem(f) for f in case["unlabelled"])])
    plain = power_tuned(case["human"], case["judge"], case["unlabelled"])

    assert found.predicted.value == pytest.approx(min(1.0, max(0.0, plain.value)), abs=1e-9)
    assert found.lam == pytest.approx(plain.lam, abs=1e-9)
    assert found.predicted.high - found.predicted.low > plain.interval()[1] - plain.interval()[0] - 0.05


def test_by_hand() -> None:
    """There are four labels, the judge is wrong on one of them, and the share without labels is 3 in 4."""
    found = power_tuned([1, 1, 0, 0], [1, 1, 0, 1], [1, 1, 1, 0], lam=1.0)

    assert found.value == pytest.approx(0.75 - 0.25)
    assert found.se == pytest.approx((0.75 * 0.25 / 4 + 3 / 16 / 4) ** 0.5)


def test_a_judge_who_says_the_same_of_all_changes_nothing() -> None:
    """It adds no information: the estimate is people's."""
    items = [LabelledItem(1.0, float(place % 2)) for place in range(20)] + [LabelledItem(1.0)] * 30
    found = predicted_mean(items)

    assert (found.lam, found.predicted.value, found.human.value) == (0.0, 0.5, 0.5)


def test_without_a_judge_it_is_people_alone() -> None:
    """No value of a judge: no judge's figure."""
    found = predicted_mean([LabelledItem(None, 1.0), LabelledItem(None, 0.0), LabelledItem(None)])

    assert (found.judge, found.lam, found.unjudged) == (None, 0.0, 3)
    assert found.predicted.value == found.human.value == 0.5


def test_all_labelled_needs_no_judge() -> None:
    """The estimate is people's mean."""
    found = predicted_mean([LabelledItem(0.0, float(place < 7)) for place in range(10)])

    assert (found.predicted, found.lam) == (found.human, 0.0)
    assert found.predicted.value == 0.7


def test_a_judge_right_in_all_labels_is_not_certain() -> None:
    """50 of 50 agree: the plain interval has only the judge's sampling error, ours half a wrong label more."""
    items = [LabelledItem(float(place % 2), float(place % 2)) for place in range(50)]
    items += [LabelledItem(float(place % 2)) for place in range(5_000)]
    found = predicted_mean(items).predicted
    plain = power_tuned(
        [i.human or 0.0 for i in items[:50]], [i.judge or 0.0 for i in items[:50]], [0.0, 1.0] * 2500
    )

    assert plain.interval()[1] - plain.interval()[0] < 0.03
    assert found.high - found.low > 0.06


def test_strata_weigh_as_many_as_they_have_answers() -> None:
    """Half the answers are Russian and all wrong, but people labelled ten of them and forty others."""
    items = [LabelledItem(None, 0.0, "ru")] * 10 + [LabelledItem(None, None, "ru")] * 90
    items += [LabelledItem(None, 1.0, "en")] * 40 + [LabelledItem(None, None, "en")] * 60
    found = predicted_mean(items)

    assert found.human.value == pytest.approx(0.5)
    assert [(each.name, each.labelled, each.items) for each in found.strata] == [
        ("en", 40, 100),
        ("ru", 10, 100),
    ]


def test_small_strata_are_taken_together() -> None:
    """Two strata of four labels are below FEWEST, and one without labels must be merged too."""
    items = [LabelledItem(1.0, 1.0, name) for name in "aaaa" + "bbbb" + "c" * 12] + [
        LabelledItem(1.0, None, "d")
    ]
    found = predicted_mean(items)

    assert FEWEST == 10
    assert [(each.name, each.labelled) for each in found.strata] == []
    assert found.items == 21
    more = predicted_mean([*items, *[LabelledItem(1.0, 1.0, "b")] * 4])
    assert [(each.name, each.labelled, each.items) for each in more.strata] == [
        ("c", 12, 12),
        ("others", 12, 13),
    ]


def test_answers_to_one_task_are_seen_together() -> None:
    """Ten labels on each of six tasks with equal answers count as six, not as sixty."""
    alone = [LabelledItem(None, float(task % 2)) for task in range(6) for _ in range(10)]
    together = [item._replace(cluster=str(place // 10)) for place, item in enumerate(alone)]
    narrow, wide = (predicted_mean(items).predicted for items in (alone, together))

    assert wide.high - wide.low > 2 * (narrow.high - narrow.low)


@given(
    st.lists(ITEMS, min_size=2, max_size=40).filter(
        lambda items: sum(i.human is not None for i in items) >= 2
    )
)
def test_bounds(items: list[LabelledItem]) -> None:
    """For any labels, figures are between 0 and 1, intervals include them and have a width, and lam is
    between 0 and 1."""
    found = predicted_mean(items)

    assert 0 <= found.lam <= 1
    for each in (found.predicted, found.human, found.judge):
        if each is not None:
            assert 0 <= each.low <= each.value <= each.high <= 1
            assert each.high > each.low


@given(
    st.lists(ITEMS, min_size=2, max_size=20).filter(
        lambda items: sum(i.human is not None for i in items) >= 2
    )
)
def test_order_does_not_matter(items: list[LabelledItem]) -> None:
    """Another order gives the same figure."""
    ours, theirs = predicted_mean(items).predicted, predicted_mean(items[::-1]).predicted

    assert ours.value == pytest.approx(theirs.value, abs=1e-9)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ([], "at least two human labels"),
        ([LabelledItem(1.0, 1.0), LabelledItem(0.0)], "at least two human labels"),
        ([LabelledItem(1.5, 1.0), LabelledItem(0.0, 0.0)], "item 0 has 1.5"),
        ([LabelledItem(1.0, 1.0), LabelledItem(0.0, float("nan"))], "item 1 has nan"),
    ],
)
def test_what_cannot_be_estimated_is_refused(items: list[LabelledItem], message: str) -> None:
    """The error states the fault."""
    with pytest.raises(ValueError, match=message):
        predicted_mean(items)


@pytest.mark.parametrize("lists", [([], [], [1]), ([1], [1, 0], [1]), ([1], [1], [])])
def test_lists_that_do_not_fit_are_refused(lists: Any) -> None:
    """Each label needs the judge's value, and some answers must have no label."""
    with pytest.raises(ValueError, match="needs human labels"):
        power_tuned(*lists)


def test_intervals_hold_the_truth_where_the_judge_alone_does_not() -> None:
    """Truth 0.60, 500 answers, 100 labels, judge right in 90 and 70 %: 93 to 97 % of 400 seeded runs."""
    found = simulated(seed=1, runs=400, sensitivity=0.9, specificity=0.7)

    assert 0.93 <= found.covered["predicted"] <= 0.97
    assert 0.92 <= found.covered["human"] <= 0.98
    assert found.covered["judge"] < 0.4
    assert found.width["predicted"] < 0.9 * found.width["human"]


@pytest.mark.parametrize("name", SHAPES)
def test_intervals_hold_the_truth_with_strata_and_clusters(name: str) -> None:
    """Languages have different label rates, and tasks five answers each: 91 to 98 % of 300 seeded runs."""
    assert 0.91 <= shape_held(name, runs=300, seed=2) <= 0.98


def test_drawn_items_are_what_was_asked_for() -> None:
    """The numbers of items and labels are exact, and the share of right ones is about the requested one."""
    items = judged_items(Random(1), items=2_000, labels=1_000, share=0.6, sensitivity=0.9, specificity=0.7)
    right = [item.judge for item in items if item.human == 1]

    assert (len(items), sum(item.human is not None for item in items)) == (2_000, 1_000)
    assert sum(filter(None, right)) / len(right) == pytest.approx(0.9, abs=0.03)
