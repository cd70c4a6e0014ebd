"""The process map `ray`: parts of a build made on the nodes of a cluster, with results in their order.

Parts name files by their paths, so nodes need the same files there, as in a shared folder. A part that fails
on its node, or whose nodes are lost, is made in this process, which raises the original error.
"""

from __future__ import annotations

import queue
import time
from collections import deque
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain
from typing import Any

from benchwright.building.engine.process_map import (
    AHEAD,
    WORTH_S,
    PendingPart,
    StagePart,
    completed_parts,
    pack_part,
)
from benchwright.cluster.node_actor import PartActor
from benchwright.cluster.session import ClusterSession
from benchwright.cluster.shared_session import shared_session
from benchwright.executing.executors import ExecutionPlace
from benchwright.version import VERSION

_PRIVATE = ExecutionPlace("ray")


def spread_on_ray(
    parts: Iterable[StagePart], *, processes: int | None = None, place: ExecutionPlace = _PRIVATE
) -> Iterator[Any]:
    """Yield the records of all parts in order. `processes`: the maximum number on each node.

    As in the map `local`, nothing starts before the parts have taken WORTH_S of processor time.
    """
    waiting, began = iter(parts), time.process_time()
    for part in waiting:
        if time.process_time() - began >= WORTH_S:
            with shared_session(place.address, trusted=place.trusted) as session:
                yield from _PartSpread(session, processes).made(chain([part], waiting))
            return
        yield from part.made()


class _PartSpread:
    """Actors with one part each."""

    def __init__(self, session: ClusterSession, processes: int | None) -> None:
        nodes = [each for each in session.nodes() if each.alive]
        self._session = session
        self._free = [
            session.place(node, PartActor, VERSION)
            for node in nodes
            for _ in range(min(node.cores, processes or node.cores))
        ]
        self._size = len(self._free)
        self._ended = queue.SimpleQueue[tuple[Any, PendingPart, Any]]()
        self._lost: list[PendingPart] = []  # parts of lost actors, to be made by others

    def made(self, parts: Iterable[StagePart]) -> Iterator[Any]:
        """Yield the records of all parts, in order."""
        turns = deque[PendingPart]()
        try:
            for part in parts:
                while self._size and (not self._free or self._lost or len(turns) >= AHEAD * self._size):
                    self._await()
                    yield from completed_parts(turns)
                turns.append(turn := PendingPart(part))
                self._give(turn)
            while turns:
                yield from completed_parts(turns)
                if turns:
                    self._await()
        finally:
            self._end()

    def _give(self, turn: PendingPart) -> None:
        """Give a part to a free actor; without actors it is over, and made here."""
        if not self._size:
            turn.is_over = True
            return
        actor = self._free.pop()
        future = actor.make.remote(pack_part(turn.part)).future()
        future.add_done_callback(partial(self._receive, actor, turn))

    def _receive(self, actor: Any, turn: PendingPart, future: Any) -> None:
        """In a thread of Ray: pass a reply to the thread that waits."""
        self._ended.put((actor, turn, future))

    def _await(self) -> None:
        """Wait for a reply, and give lost parts to free actors."""
        actor, turn, future = self._ended.get()
        if future.exception() is None:
            turn.answer, turn.is_over = future.result(), True
            self._free.append(actor)
        else:
            self._size -= 1
            self._lost.append(turn)
        while self._lost and (self._free or not self._size):
            self._give(self._lost.pop())

    def _end(self) -> None:
        for actor in self._free:
            self._session.kill(actor)
