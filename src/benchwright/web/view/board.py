"""All run folders below one folder: found again while they are added and removed, each with its follower."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Collection
from pathlib import Path
from typing import TypeVar

from benchwright.errors import UsageError
from benchwright.running.listing import find_run_folders
from benchwright.web.view.follower import RunFollower, run_name

MOST_RUNS = 1000  # the first by path; a page of more is not readable
SEARCH_S = 2.0  # between two searches for folders
REFRESH_S = 0.2  # between two readings of one run

T = TypeVar("T")


class RunBoard:
    """The runs of a folder, by keys that stay the same. All methods may be called by several threads."""

    def __init__(
        self,
        *tops: Path,
        clock: Callable[[], float] = time.monotonic,
        key_of: Callable[[Path, Path], str] | None = None,
    ) -> None:
        """`key_of` makes the key of a run in addresses, from its folder and the one it was found in."""
        self.top, self._tops, self._clock = tops[0], tops, clock
        self._key_of = key_of or run_key
        self._names: dict[str, str] = {}
        self._lock = threading.RLock()
        self._runs: dict[str, RunFollower] = {}
        self._read_at: dict[str, float] = {}
        self._searched: float | None = None
        self.has_more = False  # whether there are more runs than are shown

    def with_runs(
        self, use: Callable[[dict[str, RunFollower]], T], *, among: Collection[str] | None = None
    ) -> T:
        """The result of a function of all runs by key, or of those `among` these, each refreshed."""
        with self._lock:
            self._search()
            runs = {key: run for key, run in self._runs.items() if among is None or key in among}
            for key in runs:
                self._refresh(key, rows=False)
            return use(runs)

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

    def name_of(self, key: str) -> str:
        """The name of a run on pages; empty for an unknown one."""
        with self._lock:
            return self._names.get(key, "")

    def path_of(self, key: str) -> Path:
        """The folder of a run. Raises KeyError for an unknown one."""
        with self._lock:
            self._search()
            return self._runs[key].path

    def peers_of(self, key: str, *, among: Collection[str] | None = None) -> dict[str, RunFollower]:
        """The other runs with answers to the same tasks: of the same track and data set, newest first.

        `among`: only these are looked at.
        """
        with self._lock:
            self._search()
            runs = {k: run for k, run in self._runs.items() if among is None or k in {key, *among}}
            for each in runs:
                self._refresh(each, rows=False)
            own = _comparable(self._runs[key])
            found = {k: run for k, run in runs.items() if k != key and _comparable(run) == own}
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
        paths = [(path, top) for top in self._tops for path in _folders_in(top)]
        self.has_more = len(paths) > MOST_RUNS
        keys = {self._key_of(path, top): path for path, top in paths[:MOST_RUNS]}
        self._names = {self._key_of(path, top): run_name(path, top) for path, top in paths[:MOST_RUNS]}
        self._runs = {key: self._runs.get(key) or RunFollower(path) for key, path in keys.items()}
        self._read_at = {key: at for key, at in self._read_at.items() if key in keys}


def _folders_in(top: Path) -> list[Path]:
    try:
        return sorted(find_run_folders(top))
    except UsageError:  # it was removed, or does not exist yet
        return []


def run_key(path: Path, top: Path) -> str:
    """The key of a run in addresses, a digest of its path, so that no address can name a file."""
    return hashlib.sha256(bytes(path.relative_to(top))).hexdigest()[:12]


def _comparable(run: RunFollower) -> tuple[str, str]:
    identity = run.manifest.get("identity", {})
    return str(identity.get("track")), str(identity.get("data"))
