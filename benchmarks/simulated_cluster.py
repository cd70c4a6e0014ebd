"""A cluster whose nodes are simulated and whose driver is real: `Schedule`, `Fleet` and `RayExecutor`.

Time passes as the driver uses its processor, by the measured cost of a call through Ray, and in jumps where
the driver waits, as in `own_core`. A node has an actor that handles one batch at a time, and cores that
execute its jobs for measured times. Not simulated: the network between machines, and Ray's own processes.
"""

from __future__ import annotations

import heapq
import random
import selectors
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import msgspec

from benchwright.cluster import executor, fleet
from benchwright.cluster.canaries import ProvedBatch
from benchwright.cluster.session import NodeAddress
from benchwright.contracts import Judgement
from benchwright.executing.executors import ExecutorSetup, pack_judgements
from benchwright.records import Outcome


class CallCosts(msgspec.Struct, frozen=True, kw_only=True):
    """Seconds of a batch apart from its executions: of the driver's process in Ray, and of the node."""

    round_trip_s: float = 0.0  # of an empty batch, until its result is there
    driver_s: float = 0.0  # processor time of the driver's process for an empty batch, all threads
    driver_byte_s: float = 0.0  # more, for each byte of jobs
    list_s: float = 0.0  # of the driver, to list the nodes
    node_job_s: float = 0.0  # of the node's actor for each job, one after the other
    worker_job_s: float = 0.0  # of the worker's core for each job, apart from the execution
    start_s: float = 0.0  # until an actor is ready
    loss_s: float = 0.0  # until the driver learns that an actor died


class Trouble(msgspec.Struct, frozen=True, kw_only=True):
    """What goes wrong: a scenario, not a measurement."""

    losses_an_hour: float = 0.0  # of each node, exponentially distributed
    slow_share: float = 0.0  # of the nodes
    slow_factor: float = 1.0  # by which their executions take longer
    seed: int = 1


class Counts(msgspec.Struct):
    """What the nodes did."""

    batches: int = 0
    jobs: int = 0  # executed, without canaries
    core_s: float = 0.0  # of the jobs of all batches that were returned
    losses: int = 0
    bytes_out: int = 0
    bytes_back: int = 0
    calls_s: float = 0.0  # of the driver's time: what Ray takes of it


class SimulatedCluster:
    """The clock, the events that are due, and the nodes. Also the session that a `Fleet` is given."""

    def __init__(
        self,
        nodes: Sequence[int],
        job_s: Sequence[float],
        *,
        costs: CallCosts,
        trouble: Trouble | None = None,
        facts: bytes = b"",
    ) -> None:
        self.job_s, self.costs, self.facts = job_s, costs, facts
        self.trouble = trouble or Trouble()
        self.counts = Counts()
        self.sent: ProvedBatch | None = None  # the batch that is being sent
        self._jumped, self._began = 0.0, time.thread_time()
        self._due: list[tuple[float, int, Callable[[], None]]] = []
        self._events = 0
        chance = random.Random(self.trouble.seed)
        slow = set(chance.sample(range(len(nodes)), round(self.trouble.slow_share * len(nodes))))
        self._nodes = {
            f"{number:08x}": _Node(self, cores, self.trouble.slow_factor if number in slow else 1.0)
            for number, cores in enumerate(nodes)
        }
        self._chance = chance

    # The clock

    def cpu_s(self) -> float:
        """Processor time of the driver: what its thread used, without the simulation, and Ray's part."""
        return time.thread_time() - self._began + self.counts.calls_s

    def monotonic(self) -> float:
        """The time, in seconds."""
        return self.cpu_s() + self._jumped

    @contextmanager
    def aside(self) -> Iterator[float]:
        """Work of the simulation: takes no time."""
        began = time.thread_time()
        try:
            yield began - self._began + self.counts.calls_s + self._jumped
        finally:
            self._began += time.thread_time() - began

    def at(self, when: float, event: Callable[[], None]) -> None:
        """Add an event."""
        self._events += 1
        heapq.heappush(self._due, (when, self._events, event))

    def deliver(self) -> None:
        """Have all events happen that are due."""
        while self._due and self._due[0][0] <= self.monotonic():
            heapq.heappop(self._due)[2]()

    def advance(self, most_s: float) -> None:
        """Let time pass until something happens, or `most_s`."""
        with self.aside() as now:
            until = min(now + most_s, self._due[0][0] if self._due else now + most_s)
            self._jumped += max(0.0, until - now)
        self.deliver()

    # The session of a fleet

    def nodes(self) -> list[NodeAddress]:
        """Return all nodes, none of which leaves the cluster."""
        self.counts.calls_s += self.costs.list_s
        return sorted(
            (
                NodeAddress(node_id=name, host=name, cores=node.cores, alive=True)
                for name, node in self._nodes.items()
            ),
            key=lambda node: (node.host, node.node_id),
        )

    def place(self, node: NodeAddress, actor_class: type, *args: object, calls: int = 1) -> Any:
        """Start the actor of a node. If nodes are lost, its time until then is drawn here."""
        with self.aside() as now:
            placed = self._nodes[node.node_id].place(now)
            if self.trouble.losses_an_hour:
                lives_s = self._chance.expovariate(self.trouble.losses_an_hour / 3600)
                self.at(now + self.costs.start_s + lives_s, placed.die)
            return placed.handle()

    def await_calls(self, calls: Sequence[Any], *, most_s: float) -> None:
        """Nothing: simulated actors end at once."""

    def kill(self, actor: Any) -> None:
        """Nothing: the fleet ignores what an actor that it killed returns."""


class _Node:
    """A machine."""

    def __init__(self, cluster: SimulatedCluster, cores: int, slowness: float) -> None:
        self.cluster, self.cores, self.slowness = cluster, cores, slowness

    def place(self, now: float) -> _Actor:
        """Start an actor."""
        return _Actor(self, now + self.cluster.costs.start_s)


class _Actor:
    """One life of a node's actor."""

    def __init__(self, node: _Node, ready: float) -> None:
        self._node, self._cluster = node, node.cluster
        self._ready = self._read = ready  # when the actor is free to read more jobs
        self._free = [ready] * node.cores  # when each core has ended the jobs that it has
        self._pending: dict[int, Future[bytes]] = {}
        self._is_dead = False

    def handle(self) -> Any:
        """Return what Ray's handle of it is for a fleet."""
        return SimpleNamespace(
            start=SimpleNamespace(remote=lambda: self._call(self._ready, lambda: self._cluster.facts)),
            judge=SimpleNamespace(remote=self._judge),
            close=SimpleNamespace(remote=lambda: None),
        )

    def die(self) -> None:
        """Lose all batches; the driver learns it later."""
        self._is_dead = True
        self._cluster.counts.losses += 1
        with self._cluster.aside() as now:
            self._cluster.at(now + self._cluster.costs.loss_s, self._fail)

    def _fail(self) -> None:
        for future in list(self._pending.values()):
            future.set_exception(RuntimeError("the actor died"))
        self._pending.clear()

    def _call(self, when: float, result: Callable[[], bytes]) -> Any:
        future: Future[bytes] = Future()
        self._pending[id(future)] = future

        def end() -> None:
            if not self._is_dead:
                with self._cluster.aside():
                    body = result()
                    del self._pending[id(future)]
                future.set_result(body)

        self._cluster.at(when, end)
        if self._is_dead:
            self._cluster.at(self._cluster.monotonic() + self._cluster.costs.loss_s, self._fail)
        return SimpleNamespace(future=lambda: future)

    def _judge(self, body: bytes) -> Any:
        cluster, sent = self._cluster, self._cluster.sent
        assert sent is not None, "a fleet sends batches of an executor"
        with cluster.aside() as now:
            costs, counts = cluster.costs, cluster.counts
            counts.calls_s += costs.driver_s + costs.driver_byte_s * len(body)
            counts.batches += 1
            counts.bytes_out += len(body)
            times = [self._time(sent, number) for number in range(len(sent.jobs))]
            begin = max(now + costs.round_trip_s / 2, self._read)
            end = work_off(times, self._free, begin, costs.node_job_s)
            self._read = begin + len(times) * costs.node_job_s
            return self._call(end + costs.round_trip_s / 2, lambda: self._result(sent, times))

    def _time(self, sent: ProvedBatch, number: int) -> float:
        own = sent._own.get(number)
        execution_s = 0.0 if own is None else self._cluster.job_s[own % len(self._cluster.job_s)]
        return self._node.slowness * (execution_s + self._cluster.costs.worker_job_s)

    def _result(self, sent: ProvedBatch, times: Sequence[float]) -> bytes:
        body = pack_judgements(
            (number, _judgement(sent, number, spent)) for number, spent in enumerate(times)
        )
        counts = self._cluster.counts
        counts.jobs += len(sent._own)
        counts.core_s += sum(times[number] for number in sent._own)
        counts.bytes_back += len(body)
        return body


def _judgement(sent: ProvedBatch, number: int, spent_s: float) -> Judgement:
    outcome = sent._outcomes.get(number, Outcome.passed)
    return Judgement(outcome=outcome, cpu_s=spent_s, wall_s=spent_s, rule="body")


def work_off(times: Sequence[float], free: list[float], begin: float, node_job_s: float) -> float:
    """Return when a batch ends. `free`: when each core is free, a heap, which is advanced.

    Jobs start in their order, each on the first free core, also before the end of the batch before. The
    actor handles jobs one after the other, `node_job_s` each, and a job starts after that.
    """
    ended = begin
    for place, spent in enumerate(times, 1):
        end = max(free[0], begin + place * node_job_s) + spent
        heapq.heapreplace(free, end)
        ended = max(ended, end)
    return ended


@contextmanager
def simulated(cluster: SimulatedCluster, setup: ExecutorSetup) -> Iterator[executor.RayExecutor]:
    """Open the executor `ray` on a simulated cluster; its waiting lets simulated time pass."""

    class Selector(selectors.DefaultSelector):
        def select(self, timeout: float | None = None) -> Any:
            """Return what is ready; if nothing is, time passes."""
            cluster.deliver()
            if not (ready := super().select(0)):
                cluster.advance(1.0 if timeout is None else timeout)
                ready = super().select(0)
            return ready

    class SimulatedFleet(fleet.Fleet):
        def send(self, node: str, number: int, jobs: bytes, sent: ProvedBatch) -> None:
            """Send a batch to a node that knows its jobs without decoding them."""
            cluster.sent = sent
            super().send(node, number, jobs, sent)

    names = SimpleNamespace(**{**vars(selectors), "DefaultSelector": Selector})
    with ExitStack() as stack:
        for module, name, value in (
            (fleet, "time", cluster),
            (fleet, "selectors", names),
            (executor, "time", cluster),
            (executor, "Fleet", SimulatedFleet),
        ):
            stack.enter_context(patch.object(module, name, value))
        session: Any = cluster
        yield stack.enter_context(executor.RayExecutor(session, setup))
