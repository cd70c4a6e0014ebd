"""The executor `ray`: judges batches on the nodes of a cluster, and re-issues what a node did not finish.

This process alone reads tasks, asks models, holds keys and writes files. A node gets jobs as bytes and
returns judgements as bytes. `schedule.py` decides what goes where; this module sends, receives and checks.
"""

from __future__ import annotations

import contextlib
import gc
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Self

import msgspec

from benchwright import registry
from benchwright.cluster.canaries import ProvedBatch
from benchwright.cluster.fleet import Fleet
from benchwright.cluster.probe import NodeNeeds, needs_here, unable
from benchwright.cluster.schedule import Schedule
from benchwright.cluster.session import CUT_OFF, ClusterSession
from benchwright.cluster.shared_session import shared_session
from benchwright.contracts import Criterion, Job, Judgement, ProgramSpec, SuiteAnswerSpec, SuiteSpec
from benchwright.errors import SandboxError
from benchwright.executing.executors import ExecutorSetup, pack_jobs, unpack_judgements
from benchwright.records import Outcome
from benchwright.sandbox.environments import BUILT_IN

Judged = list[tuple[int, Judgement]]
SETTLED = 256  # judgements of jobs that need no node, yielded at once
SHOWN = 4  # nodes in a status, those with the most answers
COLLECT_AFTER = 200_000  # objects; collections took half of the time, and batches hold no garbage
LOOK_S = 1.0  # between two looks at stragglers and nodes


@contextlib.contextmanager
def open_ray(setup: ExecutorSetup) -> Iterator[RayExecutor]:
    """Open the executor `ray` of the registry: on the cluster at `setup.address`, or on a private one.

    Raises PrerequisiteError where no node can judge, and UsageError for an invalid address.
    """
    with (
        shared_session(setup.address, trusted=setup.trusted) as session,
        RayExecutor(session, setup) as opened,
    ):
        yield opened


class RayExecutor:
    """Judges jobs on the nodes of a session. `size` is the number of their cores."""

    def __init__(self, session: ClusterSession, setup: ExecutorSetup) -> None:
        self._schedule = Schedule[Job](weigh=_bytes, kind=self._kind)
        self._kinds: dict[str, NodeNeeds | None] = {}  # of the jobs so far, with what a node needs for them
        self._last: tuple[Criterion | None, str] = None, ""  # of the last job, with its kind
        self._fleet = Fleet(session, msgspec.msgpack.encode(setup), most=setup.workers)
        self._notes: list[str] = []  # for the next judgement
        self._judged = Counter[str]()  # answers by node
        self.wake: int | None = None  # a descriptor that is readable when an iterator of jobs has new ones

    def __enter__(self) -> Self:
        self._fleet.start()
        self._admit()
        return self

    def __exit__(self, *exc: object) -> None:
        self._fleet.close()

    @property
    def size(self) -> int:
        """The number of cores of the nodes that judge."""
        return self._fleet.cores

    def status(self) -> str:
        """Return the nodes, with the number of answers that each has judged."""
        listed = [f"{self._fleet.name(node)} {count:,}" for node, count in self._judged.most_common(SHOWN)]
        more = len(self._judged) - len(listed)
        return ", ".join(listed) + (f" and {more} more nodes" if more > 0 else "")

    def judge(self, jobs: Iterable[Job | None]) -> Iterator[tuple[int, Judgement]]:
        """Yield number and judgement of each job once, as its batch ends."""
        for batch in self.judge_batches(jobs):
            yield from batch

    def judge_batches(self, jobs: Iterable[Job | None]) -> Iterator[Judged]:
        """Yield the same in batches. An iterator that yields None has no job now, and is asked again.

        Raises SandboxError if no node is left.
        """
        coming = iter(jobs)
        thresholds = gc.get_threshold()
        gc.set_threshold(COLLECT_AFTER, *thresholds[1:])
        try:
            while True:
                while settled := self._take(coming):
                    yield settled
                for node, number, batch in self._schedule.issues(time.monotonic()):
                    self._send(node, number, batch)
                if stranded := self._stranded():
                    yield stranded
                if self._schedule.is_idle:
                    return
                if done := self._collect():
                    yield done
        finally:
            gc.set_threshold(*thresholds)
            self._schedule.forget()

    def _take(self, coming: Iterator[Job | None]) -> Judged:
        """Add jobs to the schedule, as many as it wants. Returns settled jobs, which need no node."""
        settled: Judged = []
        wanted = self._schedule.wanted
        while wanted and len(settled) < SETTLED:
            job = next(coming, None)
            if job is None:
                self._schedule.close()
                break
            if job.settled is not None:
                settled.append((job.number, job.settled))
                continue
            if self._kind(job) not in self._kinds:
                self._learn(self._kind(job))
            self._schedule.add(job)
            wanted -= 1
        return settled

    def _kind(self, job: Job) -> str:
        """Return `kind_of` a job; jobs in a row share a criterion."""
        if job.criterion is not self._last[0]:
            self._last = job.criterion, kind_of(job)
        return self._last[1]

    def _learn(self, kind: str) -> None:
        """Exclude nodes from a kind of jobs that comes for the first time."""
        self._kinds[kind] = needs_of(kind)
        for node in self._schedule.nodes:
            self._check(node, kind)

    def _check(self, node: str, kind: str) -> None:
        needs = self._kinds[kind]
        if needs is not None and (why := unable(self._fleet.facts(node), needs).get(kind)):
            self._schedule.exclude(node, kind)
            self._notes.append(f"node {self._fleet.name(node)} gets no {kind}: {why}")

    def _stranded(self) -> Judged:
        """Return the judgements of jobs that no node can do."""
        if not self._schedule.nodes or self._fleet.is_starting:
            return []
        return [(job.number, _no_node(kind_of(job))) for job in self._schedule.strand()]

    def _send(self, node: str, number: int, jobs: Sequence[Job]) -> None:
        batch = ProvedBatch(jobs)
        self._fleet.send(node, number, pack_jobs(batch.jobs), batch)

    def _collect(self) -> Judged:
        """Wait for a result, and return what counts."""
        done: Judged = []
        for event in self._fleet.wait(LOOK_S, wake=self.wake):
            if event.result is None:
                done += self._lost(event.node, event.why, blamed=event.is_death)
            else:
                done += self._finished(event.node, event.number, event.result, event.sent)
        self._admit()
        return self._with_notes(done)

    def _finished(self, node: str, number: int, result: bytes, sent: ProvedBatch) -> Judged:
        try:
            judged, fault = sent.read(unpack_judgements(result))
        except msgspec.DecodeError as error:
            judged, fault = [], f"returned invalid bytes: {error}"
        if fault:
            self._fleet.remove(node, fault)
            return self._lost(node, fault, blamed=False)
        counts = self._schedule.finish(node, number, time.monotonic())
        self._fleet.succeeded(node)
        self._judged[node] += len(counts)
        return judged if counts else []

    def _lost(self, node: str, why: str, *, blamed: bool) -> Judged:
        if node not in self._schedule.nodes:
            return []
        count = self._schedule.jobs_at(node)
        given_up = self._schedule.lose(node, blamed=blamed)
        self._notes.append(
            f"node {self._fleet.name(node)} lost with {count} answers, judged elsewhere: {why}"
        )
        detail = f"took down two nodes: {why}"
        return [(job.number, Judgement(outcome=Outcome.sandbox_error, detail=detail)) for job in given_up]

    def _admit(self) -> None:
        """Give work to nodes that became ready, and none to those that are leaving."""
        ready = self._fleet.ready()
        for node, cores in ready.items():
            if node not in self._schedule.nodes:
                self._schedule.join(node, cores)
                for kind in self._kinds:
                    self._check(node, kind)
        for node in self._schedule.nodes:
            if node not in ready:
                self._schedule.drain(node)
        self._notes += self._fleet.notes()
        if not ready and not self._fleet.may_recover():
            raise SandboxError(
                "no node is left: " + "; ".join(self._fleet.reasons()),
                hint=CUT_OFF,
            )

    def _with_notes(self, done: Judged) -> Judged:
        if not self._notes or not done:
            return done
        number, judgement = done[0]
        trouble = "; ".join([*self._notes, *filter(None, [judgement.trouble])])
        self._notes.clear()
        return [(number, msgspec.structs.replace(judgement, trouble=trouble)), *done[1:]]


def _bytes(job: Job) -> int:
    return len(job.given if isinstance(job.given, str) else job.given.text)


def kind_of(job: Job) -> str:
    """Return the dependency profile or the language that a job needs; empty for any node."""
    spec = job.criterion.spec
    if isinstance(spec, ProgramSpec):
        return spec.environment
    if isinstance(spec, SuiteSpec):
        return spec.suites[0].lang
    return spec.suite.lang if isinstance(spec, SuiteAnswerSpec) else ""


def needs_of(kind: str) -> NodeNeeds | None:
    """Return the needs of a kind of jobs, in addition to a sandbox; None if there are none."""
    if kind in registry.RUNNERS:
        return needs_here([kind])
    return needs_here(profiles=[kind]) if kind in BUILT_IN else None


def _no_node(kind: str) -> Judgement:
    return Judgement(outcome=Outcome.sandbox_error, detail=f"no node can execute {kind}")
