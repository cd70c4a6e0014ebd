"""The simulated schedule beside the real one: the same jobs on two nodes of one core.

Other processes of this machine slow executions down, so the simulation replays the wall times of the real
run, and multiplies the other costs of a node by the same slowdown. What is compared is the schedule: the time
until all jobs are judged, and how many batches they took.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from statistics import median
from typing import Any
from unittest.mock import patch

import msgspec

from benchmarks.cluster_inputs import SETUP
from benchmarks.simulated_cluster import CallCosts, SimulatedCluster, simulated
from benchwright.cluster.executor import RayExecutor
from benchwright.cluster.fleet import Fleet
from benchwright.cluster.probe import probe
from benchwright.cluster.session import ClusterSession
from benchwright.contracts import Job, Judgement

TOLERANCE = 0.15  # of the makespan, and of the number of batches


class ReplayComparison(msgspec.Struct, frozen=True, kw_only=True):
    """One real run beside its replay."""

    nodes: int
    jobs: int
    slowdown: float  # wall time of the executions by their processor time
    real_s: float
    simulated_s: float
    real_batches: int
    simulated_batches: int

    @property
    def time_error(self) -> float:
        """How much longer the replay took than the real run, as a share."""
        return self.simulated_s / self.real_s - 1


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """All rounds."""

    rounds: list[ReplayComparison]

    @property
    def time_error(self) -> float:
        """The median of the rounds."""
        return median(each.time_error for each in self.rounds)

    @property
    def batch_error(self) -> float:
        """The median of the rounds."""
        return median(each.simulated_batches / each.real_batches - 1 for each in self.rounds)

    @property
    def is_close(self) -> bool:
        """Whether both are within `TOLERANCE`."""
        return max(abs(self.time_error), abs(self.batch_error)) <= TOLERANCE


def check(session: ClusterSession, jobs: Sequence[Job], costs: CallCosts, *, rounds: int) -> Check:
    """Judge jobs on the nodes of a session and replay that, round by round."""
    return Check(rounds=[_compared(session, jobs, costs) for _ in range(rounds)])


def _compared(session: ClusterSession, jobs: Sequence[Job], costs: CallCosts) -> ReplayComparison:
    real_s, real_batches, judged = _real(session, jobs)
    walls = [judged[job.number].wall_s for job in jobs]
    slowdown = max(1.0, sum(walls) / sum(each.cpu_s for each in judged.values()))
    nodes = [node.cores for node in session.nodes() if node.alive and node.cores]
    slowed = msgspec.structs.replace(
        costs, node_job_s=slowdown * costs.node_job_s, worker_job_s=slowdown * costs.worker_job_s
    )
    cluster = SimulatedCluster(nodes, walls, costs=slowed, facts=msgspec.msgpack.encode(probe()))
    with simulated(cluster, SETUP) as executor:
        began = cluster.monotonic()
        ended = sum(map(len, executor.judge_batches(jobs)))
        simulated_s = cluster.monotonic() - began
    assert ended == len(jobs), "each job is judged once"
    return ReplayComparison(
        nodes=len(nodes),
        jobs=len(jobs),
        slowdown=slowdown,
        real_s=real_s,
        simulated_s=simulated_s,
        real_batches=real_batches,
        simulated_batches=cluster.counts.batches,
    )


def _real(session: ClusterSession, jobs: Sequence[Job]) -> tuple[float, int, dict[int, Judgement]]:
    sent = list[int]()
    send = Fleet.send

    def counted(self: Fleet, node: str, number: int, body: bytes, batch: Any) -> None:
        sent.append(number)
        send(self, node, number, body, batch)

    with patch.object(Fleet, "send", counted), RayExecutor(session, SETUP) as executor:
        began = time.monotonic()
        judged = dict(executor.judge(jobs))
        return time.monotonic() - began, len(sent), judged
