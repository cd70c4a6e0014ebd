"""The process that reads objects of the clone that its argument names; see `object_reader`."""

from __future__ import annotations

import resource
import signal
import sys
from pathlib import Path
from typing import Any

import msgspec
import pygit2

from benchwright.sandbox.inside import linux
from benchwright.sources.clone_objects import CloneObjects, MissingObjectError
from benchwright.sources.object_messages import CALLS, ObjectAnswer, ObjectCall, receive, send
from benchwright.store.process_limits import lower

MEMORY = 2 << 30
CALL_SECONDS = 60


def main() -> int:
    """Answer calls until the standard input ends."""
    _limit()
    objects = CloneObjects(Path(sys.argv[1]))
    decode = msgspec.msgpack.Decoder(ObjectCall).decode
    while (body := receive(sys.stdin.buffer)) is not None:
        signal.alarm(CALL_SECONDS)
        answer = _answer(objects, decode(body))
        signal.alarm(0)
        send(sys.stdout.buffer, answer)
    return 0


def _answer(objects: CloneObjects, call: ObjectCall) -> ObjectAnswer:
    if call.call not in CALLS:
        raise ValueError(f"unknown call: {call.call}")
    options: dict[str, Any] = {"spaces": call.spaces} if call.call == "diff" else {}
    try:
        value = getattr(objects, call.call)(*call.arguments, **options)
    except MissingObjectError as error:
        return ObjectAnswer(reason=error.reason, message=error.message)
    return ObjectAnswer(msgspec.Raw(msgspec.msgpack.encode(value)))


def _limit() -> None:
    linux.die_with_parent()
    lower(resource.RLIMIT_AS, MEMORY)
    lower(resource.RLIMIT_CORE, 0)
    lower(resource.RLIMIT_FSIZE, 0)  # it writes to its pipe alone
    pygit2.settings.cache_max_size(8 << 20)
    pygit2.settings.mwindow_size = 4 << 20
    pygit2.settings.mwindow_mapped_limit = 32 << 20


if __name__ == "__main__":
    sys.exit(main())
