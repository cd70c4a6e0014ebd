"""The actors of a session: one on each node. Places them, calls them, and reports results and deaths.

A node whose actor died gets another one, which is probed like the first. A node that fails the probe, returns
a wrong canary or lets `MAX_DEATHS` actors die in a row stays out.
"""

from __future__ import annotations

import contextlib
import os
import queue
import selectors
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import msgspec

from benchwright.cluster.canaries import ProvedBatch
from benchwright.cluster.node_actor import NodeActor
from benchwright.cluster.probe import NodeFacts, needs_here, refusal
from benchwright.cluster.schedule import IN_FLIGHT
from benchwright.cluster.session import ClusterSession, NodeAddress
from benchwright.display.escape import escaped
from benchwright.errors import PrerequisiteError

MAX_DEATHS = 12  # of a node's actors without a finished batch between: enough to isolate one of 500 programs
START_S = 60.0  # the longest that nodes are waited for at the start, if one is ready
LIST_S = 2.0  # between two lists of the cluster's nodes
RETURN_S = 30.0  # so long a run without nodes waits for one
AGAIN_S = 0.2  # before another actor of a node whose actor died; doubled with each death in a row
CLOSE_S = 10.0  # time for actors to end their workers


class NodeEvent(NamedTuple):
    """A result of a node, or its loss if `result` is None. `is_death`: a batch may be the cause."""

    node: str
    number: int = 0
    result: bytes | None = None
    sent: Any = None
    why: str = ""
    is_death: bool = False


@dataclass(eq=False)
class _Member:
    address: NodeAddress
    cores: int
    actor: Any = None
    state: str = "absent"  # then starting, ready, and refused
    deaths: int = 0
    why: str = ""
    again: float = 0.0  # when an absent one may start
    facts: NodeFacts | None = None
    life: int = 0  # number of its actor: events of earlier ones do not count


class Fleet:
    """The nodes of a session. `setup` is an encoded ExecutorSetup; `most` limits the cores used on each."""

    def __init__(self, session: ClusterSession, setup: bytes, *, most: int | None = None) -> None:
        self._session, self._setup, self._most = session, setup, most
        self._needs = needs_here()
        self._members: dict[str, _Member] = {}
        self._events = queue.SimpleQueue[tuple[str, int, str, int, Any, Any]]()
        self._signal = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self._listed = 0.0
        self._alone = 0.0  # since when no node is ready
        self._notes: list[str] = []

    def start(self) -> None:
        """Start actors and wait until one is ready and all have answered, or `START_S`.

        Raises PrerequisiteError with the reason of each node if none is ready.
        """
        self._list()
        until = time.monotonic() + START_S
        while self.is_starting or (self._is_anyone_absent and not self.ready()):
            if time.monotonic() > until and (self.ready() or not self.is_starting):
                break
            list(self.wait(1.0))
        if not self.ready():
            reasons = self.reasons() or ["the cluster has no node with a core"]
            raise PrerequisiteError("no node can judge: " + "; ".join(reasons))

    @property
    def cores(self) -> int:
        """The cores of the nodes that are ready or starting."""
        return sum(each.cores for each in self._members.values() if each.state in ("ready", "starting"))

    def ready(self) -> dict[str, int]:
        """Return the cores of nodes that take batches."""
        return {name: each.cores for name, each in self._members.items() if each.state == "ready"}

    @property
    def is_starting(self) -> bool:
        """Whether a node has not answered yet."""
        return any(each.state == "starting" for each in self._members.values())

    @property
    def _is_anyone_absent(self) -> bool:
        return any(each.state == "absent" for each in self._members.values())

    def facts(self, node: str) -> NodeFacts:
        """Return what the probe of a ready node found."""
        facts = self._members[node].facts
        assert facts is not None, "a ready node was probed"
        return facts

    def name(self, node: str) -> str:
        """Return a node's name for people."""
        return f"{escaped(self._members[node].address.host)} ({node[:8]})"

    def reasons(self) -> list[str]:
        """Return why each node that is out is out."""
        return [f"{self.name(node)}: {each.why}" for node, each in self._members.items() if each.why]

    def notes(self) -> list[str]:
        """Return and forget what people should know."""
        notes, self._notes = self._notes, []
        return notes

    def may_recover(self) -> bool:
        """Whether a node may yet become ready. Only for callers that found none ready."""
        return self.is_starting or time.monotonic() - self._alone < RETURN_S

    def send(self, node: str, number: int, jobs: bytes, sent: ProvedBatch) -> None:
        """Send a batch; its result comes as an event, with `sent`."""
        self._call(node, "judge", number, sent, jobs)

    def succeeded(self, node: str) -> None:
        """A node returned a batch with right canaries."""
        self._members[node].deaths = 0

    def remove(self, node: str, why: str) -> None:
        """Exclude a node from the rest of the command."""
        self._end(self._members[node])
        self._refuse(node, why)

    def _refuse(self, node: str, why: str) -> None:
        member = self._members[node]
        self._end(member)
        member.state, member.why = "refused", why
        self._notes.append(f"node {self.name(node)} is out: {why}")

    def wait(self, timeout_s: float, *, wake: int | None = None) -> Iterator[NodeEvent]:
        """Yield results and losses; waits for the first, for `wake` to be readable, or for the time."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._signal, selectors.EVENT_READ)
            if wake is not None:
                selector.register(wake, selectors.EVENT_READ)
            for key, _ in selector.select(timeout_s):
                with contextlib.suppress(BlockingIOError):
                    os.eventfd_read(key.fd)
        while True:
            try:
                event = self._event(*self._events.get_nowait())
            except queue.Empty:
                break
            if event is not None:
                yield event
        if time.monotonic() - self._listed > LIST_S:
            self._list()
        if self.ready():
            self._alone = time.monotonic()

    def _event(
        self, node: str, life: int, method: str, number: int, sent: Any, future: Any
    ) -> NodeEvent | None:
        member = self._members[node]
        if life != member.life:
            return None
        error = future.exception()
        if error is not None:
            return self._failed(node, member, error)
        if method == "judge":
            return NodeEvent(node, number, future.result(), sent)
        member.facts = msgspec.msgpack.decode(future.result(), type=NodeFacts)
        if why := refusal(member.facts, self._needs):
            self._refuse(node, why)
        else:
            member.state = "ready"
        return None

    def _failed(self, node: str, member: _Member, error: BaseException) -> NodeEvent:
        self._session.require_raylet()  # without it all nodes are lost, and none of them is the cause
        cause = getattr(error, "cause", None)
        is_death = cause is None
        why = escaped(str(cause or error).strip().partition("\n")[0])
        self._end(member)
        member.deaths += is_death
        if not is_death or member.deaths >= MAX_DEATHS:
            self._refuse(node, why)
        else:
            member.state, member.why = "absent", why
            member.again = time.monotonic() + min(10.0, AGAIN_S * 2**member.deaths)
        return NodeEvent(node, why=why, is_death=is_death)

    def _list(self) -> None:
        """Start actors on nodes that have none."""
        self._listed = time.monotonic()
        for address in self._session.nodes():
            member = self._members.get(address.node_id)
            if not address.alive or not address.cores:
                if member is not None and member.state == "absent":
                    member.state, member.why = "refused", "the node has left the cluster"
                continue
            if member is None:
                cores = min(address.cores, self._most or address.cores)
                member = self._members[address.node_id] = _Member(address, cores)
            if member.state == "absent" and self._listed >= member.again:
                self._place(member)

    def _place(self, member: _Member) -> None:
        member.life += 1
        actor = partial(self._session.place, member.address, NodeActor, self._setup, member.cores)
        member.actor = actor(calls=IN_FLIGHT + 1)  # `close` waits for no batch
        member.state = "starting"
        self._call(member.address.node_id, "start", 0, None)

    def _call(self, node: str, method: str, number: int, sent: Any, *args: bytes) -> None:
        member = self._members[node]
        future = getattr(member.actor, method).remote(*args).future()
        future.add_done_callback(partial(self._receive, node, member.life, method, number, sent))

    def _receive(self, node: str, life: int, method: str, number: int, sent: Any, future: Any) -> None:
        """In a thread of Ray: pass a result to the thread that waits."""
        self._events.put((node, life, method, number, sent, future))
        with contextlib.suppress(OSError):  # closed
            os.eventfd_write(self._signal, 1)

    def _end(self, member: _Member) -> None:
        if member.actor is not None:
            self._session.kill(member.actor)
            member.actor, member.life = None, member.life + 1

    def close(self) -> None:
        """End the workers of all nodes, then the actors."""
        members = [each for each in self._members.values() if each.actor is not None]
        calls = [each.actor.close.remote() for each in members]
        self._session.await_calls(calls, most_s=CLOSE_S)
        for member in members:
            self._end(member)
        os.close(self._signal)
