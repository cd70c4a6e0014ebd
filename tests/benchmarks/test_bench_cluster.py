"""The simulated cluster: jobs take their time on their cores, and none runs before it is released."""

from __future__ import annotations

import json
import sys
from math import ceil
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import cluster, cluster_command
from benchmarks.cluster import nodes_of
from benchmarks.simulated_cluster import work_off


@given(st.integers(1, 200), st.integers(1, 40))
def test_equal_jobs_without_overhead_take_full_rounds(jobs: int, cores: int) -> None:
    """The makespan is that of the fullest core."""
    assert work_off([1.0] * jobs, [5.0] * cores, 5.0, 0.0) == 5.0 + ceil(jobs / cores)


@given(st.lists(st.floats(0.001, 10), min_size=1, max_size=60), st.integers(1, 8), st.floats(0, 0.1))
def test_cores_are_never_more_than_busy(times: list[float], cores: int, node_job_s: float) -> None:
    """A batch takes at least its work by its cores, its longest job, and the time of the actor."""
    took = work_off(times, [0.0] * cores, 0.0, node_job_s)
    least = max(sum(times) / cores, *times, len(times) * node_job_s)
    assert took >= least * (1 - 1e-9)
    assert took <= sum(times) + len(times) * node_job_s + 1e-9


def test_a_batch_starts_on_cores_that_the_one_before_left() -> None:
    """While another core still executes a long job of that one."""
    free = [0.0, 0.0]
    assert work_off([9.0, 1.0], free, 0.0, 0.0) == 9.0
    assert work_off([1.0, 1.0], free, 0.0, 0.0) == 3.0


@pytest.mark.parametrize("cores", [1, 32, 33, 1000, 10_000])
def test_nodes_have_all_cores(cores: int) -> None:
    """None more than 32, and as equal as possible."""
    nodes = nodes_of(cores)
    assert (sum(nodes), max(nodes) <= 32, max(nodes) - min(nodes) <= 1) == (cores, True, True)


def test_json_is_the_only_output(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Messages that Ray prints while it measures and replays are on stderr."""

    def noisy(result: Any) -> Any:
        def call(*args: object, **options: object) -> Any:
            sys.stdout.write("(raylet) a worker died\n")
            return result

        return call

    monkeypatch.setattr(cluster, "measure_inputs", noisy((None, None)))
    monkeypatch.setattr(cluster, "bench", noisy({"date": "2026-11-28"}))

    assert cluster_command.command(["--json"]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out) == {"date": "2026-11-28"}
    assert printed.err.count("(raylet)") == 2
