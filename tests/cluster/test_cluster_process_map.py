"""Parts made on nodes: in order, of lost actors again, and the original error of a part that fails. No Ray."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest

from benchwright.building.engine.process_map import StagePart, map_parts
from benchwright.cluster import process_map
from benchwright.cluster.clone_copies import PREFIX, clone_key
from benchwright.cluster.node_actor import PartActor
from benchwright.cluster.session import NodeAddress
from benchwright.errors import DataError
from benchwright.records import Drop, Record
from kit.made_histories import HistoryMaker


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


class CloneFiles(Record, frozen=True, kw_only=True):
    """A part that reads a clone: the size of its objects."""

    gives: ClassVar[type[Record]] = Number
    folder: str
    first: str

    def moved(self, folder: str) -> CloneFiles:
        return CloneFiles(folder=folder, first=self.folder)

    def made(self) -> Iterator[Any]:
        assert clone_key(self.folder)
        assert Path(self.folder, "config").exists() == (self.folder == self.first)
        yield Number(value=sum(each.stat().st_size for each in Path(self.folder, "objects").rglob("*/*")))


class Actors:
    """A session with two nodes. `dies` returns whether an actor dies at its call with this number.

    The nodes in `apart` have other files.
    """

    def __init__(self, dies: tuple[int, ...] = (), *, apart: str = "") -> None:
        self.calls, self.dies, self.apart = 0, dies, apart
        self.kept = list[str]()  # the node of each call that keeps pieces
        self.killed = 0

    def nodes(self) -> list[NodeAddress]:
        return [NodeAddress(node_id=name, host=name, cores=2, alive=True) for name in ("a", "b")]

    def place(self, node: NodeAddress, actor_class: type, *args: Any) -> Any:
        actor = PartActor(args[0], args[1] + node.node_id)

        def keep(name: str, pieces: Any) -> str:
            self.kept.append(node.node_id)
            return actor.keep(name, pieces)

        def has_clone(folder: str, key: str) -> bool:
            return node.node_id not in self.apart and actor.has_clone(folder, key)

        made = {"make": actor.make, "keep": keep, "has_clone": has_clone, "close": actor.close}
        return SimpleNamespace(
            **{name: SimpleNamespace(remote=partial(self._call, work)) for name, work in made.items()}
        )

    def _call(self, work: Callable[..., Any], *given: Any) -> Any:
        future: Future[Any] = Future()
        self.calls += 1
        if self.calls in self.dies:
            future.set_exception(RuntimeError("the actor died"))
        else:
            future.set_result(work(*given))
        return SimpleNamespace(future=lambda: future)

    def await_calls(self, calls: list[Any], *, most_s: float) -> None: ...

    def kill(self, actor: Any) -> None:
        self.killed += 1


def made(monkeypatch: pytest.MonkeyPatch, actors: Actors, parts: Iterable[StagePart]) -> list[Any]:
    """The records of parts, by the map."""

    @contextmanager
    def opened(address: str, *, trusted: bool) -> Iterator[Actors]:
        yield actors

    monkeypatch.setattr(process_map, "shared_session", opened)
    monkeypatch.setattr(process_map, "WORTH_S", 0.0)
    return list(process_map.spread_on_ray(parts))


@pytest.mark.parametrize("dies", [(), (1,), (2, 3), (1, 2, 3, 4), (5, 9, 11, 12, 13)])
def test_records_come_in_the_order_of_their_parts(
    monkeypatch: pytest.MonkeyPatch, dies: tuple[int, ...]
) -> None:
    """However many actors die: others make their parts, and at last this process."""
    starts = list(range(0, 60, 3))
    actors = Actors(dies)

    assert made(monkeypatch, actors, (Numbers(start=each) for each in starts)) == list(
        map_parts(Numbers(start=each) for each in starts)
    )
    assert actors.calls >= min(len(starts), 4)


def test_a_part_that_fails_raises_its_error_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """After the records of the parts before it."""
    with pytest.raises(DataError, match="no numbers from -1"):
        made(monkeypatch, Actors(), (Numbers(start=each) for each in (0, 3, -1, 6)))


@pytest.mark.parametrize("dies", [(), (2,), (3, 4)])
@pytest.mark.parametrize("apart", ["", "b", "ab"])
def test_nodes_with_other_files_get_copies(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, apart: str, dies: tuple[int, ...]
) -> None:
    """Each node once for each clone, without the configuration; a lost process changes nothing.

    Copies are removed at the end, and those of killed processes by the next map.
    """
    (tmp_path / "t").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "t"))
    abandoned = tmp_path / "t" / f"{PREFIX}0"
    abandoned.mkdir()
    clones = []
    for number in (1, 2):
        history = HistoryMaker(tmp_path / f"{number}.git")
        history.point("refs/heads/main", history.line(number)[-1])
        clones.append(str(history.path))
    parts = [CloneFiles(folder=clone, first=clone) for clone in clones for _ in range(8)]
    actors = Actors(dies, apart=apart)

    assert made(monkeypatch, actors, parts) == list(map_parts(parts, processes=1))
    assert abandoned.exists() == (not actors.kept)
    if not dies:
        assert {node: actors.kept.count(node) for node in apart} == dict.fromkeys(apart, 2)
        assert actors.killed == 4
        assert list((tmp_path / "t").glob(f"{PREFIX}[1-9a-f]*")) == []
