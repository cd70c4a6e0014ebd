"""Messages between the runner and its workers: length-prefixed MessagePack on a pair of pipes."""

from __future__ import annotations

from typing import BinaryIO

import msgspec

from benchwright.contracts import CallSpec
from benchwright.judges.python import Judgement
from benchwright.records import Record
from benchwright.sandbox.limits import Limits


class Setup(Record, frozen=True, kw_only=True):
    """The first message to a worker."""

    jail: str
    limits: Limits
    core: int | None = None  # the one core to stay on


class Work(Record, frozen=True, kw_only=True):
    """A program to judge. `spec` is None when it is that of the message before."""

    number: int
    program: str
    spec: CallSpec | None = None


class Done(Record, frozen=True, kw_only=True):
    """A judgement; `error` instead when the worker's sandbox failed three times."""

    number: int
    judgement: Judgement | None = None
    error: str = ""


def frame(message: Record) -> bytes:
    """The bytes of one message."""
    body = msgspec.msgpack.encode(message)
    return len(body).to_bytes(4, "little") + body


def read(stream: BinaryIO) -> bytes | None:
    """The body of the next message; None at the end, also where a message was cut by its writer's death."""
    head = stream.read(4)
    if len(head) < 4:
        return None
    size = int.from_bytes(head, "little")
    body = stream.read(size)
    return body if len(body) == size else None
