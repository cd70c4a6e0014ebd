"""The objects of a clone, read in a child process with limits on memory and time.

Native code parses objects from strangers. If an object kills the child, the call raises MissingObjectError
with the reason "reader_died", and the next call starts another child.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Self

import msgspec

from benchwright.sources.clone_objects import MissingObjectError
from benchwright.sources.clones import CloneError, check_enclosed, load_pygit2, open_objects
from benchwright.sources.diff_records import FileDiff
from benchwright.sources.object_messages import ObjectAnswer, ObjectCall, receive, send

MAX_DEATHS = 20  # of children of one reader
_CHILD = (sys.executable, "-P", "-m", "benchwright.sources.object_reader_child")
_KEPT_VARIABLES = ("HOME", "PATH", "LANG", "LC_ALL", "TMPDIR", "PYTHONPATH", "PYTHONHOME", "LD_LIBRARY_PATH")
_ANSWER = msgspec.msgpack.Decoder(ObjectAnswer)


class ObjectReader:
    """The methods of CloneObjects, in a child process; a context manager, which ends the child.

    Raises CloneError for a folder that is not a clone, and if children die again and again.
    """

    def __init__(self, path: Path) -> None:
        load_pygit2()  # raises PrerequisiteError if it is missing
        check_enclosed(path)
        open_objects(path)
        self._path = path
        self._child: subprocess.Popen[bytes] | None = None
        self._deaths = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the child, if it runs."""
        child, self._child = self._child, None
        if child is not None:
            child.kill()
            child.communicate()

    def parents(self, commit: str) -> list[str]:
        """Return the parents of a commit, the first one first."""
        found: list[str] = self._ask(list[str], "parents", commit)
        return found

    def lines(self, commit: str, path: str) -> list[str] | None:
        """Return the lines of a file; None if the commit has no such file."""
        found: list[str] | None = self._ask(list[str] | None, "lines", commit, path)
        return found

    def diff(self, old: str, new: str, path: str, *, spaces: bool = True) -> FileDiff | None:
        """Return the changes of a file and its later path; None if nothing changed."""
        found: FileDiff | None = self._ask(FileDiff | None, "diff", old, new, path, spaces=spaces)
        return found

    def changes(self, old: str, new: str) -> list[FileDiff]:
        """Return the changes of all files between two commits."""
        found: list[FileDiff] = self._ask(list[FileDiff], "changes", old, new)
        return found

    def blame(self, commit: str, path: str, first: int, last: int) -> list[str]:
        """Return the commits that wrote lines of a file, in the order of the lines."""
        found: list[str] = self._ask(list[str], "blame", commit, path, first, last)
        return found

    def _ask(self, gives: Any, call: str, *arguments: str | int, spaces: bool = True) -> Any:
        answer = self._answer(ObjectCall(call, list(arguments), spaces))
        if answer is None:
            self._count_death()
            raise MissingObjectError(f"{call} {arguments[0]}: the reader died", reason="reader_died")
        found = _ANSWER.decode(answer)
        if found.reason:
            raise MissingObjectError(found.message, reason=found.reason)
        return msgspec.msgpack.decode(found.value, type=gives)

    def _answer(self, call: ObjectCall) -> bytes | None:
        child = self._running()
        assert child.stdin is not None and child.stdout is not None
        try:
            send(child.stdin, call)
            return receive(child.stdout)
        except BrokenPipeError:
            return None
        except BaseException:
            self.close()  # an interrupt: the pending answer would be taken for the next call's
            raise

    def _running(self) -> subprocess.Popen[bytes]:
        if self._child is None:
            environment = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
            self._child = subprocess.Popen(
                (*_CHILD, str(self._path)),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environment,
            )
        return self._child

    def _count_death(self) -> None:
        self.close()
        self._deaths += 1
        if self._deaths >= MAX_DEATHS:
            message = "the process that reads its objects died again and again"
            raise CloneError(message, reason="damaged", path=self._path)
