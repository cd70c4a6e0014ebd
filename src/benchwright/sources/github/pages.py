"""Pages of results on disk with their ETags, so that an interrupted search resumes.

A page younger than a day belongs to the same search and is used as it is; otherwise a rate-limited search
would spend each period on the pages of the last. An older page is requested with its ETag; an unchanged page
does not count against the rate limit of a token.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from benchwright.errors import RunError
from benchwright.http_client import WaitingClock
from benchwright.records import Record
from benchwright.sources.github.asking import GitHubClient
from benchwright.sources.github.entries import Listing, read_listing
from benchwright.store.keys import content_key
from benchwright.store.writing import replacing

FRESH_S = 24 * 3600.0
MAX_ETAG = 200  # GitHub's have 68 characters


class Page(Record, frozen=True, kw_only=True):
    """A stored page. Of the request it has only the address, which contains no token."""

    url: str
    fetched_at: float
    body: str
    etag: str = ""


class Pages:
    """The pages of one API, read from the folder or requested and stored."""

    def __init__(self, folder: Path, asker: GitHubClient, *, api: str, clock: WaitingClock) -> None:
        self._folder, self._asker, self._api, self._clock = folder, asker, api, clock
        folder.mkdir(parents=True, exist_ok=True)

    def get(self, url: str) -> Listing:
        """The page at an address. Raises BenchwrightError if it cannot be read."""
        path = self._folder / f"{content_key(url)}.json"
        known = _read(path, url)
        now = self._clock.now()
        if known is not None and 0 <= now - known.fetched_at < FRESH_S:
            return read_listing(known.body.encode(), api=self._api)
        reply = self._asker.get(url, etag=_sendable(known.etag) if known is not None else "")
        if reply.status == 200:
            body, etag = reply.body.decode("utf-8", "replace"), _sendable(reply.headers.get("etag", ""))
            known = Page(url=url, fetched_at=now, body=body, etag=etag)
        elif known is None:
            message = f"{self._api}: HTTP 304 to a request without an ETag"
            raise RunError(message, hint="check for a caching proxy, then run the same command again")
        else:
            known = msgspec.structs.replace(known, fetched_at=now)
        listing = read_listing(known.body.encode(), api=self._api)  # only valid pages are stored
        with replacing(path) as file:
            file.write(msgspec.json.encode(known))
        return listing


def _sendable(etag: str) -> str:
    """An ETag that is safe to send back; empty for any other."""
    return etag if len(etag) <= MAX_ETAG and etag.isascii() and etag.isprintable() else ""


def _read(path: Path, url: str) -> Page | None:
    """The stored page; None if it is missing or damaged, which requests it again."""
    try:
        page = msgspec.json.decode(path.read_bytes(), type=Page)
    except (FileNotFoundError, msgspec.MsgspecError, UnicodeDecodeError):
        return None
    return page if page.url == url else None
