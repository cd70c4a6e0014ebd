"""The source of events `github-events:OWNER/NAME`: fetched from GitHub, or read from the store alone."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from hashlib import sha256
from pathlib import Path

from benchwright.display.escape import escaped_name, quoted
from benchwright.errors import RunError, UsageError
from benchwright.http_client import WaitingClock
from benchwright.records import Drop
from benchwright.sources.events import Cleaner, EventSource, RepoEvent
from benchwright.sources.github.reply_pages import Drafting, utc
from benchwright.sources.github.reply_store import ReplyStore
from benchwright.sources.github.search_pages import GITHUB, check_api, check_repository_name

NoteCallback = Callable[[str], None]


class GitHubEvents:
    """The events of one repository on GitHub. Cleaned replies are stored in the folder of the build."""

    def __init__(
        self,
        name: str,
        *,
        api: str = GITHUB,
        offline: bool = False,
        allow_private: bool = False,
        since: str = "",
        clock: WaitingClock | None = None,
    ) -> None:
        check_api(api)
        self.name = check_repository_name(name)
        self._api, self._offline, self._allow_private = api.rstrip("/"), offline, allow_private
        self._since, self._clock = checked_since(since), clock or WaitingClock()

    def events(self, folder: Path, clean: Cleaner, tell: NoteCallback) -> Iterator[RepoEvent | Drop]:
        """Yield all revisions of all events, then what could not be read.

        Raises RunError for a private repository, and for an offline build without stored replies.
        """
        with ReplyStore(folder / f"{self.name.lower().replace('/', '+')}.sqlite3") as store:
            check_cleaner(store, clean)
            if self._offline:
                self._check_stored(store)
            else:
                self._fetch(store, clean, tell)
            yield from store.events()
            yield from store.drops()
            yield from self._missing(store)

    def _check_stored(self, store: ReplyStore) -> None:
        from benchwright.sources.github.repository_fetch import check_private  # noqa: PLC0415 (loads httpx)

        if not store.mark("repo"):
            message = f"{self.name}: no stored replies in {store.path}"
            raise RunError(message, hint="run the same command without --offline")
        check_private(self.name, private=store.mark("private") == "yes", allowed=self._allow_private)

    def _fetch(self, store: ReplyStore, clean: Cleaner, tell: NoteCallback) -> None:
        # httpx takes longer to load than most commands run
        from benchwright.sources.github.client import GitHubClient, GitHubToken  # noqa: PLC0415
        from benchwright.sources.github.repository_fetch import FetchOptions, RepositoryFetch  # noqa: PLC0415

        token = GitHubToken()
        if not token.name:
            tell("GitHub: no token: states of threads and closing references are not fetched")
        options = FetchOptions(
            self._api, allow_private=self._allow_private, since=self._since, token=bool(token.name)
        )
        of = Drafting(repo=self.name, clean=clean)
        with GitHubClient(self._api, token, tell=tell, clock=self._clock) as client:
            RepositoryFetch(client, store, options, of, self._clock).run(tell)
            tell(f"GitHub: {self.name}: {client.requests:,} requests")

    def _missing(self, store: ReplyStore) -> Iterator[Drop]:
        """The threads that an offline build lacks, because the last fetch was interrupted."""
        for number in store.unvisited():
            yield Drop(unit=f"github:{self.name}:{number}", reason="not_fetched", detail="offline")


def check_cleaner(store: ReplyStore, clean: Cleaner) -> None:
    """Raise RunError if the store has pseudonyms of another key: one person would have two."""
    print_of = sha256(clean.person("benchwright").encode()).hexdigest()[:16]
    known = store.mark("cleaner")
    if known and known != print_of:
        raise RunError(
            f"the stored replies {store.path} have pseudonyms of another key",
            hint=f"use that key again, or fetch again: rm {quoted(store.path)}*",
        )
    with store.writing():
        store.set_marks({"cleaner": print_of})


def checked_since(since: str) -> str:
    """The time as GitHub takes it. Raises UsageError for an invalid one."""
    if since and not (at := utc(since)):
        raise UsageError(
            f"--since {escaped_name(since, 40)}: invalid date",
            hint="use YYYY-MM-DD: --since 2025-01-31",
        )
    return at if since else ""


def open_github_events(rest: str, *, licences: Collection[str]) -> EventSource:
    """Open `github-events:OWNER/NAME` with the default options."""
    del licences  # a licence is a property of the events; the filters use it
    return GitHubEvents(rest)
