"""Coverage of 95 % intervals, in a seeded simulation and in exact sums."""

import numpy as np
import pytest
from coverage_cases import CASES, SEED, coverage, exact_coverage

from benchwright.stats.intervals import wilson

SIZES = [40, 164, 1361]
RUNS = {40: 2500, 164: 1500, 1361: 800}
SLOW_SIZE_CASES = ["Beta(0.5, 0.5)", "all 0.02"]
POINTS = [name for name, chances in CASES.items() if chances.point is not None]


@pytest.mark.parametrize(
    ("case", "tasks"),
    [(case, tasks) for tasks in SIZES for case in CASES if tasks < 1000 or case in SLOW_SIZE_CASES],
)
def test_pass_at_1_of_ten_answers_covers(case, tasks):
    """pass@1 with n = 10: 92.5 (40 tasks, nearly all unsolved) to 97 % of intervals include the truth."""
    actual = coverage(case, tasks=tasks, n=10, k=1, runs=RUNS[tasks])

    assert 92.5 <= actual <= 97.0


@pytest.mark.parametrize("case", [name for name in CASES if name not in POINTS])
@pytest.mark.parametrize("tasks", SIZES)
def test_pass_at_10_of_ten_answers_covers(case, tasks):
    """pass@10 with n = 10 is 0/1 per task: exact coverage is between 93 and 98 %."""
    actual = coverage(case, tasks=tasks, n=10, k=10, runs=0)

    assert 93.0 <= actual <= 98.0


@pytest.mark.parametrize("tasks", SIZES)
@pytest.mark.parametrize("case", CASES)
def test_pass_at_1_of_one_answer_covers(case, tasks):
    """pass@1 with n = 1: exact coverage is between 92.5 and 97 % (a lattice cannot always hit 95)."""
    actual = coverage(case, tasks=tasks, n=1, k=1, runs=0)

    assert 92.5 <= actual <= 97.0


@pytest.mark.parametrize("case", CASES)
def test_pass_at_5_never_covers_too_little(case):
    """pass@5 with n = 10 on 40 tasks: at least 94 %; tasks that are all alike are covered more often."""
    actual = coverage(case, tasks=40, n=10, k=5, runs=1500)

    assert actual >= 94.0


@pytest.mark.parametrize("tasks", SIZES)
@pytest.mark.parametrize("expected_failures", [0.01, 0.05, 0.16, 0.5, 1.0, 1.6])
def test_near_saturation_the_interval_does_not_fall_short(tasks, expected_failures):
    """If few failures are expected, coverage stays above 92 %, where Wilson's falls to 84 %."""
    actual = exact_coverage(1 - expected_failures / tasks, tasks)

    assert actual >= 92.0


def test_tasks_not_answers_are_the_unit():
    """Pooling the answers of all tasks as independent trials would cover the truth far too rarely."""
    chances, rng = CASES["Beta(0.5, 0.5)"], np.random.default_rng(SEED)
    right = rng.binomial(10, chances.draw(rng, (500, 164))).sum(axis=1)
    pooled = [wilson(int(c), 1640) for c in right]

    share = sum(interval.low <= chances.truth(1) <= interval.high for interval in pooled) / 500

    assert share < 0.75
