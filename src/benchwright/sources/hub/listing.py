"""Pages of a hub's list of models: read as untrusted text, and stored with their ETags.

The library builds objects from whatever a page contains, and one unreadable entry ends its list. So a page is
checked before the library sees it: invalid entries are removed and reported.
"""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from benchwright.display.escape import escaped_name
from benchwright.errors import RunError
from benchwright.http_client import HttpReply
from benchwright.records import Drop, Record
from benchwright.sources.hub.query import is_name
from benchwright.store.keys import content_key
from benchwright.store.strict_json import NOT_JSON
from benchwright.store.writing import replacing

FRESH_S = 24 * 3600.0  # maximum age of a page that is used without a request
MAX_PER_PAGE = 10_000
COMMIT = re.compile(r"[0-9a-f]{40}")
_DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z", re.ASCII)
_ETAG = re.compile(r'(?:W/)?"?[A-Za-z0-9_.-]{1,128}"?')
_CARRIED = ("link", "date")


class StoredPage(Record, frozen=True, kw_only=True):
    """A page as received, with the relevant headers of the reply; those of a request may contain a token."""

    url: str
    fetched_at: float
    headers: dict[str, str]
    body: bytes
    etag: str = ""


class _Sibling(msgspec.Struct):
    rfilename: str


class _Entry(msgspec.Struct, rename="camel"):
    """The used fields of an entry with their types; other fields are kept."""

    id: str
    sha: str | None = None
    last_modified: str | None = None
    created_at: str | None = None
    private: bool | None = None
    gated: bool | str | None = None
    tags: list[str] | None = None
    pipeline_tag: str | None = msgspec.field(default=None, name="pipeline_tag")
    library_name: str | None = msgspec.field(default=None, name="library_name")
    siblings: list[_Sibling] | None = None


def checked_page(body: bytes, *, unit: str) -> tuple[bytes, list[Drop]]:
    """The page without invalid entries, and those as drops. Raises RunError for an invalid page."""
    try:
        entries = msgspec.json.decode(body, type=list[msgspec.Raw])
    except NOT_JSON as error:
        hint = "check the address of the hub: hub:endpoint=https://HOST"
        raise RunError(f"{unit}: not a list of models: {escaped_name(str(error), 200)}", hint=hint) from None
    if len(entries) > MAX_PER_PAGE:
        raise RunError(
            f"{unit}: {len(entries):,} models on one page", hint="report this to the administrator of the hub"
        )
    kept, drops = [], []
    for entry in map(bytes, entries):
        complaint = complaint_about(entry)
        if complaint:
            drops.append(Drop(unit=unit, reason="entry_unreadable", detail=complaint))
        else:
            kept.append(entry)
    return b"[" + b",".join(kept) + b"]", drops


def complaint_about(entry: bytes) -> str:
    """Why an entry does not describe a model; empty if it does."""
    try:
        found = msgspec.json.decode(entry, type=_Entry)
    except NOT_JSON as error:
        return escaped_name(str(error), 200)
    if not is_name(found.id):
        return f"{escaped_name(found.id)} is no OWNER/NAME"
    if found.sha is not None and not COMMIT.fullmatch(found.sha):
        return f"{found.id}: {escaped_name(found.sha)} is no commit"
    dates = (found.last_modified, found.created_at)
    if not all(date is None or _DATE.fullmatch(date) for date in dates):
        return f"{found.id}: a date in another form"
    return ""


def plain_etag(etag: str) -> str:
    """An ETag that is safe to send back and to use in a file name; empty for any other."""
    return etag if _ETAG.fullmatch(etag) and ".." not in etag else ""


class StoredPages:
    """The stored pages of one hub in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def find(self, url: str) -> StoredPage | None:
        """The page of an address; None if it is missing or damaged."""
        try:
            page = msgspec.json.decode(self._path(url).read_bytes(), type=StoredPage)
        except (FileNotFoundError, msgspec.MsgspecError, UnicodeDecodeError):
            return None
        return page if page.url == url else None

    def keep(self, url: str, reply: HttpReply, *, now: float) -> StoredPage:
        """Store a received page."""
        carried = {name: reply.headers[name] for name in _CARRIED if name in reply.headers}
        etag = plain_etag(reply.headers.get("etag", ""))
        return self._write(StoredPage(url=url, fetched_at=now, headers=carried, body=reply.body, etag=etag))

    def refresh(self, page: StoredPage, *, now: float) -> StoredPage:
        """Record that the server reports no change."""
        return self._write(msgspec.structs.replace(page, fetched_at=now))

    def _write(self, page: StoredPage) -> StoredPage:
        with replacing(self._path(page.url)) as file:
            file.write(msgspec.json.encode(page))
        return page

    def _path(self, url: str) -> Path:
        return self._folder / f"{content_key(url)}.json"
