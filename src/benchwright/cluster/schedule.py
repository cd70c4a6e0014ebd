"""Scheduling of batches of jobs on nodes: what to send where, and what to send again.

Independent of Ray and of clocks: callers pass the time in seconds and report what happened. Jobs are
opaque. `Schedule.issue` says what to send next; `finish` and `lose` report how a batch or a node ended.

- A batch is sized by the measured speed of its node. The last batches are shares of what is left (guided
  self-scheduling, Polychronopoulos and Kuck 1987), so no node ends long after the others.
- A batch has jobs of one kind, such as those of one toolchain, and goes to a node that can do this kind.
- A node has at most `IN_FLIGHT` batches. It starts their jobs in order, and works on several at once.
- A batch that takes far longer than expected is issued to a second, idle node; the first result counts.
- Batches of a lost node are issued again, to another node if possible. Each is suspected, and issued to a
  node that has no other. If that node is lost too, the batch is the cause: it is halved until one job is
  left, which is given up.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import ceil
from typing import Generic, NamedTuple, TypeVar

T = TypeVar("T")

IN_FLIGHT = 2  # batches at a node: one that it works on, and the next
FIRST = 8  # jobs for each core in a batch before anything is measured
MOST = 500  # jobs for each core in a batch
BATCH_S, LONGEST_S = 4.0, 60.0  # time of a batch: at least, and at most however long its jobs take
JOBS_DEEP = 20  # jobs for each core in a batch, if they are slow: a core idles at the end of each batch
TAIL_S = 0.25  # the smallest batches take so long
MAX_BYTES = 8 << 20  # of a batch; a single job may have more
DEATHS = 2  # losses of a node with the same batch, after which the batch is halved
MEMORY = 0.5  # weight of each earlier batch in the speed of a node, by that of the next
LATE, LATE_S, UNKNOWN_S = 2.0, 1.0, 30.0  # a straggler takes LATE times its expected time and LATE_S more


@dataclass(eq=False)
class _Batch(Generic[T]):
    number: int
    kind: str
    jobs: list[T]
    losses: int = 0  # of nodes that had it: 1 is a suspicion, more are losses of nodes that had it alone
    avoid: set[str] = field(default_factory=set)  # those nodes
    waits_for: str = ""  # the node that gets no other until it gets this one
    at: dict[str, float] = field(default_factory=dict)  # nodes that have it: when it is expected to end
    copies: int = 0


@dataclass(eq=False)
class _Node:
    cores: int
    busy_s: float = 0.0  # time of its last batches; earlier ones count less
    done: float = 0.0  # jobs in this time
    ended: float = 0.0  # when its last batch ended
    draining: bool = False
    lacks: set[str] = field(default_factory=set)  # kinds of jobs that it cannot do
    at: dict[int, float] = field(default_factory=dict)  # batches that it has: when they were issued

    @property
    def job_s(self) -> float:
        """Core seconds for each job; 0 before the first measurement."""
        return self.cores * self.busy_s / self.done if self.done else 0.0


class Issue(NamedTuple, Generic[T]):
    """A batch to send to a node."""

    node: str
    number: int
    jobs: list[T]


class Schedule(Generic[T]):
    """Batches of jobs on nodes. `weigh` returns the bytes of a job, `kind` what it needs of a node.

    Each job that is added leaves exactly once: by `finish`, `lose`, `strand` or `forget`.
    """

    def __init__(
        self, weigh: Callable[[T], int] = lambda job: 0, kind: Callable[[T], str] = lambda job: ""
    ) -> None:
        self._weigh, self._kind = weigh, kind
        self._nodes: dict[str, _Node] = {}
        self._waiting: dict[str, deque[T]] = {}  # by kind
        self._again = deque[_Batch[T]]()
        self._running: dict[int, _Batch[T]] = {}  # batches without a result, by number
        self._numbers = 0
        self._is_closed = False

    # Nodes

    def join(self, node: str, cores: int) -> None:
        """Add a node that has no batch."""
        self._nodes[node] = _Node(cores)

    def exclude(self, node: str, kind: str) -> None:
        """Send a node no jobs of a kind, because it cannot do them."""
        self._nodes[node].lacks.add(kind)

    def drain(self, node: str) -> None:
        """Send a node no further batch; those that it has count."""
        if node in self._nodes:
            self._nodes[node].draining = True

    def lose(self, node: str, *, blamed: bool = True) -> list[T]:
        """Remove a node. Its batches are issued again. Returns the jobs that are given up.

        `blamed`: one of its batches may be the cause.
        """
        given_up: list[T] = []
        numbers = self._nodes.pop(node).at
        for number in numbers:
            batch = self._running.get(number)
            if batch is None:
                continue
            del batch.at[node]
            if blamed:
                batch.losses = batch.losses + 1 if len(numbers) == 1 else max(1, batch.losses)
                batch.avoid.add(node)
            if not batch.at:
                given_up += self._put_back(batch)
        return given_up

    def _put_back(self, batch: _Batch[T]) -> list[T]:
        if batch.losses < DEATHS:
            batch.copies, batch.waits_for = 0, ""
            self._again.append(batch)
            return []
        del self._running[batch.number]
        if len(batch.jobs) == 1:
            return batch.jobs
        half = len(batch.jobs) // 2
        for jobs in (batch.jobs[:half], batch.jobs[half:]):
            self._again.append(self._batch(batch.kind, jobs, losses=DEATHS - 1, avoid=set(batch.avoid)))
        return []

    @property
    def nodes(self) -> list[str]:
        """Return the nodes that have not been lost."""
        return list(self._nodes)

    def jobs_at(self, node: str) -> int:
        """Return the number of jobs that a node has."""
        return sum(len(self._running[each].jobs) for each in self._nodes[node].at if each in self._running)

    def has_batches(self, node: str) -> bool:
        """Return whether a node has a batch, even one whose result no longer counts."""
        return bool(self._nodes[node].at)

    # Jobs

    def add(self, job: T) -> None:
        """Add a job to the end of the queue."""
        self._waiting.setdefault(self._kind(job), deque()).append(job)
        self._is_closed = False

    def close(self) -> None:
        """No job is coming for now: what is waiting is divided among the nodes."""
        self._is_closed = True

    @property
    def wanted(self) -> int:
        """Return how many more jobs to add: one batch for each node, in addition to those that it has."""
        active = sum(self._size(node) for node in self._nodes.values() if not node.draining)
        return max(0, max(1, active) - self._count())

    def _count(self) -> int:
        return sum(map(len, self._waiting.values()))

    @property
    def is_idle(self) -> bool:
        """Whether all jobs have left."""
        return not (self._waiting or self._running)

    def forget(self) -> list[T]:
        """Remove and return all jobs. Results of batches that nodes still have no longer count."""
        jobs = [job for jobs in self._waiting.values() for job in jobs]
        jobs += [job for batch in self._running.values() for job in batch.jobs]
        self._waiting.clear()
        self._again.clear()
        self._running.clear()
        return jobs

    def strand(self) -> list[T]:
        """Remove and return the jobs that none of the nodes can do."""
        kinds = {*self._waiting, *(batch.kind for batch in self._again)}
        stranded = {kind for kind in kinds if all(kind in node.lacks for node in self._nodes.values())}
        jobs = [job for kind in stranded for job in self._waiting.pop(kind, ())]
        for batch in [each for each in self._again if each.kind in stranded]:
            self._again.remove(batch)
            jobs += self._running.pop(batch.number).jobs
        return jobs

    def finish(self, node: str, number: int, now: float) -> list[T]:
        """A node has returned the result of a batch. Returns its jobs; none if the result does not count."""
        self._measure(node, number, now)
        batch = self._running.pop(number, None)
        return [] if batch is None else batch.jobs

    def _measure(self, name: str, number: int, now: float) -> None:
        node = self._nodes[name]
        began = max(node.at.pop(number), node.ended)
        node.ended = now
        if (batch := self._running.get(number)) is None:
            return
        node.busy_s = MEMORY * node.busy_s + max(now - began, 1e-9)
        node.done = MEMORY * node.done + len(batch.jobs)

    def issues(self, now: float) -> Iterator[Issue[T]]:
        """Yield all batches to send now."""
        while (issue := self.issue(now)) is not None:
            yield issue

    def issue(self, now: float) -> Issue[T] | None:
        """Return the next batch to send; None if no node should get one now."""
        free = [name for name, node in self._nodes.items() if self._is_free(node)]
        for name in sorted(free, key=lambda name: (len(self._nodes[name].at), -self._nodes[name].cores)):
            if self._awaits_suspect(name):
                continue
            batch = self._lost(name) or self._cut(name) or self._straggler(name, now)
            if batch is not None:
                return self._issued(name, batch, now)
        return None

    def _is_free(self, node: _Node) -> bool:
        """Whether a node may get another batch: it has no suspected one, which must be alone."""
        if node.draining or len(node.at) >= IN_FLIGHT:
            return False
        return not any(self._running[each].losses for each in node.at if each in self._running)

    def _issued(self, name: str, batch: _Batch[T], now: float) -> Issue[T]:
        node = self._nodes[name]
        ahead = [self._running[each].at[name] - now for each in node.at if each in self._running]
        job_s = self._job_s(node)
        expected_s = LATE * job_s * len(batch.jobs) / node.cores + LATE_S if job_s else UNKNOWN_S
        node.at[batch.number] = now
        batch.at[name] = now + max([0.0, *ahead]) + expected_s
        batch.copies += 1
        return Issue(name, batch.number, batch.jobs)

    def _awaits_suspect(self, name: str) -> bool:
        """Whether a node gets nothing until it has no batch, because a suspected one waits for it."""
        if not (self._again and self._nodes[name].at):
            return False
        suspects = [batch for batch in self._again if batch.losses]
        if any(batch.waits_for == name for batch in suspects):
            return True
        for batch in suspects:
            if self._may_have(name, batch) and batch.waits_for not in self._able(batch.kind):
                batch.waits_for = name
                return True
        return False

    def _lost(self, name: str) -> _Batch[T] | None:
        """Return a batch to issue again; a suspected one only to a node without another."""
        for place, batch in enumerate(self._again):
            if self._may_have(name, batch) and not (batch.losses and self._nodes[name].at):
                del self._again[place]
                return batch
        return None

    def _may_have(self, name: str, batch: _Batch[T]) -> bool:
        """Whether a node can do a batch and was not lost with it, or there is no other."""
        able = self._able(batch.kind)
        return name in able and (name not in batch.avoid or batch.avoid >= able)

    def _able(self, kind: str) -> set[str]:
        """Return the nodes that do jobs of a kind."""
        return {name for name, node in self._nodes.items() if not node.draining and kind not in node.lacks}

    def _cut(self, name: str) -> _Batch[T] | None:
        """Cut a batch from the waiting jobs. A busy node gets a whole one, unless no more jobs are coming."""
        node = self._nodes[name]
        kind = next((each for each in self._waiting if each not in node.lacks), None)
        size = self._size(node)
        if kind is None or (node.at and not self._is_closed and len(self._waiting[kind]) < size):
            return None
        waiting = self._waiting[kind]
        speeds = sum(self._speed(self._nodes[each]) for each in self._able(kind))
        share = ceil(len(waiting) * self._speed(node) / speeds / (IN_FLIGHT if self._is_closed else 1))
        least = min(size, max(node.cores, self._jobs_in(node, TAIL_S)))
        batch = self._batch(kind, list(self._next_batch(waiting, min(size, max(least, share)))))
        if not waiting:
            del self._waiting[kind]
        return batch

    def _next_batch(self, waiting: deque[T], most: int) -> Iterator[T]:
        room = MAX_BYTES
        for count in range(min(most, len(waiting))):
            room -= self._weigh(waiting[0])
            if count and room < 0:
                return
            yield waiting.popleft()

    def _straggler(self, name: str, now: float) -> _Batch[T] | None:
        """Return a batch that is late at another node; None for a node that has work."""
        node = self._nodes[name]
        if node.at:
            return None
        single = [each for each in self._running.values() if len(each.at) == each.copies == 1]
        others = [each for each in single if name not in each.at and each.kind not in node.lacks]
        found = min(others, key=_due, default=None)
        return found if found is not None and _due(found) < now else None

    def _batch(
        self, kind: str, jobs: list[T], *, losses: int = 0, avoid: set[str] | None = None
    ) -> _Batch[T]:
        self._numbers += 1
        batch = self._running[self._numbers] = _Batch(self._numbers, kind, jobs, losses, avoid or set())
        return batch

    def _job_s(self, node: _Node) -> float:
        """Return the core seconds of a job at a node, or else the mean of other nodes; 0 if unknown."""
        if node.job_s:
            return node.job_s
        known = [each.job_s for each in self._nodes.values() if each.job_s]
        return sum(known) / len(known) if known else 0.0

    def _speed(self, node: _Node) -> float:
        """Return the jobs of a node in a second; its cores if nothing was measured at any node."""
        return node.cores / (self._job_s(node) or 1.0)

    def _jobs_in(self, node: _Node, seconds: float) -> int:
        job_s = self._job_s(node)
        return int(seconds * node.cores / job_s) if job_s else 0

    def _size(self, node: _Node) -> int:
        """Return the number of jobs in a whole batch for a node."""
        job_s = self._job_s(node)
        if not job_s:
            return FIRST * node.cores
        batch_s = min(LONGEST_S, max(BATCH_S, JOBS_DEEP * job_s))
        return max(node.cores, min(MOST * node.cores, self._jobs_in(node, batch_s)))


def _due(batch: _Batch[T]) -> float:
    """Return when a batch is expected to end."""
    return min(batch.at.values())
