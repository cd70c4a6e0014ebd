"""The process that walks over the history of one clone; it reads a `WalkRequest` from standard input.

All commits that the references lead to are found first, without their files, and sorted by committer time and
id. Then each new one is written with its files, so the order depends on the history alone. With `list_above`,
many new ones are only listed, to be read by further requests that name them in `commits`.
"""

from __future__ import annotations

import resource
import signal
import sys
from pathlib import Path

import msgspec
import pygit2

from benchwright.sandbox.inside import linux
from benchwright.sources.clones import check_enclosed, open_objects
from benchwright.sources.history_objects import HistoryObjects
from benchwright.sources.history_records import (
    LENGTH,
    WalkedList,
    WalkLimits,
    WalkMessage,
    WalkRequest,
    WalkSummary,
)
from benchwright.store.process_limits import lower

_LISTED = 10_000  # commits of one list: half a megabyte
_ENCODE = msgspec.msgpack.Encoder().encode


def main() -> int:
    """Write all messages; a clone that cannot be read at all raises."""
    wish = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=WalkRequest)
    _limit(wish.limits)
    path = Path(wish.path)
    check_enclosed(path)
    objects = HistoryObjects(open_objects(path), wish.limits, comments=wish.comments)
    signal.alarm(wish.limits.graph_seconds)
    for message in objects.references(wish.references):
        _send(message)
    order = objects.history(wish.references.values()) if wish.commits is None else wish.commits
    known = frozenset(wish.known)
    new = [sha for sha in order if sha not in known]
    if wish.list_above is not None and len(new) > wish.list_above:
        for start in range(0, len(new), _LISTED):
            _send(WalkedList(new[start : start + _LISTED]))
        new = []
    for sha in new:
        signal.alarm(wish.limits.commit_seconds)
        _send(objects.commit(sha))
        _send(objects.files(sha))
    _send(WalkSummary(len(order), objects.gaps))
    return 0


def _limit(limits: WalkLimits) -> None:
    linux.die_with_parent()
    lower(resource.RLIMIT_AS, limits.memory)
    lower(resource.RLIMIT_CORE, 0)
    lower(resource.RLIMIT_FSIZE, 0)  # it writes to its pipe alone
    pygit2.settings.cache_max_size(8 << 20)
    pygit2.settings.mwindow_size = 4 << 20
    pygit2.settings.mwindow_mapped_limit = 16 << 20


def _send(message: WalkMessage) -> None:
    body = _ENCODE(message)
    sys.stdout.buffer.write(len(body).to_bytes(LENGTH, "big") + body)
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    sys.exit(main())
