"""Plans of labels: by hand, against the estimator with that number of labels, and unreachable widths."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.calibration import simulated
from benchwright.stats.label_planning import (
    FEWEST,
    LabelVariance,
    assumed_variance,
    observed_variance,
    plan_labels,
)

SHARES = st.floats(0, 1)


def test_variances_by_hand() -> None:
    """60 % are right; the judge accepts 90 % of these and 30 % of the others: 66 %."""
    found = assumed_variance(0.6, sensitivity=0.9, specificity=0.7)

    assert (found.human, found.judge) == pytest.approx((0.24, 0.66 * 0.34))
    assert found.together == pytest.approx(0.6 * 0.9 - 0.6 * 0.66)


def test_a_pilot_with_these_counts_says_the_same() -> None:
    """A thousand labels in exactly those shares."""
    cells = {(1, 1): 540, (1, 0): 60, (0, 1): 120, (0, 0): 280}
    rows = [pair for pair, number in cells.items() for _ in range(number)]
    found = observed_variance([human for human, _ in rows], [judge for _, judge in rows])
    expected = assumed_variance(0.6, sensitivity=0.9, specificity=0.7)

    assert (found.human, found.judge, found.together) == pytest.approx(
        (expected.human, expected.judge, expected.together), rel=0.002
    )


@pytest.mark.parametrize("labels", [50, 100, 200])
def test_the_planned_width_is_what_the_estimator_gives(labels: int) -> None:
    """Within 5 %, with and without the judge."""
    spread = assumed_variance(0.6, sensitivity=0.9, specificity=0.7)
    found = simulated(seed=3, runs=40, labels=labels, sensitivity=0.9, specificity=0.7)

    assert spread.width(labels, 500) == pytest.approx(found.width["predicted"], rel=0.05)
    assert spread.width_alone(labels) == pytest.approx(found.width["human"], rel=0.05)


@given(SHARES, SHARES, SHARES, st.floats(0.02, 0.9), st.integers(FEWEST, 400))
def test_a_plan_is_the_fewest_that_reach_the_width(
    share: float, sensitivity: float, specificity: float, width: float, items: int
) -> None:
    """One label fewer is not enough, and the judge never increases the number."""
    spread = assumed_variance(share, sensitivity=sensitivity, specificity=specificity)
    plan = plan_labels(spread, width=width, items=items)

    if plan.labels is None:
        assert plan.least > width
        return
    assert spread.width(plan.labels, items) <= width
    if plan.labels > FEWEST:
        assert spread.width(plan.labels - 1, items) > width
    assert plan.labels_alone is None or plan.labels <= plan.labels_alone


def test_a_judge_who_is_always_wrong_is_not_relied_on() -> None:
    """lam is at least 0, in the plan too."""
    spread = assumed_variance(0.5, sensitivity=0.0, specificity=0.0)

    assert spread.width(100, 500) == spread.width_alone(100)


@pytest.mark.parametrize(
    ("width", "items", "message"),
    [(0.0, 100, "the width"), (1.0, 100, "the width"), (0.1, 9, "at least 10 answers")],
)
def test_what_cannot_be_planned_is_refused(width: float, items: int, message: str) -> None:
    """The error states the fault."""
    with pytest.raises(ValueError, match=message):
        plan_labels(LabelVariance(human=0.2, judge=0.2, together=0.1), width=width, items=items)


def test_a_pilot_needs_labels() -> None:
    """Nine are too few to estimate the variance, and two lists must have equal length."""
    with pytest.raises(ValueError, match="at least 10 answers labelled"):
        observed_variance([1.0] * 9, [1.0] * 9)
    with pytest.raises(ValueError, match="at least 10 answers labelled"):
        observed_variance([1.0] * 12, [1.0] * 11)
    with pytest.raises(ValueError, match="a share must be between"):
        assumed_variance(1.2, sensitivity=0.5, specificity=0.5)
