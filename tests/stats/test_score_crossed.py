"""pass@k of a crossed design: the mean over prompts of each prompt's own estimate."""

from __future__ import annotations

from itertools import combinations
from math import fsum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.stats.metrics import crossed_metrics, pass_metrics, task_value

CELL = st.integers(2, 5).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n)))
TASKS = st.lists(st.lists(CELL, min_size=1, max_size=4), min_size=1, max_size=5)


def by_counting(n: int, c: int, k: int) -> float:
    """Return pass@k from its definition: the share of draws of k that include a right answer."""
    draws = list(combinations([True] * c + [False] * (n - c), k))
    return sum(map(any, draws)) / len(draws)


@given(st.lists(CELL, min_size=1, max_size=4), st.integers(1, 2))
def test_a_task_s_value_is_the_mean_of_its_prompts(cells: list[tuple[int, int]], k: int) -> None:
    """Each prompt's pass@k is the exact share of its own draws."""
    expected = fsum(by_counting(n, c, k) for n, c in cells) / len(cells)

    assert task_value(cells, k) == pytest.approx(expected)


def test_draws_do_not_mix_prompts() -> None:
    """A task that one wording in ten solves is not solved, as pooling its answers would imply."""
    cells = [(10, 10)] + [(10, 0)] * 9
    metric = crossed_metrics({"a": cells, "b": cells}, [10])["pass@10"]

    assert (metric.value, metric.n, metric.samples) == (pytest.approx(0.1), 2, 100)


@given(st.lists(CELL, min_size=1, max_size=8), st.sampled_from([[1], [1, 2]]))
def test_with_one_prompt_it_is_the_plain_score(counts: list[tuple[int, int]], ks: list[int]) -> None:
    """Value, interval, tasks and answers are equal."""
    crossed = crossed_metrics({number: [cell] for number, cell in enumerate(counts)}, ks)

    assert {name: each for name, each in crossed.items() if "@" in name} == pass_metrics(counts, ks)


@given(st.lists(CELL, min_size=1, max_size=8))
def test_all_pass_mirrors_any_pass_of_wrong_answers(counts: list[tuple[int, int]]) -> None:
    """All of k are right if none of k is wrong: value and interval are those of the wrong answers, mirrored."""
    right = crossed_metrics({number: [cell] for number, cell in enumerate(counts)}, [2])["pass^2"]
    wrong = crossed_metrics({number: [(n, n - c)] for number, (n, c) in enumerate(counts)}, [2])["pass@2"]

    assert (right.value, right.low, right.high) == pytest.approx(
        (1 - wrong.value, 1 - wrong.high, 1 - wrong.low), abs=1e-9
    )


@given(TASKS)
def test_the_interval_holds_the_value_and_stays_in_range(tasks: list[list[tuple[int, int]]]) -> None:
    """This holds for any counts, including unequal numbers of prompts and answers."""
    metric = crossed_metrics(dict(enumerate(tasks)), [1])["pass@1"]

    assert 0 <= metric.low <= metric.value <= metric.high <= 1
    assert (metric.n, metric.samples) == (len(tasks), min(sum(n for n, _ in cells) for cells in tasks))


def test_more_prompts_narrow_the_interval() -> None:
    """If tasks are alike, every prompt's answers add information."""
    one = crossed_metrics({task: [(2, 1)] for task in range(20)}, [1])["pass@1"]
    ten = crossed_metrics({task: [(2, 1)] * 10 for task in range(20)}, [1])["pass@1"]

    assert (one.value, ten.value) == (0.5, 0.5)
    assert ten.high - ten.low < (one.high - one.low) / 2


@pytest.mark.parametrize("cells", [{}, {"a": []}, {"a": [(1, 1)], "b": []}])
def test_a_task_without_answers_is_refused(cells: dict[str, list[tuple[int, int]]]) -> None:
    """There is no value for it."""
    with pytest.raises(ValueError, match="at least one prompt") as caught:
        crossed_metrics(cells, [1])

    assert "task" in str(caught.value)
