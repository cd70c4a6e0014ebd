"""Process map: the parts of a stage run in several processes, with results in the order of the parts.

The output is the same, byte for byte, on one core and on many. A part depends on nothing but itself, such as
one repository, and runs trusted code only; untrusted code belongs in the sandbox. A part that fails, or whose
process ends, is made again in the calling process, which then raises the original error.

`spread` is the whole interface. A shared mechanism could replace `_ProcessPool` if it takes
(class path, msgpack body) messages lazily, bounds those in flight, returns lists of (is drop, record) per
message, reports a lost process as a failed message, starts no sandbox, and ends with its parent.
"""

from __future__ import annotations

import os
import selectors
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterable, Iterator
from importlib import import_module
from itertools import chain
from typing import Any, ClassVar, Protocol, Self, TypeVar, runtime_checkable

import msgspec

from benchwright import registry
from benchwright.executing import wire
from benchwright.executing.executors import default_place, parse_place
from benchwright.records import Drop, Record
from benchwright.sandbox.inside import linux

WORTH_S = 1.5  # processor time of a stage before starting processes pays off
AHEAD = 4  # finished parts per process that may wait in memory for an earlier one

_START = "from benchwright.building.engine.process_map import serve_parts; serve_parts()"
T = TypeVar("T", bound=Record)


class StagePart(Protocol):
    """A record that describes one part of a stage: it makes records of the type `gives`, and drops."""

    gives: ClassVar[type[Record]]

    def made(self) -> Iterator[Any]:
        """Make the records of this part, independent of other parts."""
        ...


@runtime_checkable
class FolderPart(StagePart, Protocol):
    """A part that reads a clone. Another machine may need a copy of the clone."""

    @property
    def folder(self) -> str:
        """The folder of the clone."""
        ...

    def moved(self, folder: str) -> FolderPart:
        """The same part for a copy of the clone."""
        ...


class _PartMessage(Record, frozen=True, kw_only=True):
    kind: str  # of the part, as "module:class"
    body: bytes


class _ResultMessage(Record, frozen=True, kw_only=True):
    failed: bool = False
    records: list[tuple[bool, msgspec.Raw]] = []  # whether each is a drop


def map_parts(
    parts: Iterable[StagePart], *, processes: int | None = None, on: str | None = None
) -> Iterator[Any]:
    """The records of all parts, in order, by the process map `on`: NAME or NAME://ADDRESS.

    By default it is that of the command, and uses one process for each available core of each machine.
    A map that joins a cluster also receives its `place`.
    """
    place = parse_place(on or default_place())
    more = {"place": place} if place.address else {}
    yield from registry.find("process_map", place.name)(parts, processes=processes, **more)


def spread_locally(parts: Iterable[StagePart], *, processes: int | None = None) -> Iterator[Any]:
    """The process map `local`: processes start once the parts have taken WORTH_S of processor time."""
    processes = processes or len(os.sched_getaffinity(0))
    waiting, began = iter(parts), time.process_time()
    for part in waiting:
        if processes > 1 and time.process_time() - began >= WORTH_S:
            with _ProcessPool(processes) as team:
                yield from team.made(chain([part], waiting))
            return
        yield from part.made()


def pack_part(part: StagePart) -> bytes:
    """Encode a part for `make_part` in another process."""
    kind = type(part)
    sent = _PartMessage(kind=f"{kind.__module__}:{kind.__qualname__}", body=msgspec.msgpack.encode(part))
    return msgspec.msgpack.encode(sent)


def make_part(body: bytes) -> bytes:
    """Make a part that `pack_part` encoded. Returns a reply for `PendingPart`; only for trusted bytes."""
    return msgspec.msgpack.encode(_answer(msgspec.msgpack.decode(body, type=_PartMessage)))


class PendingPart:
    """A part that was sent to a process, and the reply."""

    def __init__(self, part: StagePart) -> None:
        self.part = part
        self.answer: bytes | None = None
        self.is_over = False

    def made(self) -> Iterator[Any]:
        """The records of the part, made here if its process failed."""
        found = (
            msgspec.msgpack.decode(self.answer, type=_ResultMessage)
            if self.answer
            else _ResultMessage(failed=True)
        )
        if found.failed:
            yield from self.part.made()
            return
        for is_drop, record in found.records:
            yield msgspec.msgpack.decode(record, type=Drop if is_drop else self.part.gives)


class _Process:
    """One process with at most one part, so neither end ever blocks on a full pipe."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            # -P: a file in the user's folder that is named like a module must not be run in its place
            [sys.executable, "-P", "-c", _START],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is handled by the parent
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._input, self.out = self._process.stdin, self._process.stdout
        self._buffer = bytearray()
        self.turn: PendingPart | None = None

    def give(self, part: StagePart) -> PendingPart:
        """Send a part. A process that has ended is detected when its output is read."""
        self.turn = PendingPart(part)
        try:
            self._input.write(wire.framed(pack_part(part)))
            self._input.flush()
        except BrokenPipeError:
            pass  # the process has ended, which take() detects
        return self.turn

    def take(self) -> bool:
        """Read available output; False if the process has ended, and its part with it."""
        data = os.read(self.out.fileno(), 1 << 20)
        self._buffer += data
        answer = next(wire.split(self._buffer), None)
        if self.turn is not None and (answer is not None or not data):
            self.turn.answer, self.turn.is_over, self.turn = answer, True, None
        return bool(data)

    def end(self) -> None:
        """Kill the process."""
        self._process.kill()
        self._process.communicate()


class _ProcessPool:
    def __init__(self, size: int) -> None:
        self._size, self._helpers = size, list[_Process]()
        self._selector = selectors.DefaultSelector()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._selector.close()
        while self._helpers:
            self._helpers.pop().end()

    def made(self, parts: Iterable[StagePart]) -> Iterator[Any]:
        """The records of all parts, in order."""
        turns: deque[PendingPart] = deque()
        for part in parts:
            while (helper := self._free()) is None or len(turns) >= AHEAD * self._size:
                self._await()
                yield from completed_parts(turns)
            turns.append(helper.give(part))
        while turns:
            yield from completed_parts(turns)
            if turns:
                self._await()

    def _free(self) -> _Process | None:
        """An idle process, started if the pool is not full; None if all are busy."""
        free = next((each for each in self._helpers if each.turn is None), None)
        if free is None and len(self._helpers) < self._size:
            free = _Process()
            self._helpers.append(free)
            self._selector.register(free.out, selectors.EVENT_READ, free)
        return free

    def _await(self) -> None:
        """Read from every process that has output."""
        for key, _ in self._selector.select():
            helper: _Process = key.data
            if not helper.take():
                self._selector.unregister(helper.out)
                self._helpers.remove(helper)
                helper.end()


def completed_parts(turns: deque[PendingPart]) -> Iterator[Any]:
    """Remove the parts at the start that are over, and yield their records."""
    while turns and turns[0].is_over:
        yield from turns.popleft().made()


def serve_parts() -> None:
    """The main loop of a process: read parts from stdin, write their records to stdout, until stdin ends."""
    linux.die_with_parent()
    target = os.dup(1)
    os.dup2(2, 1)  # output of a part must not mix with messages
    inbox = wire.Inbox(0)
    while bodies := inbox.take():
        for body in bodies:
            wire.send_bytes(target, make_part(body))


def _answer(given: _PartMessage) -> _ResultMessage:
    module, _, name = given.kind.partition(":")
    part: StagePart = msgspec.msgpack.decode(given.body, type=getattr(import_module(module), name))
    try:
        return _ResultMessage(records=[(isinstance(each, Drop), _packed(each)) for each in part.made()])
    except Exception:  # noqa: BLE001 (made once more by the one who asks, who raises it where it is seen)
        return _ResultMessage(failed=True)


def _packed(record: Record) -> msgspec.Raw:
    return msgspec.Raw(msgspec.msgpack.encode(record))
