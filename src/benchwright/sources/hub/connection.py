"""The connection of huggingface_hub: limited, polite, and to one host.

The library waits silently, reads replies of any size, follows a list without end, and names files by what the
server sends. So its client is replaced, which it supports, by one that gets the same requests and returns
complete, small and checked replies.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from benchwright.display.escape import escaped_name
from benchwright.display.wording import duration
from benchwright.errors import PrerequisiteError, RunError, install_command
from benchwright.http_client import (
    MAX_WAIT_S,
    REPORTED_WAIT_S,
    HttpReply,
    WaitingClock,
    backoff,
    client_options,
    connection_error_text,
    number_of_header,
    retry_after,
)
from benchwright.records import Drop
from benchwright.sources.hub.model_list import (
    COMMIT,
    FRESH_S,
    StoredPages,
    checked_page,
    complaint_about,
    plain_etag,
)
from benchwright.sources.model_cards import MAX_CARD

TRIES = 5
MAX_PAGE = 32 << 20
MAX_PAGES = 500
READ_S, WHOLE_S = 30.0, 120.0
GOES_ON = "progress is saved; run the same command to resume"
_RESET = re.compile(r";\s*r\s*=\s*0\s*;\s*t\s*=\s*(\d{1,9})")  # of draft-ietf-httpapi-ratelimit-headers
_AWAY = (
    "x-xet-hash",
    "x-linked-etag",
    "x-linked-size",
    "content-encoding",
    "transfer-encoding",
    "set-cookie",
)
NoteCallback = Callable[[str], None]


class EndOfListError(Exception):
    """The list of models does not end; the text says why."""


class CardRefusedError(Exception):
    """A refused reply about one model: `reason` is that of its drop."""

    def __init__(self, why: str, detail: str) -> None:
        super().__init__(detail)
        self.reason, self.detail = why, detail


def load_hub() -> Any:
    """The library. Raises PrerequisiteError if it is missing or its client cannot be replaced."""
    try:
        import huggingface_hub.constants  # noqa: PLC0415 (an extra)
        import huggingface_hub.utils  # noqa: PLC0415
    except ImportError:
        library: Any = None
    else:
        library = huggingface_hub
    if not hasattr(library, "set_client_factory"):
        hint = install_command("hub")
        raise PrerequisiteError("models on a hub need huggingface_hub 1.0 or newer", hint=hint)
    return library


class HubConnection:
    """Sends the library's requests to one hub. `refused` has the invalid entries of pages."""

    def __init__(self, endpoint: str, folder: Path, *, tell: NoteCallback, clock: WaitingClock) -> None:
        self._endpoint, self._tell, self._clock = endpoint.rstrip("/"), tell, clock
        self._pages = StoredPages(folder)
        self._listed: set[str] = set()
        self._free_at = 0.0
        self._offline = False
        self.refused: list[Drop] = []

    @contextmanager
    def serving(self, hub: Any) -> Iterator[None]:
        """Use this connection as the library's client within the block."""
        self._offline = bool(hub.constants.HF_HUB_OFFLINE)
        hub.utils.disable_progress_bars()  # one for each card
        client_class = type(hub.get_session())
        http = importlib.import_module(client_class.__module__.partition(".")[0])

        def send(client: Any, request: Any, **_: Any) -> Any:
            reply = self._answer(request, lambda sent: self._exchange(client_class, client, sent), http)
            return http.Response(
                reply.status, headers=dict(reply.headers), content=reply.body, request=request
            )

        guarded = type("GuardedClient", (client_class,), {"send": send})
        hub.set_client_factory(lambda: guarded(**client_options(self._endpoint)))
        try:
            yield
        finally:
            hub.set_client_factory(lambda: client_class(follow_redirects=True))

    def _answer(self, request: Any, send: Callable[[Any], HttpReply], http: Any) -> HttpReply:
        """The reply to a request of the library."""
        url = str(request.url)
        path = urlsplit(url).path
        if path == "/api/agent-harnesses":  # always sent to the public hub, and not needed
            return HttpReply(404, {}, b"")
        if not url.startswith(f"{self._endpoint}/"):
            raise CardRefusedError("sent_elsewhere", f"the hub sends on to {escaped_name(url, 120)}")
        if self._offline:
            raise RunError(
                f"HF_HUB_OFFLINE is set, and {url} is not in the folder", hint="unset HF_HUB_OFFLINE"
            )
        request.headers["accept-encoding"] = "identity"  # a few packed bytes could grow to gigabytes
        request.extensions["timeout"] = dict.fromkeys(("connect", "read", "write", "pool"), READ_S)
        if path == f"{urlsplit(self._endpoint).path}/api/models":
            return self._page(url, request, send, http)
        reply = self._reply_after_waits(request, send, http)
        if "/api/models/" in path and reply.status == 200 and (complaint := complaint_about(reply.body)):
            raise CardRefusedError("entry_unreadable", complaint)
        return _checked(reply)

    def _page(self, url: str, request: Any, send: Callable[[Any], HttpReply], http: Any) -> HttpReply:
        """A page of the list: stored, or requested with its ETag."""
        self._count(url)
        known, now = self._pages.find(url), self._clock.now()
        if known is None or not 0 <= now - known.fetched_at < FRESH_S:
            if known is not None and known.etag:
                request.headers["if-none-match"] = known.etag
            reply = self._reply_after_waits(request, send, http)
            if reply.status not in (200, 304):
                return reply
            if reply.status == 304 and known is None:
                raise RunError(f"{self._endpoint}: HTTP 304 to a request without an ETag", hint=GOES_ON)
            if reply.status == 200:
                checked_page(reply.body, unit=self._endpoint)  # only valid pages are stored
                known = self._pages.keep(url, reply, now=now)
            elif known is not None:
                known = self._pages.refresh(known, now=now)
        assert known is not None
        body, drops = checked_page(known.body, unit=self._endpoint)
        self.refused += drops
        return HttpReply(200, known.headers, body)

    def _count(self, url: str) -> None:
        if url in self._listed:
            raise EndOfListError("a page of the list names one before it as the next")
        if len(self._listed) == MAX_PAGES:
            raise EndOfListError(f"no more than {MAX_PAGES} pages of the list were read")
        self._listed.add(url)

    def _reply_after_waits(self, request: Any, send: Callable[[Any], HttpReply], http: Any) -> HttpReply:
        """The reply, after the waits that the server or its failures require.

        Raises RunError for a server that is down or rate-limits, and CardRefusedError for one that fails at
        this request, since the library would only start over.
        """
        for attempt in range(TRIES):
            self._pause()
            try:
                reply: HttpReply | None = send(request)
                why = f"HTTP {reply.status}" if reply else ""
            except (http.HTTPError, http.InvalidURL, UnicodeError, TimeoutError) as error:
                reply, why = None, connection_error_text(error)
            if reply is not None and reply.status not in (408, 429) and reply.status < 500:
                return reply
            wait = _wait(reply, attempt, now=self._clock.now())
            if wait > MAX_WAIT_S:
                raise self._stop_error(f"takes no more requests for {duration(wait)}")
            if attempt + 1 < TRIES:
                self._free_at = self._clock.now() + wait
                if wait > REPORTED_WAIT_S:
                    self._tell(f"hub: {why}; asking again in {wait:.0f} s, try {attempt + 2} of {TRIES}")
        if reply is not None and reply.status >= 500:
            raise CardRefusedError("unavailable", f"{why} (tried {TRIES} times)")
        raise self._stop_error(f"does not answer: {escaped_name(why, 200)} (tried {TRIES} times)")

    def _stop_error(self, what: str) -> RunError:
        return RunError(f"{self._endpoint} {what}", hint=GOES_ON)

    def _pause(self) -> None:
        if (wait := self._free_at - self._clock.now()) > 0:
            self._clock.sleep(wait)

    def _exchange(self, client_class: Any, client: Any, request: Any) -> HttpReply:
        """One exchange, with the whole body, within limits of size and time."""
        limit = MAX_CARD if "/resolve" in request.url.path else MAX_PAGE
        until = self._clock.now() + WHOLE_S
        response = client_class.send(client, request, stream=True, follow_redirects=False)
        try:
            body = bytearray()
            for chunk in response.iter_raw():
                body += chunk
                if len(body) > limit:
                    raise CardRefusedError("card_too_large", f"over {limit:,} bytes")
                if self._clock.now() > until:
                    raise TimeoutError(f"no whole reply within {WHOLE_S:g} s")
            headers = {name.lower(): value for name, value in response.headers.items()}
            if headers.get("content-encoding", "identity") != "identity" and body:
                raise CardRefusedError("packed", "a packed reply, which was not asked for")
            return HttpReply(response.status_code, headers, bytes(body))
        finally:
            response.close()


def _checked(reply: HttpReply) -> HttpReply:
    """The headers without those that make the library go elsewhere or write outside its folder."""
    headers = {name: value for name, value in reply.headers.items() if name not in _AWAY}
    if "etag" in headers and not plain_etag(headers["etag"]):
        raise CardRefusedError("etag_refused", f"ETag: {escaped_name(headers['etag'])}")
    if not COMMIT.fullmatch(headers.get("x-repo-commit", "0" * 40)):
        raise CardRefusedError("commit_refused", f"X-Repo-Commit: {escaped_name(headers['x-repo-commit'])}")
    return HttpReply(reply.status, headers, reply.body)


def _wait(reply: HttpReply | None, attempt: int, *, now: float) -> float:
    """Seconds until the same request may be sent again."""
    if reply is None:
        return backoff("hub", attempt)
    wanted = retry_after(reply.headers, date=now)
    if wanted is None:
        wanted = _until_reset(reply.headers)
    return backoff("hub", attempt) if wanted is None else wanted


def _until_reset(headers: Mapping[str, str]) -> float | None:
    found = _RESET.search(headers.get("ratelimit", ""))
    return number_of_header(found[1]) if found else None
