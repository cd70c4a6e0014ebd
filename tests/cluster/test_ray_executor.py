"""A run on real Ray nodes: the verdicts of a local run, and nothing lost or doubled when a node is lost."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchwright.cluster.executor import RayExecutor
from benchwright.cluster.session import open_session
from benchwright.contracts import BatchSpec, Criterion, Job
from benchwright.executing.executors import ExecutorSetup
from benchwright.running.pipeline import run
from benchwright.sandbox.codec import encode
from kit.needs import need_module
from kit.small_data import CHEAP, answers, humaneval, without_times

pytestmark = [pytest.mark.usefixtures("jail"), pytest.mark.filterwarnings("default")]
STORE_BYTES = 80 << 20


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A head without cores, and two nodes of one core, as processes of this machine."""
    need_module("ray", "judges on several machines")
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    from ray.cluster_utils import Cluster

    head = {"num_cpus": 0, "include_dashboard": False, "object_store_memory": STORE_BYTES}
    made = Cluster(initialize_head=True, head_node_args=head)
    for _ in range(2):
        made.add_node(num_cpus=1, object_store_memory=STORE_BYTES)
    yield made
    made.shutdown()


def verdicts(folder: Path) -> str:
    """The verdicts of a run without measured times."""
    return without_times(folder / "verdicts.jsonl")


def test_a_run_on_two_nodes_equals_a_local_one(cluster: Any, tmp_path: Path) -> None:
    """Answers byte for byte, verdicts apart from times; each resumes the other."""
    given = {"data": str(humaneval(tmp_path)), "model": f"replay:{answers(tmp_path, outcomes=CHEAP)}"}
    local, remote = tmp_path / "local", tmp_path / "remote"
    place = f"ray://{cluster.address}?trust"
    run("humaneval", out=local, workers=1, **given)
    half = shutil.copytree(local, tmp_path / "half")
    kept = (half / "verdicts.jsonl").read_bytes().splitlines(keepends=True)
    (half / "verdicts.jsonl").write_bytes(b"".join(kept[: len(kept) // 2]))
    (half / "scores.json").unlink()
    run("humaneval", out=remote, on=place, **given)
    run("humaneval", out=half, workers=1, **given)

    assert (remote / "answers.jsonl").read_bytes() == (local / "answers.jsonl").read_bytes()
    assert verdicts(remote) == verdicts(half) == verdicts(local)
    assert (
        run("humaneval", out=remote, workers=1, **given).metrics
        == run("humaneval", out=local, **given).metrics
    )


def test_a_lost_node_loses_and_doubles_nothing(cluster: Any) -> None:
    """Its batches are judged by the other nodes; its name is reported."""
    spec = BatchSpec(entry_point="f", calls=encode([((), {})]), expected=[encode(7)])
    jobs = [Job(n, f"def f(): return {7 + n % 2}\n", Criterion(spec)) for n in range(600)]
    lost = cluster.add_node(num_cpus=1, object_store_memory=STORE_BYTES)
    ended, troubles = list[tuple[int, str]](), list[str]()
    with (
        open_session(f"ray://{cluster.address}", trust=True) as session,
        RayExecutor(session, ExecutorSetup()) as executor,
    ):
        assert executor.size == 3
        for batch in executor.judge_batches(jobs):
            if not ended:
                cluster.remove_node(lost, allow_graceful=False)
            ended += [(number, judgement.outcome.value) for number, judgement in batch]
            troubles += [judgement.trouble for _, judgement in batch if judgement.trouble]

    assert sorted(ended) == [(n, ("passed", "wrong")[n % 2]) for n in range(600)]
    assert any("lost with" in each for each in troubles)
