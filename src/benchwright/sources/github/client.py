"""The GitHub client: the only module of the search that uses HTTP, with the token, rate limits and retries.

Requests run one after the other, none before the server allows it. The token is sent to one host only.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import NamedTuple, Self
from urllib.parse import urljoin, urlsplit

import httpx
import msgspec

from benchwright.display.escape import escaped_name
from benchwright.display.wording import duration
from benchwright.errors import BenchwrightError, PrerequisiteError, RunError
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
from benchwright.store.strict_json import NOT_JSON

NAMES = ("GITHUB_TOKEN", "GH_TOKEN")
MAX_MESSAGE = 300  # maximum length of a server's message


class GitHubToken:
    """A token, or none. Its text form does not show it."""

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        given = os.environ if environment is None else environment
        self.name = next((name for name in NAMES if given.get(name, "").strip()), "")
        self._text = given[self.name].strip() if self.name else ""
        if not (self._text.isascii() and self._text.isprintable() and " " not in self._text):
            hint = f"export {self.name}=… again, without line breaks"
            raise PrerequisiteError(f"{self.name} contains characters that are invalid in a token", hint=hint)

    def headers(self) -> dict[str, str]:
        """The header with the token; empty without one."""
        return {"authorization": f"Bearer {self._text}"} if self._text else {}

    def quoted(self, text: str) -> str:
        """A server's message as one short escaped line, without the token that some servers repeat."""
        if self._text:
            text = text.replace(self._text, "…")
        return escaped_name(" ".join(text[: 20 * MAX_MESSAGE].split()), MAX_MESSAGE)


MAX_REPLY = 16 << 20  # a page of a hundred repositories has less than 1 MB
READ_S, WHOLE_S = 30.0, 120.0


MISSING = (404, 410, 422, 451)  # the resource is gone or not a commit; another request does not help
_REDIRECTS = (301, 302, 307, 308)
MAX_MOVES = 5


class GitHubRequest(NamedTuple):
    """A request: GET, or POST with a body for GraphQL.

    `follow` follows redirects below the same API. `missing` returns replies whose status is in MISSING.
    """

    url: str
    etag: str = ""
    modified: str = ""
    body: bytes = b""
    follow: bool = False
    missing: bool = False

    def headers(self) -> dict[str, str]:
        """The headers of this request alone: conditions of GET, the type of POST."""
        if self.body:
            return {"content-type": "application/json"}
        given = {"if-none-match": self.etag, "if-modified-since": "" if self.etag else self.modified}
        return {name: value for name, value in given.items() if value}

    def accepts(self, status: int) -> bool:
        """True if the reply is passed on and not an error."""
        wanted = (200, 304) + self.missing * MISSING + self.follow * _REDIRECTS
        return status in wanted


def graphql_url(api: str) -> str:
    """The address of GraphQL: `/api/graphql` on an Enterprise Server, otherwise below the API."""
    return f"{api.removesuffix('/v3')}/graphql"


class NoReplyError(Exception):
    """There was no complete reply; the text gives the reason."""


class GitHubConnection:
    """A connection to the host of one API, with the headers of every request.

    It has its own event loop, so that a request can be aborted at any point. A limit on each read would let a
    server send a byte at a time, or `100 Continue` again and again, without end. So it cannot be used inside
    a running event loop.
    """

    def __init__(self, api: str, headers: Mapping[str, str]) -> None:
        self._api = api
        self._open = ExitStack()
        self._graphql = graphql_url(api)
        self._loop = asyncio.Runner()
        self._client = httpx.AsyncClient(headers=dict(headers), timeout=READ_S, **client_options(api))

    def __enter__(self) -> Self:
        self._open.enter_context(self._loop)
        self._open.callback(lambda: self._loop.run(self._client.aclose()))
        return self

    def __exit__(self, *exc: object) -> None:
        self._open.close()

    def get(self, url: str, *, etag: str = "") -> HttpReply:
        """Request one address below that of the API. Raises NoReplyError."""
        return self.send(GitHubRequest(url, etag=etag))

    def send(self, request: GitHubRequest) -> HttpReply:
        """Send a request to the API. Raises NoReplyError.

        One time limit applies to all of it, from the connection to the last byte.
        """
        if not request.url.startswith(f"{self._api}/") and request.url != self._graphql:
            raise ValueError(f"{request.url} is not below {self._api}")
        try:
            return self._loop.run(self._send(request))
        except TimeoutError:
            raise NoReplyError(f"no whole reply within {WHOLE_S:g} s") from None
        except (httpx.RequestError, UnicodeError) as error:  # ValueError for a header that httpx cannot read
            raise NoReplyError(connection_error_text(error)) from None

    async def _send(self, request: GitHubRequest) -> HttpReply:
        body = bytearray()
        stream = self._client.stream(
            "POST" if request.body else "GET",
            request.url,
            headers=request.headers(),
            content=request.body or None,
        )
        async with asyncio.timeout(WHOLE_S), stream as response:
            async for chunk in response.aiter_raw():
                body += chunk
                if len(body) > MAX_REPLY:
                    raise NoReplyError(f"the reply has more than {MAX_REPLY >> 20} MiB")
            return HttpReply(response.status_code, response.headers, bytes(body))


SECONDARY_S = 60.0
TRIES = 5
GOES_ON = "progress is saved; run the same command to resume"


class RateLimitError(RunError):
    """The API accepts no requests for longer than the client waits. `until` is a time in UTC."""

    def __init__(self, api: str, *, wait_s: float, now: float, token: GitHubToken) -> None:
        self.wait_s = wait_s
        self.until = _moment(now + wait_s)
        more = "" if token.name else "; with GITHUB_TOKEN set, the limit is three times as high"
        message = f"{api} accepts no requests before {self.until} ({duration(wait_s)} from now)"
        super().__init__(message, hint=f"progress is saved; run the same command after that{more}")


class _ErrorBody(msgspec.Struct):
    message: str | None = None


def error_text(reply: HttpReply) -> str:
    """GitHub's error message, or a substitute."""
    try:
        return msgspec.json.decode(reply.body, type=_ErrorBody).message or ""
    except NOT_JSON:
        return reply.body[:1000].decode("utf-8", "replace")


def wait_after(reply: HttpReply, *, attempt: int, now: float) -> float | None:
    """Seconds to wait before sending the request again; None if waiting does not help."""
    if reply.status in (403, 429) and _is_limit(reply):
        wanted = retry_after(reply.headers, date=now)
        if wanted is None:
            wanted = until_reset(reply.headers, now=now)
        return SECONDARY_S * 2**attempt if wanted is None else wanted
    if reply.status >= 500 or reply.status == 408:
        wanted = retry_after(reply.headers, date=now)
        return backoff("github", attempt) if wanted is None else wanted
    return None


def until_reset(headers: Mapping[str, str], *, now: float) -> float | None:
    """Seconds until requests are available again; None if some are available, or if that is unknown.

    It uses the server's clock if the reply has its time: the clock here may be off by more than a wait.
    """
    if headers.get("x-ratelimit-remaining", "").strip() != "0":
        return None
    reset = number_of_header(headers.get("x-ratelimit-reset"))
    return None if reset is None else max(reset - server_time(headers, now=now), 0.0) + 1


def server_time(headers: Mapping[str, str], *, now: float) -> float:
    """The time in the reply, or the time of this machine."""
    try:
        return parsedate_to_datetime(headers.get("date", "")).timestamp()
    except (ValueError, TypeError, OverflowError):
        return now


def refusal_of(reply: HttpReply, *, api: str, token: GitHubToken) -> BenchwrightError:
    """The error for a reply that waiting does not fix."""
    words = token.quoted(error_text(reply))
    message = f"{api}: HTTP {reply.status}: {words}" if words else f"{api}: HTTP {reply.status}"
    if reply.status == 401:
        name = token.name or "GITHUB_TOKEN"
        return PrerequisiteError(f"{message} (the token in {name})", hint=f"export {name}=…, or unset {name}")
    if 300 <= reply.status < 400:
        place = token.quoted(reply.headers.get("location", "elsewhere"))
        return RunError(
            f"{message}: redirected to {place}", hint="if you trust it, set --github-api to that address"
        )
    if reply.status == 403:
        return RunError(message, hint=f"check the permissions of the token, or unset it; {GOES_ON}")
    return RunError(message, hint=f"check --github-api; {GOES_ON}")


def _is_limit(reply: HttpReply) -> bool:
    words = error_text(reply).lower()
    is_stated = "rate limit" in words or "abuse" in words  # older servers: "abuse detection"
    counted = reply.headers.get("x-ratelimit-remaining", "").strip() == "0"
    return reply.status == 429 or is_stated or counted or "retry-after" in reply.headers


def _budget(request: GitHubRequest) -> str:
    """REST and GraphQL have separate limits."""
    return "graphql" if request.body else "rest"


_RATE_LIMIT_TYPE = "RATE_LIMITED"
_TRUNCATION = "Input data was truncated"


def is_cut(body: bytes) -> bool:
    """Return whether a body is the start of a JSON document: some proxies cut a reply without an error."""
    try:
        msgspec.json.decode(body, type=msgspec.Raw)
    except msgspec.DecodeError as error:
        return str(error).startswith(_TRUNCATION)
    except NOT_JSON:
        pass
    return False


class _GraphError(msgspec.Struct):
    type: str = ""
    message: str = ""


class _GraphErrors(msgspec.Struct):
    data: msgspec.Raw = msgspec.Raw(b"null")
    errors: list[_GraphError] = []


def graphql_fault(reply: HttpReply) -> str:
    """The reason to send a query again: RATE_LIMITED, or the message of a failed query without data.

    Empty if there is data, or if an error names a type, such as NOT_FOUND, which another try does not change.
    """
    try:
        found = msgspec.json.decode(reply.body, type=_GraphErrors)
    except NOT_JSON:
        return ""
    if any(each.type == _RATE_LIMIT_TYPE for each in found.errors):
        return _RATE_LIMIT_TYPE
    if bytes(found.data) != b"null" or not found.errors or found.errors[0].type:
        return ""
    return found.errors[0].message or "no data"


def _moment(when: float) -> str:
    try:
        return datetime.fromtimestamp(when, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (OverflowError, ValueError, OSError):
        return "a date that no calendar has"


NoteCallback = Callable[[str], None]


class GitHubClient:
    """A client of one API. It waits where necessary, reports that, and gives up on very long waits."""

    def __init__(self, api: str, token: GitHubToken, *, tell: NoteCallback, clock: WaitingClock) -> None:
        self._api, self._token, self._tell, self._clock = api, token, tell, clock
        self._open = ExitStack()
        self._free_at: dict[str, float] = {}  # by budget: no request before this time
        self.requests = 0  # sent so far, with the failed ones
        self._why = ""  # unreported reason of the current wait
        # Opened for the first request: pages may all be there.
        self._connection: GitHubConnection | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._open.close()

    def get(self, url: str, *, etag: str = "") -> HttpReply:
        """A reply with status 200 or 304. Raises RateLimitError, or another BenchwrightError."""
        return self.send(GitHubRequest(url, etag=etag))

    def send(self, request: GitHubRequest) -> HttpReply:
        """A reply that the request accepts. Raises RateLimitError, or another BenchwrightError.

        Failed requests are sent up to TRIES times, and redirects followed up to MAX_MOVES times.
        """
        for _ in range(MAX_MOVES):
            reply = self._answer(request)
            if reply.status not in _REDIRECTS:
                return reply
            request = request._replace(url=self._new_address(request, reply))
        raise RunError(f"{self._api}: more than {MAX_MOVES} redirects in a row", hint=GOES_ON)

    def _new_address(self, request: GitHubRequest, reply: HttpReply) -> str:
        """The new address of a renamed repository; only one below the same API gets the token."""
        location = reply.headers.get("location", "")
        place = urljoin(request.url, location)
        try:
            inside = place.startswith(f"{self._api}/") and ".." not in urlsplit(place).path.split("/")
        except ValueError:
            inside = False
        if not (location and inside):
            raise refusal_of(reply, api=self._api, token=self._token)
        return place

    def _answer(self, request: GitHubRequest) -> HttpReply:
        attempt = 0
        while True:
            self._pause(request)
            wait, why = self._try(request, attempt)
            if isinstance(wait, HttpReply):
                return wait
            attempt += 1
            if attempt == TRIES and why:
                raise RunError(f"{self._api} does not answer: {why} (tried {TRIES} times)", hint=GOES_ON)
            if attempt == TRIES or wait > MAX_WAIT_S:
                raise self._rate_limit_error(wait)
            self._free_at[_budget(request)], self._why = self._clock.now() + wait, ""
            again = f"asking again in {wait:.0f} s, try {attempt + 1} of {TRIES}"
            self._tell(f"GitHub: {why or 'a limit on requests'}; {again}")

    def _try(self, request: GitHubRequest, attempt: int) -> tuple[HttpReply | float, str]:
        """The reply, or the time to wait, with the reason if it is not a limit."""
        self.requests += 1
        try:
            reply = self._connected().send(request)
        except NoReplyError as error:
            return self._wait_for_server(attempt), self._token.quoted(str(error))
        now = self._clock.now()
        if request.accepts(reply.status):
            return self._accepted(request, reply, attempt, now)
        wait = wait_after(reply, attempt=attempt, now=now)
        if wait is None:
            raise refusal_of(reply, api=self._api, token=self._token)
        limited = reply.status in (403, 429)
        return wait, "" if limited else f"HTTP {reply.status} {self._token.quoted(error_text(reply))}".strip()

    def _accepted(
        self, request: GitHubRequest, reply: HttpReply, attempt: int, now: float
    ) -> tuple[HttpReply | float, str]:
        """The reply, unless its body is cut or reports a limit or a fault of GraphQL."""
        rest = until_reset(reply.headers, now=now)
        if request.body and (fault := graphql_fault(reply)):
            if fault == _RATE_LIMIT_TYPE:
                return SECONDARY_S * 2**attempt if rest is None else rest, ""
            return self._wait_for_server(attempt), f"GraphQL: {self._token.quoted(fault)}"
        if reply.status == 200 and is_cut(reply.body):
            return self._wait_for_server(attempt), "the reply ends in the middle"
        if rest is not None:
            self._free_at[_budget(request)] = now + rest
            self._why = "that was the last request of this period"
        return reply, ""

    def _pause(self, request: GitHubRequest) -> None:
        wait = self._free_at.get(_budget(request), 0.0) - self._clock.now()
        if wait > MAX_WAIT_S:
            raise self._rate_limit_error(wait)
        if wait > REPORTED_WAIT_S and self._why:
            self._tell(f"GitHub: {self._why}; resuming in {wait:.0f} s")
        if wait > 0:
            self._clock.sleep(wait)

    def _wait_for_server(self, attempt: int) -> float:
        return float(2**attempt)

    def _rate_limit_error(self, wait_s: float) -> RateLimitError:
        return RateLimitError(self._api, wait_s=wait_s, now=self._clock.now(), token=self._token)

    def _connected(self) -> GitHubConnection:
        if self._connection is None:
            headers = {
                "accept": "application/vnd.github+json",
                "accept-encoding": "identity",  # a few packed bytes could grow to gigabytes
                "user-agent": "benchwright",
                "x-github-api-version": "2022-11-28",
                **self._token.headers(),
            }
            self._connection = self._open.enter_context(GitHubConnection(self._api, headers))
        return self._connection
