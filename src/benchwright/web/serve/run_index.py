"""The index of the runs in the served folders: found again, read when they change, and stored.

The folders are the truth. A row is written again when inode, time or size of a file of its run differs, so
the index can be deleted. Runs without a score are followed as the live view follows them.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import msgspec
from sqlalchemy import delete, insert, select
from sqlalchemy.orm import Session

from benchwright.display.escape import escaped_path, quoted
from benchwright.errors import UsageError
from benchwright.running.listing import find_run_folders
from benchwright.store.atomic_files import is_locked
from benchwright.version import VERSION
from benchwright.web.core.child_process import FAILURES, ChildProcess
from benchwright.web.core.database import Database, DatabaseUnavailable
from benchwright.web.serve.figures_process import ReadReply, ReadRequest
from benchwright.web.serve.index_records import DAMAGED, GONE, NEWER, STOPPED, IndexedRun, shown_text
from benchwright.web.serve.tables import RUNS
from benchwright.web.view.board import RunBoard
from benchwright.web.view.follower import RunFollower, run_name

LOG = logging.getLogger("benchwright.web")
COMMAND = (sys.executable, "-m", "benchwright.web.serve.figures_process")
READ_S = 600.0  # for one run, or for the figures of one leaderboard
IDLE_S = 10.0  # after which the process that reads runs is ended
SCAN_S = 2.0  # between two searches for changes
LOOK_S = 0.05  # between two looks whether the first search is done
BATCH = 16  # runs that are stored in one transaction
_FILES = ("run.json", "scores.json", "verdicts.jsonl", "answers.jsonl")


class SeenFolder(NamedTuple):
    """A run folder at one moment."""

    key: str
    path: Path
    name: str
    stamp: str
    is_complete: bool  # it has a score, and no process writes to it


class FolderProblem(NamedTuple):
    """A served folder that cannot be searched."""

    path: str
    why: str
    hint: str


class IndexState(NamedTuple):
    """The index at one moment; `version` changes with every change."""

    version: int
    runs: dict[str, IndexedRun]
    pending: int  # folders that are still to be read
    problems: tuple[FolderProblem, ...]


class RunIndex:
    """All runs of the served folders. Used in one event loop."""

    def __init__(
        self,
        tops: Sequence[Path],
        database: Database,
        *,
        clock: Callable[[], float] = time.monotonic,
        child: ChildProcess | None = None,
    ) -> None:
        self.tops = tuple(tops)
        self.board = RunBoard(*tops, key_of=folder_key)
        self.child = child or ChildProcess(COMMAND, timeout_s=READ_S, idle_s=IDLE_S)
        self._database, self._clock = database, clock
        self._stamps: dict[str, str] = {}
        self._runs: dict[str, IndexedRun] = {}
        self._problems: tuple[FolderProblem, ...] = ()
        self._unstored: tuple[FolderProblem, ...] = ()  # why runs that were read could not be stored
        self._version = self._pending = 0
        self._is_loaded = self._has_searched = False
        self._searched: float | None = None
        self._task: asyncio.Task[None] | None = None

    @property
    def state(self) -> IndexState:
        """The index as it is now."""
        return IndexState(self._version, self._runs, self._pending, self._problems + self._unstored)

    @property
    def age_s(self) -> float | None:
        """Seconds since the last search started or ended; None before the first one ended."""
        if not self._has_searched or self._searched is None:
            return None
        return self._clock() - self._searched

    async def current(self) -> IndexState:
        """The index as it is; it waits for the first search only. Starts a search if the last one is old."""
        now = self._clock()
        if self._task is None and (self._searched is None or now - self._searched >= SCAN_S):
            self._searched = now
            self._task = asyncio.create_task(self._update())
            self._task.add_done_callback(self._search_ended)
        while not self._has_searched and self._task is not None:
            await asyncio.wait({self._task}, timeout=LOOK_S)
        return self.state

    async def complete(self) -> IndexState:
        """The index after all changes were read."""
        self._searched = None
        await self.current()
        while self._task is not None:
            await asyncio.wait({self._task})
            await asyncio.sleep(0)
        return self.state

    async def contestants(self, keys: Sequence[str]) -> list[bytes]:
        """The packed contestants of these runs, in this order."""

        def read(session: Session) -> dict[str, bytes]:
            rows = session.execute(select(RUNS.c.key, RUNS.c.contestant).where(RUNS.c.key.in_(keys)))
            return {row.key: row.contestant for row in rows}

        found = await self._database.read(read)
        return [found[key] for key in keys if key in found]

    def _search_ended(self, task: asyncio.Task[None]) -> None:
        self._task, self._searched = None, self._clock()
        error = None if task.cancelled() else task.exception()
        if error is not None:
            LOG.error("the run folders could not be searched", exc_info=error)
        unstored = _storage_problem(error)
        if unstored != self._unstored:
            self._unstored = unstored
            self._version += 1

    async def _update(self) -> None:
        if not self._is_loaded:
            await self._load()
        seen, problems = await asyncio.to_thread(_search, self.tops)
        if problems != self._problems:
            self._problems = problems
            self._version += 1
        changed = [each for each in seen if self._stamps.get(each.key) != each.stamp or not each.is_complete]
        await self._note_gone(seen)
        complete = [each for each in changed if each.is_complete]
        self._pending = len(complete)
        await asyncio.to_thread(self._follow, [each for each in changed if not each.is_complete])
        self._has_searched = True
        for start in range(0, len(complete), BATCH):
            await self._read(complete[start : start + BATCH])

    async def _load(self) -> None:
        def read(session: Session) -> list[tuple[str, str, bytes]]:
            rows = session.execute(select(RUNS.c.key, RUNS.c.stamp, RUNS.c.facts))
            return [(key, stamp, facts) for key, stamp, facts in rows]

        for key, stamp, facts in await self._database.read(read):
            try:
                self._runs[key] = msgspec.json.decode(facts, type=IndexedRun)
                self._stamps[key] = stamp
            except msgspec.MsgspecError:
                continue  # an earlier version wrote it: the folder is read again
        self._is_loaded = True
        self._version += 1

    async def _read(self, batch: Sequence[SeenFolder]) -> None:
        rows: list[tuple[SeenFolder, IndexedRun, bytes]] = []
        for each in batch:
            facts, packed = await self._read_one(each)
            rows.append((each, facts, packed))
            self._pending -= 1
        await self._database.write(lambda session: _store(session, rows))
        for each, facts, _ in rows:
            self._put(each.key, facts, each.stamp)

    async def _read_one(self, seen: SeenFolder) -> tuple[IndexedRun, bytes]:
        request = ReadRequest(path=os.fsencode(seen.path), key=seen.key, name=seen.name)
        try:
            reply = msgspec.json.decode(await self.child.reply(request), type=ReadReply)
        except FAILURES as error:
            reply = ReadReply(error=f"the process that reads it ended: {type(error).__name__}")
        if reply.facts is not None:
            facts = msgspec.structs.replace(reply.facts, is_read_only=_is_read_only(seen.path))
            return facts, reply.contestant
        return _problem(seen, reply), b""

    def _follow(self, unfinished: Sequence[SeenFolder]) -> None:
        for each in unfinished:
            facts = self.board.with_run(each.key, partial(_live_facts, each))
            self._stamps.pop(each.key, None)  # it is read as soon as it is complete, also if no file changes
            if facts is not None and facts != self._runs.get(each.key):
                self._put(each.key, facts, "")

    async def _note_gone(self, seen: Sequence[SeenFolder]) -> None:
        here = {each.key for each in seen}
        missing = [key for key, run in self._runs.items() if key not in here and run.state != GONE]
        if not missing:
            return
        places = {each.stamp: each for each in seen}
        for key in missing:
            moved = places.get(self._stamps.get(key, ""))
            old = self._runs[key]
            why = "The folder does not exist any more."
            unread = next((each for each in self._problems if _is_within(old.path, each.path)), None)
            if unread is not None:
                why = f"{unread.path}: {unread.why}"
            elif moved is not None:
                why = f"The folder was moved to {escaped_path(moved.path)}."
            self._put(key, msgspec.structs.replace(old, state=GONE, why=why, hint=""), "")
        await self._database.write(
            lambda session: session.execute(delete(RUNS).where(RUNS.c.key.in_(missing)))
        )

    def _put(self, key: str, facts: IndexedRun, stamp: str) -> None:
        self._runs = {**self._runs, key: facts}
        self._stamps[key] = stamp
        self._version += 1


def folder_key(path: Path, _top: Path | None = None) -> str:
    """The key of a run in addresses: a digest of its absolute path."""
    return hashlib.sha256(os.fsencode(path.resolve())).hexdigest()[:12]


def _search(tops: Sequence[Path]) -> tuple[list[SeenFolder], tuple[FolderProblem, ...]]:
    seen: dict[str, SeenFolder] = {}
    problems = []
    for top in tops:
        try:
            os.scandir(top).close()
            for path in sorted(find_run_folders(top)):
                each = _look(path, top, several=len(tops) > 1)
                seen.setdefault(each.key, each)
        except UsageError as error:
            problems.append(FolderProblem(escaped_path(top), error.message, error.hint or ""))
        except OSError as error:
            why = f"cannot be read: {error.strerror}"
            problems.append(FolderProblem(escaped_path(top), why, f"ls -ld {quoted(top)}"))
    return list(seen.values()), tuple(problems)


def _is_within(path: str, top: str) -> bool:
    return f"{path}/".startswith(f"{top.rstrip('/')}/")


def _look(path: Path, top: Path, *, several: bool) -> SeenFolder:
    name = run_name(path, top)
    stamps = [*(_stamp(path / each) for each in _FILES), *(["read-only"] if _is_read_only(path) else [])]
    is_complete = stamps[1] != "-" and not is_locked(path)
    display_name = f"{escaped_path(top.resolve().name)}/{name}" if several and path != top else name
    return SeenFolder(folder_key(path), path, display_name, " ".join(stamps), is_complete)


def _stamp(path: Path) -> str:
    try:
        found = path.stat()
    except OSError:
        return "-"
    return f"{found.st_ino}:{found.st_mtime_ns}:{found.st_size}"


def _is_read_only(path: Path) -> bool:
    return not os.access(path, os.W_OK)


def _problem(seen: SeenFolder, reply: ReadReply) -> IndexedRun:
    state, why, hint = DAMAGED, reply.error, reply.hint
    if reply.written_by:
        state = NEWER
        why = f"Benchwright {reply.written_by} wrote it, and version {VERSION} cannot read it: {why}"
        hint = "update Benchwright on the server"
    return IndexedRun(
        key=seen.key, path=escaped_path(seen.path), name=seen.name, state=state, why=why, hint=hint
    )


def _live_facts(seen: SeenFolder, run: RunFollower) -> IndexedRun:
    """The facts of a run without a score."""
    state, manifest = run.state, run.manifest
    identity = manifest.get("identity", {})
    judging = identity.get("judging")
    return IndexedRun(
        key=seen.key,
        path=escaped_path(seen.path),
        name=seen.name,
        state=STOPPED if state.state == "finished" else state.state,
        why=shown_text(state.why),
        is_read_only=_is_read_only(seen.path),
        judging=judging if isinstance(judging, int) else 0,
        model=shown_text(manifest.get("model")),
        title=shown_text(manifest.get("name")),
        started=shown_text(manifest.get("started")),
        planned=state.planned,
        answers=state.answered,
        judged=state.judged,
        outcomes=dict(state.outcomes),
        cost=state.cost,
        track=shown_text(identity.get("track")),
        data=shown_text(identity.get("data")),
        profile=shown_text(identity.get("profile")),
        form=shown_text(identity.get("form")),
    )


def _storage_problem(error: BaseException | None) -> tuple[FolderProblem, ...]:
    if not isinstance(error, DatabaseUnavailable):
        return ()
    return (FolderProblem("index of the runs", error.message, error.hint or ""),)


def _store(session: Session, rows: Sequence[tuple[SeenFolder, IndexedRun, bytes]]) -> None:
    session.execute(delete(RUNS).where(RUNS.c.key.in_([each.key for each, _, _ in rows])))
    session.execute(insert(RUNS), [_row(*each) for each in rows])


def _row(seen: SeenFolder, facts: IndexedRun, packed: bytes) -> dict[str, object]:
    names = ("key", "path", "state", "track", "data", "profile", "form", "judging", "model")
    fields = {name: getattr(facts, name) for name in names}
    return {**fields, "stamp": seen.stamp, "facts": msgspec.json.encode(facts), "contestant": packed}
