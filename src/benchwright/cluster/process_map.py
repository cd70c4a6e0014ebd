"""The process map `ray`: parts of a build made on the nodes of a cluster, with results in their order.

A part that reads a clone goes to a node that has it, else the node gets a copy. A part of a lost process is
made by another one. A part that fails, or that no process is left for, is made here, which raises its error.
"""

from __future__ import annotations

import contextlib
import queue
import secrets
import time
from collections import deque
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain, islice
from typing import Any, NamedTuple

from benchwright.building.engine.process_map import (
    AHEAD,
    WORTH_S,
    FolderPart,
    PendingPart,
    StagePart,
    completed_parts,
    pack_part,
)
from benchwright.cluster.clone_copies import CloneCopies
from benchwright.cluster.node_actor import PartActor
from benchwright.cluster.session import ClusterSession
from benchwright.cluster.shared_session import shared_session
from benchwright.executing.executors import ExecutionPlace
from benchwright.version import VERSION

CLOSE_S = 10.0  # for nodes to remove their copies
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


class _Maker(NamedTuple):
    """A process on a node that makes one part at a time."""

    actor: Any
    node: str


class _PartSpread:
    """Makers for all cores of the nodes, with one part each."""

    def __init__(self, session: ClusterSession, processes: int | None) -> None:
        nodes = [each for each in session.nodes() if each.alive]
        token = secrets.token_hex(8)
        self._session = session
        self._free = [
            _Maker(session.place(node, PartActor, VERSION, token), node.node_id)
            for node in nodes
            for _ in range(min(node.cores, processes or node.cores))
        ]
        self._size = len(self._free)
        self._ended = queue.SimpleQueue[tuple[_Maker, PendingPart, Any]]()
        self._waiting = deque[PendingPart]()
        self._running: dict[int, tuple[str, str]] = {}  # node and folder, by the id of the part's turn
        self._copies = CloneCopies()

    def made(self, parts: Iterable[StagePart]) -> Iterator[Any]:
        """Yield the records of all parts, in order."""
        coming, turns = iter(parts), deque[PendingPart]()
        try:
            while True:
                room = max(1, AHEAD * self._size) - len(turns)
                new = [PendingPart(part) for part in islice(coming, max(0, room))]
                turns.extend(new)
                self._waiting.extend(new)
                self._issue()
                if not turns:
                    return
                yield from completed_parts(turns)
                if turns and not turns[0].is_over and self._running:
                    self._await()
        finally:
            self._end()

    def _issue(self) -> None:
        """Give waiting parts to free makers; without any maker left, they are over, and made here."""
        while self._waiting and self._free:
            maker = self._free.pop()
            turn = next((each for each in self._waiting if self._is_near(each.part, maker)), self._waiting[0])
            self._waiting.remove(turn)
            self._give(maker, turn)
        while self._waiting and not self._size:
            self._waiting.popleft().is_over = True

    def _is_near(self, part: StagePart, maker: _Maker) -> bool:
        """Whether a part can be made on a node without a copy of its clone."""
        return not isinstance(part, FolderPart) or self._copies.has(maker.node, part.folder)

    def _give(self, maker: _Maker, turn: PendingPart) -> None:
        part, folder = turn.part, ""
        if isinstance(part, FolderPart):
            folder = part.folder
            used = {used for node, used in self._running.values() if node == maker.node}
            try:
                part = self._copies.moved(part, maker.node, maker.actor, used=used)
            except Exception:  # noqa: BLE001 (a dead process or a full disk of the node, as Ray raises them)
                self._lose(maker, turn)
                return
        self._running[id(turn)] = maker.node, folder
        future = maker.actor.make.remote(pack_part(part)).future()
        future.add_done_callback(partial(self._receive, maker, turn))

    def _receive(self, maker: _Maker, turn: PendingPart, future: Any) -> None:
        """In a thread of Ray: pass a reply to the thread that waits."""
        self._ended.put((maker, turn, future))

    def _await(self) -> None:
        """Wait for a reply."""
        maker, turn, future = self._ended.get()
        del self._running[id(turn)]
        if future.exception() is None:
            turn.answer, turn.is_over = future.result(), True
            self._free.append(maker)
        else:
            self._lose(maker, turn)

    def _lose(self, maker: _Maker, turn: PendingPart) -> None:
        """End a maker that failed; its part is the next for another one."""
        self._session.kill(maker.actor)
        self._size -= 1
        self._waiting.appendleft(turn)

    def _end(self) -> None:
        """Remove the copies of each node, and end the makers."""
        calls = [maker.actor.close.remote() for maker in {each.node: each for each in self._free}.values()]
        with contextlib.suppress(Exception):  # of a node that was lost meanwhile
            self._session.await_calls(calls, most_s=CLOSE_S)
        for each in self._free:
            self._session.kill(each.actor)
