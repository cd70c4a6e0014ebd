"""The nodes of a cluster, probed all at once: what each has, and whether it may judge for this driver."""

from __future__ import annotations

import time
from concurrent.futures import Future, wait
from functools import partial

import msgspec

from benchwright.cluster.probe import NodeFacts, NodeNeeds, ProbeActor, needs_here, refusal
from benchwright.cluster.session import ClusterSession, NodeAddress
from benchwright.records import Record

PROBE_S = 60.0  # for all nodes together; a probe takes about a second and a half
READY, REFUSED, FAILED, GONE, IDLE = "ready", "refused", "failed", "gone", "no cores"


class NodeRow(Record, frozen=True, kw_only=True):
    """A node, its facts, and whether it may judge."""

    address: NodeAddress
    state: str  # ready, refused, failed (no facts), gone (left the cluster), or no cores (takes no work)
    reason: str = ""  # where it is refused or failed
    facts: NodeFacts | None = None
    clock_s: float | None = None  # its clock minus the driver's, to about the time of a message


def probed_nodes(session: ClusterSession) -> list[NodeRow]:
    """Probe each node of a session, and compare it with this driver. A node that fails is a row, no error."""
    needs = needs_here()
    rows = [_Row(session, address) for address in session.nodes()]
    wait([row.future for row in rows if row.future is not None], timeout=PROBE_S)
    return [row.read(needs) for row in rows]


class _Row:
    def __init__(self, session: ClusterSession, address: NodeAddress) -> None:
        self.address = address
        self.future: Future[bytes] | None = None
        self._received_s = 0.0
        if address.alive and address.cores:
            self._actor = session.place(address, ProbeActor)  # ends with this row
            self.future = self._actor.probe.remote().future()
            self.future.add_done_callback(self._receive)

    def _receive(self, future: Future[bytes]) -> None:
        self._received_s = time.time()

    def read(self, needs: NodeNeeds) -> NodeRow:
        row = partial(NodeRow, address=self.address)
        if self.future is None:
            return row(state=IDLE if self.address.alive else GONE)
        if not self.future.done():
            return row(state=FAILED, reason=f"no answer in {PROBE_S:g} s")
        if (error := self.future.exception()) is not None:
            cause = getattr(error, "cause", None) or error
            return row(state=FAILED, reason=str(cause).strip().partition("\n")[0] or type(cause).__name__)
        facts = msgspec.msgpack.decode(self.future.result(), type=NodeFacts)
        why = refusal(facts, needs)
        clock_s = facts.utc_s - self._received_s
        return row(state=REFUSED if why else READY, reason=why or "", facts=facts, clock_s=clock_s)
