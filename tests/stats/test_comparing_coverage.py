"""The promise of 95 %, for differences and for ranges of ranks, held to seeded simulations."""

import pytest
from comparing_cases import DUELS, EDGES, clustered_coverage, paired_coverage, rank_coverage, sizes_of

from benchwright.stats import paired
from kit.examples import examples

SIZES = [40, 164, 1361]
RUNS = {40: examples(1000), 164: examples(720), 1361: examples(500)}


@pytest.fixture(autouse=True)
def intervals_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a comparison could find is simulated itself, and no part of an interval."""
    monkeypatch.setattr(paired, "detectable_after", lambda np, d, *, piece: None)


@pytest.mark.parametrize("tasks", SIZES)
@pytest.mark.parametrize("case", DUELS)
def test_a_difference_of_pass_at_1_covers(case, tasks):
    """pass@1 with n = 10: 93 to 97.5 % of intervals hold the true difference."""
    actual = paired_coverage(case, tasks=tasks, n=10, k=1, runs=RUNS[tasks])

    assert 93.0 <= actual <= 97.5


@pytest.mark.parametrize("tasks", SIZES)
def test_a_difference_of_pass_at_10_covers(tasks):
    """pass@10 with n = 10 is 0/1 a task: 93 to 98 %."""
    actual = paired_coverage(
        "Beta(0.5, 0.5), half the tasks alike", tasks=tasks, n=10, k=10, runs=RUNS[tasks]
    )

    assert 93.0 <= actual <= 98.0


@pytest.mark.parametrize("tasks", SIZES)
def test_a_difference_of_single_answers_covers(tasks):
    """pass@1 with n = 1: 93 to 97.5 %."""
    actual = paired_coverage("Beta(0.5, 0.5), half the tasks alike", tasks=tasks, n=1, k=1, runs=RUNS[tasks])

    assert 93.0 <= actual <= 97.5


@pytest.mark.parametrize("tasks", [24, 40, 164])
@pytest.mark.parametrize(("n", "k"), [(10, 1), (1, 1), (10, 10)])
@pytest.mark.parametrize("case", EDGES)
def test_where_few_tasks_tell_it_never_covers_too_little(case, n, k, tasks):
    """With few tasks that differ the interval is too wide rather than too narrow: 93 % at least."""
    actual = paired_coverage(case, tasks=tasks, n=n, k=k, runs=examples(320))

    assert actual >= 93.0


@pytest.mark.parametrize("likeness", [0.0, 0.3, 0.7])
@pytest.mark.parametrize(
    ("groups", "tasks", "even", "runs"),
    [(5, 164, True, 700), (12, 164, True, 420), (12, 164, False, 420), (40, 1361, False, 420)],
)
def test_clustered_tasks_cover(groups, tasks, even, runs, likeness):
    """From five groups on, even or not, 92.5 to 97.5 % hold the truth."""
    sizes = sizes_of(groups, tasks, even=even)
    actual = clustered_coverage(sizes, use=True, likeness=likeness, n=10, runs=examples(runs))

    assert 92.5 <= actual <= 97.5


def test_clusters_that_are_ignored_cover_far_too_seldom():
    """Twelve groups taken for independent tasks: less than 80 %, which is why clusters are used."""
    actual = clustered_coverage(
        sizes_of(12, 164, even=False), use=False, likeness=0.3, n=10, runs=examples(200)
    )

    assert actual < 80.0


@pytest.mark.parametrize("tasks", SIZES)
@pytest.mark.parametrize("models", [2, 5])
def test_ranges_of_equal_models_cover(models, tasks):
    """Equal models share all ranks, the most a range can have to hold: 93 to 97.5 % do."""
    actual = rank_coverage(models, tasks=tasks, runs=RUNS[tasks] // 2)

    assert 93.0 <= actual <= 97.5


@pytest.mark.parametrize("lead", [0.01, 0.05])
def test_ranges_of_unequal_models_hold_nearly_always(lead):
    """With a lead there is one rank to hold, so a range covers more than it promises, never less."""
    actual = rank_coverage(5, tasks=164, runs=examples(120), lead=lead)

    assert actual >= 97.0


def test_all_ranges_together_hold_more_than_each():
    """The ranges for all models together are wider."""
    each, together = (
        rank_coverage(5, tasks=40, runs=examples(160), method=method) for method in ("each", "all")
    )

    assert each < together


def test_resampled_ranges_of_equal_models_are_far_too_narrow():
    """Why the bootstrap is not the default: of five equal models it holds the ranks of two in three."""
    actual = rank_coverage(5, tasks=164, runs=examples(60), method="bootstrap")

    assert actual < 75.0
