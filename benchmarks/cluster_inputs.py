"""What the simulation of a cluster is fed with, measured on this machine: executions, nodes, and Ray.

Executions are canonical solutions of HumanEval, judged by the actor of a node in this process. Calls go
through a real fleet to an actor that judges nothing.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple
from unittest.mock import patch

import msgspec

from benchmarks.dataset import REPOSITORY, Row
from benchmarks.feeding import timed_plan
from benchmarks.measure import Usage, measure
from benchmarks.simulated_cluster import CallCosts
from benchwright.cluster import fleet as fleets
from benchwright.cluster.fleet import Fleet
from benchwright.cluster.node_actor import NodeActor
from benchwright.cluster.probe import probe
from benchwright.cluster.session import STORE_BYTES, ClusterSession, open_session
from benchwright.contracts import Job, Judgement
from benchwright.errors import BenchwrightError
from benchwright.executing.executors import ExecutorSetup, pack_jobs, unpack_judgements
from benchwright.progress import Silent
from benchwright.records import Outcome
from benchwright.running.answering import ask_questions
from benchwright.running.judging import criterion_of
from benchwright.running.plan import Plan
from benchwright.running.run_folders import open_folder

SETUP = ExecutorSetup(track="humaneval", form="batch")
BATCH = 500  # jobs, the most for a core
CALLS = 200  # empty batches, and a tenth of them with jobs
LOSSES = 3
LIMIT_S = 600.0
RAY = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_raylet_start_wait_time_s": "300",  # of a busy machine
    "RAY_worker_niceness": "0",  # as on the nodes of docs/cluster.md
    "RAY_worker_oom_score_adjustment": "0",
}


class JudgedJobs(msgspec.Struct, frozen=True, kw_only=True):
    """Jobs judged by the actor of a node with one worker, in processor seconds."""

    execution_s: list[float]  # by job
    wall_s: float  # of all executions
    actor_s: float  # of the actor's process, its feed included, while it judges
    process_s: float  # of the actor's process, start included


class Executions(msgspec.Struct, frozen=True, kw_only=True):
    """What jobs cost a node: the line through two runs of different size, in seconds."""

    execution_s: list[float]  # by job
    actor_job_s: float
    worker_job_s: float  # apart from the execution
    account: str  # how processor time was counted


def recorded_jobs(plan: Plan, folder: Path) -> list[Job]:
    """Return the jobs of a run, numbered in its order."""
    with open_folder(plan, folder, "new", Silent()) as run_folder:
        ask_questions(plan, run_folder, Silent())
        criteria: dict[str, Any] = {}
        jobs = []
        for number, answer in enumerate(run_folder.answers()):
            if answer.task_id not in criteria:
                criteria[answer.task_id] = criterion_of(plan, answer, "strict")
            jobs.append(Job(number, answer, criteria[answer.task_id]))
    return jobs


def measure_executions(jobs: Sequence[Job], folder: Path) -> Executions:
    """Judge a tenth of the jobs, then all, each in a process of its own."""
    (few, few_used), (all_, all_used) = (_executed(part, folder) for part in (jobs[::10], jobs))
    more = len(jobs) - len(jobs[::10])
    tree_s = all_used.cpu_s - few_used.cpu_s
    workers_s = tree_s - (all_.process_s - few.process_s)
    executions_s = sum(all_.execution_s) - sum(few.execution_s)
    return Executions(
        execution_s=all_.execution_s,
        actor_job_s=(all_.actor_s - few.actor_s) / more,
        worker_job_s=max(0.0, workers_s - executions_s) / more,
        account=all_used.account,
    )


def _executed(jobs: Sequence[Job], folder: Path) -> tuple[JudgedJobs, Usage]:
    bodies = [pack_jobs(jobs[place : place + BATCH]) for place in range(0, len(jobs), BATCH)]
    (folder / "batches").write_bytes(msgspec.msgpack.encode(bodies))
    start = f"import sys; sys.path.insert(0, {str(REPOSITORY)!r})"
    code = f"{start}; import benchmarks.cluster_inputs as m; m.main()"
    used = measure([sys.executable, "-c", code], folder=folder, limit_s=LIMIT_S)
    return msgspec.json.decode((folder / "stdout.txt").read_bytes(), type=JudgedJobs), used


def main() -> None:
    """The measured process: judges the file `batches` as a node of one core does."""
    bodies = msgspec.msgpack.decode(Path("batches").read_bytes(), type=list[bytes])
    actor = NodeActor(msgspec.msgpack.encode(SETUP), 1)
    actor.start()
    actor_s, judged = 0.0, list[tuple[int, Judgement]]()
    for body in bodies:
        began = time.process_time()
        result = actor.judge(body)
        actor_s += time.process_time() - began
        judged += unpack_judgements(result)
    actor.close()
    if failed := Counter(each.outcome.value for _, each in judged if each.outcome is not Outcome.passed):
        raise BenchwrightError(f"canonical solutions must pass: {dict(failed)}")
    done = JudgedJobs(
        execution_s=[each.cpu_s for _, each in sorted(judged, key=lambda pair: pair[0])],
        wall_s=sum(each.wall_s for _, each in judged),
        actor_s=actor_s,
        process_s=time.process_time(),
    )
    sys.stdout.buffer.write(msgspec.json.encode(done))


class IdleActor(NodeActor):
    """An actor that judges nothing."""

    def start(self) -> bytes:
        """Return the facts of its node."""
        return msgspec.msgpack.encode(probe())

    def judge(self, jobs: bytes) -> bytes:
        """Return the id of its process."""
        return str(os.getpid()).encode()

    def close(self) -> None:
        """Nothing is open."""


class Calls(NamedTuple):
    """Medians of empty batches."""

    round_trip_s: float
    driver_s: float


@contextmanager
def nodes_of_one_core(count: int) -> Iterator[str]:
    """Start a cluster of nodes of one core, as processes of this machine. Yields its address."""
    from ray.cluster_utils import Cluster  # noqa: PLC0415 (Ray is optional)

    os.environ.update(RAY)
    head = {"num_cpus": 0, "include_dashboard": False, "object_store_memory": STORE_BYTES}
    cluster = Cluster(initialize_head=True, head_node_args=head)
    try:
        for _ in range(count):
            cluster.add_node(num_cpus=1, object_store_memory=STORE_BYTES)
        yield cluster.address
    finally:
        cluster.shutdown()


@contextmanager
def two_nodes() -> Iterator[ClusterSession]:
    """Open a session in a cluster of two nodes of one core."""
    with nodes_of_one_core(2) as address, open_session(f"ray://{address}", trust=True) as session:
        yield session


def measure_calls(session: ClusterSession, batch: bytes) -> CallCosts:
    """Measure calls through Ray: empty, with `batch`, the list of nodes, and the loss of an actor."""
    with patch.object(fleets, "NodeActor", IdleActor):
        fleet = Fleet(session, msgspec.msgpack.encode(SETUP))
        fleet.start()
        try:
            node = next(iter(fleet.ready()))
            _call(fleet, node, b"", CALLS // 10)
            empty = _call(fleet, node, b"", CALLS)
            full = _call(fleet, node, batch, CALLS // 10)
            loss_s, start_s = _losses(fleet, node)
        finally:
            fleet.close()
    return CallCosts(
        round_trip_s=empty.round_trip_s,
        driver_s=empty.driver_s,
        driver_byte_s=max(0.0, full.driver_s - empty.driver_s) / len(batch),
        list_s=_list_s(session),
        start_s=start_s,
        loss_s=loss_s,
    )


def _call(fleet: Fleet, node: str, body: bytes, calls: int) -> Calls:
    """Send batches one after the other."""
    trips, began = [], time.process_time()
    for number in range(calls):
        sent = time.monotonic()
        fleet.send(node, number, body, sent=_UNUSED)
        _next(fleet)
        trips.append(time.monotonic() - sent)
    return Calls(median(trips), (time.process_time() - began) / calls)


_UNUSED: Any = None


def _next(fleet: Fleet) -> bytes | None:
    while True:
        for event in fleet.wait(1.0):
            return event.result


def _losses(fleet: Fleet, node: str) -> tuple[float, float]:
    """Kill the process of an actor; return the time until it is known, and then until another is ready."""
    known, ready = [], []
    for number in range(LOSSES):
        fleet.send(node, number, b"", sent=_UNUSED)
        process = int(_next(fleet) or b"0")
        fleet.send(node, number, b"", sent=_UNUSED)
        os.kill(process, signal.SIGKILL)
        began = time.monotonic()
        while _next(fleet) is not None:  # the batch may have ended before
            fleet.send(node, number, b"", sent=_UNUSED)
        known.append(time.monotonic() - began)
        while node not in fleet.ready():
            list(fleet.wait(0.05))
        ready.append(time.monotonic() - began - known[-1])
        fleet.succeeded(node)
    return median(known), median(ready)


def _list_s(session: ClusterSession) -> float:
    began = time.process_time()
    for _ in range(CALLS // 10):
        session.nodes()
    return (time.process_time() - began) / (CALLS // 10)


def humaneval_jobs(rows: Sequence[Row], n: int, folder: Path) -> list[Job]:
    """Return `n` jobs for each task."""
    return recorded_jobs(timed_plan(rows, len(rows) * n, n, folder), folder / "run")
