"""All run folders below one folder: found again while they are added and removed, each with its follower."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from benchwright.errors import UsageError
from benchwright.running.listing import find_run_folders
from benchwright.web.view.follower import RunFollower

MOST_RUNS = 1000  # the first by path; a page of more is not readable
SEARCH_S = 2.0  # between two searches for folders
REFRESH_S = 0.2  # between two readings of one run

T = TypeVar("T")


class RunBoard:
    """The runs of a folder, by keys that stay the same. All methods may be called by several threads."""

    def __init__(self, top: Path, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.top, self._clock = top, clock
        self._lock = threading.RLock()
        self._runs: dict[str, RunFollower] = {}
        self._read_at: dict[str, float] = {}
        self._searched: float | None = None
        self.has_more = False  # whether there are more runs than are shown

    def with_runs(self, use: Callable[[dict[str, RunFollower]], T]) -> T:
        """The result of a function of all runs by key, each refreshed."""
        with self._lock:
            self._search()
            for key in self._runs:
                self._refresh(key, rows=False)
            return use(self._runs)

    def with_run(self, key: str, use: Callable[[RunFollower], T], *, parts: int = 1) -> T | None:
        """The result of a function of one run with its rows; None if there is no such run.

        Of a run of more than `parts` times the follower's budget, the rows read so far are there.
        """
        with self._lock:
            self._search()
            if key not in self._runs:
                return None
            self._refresh(key, rows=True)
            for _ in range(parts - 1):
                if not self._runs[key].state.is_reading:
                    break
                self._runs[key].refresh()
            return use(self._runs[key])

    def peers_of(self, key: str) -> dict[str, RunFollower]:
        """The other runs with answers to the same tasks: of the same track and data set, newest first."""
        with self._lock:
            self._search()
            for each in self._runs:
                self._refresh(each, rows=False)
            own = _comparable(self._runs[key])
            found = {k: run for k, run in self._runs.items() if k != key and _comparable(run) == own}
            return dict(
                sorted(found.items(), key=lambda item: str(item[1].manifest.get("started")), reverse=True)
            )

    def _refresh(self, key: str, *, rows: bool) -> None:
        now, run = self._clock(), self._runs[key]
        if (rows and not run.rows) or now - self._read_at.get(key, -REFRESH_S) >= REFRESH_S:
            run.refresh(rows=rows)
            self._read_at[key] = now

    def _search(self) -> None:
        now = self._clock()
        if self._searched is not None and now - self._searched < SEARCH_S:
            return
        self._searched = now
        try:
            paths = sorted(find_run_folders(self.top))
        except UsageError:  # it was removed, or does not exist yet
            paths = []
        self.has_more = len(paths) > MOST_RUNS
        keys = {run_key(path, self.top): path for path in paths[:MOST_RUNS]}
        self._runs = {key: self._runs.get(key) or RunFollower(path) for key, path in keys.items()}
        self._read_at = {key: at for key, at in self._read_at.items() if key in keys}


def run_key(path: Path, top: Path) -> str:
    """The key of a run in addresses, a digest of its path, so that no address can name a file."""
    return hashlib.sha256(bytes(path.relative_to(top))).hexdigest()[:12]


def _comparable(run: RunFollower) -> tuple[str, str]:
    identity = run.manifest.get("identity", {})
    return str(identity.get("track")), str(identity.get("data"))
