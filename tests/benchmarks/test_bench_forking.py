"""`./run bench forking`: both loops in turn, by the processor time of their slots."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator

import pytest

from benchmarks import __main__ as bench
from benchmarks import environment, forking
from benchwright.sandbox.box import Sandbox
from benchwright.sandbox.cgroups import open_group
from kit.needs import skip


@pytest.fixture(autouse=True)
def cores() -> Iterator[None]:
    """The measurement holds the process on one core."""
    before = os.sched_getaffinity(0)
    yield
    os.sched_setaffinity(0, before)


def test_figures_of_a_kind() -> None:
    """Quartile and median over blocks, the difference within rounds."""
    kind = forking._kind("compiled a", "", [1.0, 2.0, 3.0, 4.0, 5.0], [3.0, 3.0, 4.0, 6.0, 9.0])

    assert (kind.lower_quartile_ms, kind.median_ms, kind.paired_ms) == (2.0, 3.0, -2.0)


def test_the_table() -> None:
    """A line for each kind, the difference with its sign."""
    kind = forking.Kind(
        kind="compiled a", why_python="", lower_quartile_ms=1.2, median_ms=1.3, paired_ms=-0.45
    )
    found = forking.Forking(machine=environment.describe(), jail="native", rounds=3, answers=5, kinds=[kind])

    assert forking.page(found).splitlines()[-1] == "| compiled a | 1.200 | 1.300 | -0.450 |"


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--repeats", "1"], "must be at least 2"),
        (["--answers", "0"], "--answers at least 1"),
        (["--repeats", "1000"], "fewer than 10000 answers"),
    ],
)
def test_too_few_or_too_many(words: list[str], complaint: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A usage error before anything is started."""
    assert bench.main(["forking", *words]) == 2
    assert complaint in capsys.readouterr().err


@pytest.mark.usefixtures("jail")
def test_both_loops_are_measured(capsys: pytest.CaptureFixture[str]) -> None:
    """Two copies of each, and each says what forks in it."""
    group = open_group(9998, memory_mb=64, processes=8)
    if group is None:
        skip("this needs control groups")
    group.close()
    status = bench.main(["forking", "--repeats", "2", "--answers", "2", "--json"])
    kinds = json.loads(capsys.readouterr().out)["kinds"]

    assert (status, [each["kind"] for each in kinds]) == (0, list(forking.KINDS))
    assert [each["why_python"] for each in kinds][::2] == ["BENCHWRIGHT_ZYGOTE=python turns it off"] * 2
    assert all(each["lower_quartile_ms"] > 0 for each in kinds)


def test_without_control_groups(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """It says what is missing and how to go on."""
    monkeypatch.setattr(Sandbox, "slot_cpu_s", lambda box: None)

    assert bench.main(["forking"]) == 3
    assert "sudo ./run bench forking" in capsys.readouterr().err
