"""Runs of a test session: each made once, by whichever process needs it first."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchwright.api.arguments import errors_in_python
from benchwright.api.running import COMMAND, carry_out, checked_arguments, plan_of
from benchwright.api.runs import StoredRun
from benchwright.running.run_folders import folder_name
from benchwright.store.writing import make_parents


class SessionRuns:
    """Makes runs in run folders below `parent`, and returns the same run for the same arguments.

    With `fresh`, answers of earlier sessions are not taken from the cache, unless a call says `cache=True`.
    """

    def __init__(self, parent: Path, *, fresh: bool = False) -> None:
        self._parent, self._fresh = parent, fresh
        self._runs: dict[str, StoredRun] = {}

    def run(self, *args: Any, **kwargs: Any) -> StoredRun:
        """Return the run of these arguments of `benchwright.run`. Raises a BenchwrightError."""
        given = dict(checked_arguments(*args, **kwargs))
        if self._fresh and given["cache"] is None:
            given["cache"] = False
        key = repr(sorted(given.items()))
        if key not in self._runs:
            self._runs[key] = self._run(given)
        return self._runs[key]

    def _run(self, given: Mapping[str, Any]) -> StoredRun:
        plan = plan_of(**given)
        name = folder_name(plan.track.name, plan.model.spec, plan.identity)
        out = given["out"] or self._parent / name
        with _turn(self._parent / f".{name}.lock"), errors_in_python(COMMAND):
            return carry_out(plan, {**given, "out": out})


@contextmanager
def _turn(path: Path) -> Iterator[None]:
    """Wait until no other process makes the same run; it is then only read."""
    make_parents(path)
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)
