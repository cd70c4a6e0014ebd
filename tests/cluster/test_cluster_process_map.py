"""Parts made on nodes: in order, of lost actors again, and the original error of a part that fails. No Ray."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest

from benchwright.building.engine.process_map import map_parts
from benchwright.cluster import process_map
from benchwright.cluster.node_actor import PartActor
from benchwright.cluster.session import NodeAddress
from benchwright.errors import DataError
from benchwright.records import Drop, Record


class Number(Record, frozen=True, kw_only=True):
    """A record of a part."""

    value: int


class Numbers(Record, frozen=True, kw_only=True):
    """A part that makes some numbers, a drop, and fails at a negative start."""

    gives: ClassVar[type[Record]] = Number
    start: int

    def made(self) -> Iterator[Any]:
        if self.start < 0:
            raise DataError(f"no numbers from {self.start}")
        yield Number(value=self.start)
        yield Drop(unit=str(self.start), reason="odd")
        yield Number(value=self.start + 1)


class Actors:
    """A session with two nodes. `dies` returns whether an actor dies at its call with this number."""

    def __init__(self, dies: tuple[int, ...] = ()) -> None:
        self.calls, self.dies = 0, dies

    def nodes(self) -> list[NodeAddress]:
        return [NodeAddress(node_id=name, host=name, cores=2, alive=True) for name in ("a", "b")]

    def place(self, node: NodeAddress, actor_class: type, *args: Any) -> Any:
        actor = PartActor(*args)
        return SimpleNamespace(make=SimpleNamespace(remote=lambda body: self._call(actor, body)))

    def _call(self, actor: PartActor, body: bytes) -> Any:
        future: Future[bytes] = Future()
        self.calls += 1
        if self.calls in self.dies:
            future.set_exception(RuntimeError("the actor died"))
        else:
            future.set_result(actor.make(body))
        return SimpleNamespace(future=lambda: future)

    def kill(self, actor: Any) -> None: ...


def made(monkeypatch: pytest.MonkeyPatch, actors: Actors, starts: list[int]) -> list[Any]:
    """The records of parts, by the map."""

    @contextmanager
    def opened(address: str, *, trusted: bool) -> Iterator[Actors]:
        yield actors

    monkeypatch.setattr(process_map, "shared_session", opened)
    monkeypatch.setattr(process_map, "WORTH_S", 0.0)
    return list(process_map.spread_on_ray(Numbers(start=start) for start in starts))


@pytest.mark.parametrize("dies", [(), (1,), (2, 3), (1, 2, 3, 4), (5, 9, 11, 12, 13)])
def test_records_come_in_the_order_of_their_parts(
    monkeypatch: pytest.MonkeyPatch, dies: tuple[int, ...]
) -> None:
    """However many actors die: others make their parts, and at last this process."""
    starts = list(range(0, 60, 3))
    actors = Actors(dies)

    assert made(monkeypatch, actors, starts) == list(map_parts(Numbers(start=each) for each in starts))
    assert actors.calls >= min(len(starts), 4)


def test_a_part_that_fails_raises_its_error_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """After the records of the parts before it."""
    with pytest.raises(DataError, match="no numbers from -1"):
        made(monkeypatch, Actors(), [0, 3, -1, 6])
