"""Gerrit as a source of events: recorded pages in a folder, or a server through its REST API.

`gerrit:FOLDER` reads pages of `/changes/` or of `gerrit query --format=JSON`. `gerrit:https://HOST/PROJECT`
asks the server, newest changes first. A change is stored with the time of its last update, as events whose
texts are already cleaned; the next call fetches the changes that were updated since.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple, Protocol
from urllib.parse import quote, urlencode, urlsplit

import msgspec

from benchwright.display.escape import escaped_name, escaped_path
from benchwright.errors import DataError, RunError, UsageError
from benchwright.http_client import MAX_WAIT_S, REPORTED_WAIT_S, HttpReply, WaitingClock
from benchwright.records import Drop, Record, full_document
from benchwright.sources.event_maker import EventMaker, checked, utc_time
from benchwright.sources.events import Cleaner, RepoEvent
from benchwright.sources.gerrit_events import events_of_change
from benchwright.sources.gerrit_pages import GUARD, change_of, listed, project_of
from benchwright.sources.github.client import TRIES, GitHubConnection, NoReplyError, wait_after
from benchwright.sources.source_options import source_options
from benchwright.store.files import open_binary
from benchwright.store.strict_json import JsonOrigin, parse_value
from benchwright.store.writing import read_records, write_json, write_records

SOURCE = "gerrit"
MAX_PAGE_FILE = 256 << 20
PAGE = 100
_OPTIONS = ("ALL_REVISIONS", "ALL_COMMITS", "ALL_FILES", "MESSAGES", "DETAILED_LABELS", "DETAILED_ACCOUNTS")
_QUERY_PATH = "/q/project:"
_PROJECT = re.compile(r"[\w.@+-]+(?:/[\w.@+-]+)*")
_DIGITS = re.compile(r"\D")
_CLOCK = WaitingClock()
_MAX_PASSES = 10  # over a project that changes while it is read


def open_gerrit(rest: str, *, licences: Collection[str] = ()) -> RecordedGerrit | GerritServer:
    """Open `FOLDER`, `FILE`, `https://HOST/PROJECT` or `https://HOST/PREFIX/q/project:PROJECT`.

    `,licence=SPDX` states the licence of the texts. Raises UsageError for anything else.
    """
    options = source_options(rest, ("licence",), example="gerrit:https://HOST/PROJECT,licence=MIT")
    place, licence = options.place, options.get("licence")
    if not place.startswith(("https://", "http://")):
        return RecordedGerrit(Path(place), licence=licence)
    parts = urlsplit(place)
    prefix, marker, project = parts.path.partition(_QUERY_PATH)
    if not marker:
        prefix, project = "", parts.path
    project = project.strip("/")
    if parts.query or parts.fragment or parts.username or not _PROJECT.fullmatch(project):
        hint = f"gerrit:https://HOST/PROJECT; below a path: gerrit:https://HOST/PATH{_QUERY_PATH}PROJECT"
        raise UsageError(f"not a project on a Gerrit server: {escaped_name(place, 200)}", hint=hint)
    address = f"{parts.scheme}://{parts.netloc}{prefix.rstrip('/')}"
    return GerritServer(address, project, licence=licence)


class RecordedGerrit:
    """Pages in files. Of a change that is on several pages, the one that was updated last counts."""

    def __init__(self, place: Path, *, licence: str = "") -> None:
        """Raises UsageError if there is no such file or folder, or no file in it."""
        self._licence = licence
        if not place.exists():
            raise UsageError(f"no file or folder at {escaped_path(place)}", hint="gerrit:FOLDER with pages")
        self._files = (
            [place] if place.is_file() else sorted(each for each in place.iterdir() if each.is_file())
        )
        if not self._files:
            raise UsageError(f"{escaped_path(place)} is empty", hint="save pages of /changes/ in it")

    def events(self, folder: Path, clean: Cleaner, tell: Callable[[str], None]) -> Iterator[RepoEvent | Drop]:
        """Yield the events of all changes, in the order of the pages."""
        newest: dict[tuple[str, int], tuple[str, str]] = {}
        for place, data in self._changes():
            if isinstance(data, dict):
                key = _key(data)
                newest[key] = max(newest.get(key, ("", "")), (_updated(data), place))
        for place, data in self._changes():
            if isinstance(data, DataError):
                yield Drop(unit=place, reason="page_unreadable", detail=data.message)
            elif newest[_key(data)][1] != place:
                yield Drop(
                    unit=place,
                    reason="duplicate_change",
                    detail=f"a later state of change {_key(data)[1]} is used",
                )
            else:
                maker = EventMaker(SOURCE, project_of(data), clean, self._licence)
                yield from converted(data, maker, JsonOrigin(*_origin(place)))

    def _changes(self) -> Iterator[tuple[str, dict[str, Any] | DataError]]:
        for path in self._files:
            name = escaped_path(path.name)
            with open_binary(path) as stream:
                data = stream.read(MAX_PAGE_FILE + 1)
            if len(data) > MAX_PAGE_FILE:
                yield f"{name}:1", DataError(f"more than {MAX_PAGE_FILE:,} bytes", path=name)
                continue
            for count, (line, each) in enumerate(listed(data, name)):
                yield f"{name}:{line}:{count}", each


def _origin(place: str) -> tuple[str, int]:
    path, line, _ = place.rsplit(":", 2)
    return path, int(line)


def _key(data: dict[str, Any]) -> tuple[str, int]:
    number = data.get("_number", data.get("number", 0))
    return project_of(data), int(number) if isinstance(number, int | str) and str(number).isdecimal() else 0


def _updated(data: dict[str, Any]) -> str:
    return utc_time(data.get("updated", data.get("lastUpdated")))


def converted(
    data: dict[str, Any],
    maker: EventMaker,
    origin: JsonOrigin,
    *,
    comments: dict[str, Any] | None = None,
    host: str = "",
) -> Iterator[RepoEvent | Drop]:
    """The events of one listed change; a change that cannot be read is one drop."""
    try:
        change = change_of(data, origin, comments=comments, host=host)
    except DataError as error:
        yield maker.drop(
            f"{origin.path}:{origin.line}", "change_unreadable", f"{error.field}: {error.message}"
        )
        return
    yield from checked(maker, events_of_change(change, maker), change.pull)


class _Connection(Protocol):
    def __enter__(self) -> _Connection: ...
    def __exit__(self, *exc: object) -> None: ...
    def get(self, url: str) -> HttpReply: ...


class GerritCursor(Record, frozen=True, kw_only=True):
    """The fetched changes: all up to `until`; in an unfinished pass, those from `top` to `before`."""

    until: str = ""
    top: str = ""
    before: str = ""


class GerritServer:
    """One project on a server."""

    def __init__(
        self,
        address: str,
        project: str,
        *,
        licence: str = "",
        clock: WaitingClock = _CLOCK,
        connect: Callable[[str], Any] = lambda address: GitHubConnection(
            address, {"accept": "application/json"}
        ),
    ) -> None:
        self.address, self.project, self.licence = address, project, licence
        self._offline, self._clock, self._connect = False, clock, connect

    def go_offline(self) -> None:
        """Use the stored changes only, and send no request."""
        self._offline = True

    def events(self, folder: Path, clean: Cleaner, tell: Callable[[str], None]) -> Iterator[RepoEvent | Drop]:
        """Fetch what is new, then yield the events of all stored changes in the order of their numbers."""
        store = _ChangeStore(
            folder / "gerrit" / quote(f"{urlsplit(self.address).netloc}/{self.project}", safe="")
        )
        if not self._offline:
            with self._connect(self.address) as connection:
                _Fetch(self, _Asker(connection, self._clock, tell), store, clean, self._clock).run()
        elif not store.cursor().until:
            hint = "run once without --offline"
            raise RunError(f"{self.address}: the changes of {self.project} are not stored", hint=hint)
        yield from store.all()


class _ChangeStore:
    """The stored changes of one project: a file of events and one of drops for each change."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "changes"
        self._cursor = folder / "cursor.json"
        self._names: dict[int, str] | None = None

    def cursor(self) -> GerritCursor:
        if not self._cursor.exists():
            return GerritCursor()
        return msgspec.json.decode(self._cursor.read_bytes(), type=GerritCursor)

    def move(self, cursor: GerritCursor) -> None:
        self._cursor.parent.mkdir(parents=True, exist_ok=True)
        write_json(self._cursor, full_document(cursor))

    def has(self, number: int, updated: str) -> bool:
        return self._stored_stems().get(number) == _stem(number, updated)

    def put(self, number: int, updated: str, items: list[RepoEvent | Drop]) -> None:
        """Store a change. What an earlier state had and this one lacks was deleted on the server."""
        events = [each for each in items if isinstance(each, RepoEvent)]
        before = self._stored_stems().get(number)
        if before is not None:
            events += _deleted(self._events(before), events)
        stem = _stem(number, updated)
        self._folder.mkdir(parents=True, exist_ok=True)
        write_records(self._folder / f"{stem}.drops", [each for each in items if isinstance(each, Drop)])
        write_records(self._folder / f"{stem}.jsonl", events)
        self._stored_stems()[number] = stem
        if before not in (None, stem):
            (self._folder / f"{before}.jsonl").unlink(missing_ok=True)
            (self._folder / f"{before}.drops").unlink(missing_ok=True)

    def all(self) -> Iterator[RepoEvent | Drop]:
        for _, stem in sorted(self._stored_stems().items()):
            yield from self._events(stem)
            yield from read_records(self._folder / f"{stem}.drops", Drop)

    def _events(self, stem: str) -> list[RepoEvent]:
        return list(read_records(self._folder / f"{stem}.jsonl", RepoEvent))

    def _stored_stems(self) -> dict[int, str]:
        """The newest stored state of each change, by number; a kill may have left an older one."""
        if self._names is None:
            stems = (
                sorted(each.stem for each in self._folder.glob("*.jsonl")) if self._folder.is_dir() else []
            )
            self._names = {int(stem.partition("-")[0]): stem for stem in stems}
        return self._names


def _stem(number: int, updated: str) -> str:
    return f"{number:09d}-{_DIGITS.sub('', updated)}"


def _deleted(before: list[RepoEvent], now: list[RepoEvent]) -> Iterator[RepoEvent]:
    subjects = {each.subject for each in now}
    for each in before:
        if each.kind == "deleted":
            yield each
        elif each.kind in ("remark", "suggestion", "comment") and each.subject not in subjects:
            yield RepoEvent(
                id=each.id.replace(f":{each.kind}:", ":deleted:", 1),
                repo=each.repo,
                kind="deleted",
                at="",
                subject=each.subject,
                pull=each.pull,
                source=each.source,
                source_id=each.source_id,
            )


class _Asker:
    """Requests with retries, and the guard removed from replies."""

    def __init__(self, connection: Any, clock: WaitingClock, tell: Callable[[str], None]) -> None:
        self._connection, self._clock, self._tell = connection, clock, tell

    def json(self, url: str) -> Any:
        """The value of a reply. Raises RunError if there is none, or DataError if it is not JSON."""
        body = self._reply(url).body
        if not body.startswith(GUARD):
            raise DataError(
                "not a reply of Gerrit's REST API", path=url, hint="check the address of the server"
            )
        return parse_value(body.removeprefix(GUARD).strip(), JsonOrigin(url, 1), surrogates="replace")

    def _reply(self, url: str) -> HttpReply:
        why = ""
        for attempt in range(TRIES):
            try:
                reply = self._connection.get(url)
            except NoReplyError as error:
                why, wait = str(error), wait_after(HttpReply(503, {}, b""), attempt=attempt, now=0.0)
            else:
                if reply.status == 200:
                    return reply  # type: ignore[no-any-return]
                why = f"HTTP {reply.status}"
                wait = wait_after(reply, attempt=attempt, now=self._clock.now())
            if wait is None or wait > MAX_WAIT_S or attempt == TRIES - 1:
                break
            if wait > REPORTED_WAIT_S:
                self._tell(f"{urlsplit(url).netloc}: {why}; waiting {wait:.0f} s")
            self._clock.sleep(wait)
        raise RunError(f"{url}: {why}", hint="progress is saved; run the same command to resume")


class _Page(NamedTuple):
    changes: list[dict[str, Any]]
    more: bool


class _Fetch:
    """Fetches all changes that are new or were updated since the cursor."""

    def __init__(
        self, server: GerritServer, asker: _Asker, store: _ChangeStore, clean: Cleaner, clock: WaitingClock
    ) -> None:
        self._server, self._asker, self._store = server, asker, store
        now = datetime.fromtimestamp(clock.now(), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        self._maker = EventMaker(SOURCE, server.project, clean, server.licence, now)

    def run(self) -> None:
        """Repeat passes until one finds nothing new: a change that is updated meanwhile leaves its place."""
        for _ in range(_MAX_PASSES):
            if not self._pass():
                break

    def _pass(self) -> bool:
        cursor, skip, found = self._store.cursor(), 0, False
        while True:
            page = self._page(cursor, skip)
            for data in page.changes:
                found = self._fetch(data) or found
            if not page.more:
                top = max([cursor.top, cursor.until, *map(_stamp, page.changes)])
                self._store.move(GerritCursor(until=top))
                return found
            last = _stamp(page.changes[-1])
            # Pages may end with the same time: the next one then skips the rows before.
            skip = skip + len(page.changes) if last == cursor.before else 0
            top = cursor.top or _stamp(page.changes[0])
            cursor = GerritCursor(until=cursor.until, top=top, before=last)
            self._store.move(cursor)

    def _page(self, cursor: GerritCursor, skip: int) -> _Page:
        terms = [f'project:"{self._server.project}"']
        terms += [f'after:"{cursor.until}"'] if cursor.until else []
        terms += [f'before:"{cursor.before}"'] if cursor.before else []
        query = [("q", " ".join(terms)), ("n", str(PAGE)), *(("o", each) for each in _OPTIONS)]
        query += [("S", str(skip))] if skip else []
        url = f"{self._server.address}/changes/?{urlencode(query)}"
        value = self._asker.json(url)
        if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
            raise DataError("not a list of changes", path=url)
        return _Page(value, bool(value) and value[-1].get("_more_changes") is True)

    def _fetch(self, data: dict[str, Any]) -> bool:
        """Store a change; whether it was new."""
        number, updated = _key(data)[1], _stamp(data)
        if self._store.has(number, updated):
            return False
        comments = None
        if data.get("total_comment_count") != 0:
            name = quote(f"{self._server.project}~{number}", safe="~")
            comments = self._asker.json(f"{self._server.address}/changes/{name}/comments")
        origin = JsonOrigin(f"{self._server.address}/{number}", 1)
        items = converted(data, self._maker, origin, comments=comments or None, host=self._server.address)
        self._store.put(number, updated, list(items))
        return True


def _stamp(data: dict[str, Any]) -> str:
    """The time of the last update as the server writes it, which queries accept."""
    found = data.get("updated")
    return found if isinstance(found, str) else ""
