"""Open an executor by name, and pack jobs and judgements for executors that work elsewhere.

`local` is the pool of worker processes on this machine. Another package offers an executor by an entry point
of the group `benchwright.executors`: a callable that takes an `ExecutorSetup` and returns a context manager
of a `contracts.Executor`. A setup, a batch of jobs and a batch of judgements can each be sent as bytes, so
such an executor can open `local` in another process or on another machine and pass batches to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple, TypeVar

import msgspec

from benchwright import registry
from benchwright.contracts import Criterion, Executor, Job, Judgement, Spec
from benchwright.executing import wire
from benchwright.records import Record
from benchwright.sandbox.limits import Limits

T = TypeVar("T")
LOCAL = "local"
TRUST = "?trust"  # ends an address of a cluster that is used without authentication


class ExecutorSetup(Record, frozen=True, kw_only=True):
    """Settings of an executor. It names nothing of this process, so it can be sent as bytes."""

    workers: int | None = None  # executions at once on each machine; None: one for each core
    jail: str = "auto"
    limits: Limits = Limits()
    track: str = ""  # reads the answers, by its name in the registry; empty where all jobs are programs
    form: str | None = None  # of the track; None: its default
    pinned: bool = True  # False: workers may move between cores, for programs with threads of their own
    address: str = ""  # of the cluster, for executors that join one; empty: their own
    trusted: bool = False  # the cluster may be used without authentication


def open_executor(
    setup: ExecutorSetup | None = None, *, on: str | None = None
) -> AbstractContextManager[Executor]:
    """Return the executor `on`, NAME or NAME://ADDRESS; None: that of the command. To be used in `with`.

    Raises UsageError for an unknown name, and PrerequisiteError where no jail works.
    """
    place = parse_place(on or default_place())
    given = setup or ExecutorSetup()
    wanted = msgspec.structs.replace(given, address=place.address, trusted=place.trusted)
    executor: AbstractContextManager[Executor] = registry.find("executor", place.name)(wanted)
    return executor


class ExecutionPlace(NamedTuple):
    """Where executors and process maps work: a name in the registry, and the address of a cluster."""

    name: str
    address: str = ""
    trusted: bool = False


def parse_place(on: str) -> ExecutionPlace:
    """Parse NAME, NAME://ADDRESS or NAME://ADDRESS?trust.

    >>> parse_place("ray://head:6379?trust")
    ExecutionPlace(name='ray', address='ray://head:6379', trusted=True)
    >>> parse_place("local")
    ExecutionPlace(name='local', address='', trusted=False)
    """
    address = on.removesuffix(TRUST)
    name, scheme, _ = address.partition("://")
    return ExecutionPlace(name, address if scheme else "", address != on)


class _Command:
    """The place of the current command, and what its executors and process maps share."""

    def __init__(self, on: str, *, forks: bool) -> None:
        self.on, self.forks, self.stack, self.shared = on, forks, ExitStack(), dict[object, Any]()


_COMMAND: ContextVar[_Command | None] = ContextVar("command", default=None)


@contextmanager
def work_on(on: str, *, forks: bool = False) -> Iterator[None]:
    """Make `on` the default of `open_executor` and of process maps, which share a session until the end.

    `forks`: this process is that of the command alone, so that its workers may be forks of it.
    """
    command = _Command(on, forks=forks)
    with command.stack:
        token = _COMMAND.set(command)
        try:
            yield
        finally:
            _COMMAND.reset(token)


def default_place() -> str:
    """Return the place of the current command; `local` outside of `work_on`."""
    command = _COMMAND.get()
    return LOCAL if command is None else command.on


def may_fork() -> bool:
    """Return whether workers may be forks of this process."""
    command = _COMMAND.get()
    return command is not None and command.forks


@contextmanager
def shared(key: object, opener: Callable[[], AbstractContextManager[T]]) -> Iterator[T]:
    """Open something, or use what the command opened under this key, which it closes at its end."""
    command = _COMMAND.get()
    if command is None:
        with opener() as opened:
            yield opened
        return
    if key not in command.shared:
        command.shared[key] = command.stack.enter_context(opener())
    yield command.shared[key]


class _JobBatch(Record, frozen=True, kw_only=True):
    jobs: list[wire.WorkerJob]


class _JudgementBatch(Record, frozen=True, kw_only=True):
    judgements: list[tuple[int, Judgement]]


def pack_jobs(jobs: Iterable[Job]) -> bytes:
    """Encode jobs. A criterion that consecutive jobs share is encoded once.

    Raises DataError for a task that holds a value which JSON cannot represent.
    """
    packed, previous = list[wire.WorkerJob](), None
    for job in jobs:
        packed.append(wire.pack_job(job, previous))
        previous = job.criterion
    return msgspec.msgpack.encode(_JobBatch(jobs=packed))


def unpack_jobs(body: bytes) -> list[Job]:
    """Decode what `pack_jobs` returned. The judge of each spec determines its type.

    Only for bytes from a trusted driver: tasks are marshalled. Raises UsageError for an unknown judge.
    """
    jobs: list[Job] = []
    criterion: Criterion | None = None
    for work in msgspec.msgpack.decode(body, type=_JobBatch).jobs:
        if work.criterion is not None:
            criterion = wire.receive_criterion(work.criterion, _spec_type(work.criterion.judge))
        assert criterion is not None, "the first job of a batch brings its criterion"
        given = work.program if work.answer is None else work.answer
        jobs.append(Job(work.number, given, criterion, work.settled))
    return jobs


def _spec_type(judge: str) -> type[Spec]:
    spec: type[Spec] = registry.find("judge", judge).spec
    return spec


def pack_judgements(judgements: Iterable[tuple[int, Judgement]]) -> bytes:
    """Encode numbered judgements, as `Executor.judge` yields them."""
    return msgspec.msgpack.encode(_JudgementBatch(judgements=list(judgements)))


def unpack_judgements(body: bytes) -> list[tuple[int, Judgement]]:
    """Decode what `pack_judgements` returned. Safe for any bytes; raises msgspec.DecodeError."""
    return msgspec.msgpack.decode(body, type=_JudgementBatch).judgements
