"""Messages between a reader of objects and its child process: a length of four bytes, then msgpack."""

from __future__ import annotations

from typing import IO

import msgspec

MAX_FRAME = 64 << 20  # bytes of one message
_LENGTH = 4
CALLS = ("parents", "lines", "diff", "changes", "blame")


class ObjectCall(msgspec.Struct, frozen=True, array_like=True):
    """A method of CloneObjects, one of CALLS, with its arguments."""

    call: str
    arguments: list[str | int]
    spaces: bool = True


class ObjectAnswer(msgspec.Struct, frozen=True, array_like=True):
    """The result of a call, or the reason and message of a MissingObjectError."""

    value: msgspec.Raw = msgspec.Raw(b"\xc0")  # nil
    reason: str = ""
    message: str = ""


def send(stream: IO[bytes], message: ObjectCall | ObjectAnswer) -> None:
    """Write one message."""
    body = msgspec.msgpack.encode(message)
    stream.write(len(body).to_bytes(_LENGTH, "big") + body)
    stream.flush()


def receive(stream: IO[bytes]) -> bytes | None:
    """Read one message; None at the end of the stream, and for a torn or too large message."""
    head = stream.read(_LENGTH)
    size = int.from_bytes(head, "big")
    if len(head) < _LENGTH or size > MAX_FRAME:
        return None
    body = stream.read(size)
    return body if len(body) == size else None
