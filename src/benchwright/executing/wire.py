"""Messages between the runner and its workers: length-prefixed MessagePack on a pair of pipes."""

from __future__ import annotations

import marshal
import os
from collections.abc import Iterator

import msgspec

from benchwright.contracts import Criterion, Job, Judgement, Spec
from benchwright.errors import DataError
from benchwright.records import Answer, Record, Task
from benchwright.sandbox.limits import Limits
from benchwright.sandbox.untrusted import CHECK_CPU_S, READ_CPU_S


class WorkerSetup(Record, frozen=True, kw_only=True):
    """The first message to a worker."""

    jail: str
    limits: Limits
    core: int | None = None  # None: any core
    track: str = ""  # name in the registry of the track that reads answers; empty if all jobs are programs
    form: str | None = None  # of the track; None: its default
    read_cpu_s: float = READ_CPU_S
    check_cpu_s: float = CHECK_CPU_S
    page: int = -1  # descriptor of the shared memory with the worker's phase: see `PhasePage`


class SentCriterion(Record, frozen=True, kw_only=True):
    """A `Criterion` in a message. The task is marshalled, because its integers may exceed MessagePack's.

    `spec` stays packed until the judge that `judge` names defines its type.
    """

    judge: str
    spec: bytes
    profile: str = ""
    task: bytes = b""


class WorkerJob(Record, frozen=True, kw_only=True):
    """An answer or a program to judge. `criterion` is None where it equals that of the previous message."""

    number: int
    answer: Answer | None = None
    program: str = ""
    criterion: SentCriterion | None = None
    settled: Judgement | None = None  # only in batches; a worker gets no settled jobs


class WorkerResult(Record, frozen=True, kw_only=True):
    """The judgement of a job."""

    number: int
    judgement: Judgement


def send_criterion(criterion: Criterion) -> SentCriterion:
    """Encode a criterion. Raises DataError for a task with values that JSON cannot represent."""
    spec, task, profile = criterion
    try:
        body = b"" if task is None else marshal.dumps(msgspec.structs.asdict(task))
    except ValueError:
        raise DataError(f"task {task and task.task_id} holds a value that no JSON file could hold") from None
    packed = msgspec.msgpack.encode(spec)
    return SentCriterion(judge=spec.judge, spec=packed, profile=profile, task=body)


def receive_criterion(sent: SentCriterion, kind: type[Spec]) -> Criterion:
    """Decode a criterion whose spec has the type `kind`.

    Only for bytes from the runner: marshal trusts them.
    """
    task = Task(**marshal.loads(sent.task)) if sent.task else None
    return Criterion(msgspec.msgpack.decode(sent.spec, type=kind), task, sent.profile)


def pack_job(job: Job, previous: Criterion | None) -> WorkerJob:
    """Encode a job, without its criterion where that is `previous`. Raises DataError."""
    sent = None if job.criterion is previous else send_criterion(job.criterion)
    if isinstance(job.given, str):
        return WorkerJob(number=job.number, program=job.given, criterion=sent, settled=job.settled)
    return WorkerJob(number=job.number, answer=job.given, criterion=sent, settled=job.settled)


def frame(message: Record) -> bytes:
    """Return the bytes of one message."""
    return framed(msgspec.msgpack.encode(message))


def framed(body: bytes) -> bytes:
    """Return the bytes of a message that is encoded already."""
    return len(body).to_bytes(4, "little") + body


def send(fd: int, message: Record) -> None:
    """Write one whole message, in several writes if the pipe is full. Raises OSError."""
    send_bytes(fd, msgspec.msgpack.encode(message))


def send_bytes(fd: int, body: bytes) -> None:
    """Do the same with an encoded message."""
    left = memoryview(framed(body))
    while left:
        left = left[os.write(fd, left) :]


def split(buffer: bytearray) -> Iterator[bytes]:
    """Yield and remove the bodies of the complete messages at the start of a buffer."""
    while len(buffer) >= 4 and len(buffer) >= (end := 4 + int.from_bytes(buffer[:4], "little")):
        body = bytes(buffer[4:end])
        del buffer[:end]
        yield body


class Inbox:
    """The messages from a pipe."""

    def __init__(self, fd: int) -> None:
        self._fd, self._buffer = fd, bytearray()

    def take(self) -> list[bytes]:
        """Wait for a message, and return the bodies of all complete ones; none at the end of input.

        A message that its writer's death truncated is dropped.
        """
        while not (bodies := list(split(self._buffer))):
            chunk = os.read(self._fd, 1 << 16)
            if not chunk:
                return []
            self._buffer += chunk
        return bodies
