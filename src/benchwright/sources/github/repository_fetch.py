"""Fetches the history of one repository: its issues and pull requests, and all that belongs to each.

The list of issues is read by `since`, the time of the last change, and not by page numbers: an entry that
changes meanwhile moves to the end and is seen again, none is skipped. A thread that has changed since its
last visit is visited: all its pages are asked for with their ETags. A visit that was interrupted continues
after its last page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import msgspec

from benchwright.display.escape import escaped_name, quoted
from benchwright.errors import RunError
from benchwright.http_client import HttpReply, WaitingClock
from benchwright.sources.github.client import MISSING, GitHubClient, GitHubRequest, graphql_url
from benchwright.sources.github.reply_pages import Drafting, RepliesPage, all_drops, utc
from benchwright.sources.github.reply_reading import UnreadableReplyError, convert_page, read_page, read_reply
from benchwright.sources.github.reply_shapes import IssueReply, RepositoryReply
from benchwright.sources.github.reply_store import ConfirmedPage, ListedThread, ReplyStore
from benchwright.sources.github.search_pages import PER_PAGE, check_repository_name
from benchwright.sources.github.thread_events import heads_of, joined
from benchwright.sources.github.thread_queries import pull_query, read_pull_page

OVERLAP = timedelta(hours=1)  # of two lists: servers write changes with a delay
MAX_PAGES = 1000  # of one list, against endless replies
FIRST = "2008-01-01T00:00:00Z"  # before GitHub
MAX_ETAG = 200
RUNNING = ("queued", "in_progress", "pending", "waiting", "requested")  # checks that have no result yet


class FetchOptions(NamedTuple):
    """Extent and rights of a fetch."""

    api: str
    allow_private: bool = False
    since: str = ""  # a time: only threads changed after it
    token: bool = False  # GraphQL answers only with a token


class RepositoryFetch:
    """One run over a repository; a run that was interrupted is resumed by the next one."""

    def __init__(
        self,
        client: GitHubClient,
        store: ReplyStore,
        options: FetchOptions,
        of: Drafting,
        clock: WaitingClock,
    ) -> None:
        self._client, self._store, self._options, self._of = client, store, options, of
        self._clock = clock
        self._name = of.repo  # the name in addresses: the newest
        self._token_class = "token" if options.token else "anonymous"
        self._round = store.mark("round") or "1"

    def run(self, tell: Callable[[str], None]) -> None:
        """Fetch what has changed. Raises RunError for a private repository, and errors of the client."""
        self._repository(tell)
        self._list()
        numbers = self._store.unvisited()
        for done, number in enumerate(numbers):
            if done % 100 == 0:
                tell(f"GitHub: {self._of.repo}: {done:,} of {len(numbers):,} issues and pull requests")
            self._visit(self._store.thread(number))
        self._releases()
        with self._store.writing():
            self._store.forget_pages(f"{self._token_class} issues?", but=f"round {self._round}")
            self._store.set_marks({"round": str(int(self._round) + 1), "listed": ""})

    def _repository(self, tell: Callable[[str], None]) -> None:
        """Check the repository, and take the name that it has now."""
        self._name = self._store.mark("name") or self._name
        url, etag = f"{self._options.api}/repos/{self._name}", self._store.mark("etag")
        reply = self._client.send(GitHubRequest(url, etag=etag, follow=True))
        if reply.status == 200:
            self._describe(reply, tell)
        private = self._store.mark("private") == "yes"
        check_private(self._of.repo, private=private, allowed=self._options.allow_private)
        repo, licence = self._store.mark("repo"), self._store.mark("licence")
        self._name = self._store.mark("name")
        self._of = self._of._replace(repo=repo, now=self._name, licence=licence)

    def _describe(self, reply: HttpReply, tell: Callable[[str], None]) -> None:
        """Store what the repository is. Events keep its first name, so that their ids stay."""
        try:
            found = msgspec.convert(read_reply(reply.body), RepositoryReply)
        except (UnreadableReplyError, msgspec.ValidationError):
            raise RunError(
                f"{self._options.api}: no description of {self._of.repo}", hint="check --github-api"
            ) from None
        check_repository_name(found.full_name)
        self._refuse_other(found)
        if found.full_name.lower() != self._name.lower():
            tell(f"GitHub: {self._name} is {found.full_name} now")
        licence = (found.license or {}).get("spdx_id") or ""
        private = found.private or found.visibility in ("private", "internal")
        marks = {
            "repo": self._store.mark("repo") or found.full_name,
            "name": found.full_name,
            "repository": str(found.id),
            "licence": "" if licence == "NOASSERTION" else licence,
            "private": "yes" if private else "no",
            "etag": _sendable(reply.headers.get("etag", "")),
        }
        with self._store.writing():
            self._store.set_marks(marks)

    def _refuse_other(self, found: RepositoryReply) -> None:
        known = self._store.mark("repository")
        if known and known != str(found.id):
            raise RunError(
                f"{found.full_name} is another repository: it has id {found.id}, the stored one {known}",
                hint=f"remove {quoted(self._store.path)}, or use another folder",
            )

    # The list of threads.

    def _list(self) -> None:
        if self._store.mark("listed") == self._round:
            return
        cursor = self._store.mark("cursor") or self._first_cursor()
        for _ in range(MAX_PAGES * 100):
            following = self._list_page(cursor)
            if not following:
                return
            cursor = following
        raise RunError(f"{self._options.api}: the list of issues does not end", hint="check --github-api")

    def _first_cursor(self) -> str:
        """The time and page to start at: the last change that is known, less the overlap."""
        if not (mark := self._store.mark("watermark")):
            return f"{self._options.since or FIRST} 1"
        return f"{max(utc_before(mark, OVERLAP), self._options.since or FIRST)} 1"

    def _list_page(self, cursor: str) -> str:
        """Read a page, and write its threads with the next cursor. Returns the cursor, empty at the end."""
        since, number = cursor.split(" ")
        query = f"state=all&sort=updated&direction=asc&per_page={PER_PAGE}&since={since}&page={number}"
        key = f"{self._token_class} issues?{query}"
        stored = self._store.page(key)
        reply = self._ask(f"issues?{query}", stored)
        threads, page = self._threads(reply, key)
        if reply.status == 304 and stored is not None:
            page, threads = stored.page, []
        last = threads[-1].listed if threads else page.cursor
        following = "" if page.entries < PER_PAGE else _following(since, int(number), last)
        confirmed = ConfirmedPage(
            msgspec.structs.replace(page, cursor=last), f"round {self._round}", *_validators(reply, stored)
        )
        with self._store.writing():
            for thread in threads:
                self._store.list_thread(thread)
            self._store.keep_page(key, 0, confirmed)
            self._store.set_marks(self._marks_after(last, following))
        return following

    def _marks_after(self, last: str, following: str) -> dict[str, str]:
        watermark = max(last, self._store.mark("watermark"))
        listed = "" if following else self._round
        return {"cursor": following, "watermark": watermark, "listed": listed}

    def _threads(self, reply: HttpReply, key: str) -> tuple[list[ListedThread], RepliesPage]:
        of = self._drafting(0)
        if reply.status in MISSING:  # issues are switched off
            return [], RepliesPage(drops=[of.drop(key, "not_found", f"HTTP {reply.status}")])
        if reply.status == 304:
            return [], RepliesPage()
        try:
            entries = read_reply(reply.body)
            if not isinstance(entries, list):
                raise UnreadableReplyError("reply_wrong_type")
        except UnreadableReplyError as error:
            raise RunError(f"{self._options.api}: {error}: {key}", hint="check --github-api") from None
        threads, page = list[ListedThread](), RepliesPage(entries=len(entries))
        for index, entry in enumerate(entries):
            if (thread := _listed(entry, of)) is not None:
                threads.append(thread)
            else:
                page.drops.append(of.drop(f"{key}:entry {index}", "entry_wrong_type"))
        return threads, page

    # One thread.

    def _visit(self, thread: ListedThread) -> None:
        """Read all pages of a thread and write its events."""
        of = self._drafting(thread.number, is_pull=thread.is_pull)
        pages = [thread.page]
        base, visit = f"issues/{thread.number}", thread.listed
        if thread.is_pull:
            pull = f"pulls/{thread.number}"
            pages += self._pages(pull, "pull", of, visit)
            for kind, tail in (("commits", "/commits"), ("reviews", "/reviews"), ("remarks", "/comments")):
                pages += self._pages(pull + tail, kind, of, visit)
            pages += self._graph_pages(of, visit)
        if thread.comments or self._store.page(self._key(f"{base}/comments", 1)) is not None:
            pages += self._pages(f"{base}/comments", "comments", of, visit)
        pages += self._pages(f"{base}/timeline", "timeline", of, visit)
        complete = not all_drops(pages)  # checks do not count: commits may be gone
        if thread.is_pull:
            pages += self._checks(pages, of, visit)
        found = joined(pages, of)._replace(complete=complete)
        with self._store.writing():
            self._store.settle(thread.number, found, fetched_at=of.fetched_at, visited=visit)

    def _checks(self, pages: list[RepliesPage], of: Drafting, visit: str) -> list[RepliesPage]:
        """Check runs and statuses of the heads that people saw."""
        found: list[RepliesPage] = []
        for head in heads_of(pages):
            found += self._pages(f"commits/{head}/check-runs", "checks", of, visit)
            found += self._pages(f"commits/{head}/status", "statuses", of, visit)
        return found

    def _pages(self, path: str, kind: str, of: Drafting, visit: str) -> Iterator[RepliesPage]:
        """All pages of one list."""
        for number in range(1, MAX_PAGES + 1):
            page = self._page(path, kind, number, of, visit)
            yield page
            if kind == "pull" or not (page.more or page.entries >= PER_PAGE):
                return
        yield RepliesPage(drops=[of.drop(path, "list_too_long", f"more than {MAX_PAGES} pages")])

    def _page(self, path: str, kind: str, number: int, of: Drafting, visit: str) -> RepliesPage:
        address = path if kind == "pull" else _paged(path, number)
        key = f"{self._token_class} {address}"
        stored = self._store.page(key)
        if stored is not None and (stored.visit == visit or _is_final(kind, stored.page)):
            return stored.page
        reply = self._ask(address, stored)
        if reply.status == 304 and stored is not None:
            with self._store.writing():
                self._store.confirm_page(key, visit)
            return stored.page
        page = self._read(kind, reply, of, address)
        with self._store.writing():
            self._store.keep_page(key, of.number, ConfirmedPage(page, visit, *_validators(reply, None)))
        return page

    def _key(self, path: str, number: int) -> str:
        return f"{self._token_class} {_paged(path, number)}"

    def _read(self, kind: str, reply: HttpReply, of: Drafting, unit: str) -> RepliesPage:
        if reply.status in MISSING:
            return RepliesPage(drops=[of.drop(unit, "not_found", f"HTTP {reply.status}")])
        page = read_page(kind, reply.body, of, unit=unit)
        return msgspec.structs.replace(page, more='rel="next"' in reply.headers.get("link", ""))

    def _ask(self, address: str, stored: ConfirmedPage | None) -> HttpReply:
        url = f"{self._options.api}/repos/{self._name}/{address}"
        etag, modified = (stored.etag, stored.modified) if stored is not None else ("", "")
        request = GitHubRequest(url, etag=etag, modified=modified, follow=True, missing=True)
        reply = self._client.send(request)
        if reply.status == 304 and stored is None:
            hint = "check for a caching proxy, then run the same command again"
            raise RunError(f"{self._options.api}: HTTP 304 to a request without an ETag", hint=hint)
        return reply

    def _graph_pages(self, of: Drafting, visit: str) -> Iterator[RepliesPage]:
        """The pages that only GraphQL has; none without a token."""
        cursor = ""
        for number in range(1, MAX_PAGES + 1):
            if not self._options.token:
                return
            page = self._graph_page(of, visit, number, cursor)
            yield page
            if not page.more:
                return
            cursor = page.cursor
        yield RepliesPage(drops=[of.drop(f"graphql:{of.number}", "list_too_long")])

    def _graph_page(self, of: Drafting, visit: str, number: int, cursor: str) -> RepliesPage:
        unit = f"graphql/pulls/{of.number}?page={number}"
        key = f"{self._token_class} {unit}"
        stored = self._store.page(key)
        if stored is not None and stored.visit == visit:
            return stored.page
        body = pull_query(self._name, of.number, cursor)
        reply = self._client.send(GitHubRequest(graphql_url(self._options.api), body=body))
        page = read_pull_page(reply.body, of, unit=unit)
        with self._store.writing():
            self._store.keep_page(key, of.number, ConfirmedPage(page, visit))
        return page

    def _releases(self) -> None:
        of = self._drafting(0)
        found = joined(list(self._pages("releases", "releases", of, f"round {self._round}")), of)
        with self._store.writing():
            self._store.settle(0, found, fetched_at=of.fetched_at)

    def _drafting(self, number: int, *, is_pull: bool = True) -> Drafting:
        at = datetime.fromtimestamp(self._clock.now(), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        return self._of._replace(number=number, is_pull=is_pull, fetched_at=at)


def _paged(path: str, number: int) -> str:
    return f"{path}?per_page={PER_PAGE}&page={number}"


def _listed(entry: object, of: Drafting) -> ListedThread | None:
    """The issue or pull request in an entry; None if the entry is invalid."""
    try:
        issue = msgspec.convert(entry, IssueReply)
    except msgspec.ValidationError:
        return None
    if not (listed := utc(issue.updated_at)):
        return None
    return ListedThread(
        number=issue.number,
        is_pull=issue.pull_request is not None,
        listed=listed,
        comments=issue.comments,
        page=convert_page("issues", [entry], of, unit=f"issue:{issue.number}"),
    )


def _following(since: str, number: int, last: str) -> str:
    """The cursor after a full page: its last time, or the next page if all entries have one time."""
    return f"{last} 1" if last > since else f"{since} {number + 1}"


def _is_final(kind: str, page: RepliesPage) -> bool:
    """Return whether checks have results, which do not change; a list without entries may grow."""
    checked = kind in ("checks", "statuses") and page.events
    return bool(checked) and all(each.state not in RUNNING for each in page.events)


def _validators(reply: HttpReply, stored: ConfirmedPage | None) -> tuple[str, str]:
    """ETag and date of a reply that are safe to send back; those of the stored page after a 304."""
    if reply.status == 304 and stored is not None:
        return stored.etag, stored.modified
    return _sendable(reply.headers.get("etag", "")), _sendable(reply.headers.get("last-modified", ""))


def _sendable(value: str) -> str:
    return value if len(value) <= MAX_ETAG and value.isascii() and value.isprintable() else ""


def utc_before(at: str, span: timedelta) -> str:
    """A time as `2026-01-31T12:00:00Z`, earlier by a span."""
    moment = datetime.fromisoformat(at) - span
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def check_private(repo: str, *, private: bool, allowed: bool) -> None:
    """Raise RunError for a private repository, unless that is allowed."""
    if private and not allowed:
        message = f"{escaped_name(repo)} is private, but the token may read it; nothing was fetched"
        raise RunError(message, hint="if its texts may be in the data set, add --allow-private")
