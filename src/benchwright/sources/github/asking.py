"""Asking the interface politely: one request after the other, none before the server wants it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Self

from benchwright.errors import RunError
from benchwright.http_client import MAX_WAIT_S, TOLD_S, HttpReply, WaitingClock
from benchwright.sources.github.http import GitHubConnection, Unanswered
from benchwright.sources.github.limits import (
    GOES_ON,
    TRIES,
    RateLimited,
    refusal_of,
    said,
    until_reset,
    wait_after,
)
from benchwright.sources.github.token import Token

Tell = Callable[[str], None]


class GitHubClient:
    """Asks one interface, waits where it must, and says so; gives up where that would take too long."""

    def __init__(self, api: str, token: Token, *, tell: Tell, clock: WaitingClock) -> None:
        self._api, self._token, self._tell, self._clock = api, token, tell, clock
        self._open = ExitStack()
        self._free_at = 0.0  # no request before this time
        self._why = ""  # what is waited for until then, where it has not been told
        # Opened for the first request: pages may all be there.
        self._connection: GitHubConnection | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._open.close()

    def get(self, url: str, *, etag: str = "") -> HttpReply:
        """A reply with status 200 or 304. Raises RateLimited, or another BenchwrightError.

        Requests that failed are sent again, up to TRIES in all.
        """
        attempt = 0
        while True:
            self._pause()
            wait, why = self._try(url, etag, attempt)
            if isinstance(wait, HttpReply):
                return wait
            attempt += 1
            if attempt == TRIES and why:
                raise RunError(f"{self._api} does not answer: {why} (tried {TRIES} times)", hint=GOES_ON)
            if attempt == TRIES or wait > MAX_WAIT_S:
                raise self._limited(wait)
            self._free_at, self._why = self._clock.now() + wait, ""
            again = f"asking again in {wait:.0f} s, try {attempt + 1} of {TRIES}"
            self._tell(f"GitHub: {why or 'a limit on requests'}; {again}")

    def _try(self, url: str, etag: str, attempt: int) -> tuple[HttpReply | float, str]:
        """The reply, or how long to wait, and why where no limit is the reason."""
        try:
            reply = self._connected().get(url, etag=etag)
        except Unanswered as error:
            return self._wait_for_server(attempt), self._token.quoted(str(error))
        now = self._clock.now()
        if reply.status in (200, 304):
            if (rest := until_reset(reply.headers, now=now)) is not None:
                self._free_at, self._why = now + rest, "that was the last request of this period"
            return reply, ""
        wait = wait_after(reply, attempt=attempt, now=now)
        if wait is None:
            raise refusal_of(reply, api=self._api, token=self._token)
        limited = reply.status in (403, 429)
        return wait, "" if limited else f"HTTP {reply.status} {self._token.quoted(said(reply))}".strip()

    def _pause(self) -> None:
        wait = self._free_at - self._clock.now()
        if wait > MAX_WAIT_S:
            raise self._limited(wait)
        if wait > TOLD_S and self._why:
            self._tell(f"GitHub: {self._why}; going on in {wait:.0f} s")
        if wait > 0:
            self._clock.sleep(wait)

    def _wait_for_server(self, attempt: int) -> float:
        return float(2**attempt)

    def _limited(self, wait_s: float) -> RateLimited:
        return RateLimited(self._api, wait_s=wait_s, now=self._clock.now(), token=self._token)

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
