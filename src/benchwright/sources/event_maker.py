"""Makes events out of parsed records: identifiers, cleaned texts, and times in UTC."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, NamedTuple
from urllib.parse import quote

from benchwright.records import Drop
from benchwright.sources.events import Cleaner, FileVersion, RemarkPlace, RepoEvent

MAX_TEXT = 1 << 18  # characters of one text; longer ones are drops
MAX_LOG = 1 << 14  # characters of a log in an event: its beginning and its end are kept
MAX_NAME = 200  # bytes of a repository's name in percent-encoding
TOO_LONG = "text_too_long"
_FRACTION = re.compile(r"[.,](\d{1,6})\d*")  # Python reads six digits of a second at most
_RAW = re.compile(r"(-?\d{9,12})(?:\.\d+)?(?: [+-]\d{4})?")  # seconds since 1970, as git stores them


class EventMaker(NamedTuple):
    """The fields that all events of one repository in one source share."""

    source: str
    repo: str
    clean: Cleaner
    licence: str = ""
    fetched_at: str = ""
    series: str = ""  # in the place of the kind in ids: events of one series without times sort by `native`

    def event(self, kind: str, native: str, *, subject: str, at: str = "", **parts: Any) -> RepoEvent:
        """Make an event; `parts` are further fields, with a login or an e-mail address as `actor`.

        Persons are replaced by pseudonyms, and texts and paths are cleaned. `native` identifies the event
        within its source, repository and kind.
        """
        for name in ("text", "replacement"):
            if parts.get(name):
                parts[name] = self.clean.text(parts[name])
        if parts.get("actor"):
            parts["actor"] = self.clean.person(parts["actor"])
        if parts.get("place") is not None:
            parts["place"] = self._place(parts["place"])
        parts["files"] = [self._file(each) for each in parts.get("files", ())]
        return RepoEvent(
            id=f"{self.source}:{self.repo}:{self.series or kind}:{native}",
            repo=self.repo,
            kind=kind,
            subject=subject,
            at=at,
            source=self.source,
            source_id=native,
            licence=self.licence,
            fetched_at=self.fetched_at,
            **parts,
        )

    def drop(self, unit: str, reason: str, detail: str = "") -> Drop:
        """Make a drop of this repository. The detail contains no text of the record."""
        return Drop(unit=f"{self.source}:{self.repo[:MAX_NAME]}:{unit}", reason=reason, detail=detail)

    def _place(self, place: RemarkPlace) -> RemarkPlace:
        clean = self.clean.text
        return RemarkPlace(
            path=clean(place.path),
            commit=place.commit,
            first=place.first,
            last=place.last,
            side=place.side,
            hunk=clean(place.hunk) if place.hunk else "",
            outdated=place.outdated,
            resolved=place.resolved,
        )

    def _file(self, file: FileVersion) -> FileVersion:
        path, old = self.clean.text(file.path), self.clean.text(file.old_path) if file.old_path else ""
        return file if (path, old) == (file.path, file.old_path) else _renamed(file, path, old)


def _renamed(file: FileVersion, path: str, old_path: str) -> FileVersion:
    fields = {name: getattr(file, name) for name in file.__struct_fields__}
    return FileVersion(**{**fields, "path": path, "old_path": old_path})


def checked(
    maker: EventMaker, made: Iterator[RepoEvent], unit: str, *, limit: int = MAX_TEXT
) -> Iterator[RepoEvent | Drop]:
    """The events of one record; one whose text is longer than the limit is a drop.

    A record of a repository whose name cannot name a folder is one drop.
    """
    for event in made:
        if not is_repository_name(event.repo):
            yield maker.drop(unit, "repo_invalid", f"{len(event.repo):,} characters; write owner/name")
            return
        if len(event.text) > limit or len(event.replacement or "") > limit:
            yield maker.drop(f"{unit}:{event.kind}", TOO_LONG, f"more than {limit:,} characters")
        else:
            yield event


def is_repository_name(name: str) -> bool:
    """Whether a name of a repository, such as owner/name, is printable and short enough for a folder.

    >>> is_repository_name("pallets/click"), is_repository_name("a" * 300), is_repository_name("")
    (True, False, False)
    """
    return 0 < len(quote(name, safe="", errors="replace")) <= MAX_NAME and name.isprintable()


def utc_time(given: object) -> str:
    """A time as ISO 8601 in UTC, to the second; empty for anything that is not a time.

    Accepts ISO 8601, with a space or a "T", and with any number of digits of a second; seconds since 1970 as
    a number or a text, such as git's `1429747815 -0700`. A time without a zone is in UTC.

    >>> utc_time("2013-02-01 09:59:32.186000000"), utc_time(1429747815), utc_time("soon")
    ('2013-02-01T09:59:32Z', '2015-04-23T00:10:15Z', '')
    """
    found = _instant(given)
    return "" if found is None else found.strftime("%Y-%m-%dT%H:%M:%SZ").rjust(20, "0")


def _instant(given: object) -> datetime | None:
    if isinstance(given, bool) or not isinstance(given, int | float | str):
        return None
    try:
        if isinstance(given, str) and not (raw := _RAW.fullmatch(given.strip())):
            return _iso(given.strip())
        seconds = float(raw[1]) if isinstance(given, str) and raw else float(given)
        return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _iso(text: str) -> datetime:
    if len(text) < len("2013-02-01"):
        raise ValueError(text)
    plain = text.removesuffix(" UTC").removesuffix(" GMT")
    found = datetime.fromisoformat(_FRACTION.sub(lambda match: "." + match[1].ljust(6, "0"), plain, count=1))
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)


def excerpt(text: str, limit: int = MAX_LOG) -> str:
    """The beginning and the end of a long log, with the number of characters between them."""
    if len(text) <= limit:
        return text
    head, tail = limit // 4, limit - limit // 4
    return f"{text[:head]}\n[… {len(text) - limit:,} characters omitted …]\n{text[-tail:]}"
