"""Cleaned replies, threads and events of one repository in a SQLite file, so that nothing is fetched twice.

A page and the cursor after it are written in one transaction, and so are the events of a thread and the
mark that it was visited. SQLite, because files have no transaction over several of them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Self

import msgspec

from benchwright.display.escape import escaped_path, quoted
from benchwright.errors import RunError
from benchwright.records import Drop, Record
from benchwright.sources.events import RepoEvent
from benchwright.sources.github.reply_pages import RepliesPage, slot_of
from benchwright.sources.github.thread_events import DELETABLE, JoinedThread, final_id

VERSION = 1
_SCHEMA = """
CREATE TABLE IF NOT EXISTS pages (
    key TEXT PRIMARY KEY, thread INTEGER NOT NULL, visit TEXT NOT NULL, etag TEXT NOT NULL,
    modified TEXT NOT NULL, body BLOB NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS by_thread ON pages (thread);
CREATE TABLE IF NOT EXISTS threads (
    number INTEGER PRIMARY KEY, is_pull INTEGER NOT NULL, listed TEXT NOT NULL, visited TEXT NOT NULL,
    body BLOB NOT NULL
);
CREATE TABLE IF NOT EXISTS events (
    slot TEXT NOT NULL, rank INTEGER NOT NULL, thread INTEGER NOT NULL, id TEXT NOT NULL, body BLOB NOT NULL,
    PRIMARY KEY (slot, rank)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS events_by_thread ON events (thread);
CREATE TABLE IF NOT EXISTS marks (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
"""
# Without a wait for the disk at each page: a kill loses nothing, a power cut at most the last pages.
_MODE = "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
_BUSY_S = 30.0
# A member of its name is only in pages with drops; within a string its quotes would be escaped.
_WITH_DROPS = """SELECT body FROM pages WHERE instr(body, CAST('"drops":' AS BLOB)) > 0 ORDER BY key"""


class ConfirmedPage(NamedTuple):
    """A page with what a conditional request for it needs. `visit` is the visit that last confirmed it."""

    page: RepliesPage
    visit: str
    etag: str = ""
    modified: str = ""


class ListedThread(Record, frozen=True, kw_only=True):
    """An issue or pull request in the list of a repository; `page` has the drafts of an issue."""

    number: int
    is_pull: bool
    listed: str  # time of its last change, as listed
    comments: int = 0
    page: RepliesPage


class ReplyStore:
    """The store of one repository. A write is complete or has not happened. Raises RunError."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with self._explained():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(path, timeout=_BUSY_S, isolation_level=None)
            version = self._database.execute("PRAGMA user_version").fetchone()[0]
            if version not in (0, VERSION):
                raise sqlite3.DatabaseError(f"it has format {version}, not {VERSION}")
            self._database.executescript(f"{_MODE}{_SCHEMA}PRAGMA user_version={VERSION};")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._database.close()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """One transaction; an exception undoes it."""
        with self._explained():
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._database.execute("ROLLBACK")
                raise
            self._database.execute("COMMIT")

    def mark(self, name: str) -> str:
        """A mark, such as the cursor; empty if it is not set."""
        row = self._row("SELECT value FROM marks WHERE name = ?", name)
        return str(row[0]) if row else ""

    def set_marks(self, marks: Mapping[str, str]) -> None:
        """Set marks inside a transaction."""
        self._database.executemany("INSERT OR REPLACE INTO marks VALUES (?, ?)", list(marks.items()))

    def page(self, key: str) -> ConfirmedPage | None:
        """The stored page of a request; None if there is none."""
        row = self._row("SELECT body, visit, etag, modified FROM pages WHERE key = ?", key)
        return ConfirmedPage(msgspec.json.decode(row[0], type=RepliesPage), *row[1:]) if row else None

    def keep_page(self, key: str, thread: int, stored: ConfirmedPage) -> None:
        """Write a page inside a transaction."""
        body = msgspec.json.encode(stored.page)
        row = (key, thread, stored.visit, stored.etag, stored.modified, body)
        self._database.execute("INSERT OR REPLACE INTO pages VALUES (?, ?, ?, ?, ?, ?)", row)

    def confirm_page(self, key: str, visit: str) -> None:
        """Note inside a transaction that the server still has a page unchanged."""
        self._database.execute("UPDATE pages SET visit = ? WHERE key = ?", (visit, key))

    def forget_pages(self, prefix: str, *, but: str) -> None:
        """Remove pages of earlier visits whose key starts so, inside a transaction."""
        limits = (prefix, prefix + "\uffff", but)
        self._database.execute("DELETE FROM pages WHERE key >= ? AND key < ? AND visit <> ?", limits)

    def list_thread(self, thread: ListedThread) -> None:
        """Write a listed thread inside a transaction; `visited` stays."""
        row = (thread.number, thread.is_pull, thread.listed, msgspec.json.encode(thread))
        self._database.execute(
            "INSERT INTO threads VALUES (?, ?, ?, '', ?) ON CONFLICT (number) DO UPDATE SET "
            "is_pull = excluded.is_pull, listed = excluded.listed, body = excluded.body",
            row,
        )

    def unvisited(self) -> list[int]:
        """The numbers of threads that have changed since they were visited."""
        with self._explained():
            rows = self._database.execute(
                "SELECT number FROM threads WHERE listed <> visited ORDER BY number"
            )
            return [number for (number,) in rows]

    def thread(self, number: int) -> ListedThread:
        """A listed thread."""
        row = self._row("SELECT body FROM threads WHERE number = ?", number)
        if row is None:
            raise ValueError(f"thread {number} is not listed")
        return msgspec.json.decode(row[0], type=ListedThread)

    def settle(self, thread: int, found: JoinedThread, *, fetched_at: str, visited: str = "") -> None:
        """Write the events of a thread as it is now, inside a transaction: revisions and deletions are added.

        Thread 0 is the repository itself.
        """
        latest = self._latest(thread)
        for slot, event in found.events.items():
            self._revise(slot, thread, latest.get(slot), event, found.edited.get(event.subject, ""))
        if found.complete:
            removed = {slot: each for slot, each in latest.items() if slot not in found.events}
            for slot, event in removed.items():
                if slot.partition(":")[0] in DELETABLE and event.kind != "deleted":
                    self._insert(slot, thread, _deletion(event, fetched_at))
        self._database.execute("UPDATE threads SET visited = ? WHERE number = ?", (visited, thread))

    def _latest(self, thread: int) -> dict[str, RepoEvent]:
        """The last revision of each event of a thread."""
        rows = self._database.execute(
            "SELECT slot, body FROM events WHERE thread = ? ORDER BY slot, rank", (thread,)
        )
        return {slot: msgspec.json.decode(body, type=RepoEvent) for slot, body in rows}

    def _revise(self, slot: str, thread: int, last: RepoEvent | None, event: RepoEvent, edited: str) -> None:
        event_id = final_id(event)
        if last is None:
            self._insert(slot, thread, msgspec.structs.replace(event, id=event_id))
            return
        if event_id == last.id.partition("~")[0]:
            return
        rank = last.subject_rank + 1
        at = edited if edited and event.text != last.text and last.kind != "deleted" else event.at
        known = self._row("SELECT 1 FROM events WHERE slot = ? AND id = ?", slot, event_id)
        event_id = f"{event_id}~{rank}" if known else event_id  # an edit was undone
        self._insert(slot, thread, msgspec.structs.replace(event, id=event_id, at=at, subject_rank=rank))

    def _insert(self, slot: str, thread: int, event: RepoEvent) -> None:
        row = (slot, event.subject_rank, thread, event.id, msgspec.json.encode(event))
        self._database.execute("INSERT INTO events VALUES (?, ?, ?, ?, ?)", row)

    def events(self) -> Iterator[RepoEvent]:
        """All revisions of all events, by thread and time."""
        with self._explained():
            threads = self._database.execute("SELECT DISTINCT thread FROM events ORDER BY thread").fetchall()
        for (thread,) in threads:
            with self._explained():
                rows = self._database.execute("SELECT body FROM events WHERE thread = ?", (thread,))
                stored = [msgspec.json.decode(body, type=RepoEvent) for (body,) in rows]
            yield from sorted(stored, key=lambda each: (each.at, slot_of(each), each.subject_rank))

    def drops(self) -> Iterator[Drop]:
        """The drops of all pages, by page."""
        with self._explained():
            rows = self._database.execute(_WITH_DROPS).fetchall()
        for (body,) in rows:
            yield from msgspec.json.decode(body, type=RepliesPage).drops

    def _row(self, statement: str, *given: object) -> tuple[Any, ...] | None:
        with self._explained():
            row: tuple[Any, ...] | None = self._database.execute(statement, given).fetchone()
            return row

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError, msgspec.DecodeError) as error:
            message = f"the stored replies {escaped_path(self.path)} cannot be used: {error}"
            raise RunError(message, hint=f"fetch them again: rm {quoted(self.path)}*") from error


def _deletion(event: RepoEvent, fetched_at: str) -> RepoEvent:
    """The event that the subject is gone; the platform has no time for it."""
    rank = event.subject_rank + 1
    return RepoEvent(
        id=f"{event.id}:deleted~{rank}",
        repo=event.repo,
        kind="deleted",
        at="",
        subject=event.subject,
        pull=event.pull,
        source=event.source,
        source_id=event.source_id,
        fetched_at=fetched_at,
        licence=event.licence,
        subject_rank=rank,
    )
