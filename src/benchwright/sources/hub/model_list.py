"""The model list of a hub: the query (`hub:task=text-classification,limit=200`) and pages cached by ETag."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

from benchwright.display.escape import escaped_name
from benchwright.errors import RunError, UsageError
from benchwright.http_client import HttpReply, is_local
from benchwright.records import Drop, Record
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
    valid_entries, drops = [], []
    for entry in map(bytes, entries):
        complaint = complaint_about(entry)
        if complaint:
            drops.append(Drop(unit=unit, reason="entry_unreadable", detail=complaint))
        else:
            valid_entries.append(entry)
    return b"[" + b",".join(valid_entries) + b"]", drops


def complaint_about(entry: bytes) -> str:
    """Why an entry does not describe a model; empty if it does."""
    try:
        found = msgspec.json.decode(entry, type=_Entry)
    except NOT_JSON as error:
        return escaped_name(str(error), 200)
    if not is_name(found.id):
        return f"{escaped_name(found.id)} is no OWNER/NAME"
    if found.sha is not None and not COMMIT.fullmatch(found.sha):
        return f"{found.id}: invalid commit: {escaped_name(found.sha)}"
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


MAX_LIMIT = 100_000
SORTS = ("downloads", "likes", "created_at", "last_modified", "trending_score")
NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,95}(?:/[A-Za-z0-9_][\w.-]{0,95})?", re.ASCII)
_FORM = "hub:task=text-classification,limit=200 or hub:OWNER/NAME"
_WORDS = ("task", "library", "author", "search", "sort", "limit", "endpoint")


class HubQuery(Record, frozen=True, kw_only=True):
    """A listing with filters, or models by name. An empty field does not filter."""

    models: tuple[str, ...] = ()  # models by name; then nothing is listed
    task: str = ""
    library: str = ""
    author: str = ""
    search: str = ""
    sort: str = "downloads"
    limit: int = 200
    endpoint: str = ""  # empty: the library's own, which HF_ENDPOINT sets


def read_query(rest: str) -> HubQuery:
    """The query after `hub:`. Raises UsageError for an invalid one."""
    given: dict[str, Any] = {}
    models: list[str] = []
    for part in filter(None, (part.strip() for part in rest.split(","))):
        name, equals, value = part.partition("=")
        if not equals and is_name(part):
            models.append(part)
        elif name not in _WORDS or not value.strip():
            hint = f"{_FORM}; words: {', '.join(_WORDS)}"
            raise UsageError(f"hub:{escaped_name(part)}: expected a model name or WORD=VALUE", hint=hint)
        else:
            given[name] = value.strip()
    if models and set(given) - {"endpoint"}:
        raise UsageError("hub: give either model names or filters, not both", hint=_FORM)
    return _checked(HubQuery(models=tuple(dict.fromkeys(models)), **{**given, "limit": _limit(given)}))


def is_name(text: str) -> bool:
    """Whether a text is a model id, NAME or OWNER/NAME, which becomes part of addresses and folders."""
    return NAME.fullmatch(text) is not None and ".." not in text and "--" not in text


def _limit(given: dict[str, Any]) -> int:
    text = given.get("limit", "200")
    if not (text.isdecimal() and text.isascii() and 0 < int(text[:9]) <= MAX_LIMIT):
        raise UsageError(f"hub:limit={escaped_name(text)}: from 1 to {MAX_LIMIT:,}", hint=_FORM)
    return int(text)


def _checked(query: HubQuery) -> HubQuery:
    if query.sort not in SORTS:
        raise UsageError(
            f"hub:sort={escaped_name(query.sort)}: unknown order", hint=f"one of: {', '.join(SORTS)}"
        )
    if query.endpoint:
        check_endpoint(query.endpoint)
    return query


def check_endpoint(address: str) -> None:
    """Raise UsageError for an invalid hub address, or one that would send a token unencrypted."""
    try:
        parts = urlsplit(address)
        sound = bool(parts.hostname) and parts.port != 0 and "@" not in parts.netloc
    except ValueError:
        sound = False
    if not (sound and address.isascii() and address.isprintable() and not set(address) & set(" ?#\\")):
        hint = "endpoint=https://HOST"
        raise UsageError(f"{escaped_name(address, 200)}: invalid address of a hub", hint=hint)
    if parts.scheme != "https" and not (parts.scheme == "http" and is_local(address)):
        raise UsageError(f"{address}: not encrypted; use https", hint="endpoint=https://HOST")
