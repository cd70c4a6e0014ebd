"""A search for repositories, from its first page to the stored result; pages are cached with their ETags."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from pathlib import Path

import msgspec

from benchwright.display.escape import escaped_path, quoted
from benchwright.errors import RunError
from benchwright.http_client import WaitingClock
from benchwright.records import Record
from benchwright.sources.github.client import GitHubClient
from benchwright.sources.github.search_pages import (
    PER_PAGE,
    UNREAD,
    RepositoryFacts,
    RepositorySearch,
    SearchPage,
    check_search,
    page_url,
    read_listing,
    refusal,
    star_bounds,
)
from benchwright.store.keys import content_key
from benchwright.store.writing import replacing

RESULTS = 1000  # maximum results of one query
MAX_PAGES = 500  # maximum pages of one language, against endless replies
Get = Callable[[str], SearchPage]
NoteCallback = Callable[[str], None]


class SearchResult(Record, frozen=True, kw_only=True):
    """The results of a search, including refused ones, and notes about it."""

    repositories: list[RepositoryFacts]
    notes: list[str] = []


def find_repositories(
    search: RepositorySearch, folder: Path, *, licences: Collection[str], tell: NoteCallback
) -> SearchResult:
    """The results, stored in `folder` and read from there the next time.

    The lists of two months are two data sets, so a folder is searched only once. Raises RateLimitError if the
    API accepts no more requests; the pages so far are kept.
    """
    check_search(search)
    path = folder / "found.json"
    if path.exists():
        return _stored_result(path)
    # httpx takes longer to load than most commands run
    from benchwright.sources.github.client import GitHubClient, GitHubToken  # noqa: PLC0415

    clock = WaitingClock()
    with GitHubClient(search.api, GitHubToken(), tell=tell, clock=clock) as asker:
        pages = PageCache(folder / "pages", asker, api=search.api, clock=clock)
        found = search_repositories(search, pages.get, licences=licences)
    for note in found.notes:
        tell(note)
    with replacing(path) as file:
        file.write(msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n")
    return found


def search_repositories(search: RepositorySearch, get: Get, *, licences: Collection[str]) -> SearchResult:
    """The results through `get`, language by language, most stars first."""
    repositories: list[RepositoryFacts] = []
    notes: list[str] = []
    for language in search.languages:
        scan = _LanguageSearch(
            search, language, get, licence=next(iter(licences)) if len(licences) == 1 else None
        )
        wanted = 0
        for facts in scan.entries():
            repositories.append(refusal(facts, licences))
            wanted += not repositories[-1].refused
            if wanted == search.most:
                break
        notes += scan.notes(taken=wanted)
    return SearchResult(repositories=repositories, notes=notes)


class _LanguageSearch:
    """All results of one language in turn, with notes."""

    def __init__(self, search: RepositorySearch, language: str, get: Get, *, licence: str | None) -> None:
        self._search, self._language, self._get, self._licence = search, language, get, licence
        self._names: set[str] = set()
        self._total: int | None = None
        self._pages = 0
        self._notes: dict[str, None] = {}  # notes, each once

    def entries(self) -> Iterator[RepositoryFacts]:
        """Each repository once."""
        low, high = star_bounds(self._search.stars)
        while high is None or high >= low:
            seen = []
            full = False
            for listing in self._window(low, high):
                full = listing.total > RESULTS
                seen += [each.stars for each in listing.entries if each.refused not in UNREAD]
                yield from self._new(listing.entries)
            if not full or not seen:
                return
            high = self._next(min(seen), max(seen), high)

    def notes(self, *, taken: int) -> list[str]:
        """The number of results, and those that could not be listed."""
        of = f"repositories in {self._language} that match: {self._total or 0:,}"
        return [f"GitHub: {of}; taken, those with most stars: {taken:,}", *self._notes]

    def _window(self, low: int, high: int | None) -> Iterator[SearchPage]:
        """The pages of one query."""
        for number in range(1, RESULTS // PER_PAGE + 1):
            if self._pages == MAX_PAGES:
                self._note(f"no more than {MAX_PAGES} pages of {self._language} were read")
                return
            self._pages += 1
            licence = self._licence
            url = page_url(self._search, self._language, low=low, high=high, licence=licence, number=number)
            listing = self._get(url)
            if self._total is None:
                self._total = listing.total
            if listing.incomplete:
                self._note(f"it stopped searching {self._language} early; some may be missing")
            yield listing
            if number * PER_PAGE >= listing.total or not listing.entries:
                return

    def _next(self, least: int, most: int, high: int | None) -> int:
        """The upper star limit of the next query: that of the last result, which others may share."""
        if least == most:
            self._note(f"over {RESULTS:,} in {self._language} have {least} stars; {RESULTS:,} were seen")
            least -= 1
        return least if high is None else min(least, high - 1)

    def _new(self, entries: list[RepositoryFacts]) -> Iterator[RepositoryFacts]:
        for each in entries:
            if each.name == "?" or each.name.lower() not in self._names:
                self._names.add(each.name.lower())
                yield each

    def _note(self, text: str) -> None:
        self._notes[f"GitHub: {text}"] = None


def _stored_result(path: Path) -> SearchResult:
    try:
        return msgspec.json.decode(path.read_bytes(), type=SearchResult)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        hint = f"search again: rm {quoted(path)}"
        raise RunError(f"{escaped_path(path)} cannot be read: {error}", hint=hint) from None


FRESH_S = 24 * 3600.0
MAX_ETAG = 200  # GitHub's have 68 characters


class CachedPage(Record, frozen=True, kw_only=True):
    """A stored page. Of the request it has only the address, which contains no token."""

    url: str
    fetched_at: float
    body: str
    etag: str = ""


class PageCache:
    """The pages of one API, read from the folder or requested and stored."""

    def __init__(self, folder: Path, asker: GitHubClient, *, api: str, clock: WaitingClock) -> None:
        self._folder, self._asker, self._api, self._clock = folder, asker, api, clock
        folder.mkdir(parents=True, exist_ok=True)

    def get(self, url: str) -> SearchPage:
        """The page at an address. Raises BenchwrightError if it cannot be read."""
        path = self._folder / f"{content_key(url)}.json"
        known = _read(path, url)
        now = self._clock.now()
        if known is not None and 0 <= now - known.fetched_at < FRESH_S:
            return read_listing(known.body.encode(), api=self._api)
        reply = self._asker.get(url, etag=_sendable(known.etag) if known is not None else "")
        if reply.status == 200:
            body, etag = reply.body.decode("utf-8", "replace"), _sendable(reply.headers.get("etag", ""))
            known = CachedPage(url=url, fetched_at=now, body=body, etag=etag)
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


def _read(path: Path, url: str) -> CachedPage | None:
    """The stored page; None if it is missing or damaged, which requests it again."""
    try:
        page = msgspec.json.decode(path.read_bytes(), type=CachedPage)
    except (FileNotFoundError, msgspec.MsgspecError, UnicodeDecodeError):
        return None
    return page if page.url == url else None
