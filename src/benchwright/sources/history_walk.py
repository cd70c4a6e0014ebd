"""A bounded walk over all commits of a clone with their files and patches, in a child process.

Objects from strangers are parsed by native code, so a child process reads them, with limits on memory, time
and sizes. The child names each commit before it reads the files. If it dies, that commit is a gap, and
another child reads the rest.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

import msgspec

from benchwright.display.escape import escaped_name, quoted
from benchwright.sources.clones import CloneError, load_pygit2
from benchwright.sources.history_records import (
    LENGTH,
    MAX_FRAME,
    Gap,
    WalkedCommit,
    WalkedFiles,
    WalkedReference,
    WalkMessage,
    WalkRequest,
    WalkSummary,
)

MAX_DEATHS = 20  # of children in one walk
_CHILD = (sys.executable, "-P", "-m", "benchwright.sources.history_walk_child")
_KEPT_VARIABLES = ("HOME", "PATH", "LANG", "LC_ALL", "TMPDIR", "PYTHONPATH", "PYTHONHOME", "LD_LIBRARY_PATH")
_DECODE = msgspec.msgpack.Decoder(WalkMessage).decode


def walk(request: WalkRequest) -> Iterator[WalkMessage]:
    """All references, then each new commit followed by its files, by committer time and id; then the summary.

    Above `list_above` new commits come in lists. A list may come again after the death of a child.

    Raises CloneError if the history cannot be read at all, or if children die again and again.
    """
    load_pygit2()  # raises PrerequisiteError if it is missing
    known = list(request.known)
    for death in range(MAX_DEATHS):
        open_commit, sent = "", False
        for message in _child(msgspec.structs.replace(request, known=known)):
            if isinstance(message, WalkedCommit):
                known.append(message.sha)
                open_commit = message.sha
            elif isinstance(message, WalkedFiles):
                open_commit = ""
            elif death and isinstance(message, WalkedReference):
                continue  # sent by an earlier child
            yield message
            if isinstance(message, WalkSummary):
                return
            sent = True
        if not (open_commit or sent):
            break
        if open_commit:
            yield WalkedFiles(open_commit, [], [Gap("reader_died", detail="its files could not be read")])
    raise CloneError("the process that reads the history died", reason="damaged", path=Path(request.path))


def _child(request: WalkRequest) -> Iterator[WalkMessage]:
    """The messages of one child until it ends or dies. Raises CloneError with its complaint."""
    environment = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
    with TemporaryFile() as complaint, TemporaryFile() as given:
        given.write(msgspec.msgpack.encode(request))
        given.seek(0)
        with subprocess.Popen(
            _CHILD, stdin=given, stdout=subprocess.PIPE, stderr=complaint, env=environment
        ) as child:
            try:
                assert child.stdout
                yield from _messages(child.stdout)
            except BaseException:
                child.kill()
                raise
        if child.returncode > 0:
            raise _walk_error(complaint, request)


def _messages(stream: IO[bytes]) -> Iterator[WalkMessage]:
    """The messages up to the end of the stream; a torn last one is left out. Raises CloneError."""
    while len(head := stream.read(LENGTH)) == LENGTH:
        size = int.from_bytes(head, "big")
        if size > MAX_FRAME:
            raise CloneError(f"a message of {size:,} bytes while reading the history", reason="damaged")
        if len(body := stream.read(size)) < size:
            return
        yield _DECODE(body)


def _walk_error(complaint: IO[bytes], request: WalkRequest) -> CloneError:
    complaint.seek(0)
    lines = complaint.read(4000).decode("utf-8", "replace").split("\n")
    last_line = escaped_name(next((line for line in reversed(lines) if line.strip()), "no reason given"), 300)
    hint = f"git -C {quoted(request.path)} fsck"
    message = f"its history cannot be read: {last_line}"
    return CloneError(message, reason="damaged", path=Path(request.path), hint=hint)
