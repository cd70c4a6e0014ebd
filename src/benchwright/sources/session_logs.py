"""Session logs as a source of events: our documented JSON Lines, and published trajectories of agents.

`sessions:FILE|FOLDER`. The use of a log needs consent: the header of a session states it, or the option
`--consent` does for all of them. A session without either is a drop.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from benchwright.display.escape import escaped_name, escaped_path
from benchwright.errors import DataError, UsageError
from benchwright.records import Drop
from benchwright.sources.agent_trajectories import events_of_agent, is_agent_record
from benchwright.sources.event_maker import EventMaker, checked, utc_time
from benchwright.sources.events import Cleaner, RepoEvent
from benchwright.sources.session_records import SOURCE, SessionLine, steps_of_lines
from benchwright.sources.source_options import source_options
from benchwright.store.atomic_files import write_json
from benchwright.store.files import is_parquet
from benchwright.store.lenient_json import read_loose
from benchwright.store.parquet import read_parquet
from benchwright.store.scanning import UnreadableRowError
from benchwright.store.strict_json import JsonOrigin

_SUFFIXES = (".jsonl", ".json", ".traj", ".parquet", ".jsonl.gz")
GUARDS = ("", "test_split", "canary")
CONSENTS = "consents.json"  # in the source's folder of a build: the number of sessions by statement


def open_sessions(rest: str, *, licences: Collection[str] = ()) -> SessionLogs:
    """Open `FILE|FOLDER[,repo=OWNER/NAME][,licence=SPDX][,guard=test_split]`; of a folder, the logs in it.

    `guard` marks trajectories on tasks that nothing may be trained on. Raises UsageError without a file.
    """
    options = source_options(rest, ("repo", "licence", "guard"), example="sessions:FILE,repo=owner/name")
    place = Path(options.place)
    if not place.exists():
        hint = "sessions:FILE or sessions:FOLDER"
        raise UsageError(f"no file or folder at {escaped_path(place)}", hint=hint)
    files = [place]
    if place.is_dir():
        files = sorted(each for each in place.iterdir() if each.is_file() and each.name.endswith(_SUFFIXES))
    if not files:
        hint = f"logs end with {', '.join(_SUFFIXES)}"
        raise UsageError(f"{escaped_path(place)} has no session logs", hint=hint)
    if (guard := options.get("guard")) not in GUARDS:
        raise UsageError(f"guard={escaped_name(guard)}: unknown", hint="guard=test_split or guard=canary")
    repo = options.get("repo") or place.name.partition(".")[0]
    return SessionLogs(files, repo=repo, licence=options.get("licence"), guard=guard)


class _Session(NamedTuple):
    header: SessionLine
    lines: list[SessionLine]


class SessionLogs:
    """Session logs in files."""

    def __init__(self, files: list[Path], *, repo: str, licence: str = "", guard: str = "") -> None:
        self._files, self._repo, self._licence = files, repo, licence
        self._consent, self._guard = "", guard
        self._consents: dict[str, int] = {}

    def state_consent(self, consent: str) -> None:
        """State who agreed to the use of all logs without a statement."""
        self._consent = consent.strip()

    def events(self, folder: Path, clean: Cleaner, tell: Callable[[str], None]) -> Iterator[RepoEvent | Drop]:
        """Yield the events of all sessions, file by file, and write the statements of consent."""
        self._consents = {}
        maker = EventMaker(SOURCE, self._repo, clean, self._licence)
        for path in self._files:
            yield from _LogFile(path, maker, self._agreed, self._guard).events()
        stated: dict[str, int] = {}
        for consent, count in self._consents.items():
            cleaned = clean.text(consent)
            stated[cleaned] = stated.get(cleaned, 0) + count
        write_json(folder / CONSENTS, stated)

    def _agreed(self, stated: str) -> bool:
        """Whether there is consent, stated by the log or else by the caller; it is counted."""
        consent = stated.strip() or self._consent
        if consent:
            self._consents[consent] = self._consents.get(consent, 0) + 1
        return bool(consent)


class _LogFile:
    """One file, whose rows are trajectories of agents, or lines of sessions."""

    def __init__(self, path: Path, maker: EventMaker, agreed: Callable[[str], bool], guard: str) -> None:
        self._path, self._maker, self._agreed, self._guard = path, maker, agreed, guard
        self._name = escaped_path(path.name)
        self._known: dict[str, int] = {}
        self._refused: dict[str, str] = {}  # reasons, by session

    def events(self) -> Iterator[RepoEvent | Drop]:
        refused: list[DataError] = []
        session: _Session | None = None
        for line, data in self._rows(refused):
            yield from self._refusals(refused)
            try:
                if is_agent_record(data):
                    yield from self._agent(data, line)
                else:
                    step = self._line(data, line)
                    if step.kind == "session":
                        yield from self._finished(session)
                        session = None  # also if the next one is refused
                        session = self._opened(step, line)
                    elif session is None or session.header.session != step.session:
                        reason = self._refused.get(step.session, "session_unknown")
                        yield self._drop(line, reason, "its session has no header directly before it")
                    else:
                        session.lines.append(step)
            except DataError as error:
                yield from self._refusals([error])
        yield from self._refusals(refused)
        yield from self._finished(session)

    def _rows(self, refused: list[DataError]) -> Iterator[tuple[int, dict[str, Any]]]:
        rows = (
            read_parquet(self._path)
            if is_parquet(self._path)
            else read_loose(self._path, refuse=refused.append)
        )
        return ((row.line, row.data) for row in rows)

    def _agent(self, data: dict[str, Any], line: int) -> Iterator[RepoEvent | Drop]:
        stated = data.get("consent")
        if not self._agreed(stated if isinstance(stated, str) else ""):
            yield self._drop(line, "consent_missing", "no consent for the trajectory; see --consent")
            return
        name = self._path.name.removesuffix(".traj") if self._path.name.endswith(".traj") else ""
        origin = JsonOrigin(self._name, line)
        items = list(events_of_agent(data, self._maker, origin, name=name, guard=self._guard))
        unit = items[0].pull if items and isinstance(items[0], RepoEvent) else ""
        self._check_first(unit, line)
        yield from (each for each in items if isinstance(each, Drop))
        yield from checked(self._maker, (each for each in items if isinstance(each, RepoEvent)), unit)

    def _line(self, data: dict[str, Any], line: int) -> SessionLine:
        try:
            step = msgspec.convert(data, SessionLine)
        except msgspec.ValidationError as error:
            raise UnreadableRowError(
                str(error)[:200], reason="line_invalid", path=self._name, line=line
            ) from None
        if step.at and not utc_time(step.at):
            message = "at: write it as 2026-11-27T19:40:00Z"
            raise UnreadableRowError(message, reason="date_invalid", path=self._name, line=line)
        return step

    def _opened(self, header: SessionLine, line: int) -> _Session:
        self._refused.pop(header.session, None)
        self._check_first(header.session, line)
        if not self._agreed(header.consent):
            self._refused[header.session] = "consent_missing"
            message = "the header has no `consent`; see --consent"
            raise UnreadableRowError(message, reason="consent_missing", path=self._name, line=line)
        return _Session(header, [])

    def _check_first(self, session: str, line: int) -> None:
        first = self._known.setdefault(session, line)
        if first != line:
            self._refused[session] = "duplicate_session"
            message = f"line {first} has the same session"
            raise UnreadableRowError(message, reason="duplicate_session", path=self._name, line=line)

    def _finished(self, session: _Session | None) -> Iterator[RepoEvent | Drop]:
        if session is not None:
            items = steps_of_lines(session.header, session.lines, self._maker)
            yield from checked(self._maker, items, f"session:{session.header.session}")

    def _refusals(self, errors: list[DataError]) -> Iterator[Drop]:
        for error in errors:
            reason = error.reason if isinstance(error, UnreadableRowError) else "not_json"
            yield self._drop(
                error.line or 0, reason, f"{error.field}: {error.what}" if error.field else error.what
            )
        errors.clear()

    def _drop(self, line: int, reason: str, detail: str) -> Drop:
        return Drop(unit=f"{self._name}:{line}", reason=reason, detail=detail)
