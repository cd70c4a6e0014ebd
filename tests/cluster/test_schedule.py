"""Each job is judged exactly once, in any order of results, losses, joins and departures."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.cluster import schedule as module
from benchwright.cluster.schedule import DEATHS, FIRST, IN_FLIGHT, MOST, Issue, Schedule

KINDS = ("Python", "Go")
EVENTS = st.lists(
    st.tuples(
        st.sampled_from(["finish", "finish", "finish", "lose", "fault", "join", "drain", "add", "wait"]),
        st.integers(0, 10**6),
    ),
    max_size=80,
)


class Cluster:
    """Nodes that return batches when the test says so, in any order."""

    def __init__(self, kind: Callable[[int], str] = lambda job: "") -> None:
        self.kind, self.schedule = kind, Schedule[int](kind=kind)
        self.queues: dict[str, deque[Issue[int]]] = {}
        self.left = Counter[int]()  # how often each job has left
        self.now, self.names = 0.0, 0

    def join(self, cores: int, lacks: tuple[str, ...] = ()) -> None:
        self.names += 1
        self.queues[f"n{self.names}"] = deque()
        self.schedule.join(f"n{self.names}", cores)
        for kind in lacks:
            self.schedule.exclude(f"n{self.names}", kind)

    def issue(self) -> None:
        for issue in self.schedule.issues(self.now):
            self.queues[issue.node].append(issue)
            assert len(self.queues[issue.node]) <= IN_FLIGHT
            assert len({self.kind(job) for job in issue.jobs}) == 1

    def finish(self, node: str, place: int = 0) -> None:
        if queue := self.queues[node]:
            queue.rotate(-place)
            self.left.update(self.schedule.finish(node, queue.popleft().number, self.now))

    def lose(self, node: str, *, blamed: bool) -> None:
        self.left.update(self.schedule.lose(node, blamed=blamed))
        del self.queues[node]

    def drain_out(self) -> None:
        """Let a sound node end all that is left."""
        self.schedule.close()
        self.join(3)
        for _ in range(10_000):
            self.now += 100.0
            self.issue()
            if self.schedule.is_idle:
                return
            for node in self.queues:
                self.finish(node)
        raise AssertionError("never idle")


@given(EVENTS, st.integers(1, 3))
def test_each_job_leaves_exactly_once(events: list[tuple[str, int]], nodes: int) -> None:
    """Given up or judged, whichever nodes die, fail a canary, stall, drain or join."""
    cluster, added = Cluster(lambda job: KINDS[job % 5 == 0]), 0
    for cores in range(1, nodes + 1):
        cluster.join(cores, ("Go",) if cores == 2 else ())
    for what, number in events:
        names = list(cluster.queues)
        node = names[number % len(names)] if names else ""
        if what == "add":
            for _ in range(number % 60):
                cluster.schedule.add(added)
                added += 1
        elif what == "join":
            cluster.join(1 + number % 4, ("Go",) if number % 3 == 0 else ())
        elif what == "wait":
            cluster.now += number % 100
        elif node and what == "finish":
            cluster.finish(node, number % 2)
        elif node and what == "drain":
            cluster.schedule.drain(node)
        elif node:
            cluster.lose(node, blamed=what == "lose")
        cluster.now += 0.01
        cluster.issue()
    cluster.drain_out()

    assert cluster.left == Counter(range(added))


@given(st.integers(1, 400), st.integers(0, 399), st.integers(1, 3), st.randoms(use_true_random=False))
def test_a_program_that_takes_nodes_down_is_isolated(
    jobs: int, culprit: int, nodes: int, chance: Random
) -> None:
    """All others are judged, also those that the same node worked on.

    It is given up after a number of losses that grows with the logarithm.
    """
    culprit %= jobs
    cluster, losses, given_up = Cluster(), 0, list[int]()
    for job in range(jobs):
        cluster.schedule.add(job)
    cluster.schedule.close()
    for _ in range(nodes):
        cluster.join(1)
    while not cluster.schedule.is_idle:
        cluster.now += 0.01
        cluster.issue()
        for node in list(cluster.queues):
            if any(culprit in issue.jobs for issue in cluster.queues[node]) and chance.random() < 0.7:
                losses += 1
                given_up += cluster.schedule.lose(node)
                del cluster.queues[node]
                cluster.join(1)
            elif cluster.queues[node] and culprit not in cluster.queues[node][0].jobs:
                cluster.finish(node)

    assert (given_up, cluster.left) == ([culprit], Counter(job for job in range(jobs) if job != culprit))
    assert losses <= DEATHS + jobs.bit_length()


@given(EVENTS)
def test_a_suspected_batch_has_its_node_alone(events: list[tuple[str, int]]) -> None:
    """So no job is given up that was not alone in a node that was lost."""
    cluster, alone, added = Cluster(), set[int](), 0
    for cores in (1, 2, 3):
        cluster.join(cores)
    for what, number in events:
        names = list(cluster.queues)
        if what == "add":
            for _ in range(number % 9):
                cluster.schedule.add(added)
                added += 1
        elif what == "lose" and names:
            node = names[number % len(names)]
            if len(cluster.queues[node]) == 1:
                alone.update(cluster.queues[node][0].jobs)
            given_up = cluster.schedule.lose(node)
            del cluster.queues[node]
            cluster.join(1)
            assert set(given_up) <= alone
        elif what == "finish" and names:
            cluster.finish(names[number % len(names)], number % 2)
        cluster.now += 0.01
        cluster.issue()


def run(schedule: Schedule[int], speeds: dict[str, float], job_s: float) -> dict[str, float]:
    """Simulate until idle; return when each node ended. A node's speed divides the time of its jobs."""
    queues: dict[str, deque[tuple[float, Issue[int]]]] = {name: deque() for name in speeds}
    free, now = dict.fromkeys(speeds, 0.0), 0.0
    schedule.close()
    while not schedule.is_idle:
        for issue in schedule.issues(now):
            queues[issue.node].append((now, issue))
        ends = {
            node: max(free[node], queue[0][0]) + len(queue[0][1].jobs) * job_s / speeds[node]
            for node, queue in queues.items()
            if queue
        }
        node = min(ends, key=lambda name: ends[name])
        now = free[node] = ends[node]
        schedule.finish(node, queues[node].popleft()[1].number, now)
    return free


@pytest.mark.parametrize("job_s", [0.003, 0.5, 20.0])
def test_nodes_of_different_speed_end_together(job_s: float) -> None:
    """No node works long after the others: at most a tenth of the whole, or a few jobs."""
    schedule = Schedule[int]()
    for job in range(4000):
        schedule.add(job)
    for name in ("slow", "quick"):
        schedule.join(name, 1)
    ends = run(schedule, {"slow": 1.0, "quick": 3.0}, job_s)
    ideal = 4000 * job_s / 4

    assert max(ends.values()) <= 1.1 * ideal + 2 * job_s


def test_batches_grow_to_what_a_node_does_in_seconds() -> None:
    """Small at first; then by measured speed, up to a limit for each core."""
    schedule = Schedule[int]()
    schedule.join("n", 2)
    sizes, now = list[int](), 0.0
    for _ in range(12):
        for job in range(schedule.wanted):
            schedule.add(job)
        issue = schedule.issue(now)
        assert issue is not None
        now += len(issue.jobs) * 0.02
        schedule.finish("n", issue.number, now)
        sizes.append(len(issue.jobs))

    assert sizes[0] == 2 * FIRST
    assert sizes[-1] == pytest.approx(module.BATCH_S / 0.02, abs=1)
    assert max(sizes) <= 2 * MOST


def test_a_straggler_is_issued_twice_and_its_first_result_counts() -> None:
    """Only to an idle node, only when late, and never three times."""
    schedule = Schedule[int]()
    for name in ("a", "b", "c"):
        schedule.join(name, 1)
    for job in range(3):
        schedule.add(job)
    schedule.close()
    first = {issue.node: issue for issue in schedule.issues(0.0)}
    assert len(first) == 3
    assert schedule.finish("b", first["b"].number, 1.0) == first["b"].jobs
    assert schedule.finish("c", first["c"].number, 1.0) == first["c"].jobs
    assert list(schedule.issues(5.0)) == []

    copies = list(schedule.issues(module.UNKNOWN_S + 1))
    assert [copy.jobs for copy in copies] == [first["a"].jobs]
    assert schedule.finish(copies[0].node, copies[0].number, 40.0) == first["a"].jobs
    assert schedule.is_idle
    assert schedule.finish("a", first["a"].number, 50.0) == []


def test_jobs_that_no_node_can_do_are_stranded() -> None:
    """And only those."""
    schedule = Schedule[int](kind=lambda job: KINDS[job % 2])
    schedule.join("n", 1)
    schedule.exclude("n", "Go")
    for job in range(4):
        schedule.add(job)
    schedule.close()
    issued = [job for issue in schedule.issues(0.0) for job in issue.jobs]

    assert (sorted(issued), sorted(schedule.strand())) == ([0, 2], [1, 3])


def test_a_batch_is_limited_in_bytes() -> None:
    """A single job may be larger."""
    schedule = Schedule[int](weigh=lambda job: module.MAX_BYTES // 2 + job)
    schedule.join("n", 8)
    for job in (0, 0, module.MAX_BYTES, 1):
        schedule.add(job)
    schedule.close()
    sizes = []
    while (issue := schedule.issue(0.0)) is not None:
        schedule.finish("n", issue.number, 1.0)
        sizes.append(len(issue.jobs))

    assert sizes == [2, 1, 1]
