"""When the next request may start: limits on concurrency and rate, and waits for overloaded servers."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from benchwright.display.wording import duration
from benchwright.http_client import MAX_WAIT_S, REPORTED_WAIT_S
from benchwright.models.http.endpoint import Endpoint
from benchwright.models.http.failures import EventCallback, RequestFailure


class AsyncClock:
    """The clock of the machine."""

    def now(self) -> float:
        """Return seconds of a monotonic clock."""
        return time.monotonic()

    def date(self) -> float:
        """Return seconds since 1970, for dates from a server."""
        return time.time()

    async def sleep(self, seconds: float) -> None:
        """Wait while other requests continue."""
        await asyncio.sleep(seconds)


class RequestPacer:
    """The gate of all requests.

    A server that answers "too many requests" stops all of them for the time it asks, and halves the number in
    flight. Each answer then raises it a little. So the run adapts to the server's limit. Otherwise all
    requests would return at the same moment, be refused together, and use up their tries.
    """

    def __init__(
        self,
        *,
        most: int,
        per_minute: float | None,
        clock: AsyncClock,
        tell: Callable[[float], None] = lambda gap_s: None,
    ) -> None:
        """`tell` is called with the seconds between two starts when one waits for them."""
        self._most, self._clock, self._report = most, clock, tell
        self._gap = 60.0 / per_minute if per_minute else 0.0
        self._window = float(most)
        self._in_flight = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._next = self._resume = self._shrunk = float("-inf")

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[float]:
        """Hold one slot among the requests in flight. Yields the start time of the request."""
        await self._enter()
        try:
            yield self._clock.now()
        finally:
            self._leave()

    def answered(self) -> None:
        """Record an answer. After as many answers as requests in flight, one more is allowed."""
        if self._window < self._most:
            self._window = min(self._most, self._window + 1 / self._window)
            self._wake()

    def throttled(self, wait_s: float, *, started: float) -> None:
        """Record a refusal of a request with this start time: no request starts for some seconds."""
        now = self._clock.now()
        self._resume = max(self._resume, now + wait_s)
        if started > self._shrunk:  # requests in flight together are refused together: halve once
            self._shrunk = now
            self._window = max(1.0, self._window / 2)

    async def _enter(self) -> None:
        if self._waiting or self._in_flight >= int(self._window):
            await self._place()
        else:
            self._in_flight += 1
        try:
            await self._until_due()
        except BaseException:
            self._leave()
            raise

    async def _place(self) -> None:
        """Wait in the queue until a slot is free."""
        place = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():
                self._leave()
            raise

    async def _until_due(self) -> None:
        now = self._clock.now()
        start = max(now, self._next)
        self._next = start + self._gap
        if self._gap and start > now:
            self._report(self._gap)
        while (wait := max(start, self._resume) - self._clock.now()) > 0:
            await self._clock.sleep(wait)

    def _leave(self) -> None:
        self._in_flight -= 1
        self._wake()

    def _wake(self) -> None:
        """Give free slots to the longest waiting requests."""
        while self._waiting and self._in_flight < int(self._window):
            place = self._waiting.popleft()
            if not place.done():
                self._in_flight += 1
                place.set_result(None)


class WaitReporter:
    """Reports each wait once, not for each waiting request."""

    def __init__(self, endpoint: Endpoint, *, clock: AsyncClock, tell: EventCallback) -> None:
        self._endpoint, self._clock, self._report = endpoint, clock, tell
        self._until = float("-inf")  # the end of the last reported wait
        self._paced = False

    def after(self, failed: RequestFailure, *, attempt: int, tries: int) -> None:
        """Report that a failed request is sent again after `failed.wait_s`. `attempt` counts from 0."""
        wait_s = failed.wait_s or 0.0
        ends = self._clock.now() + wait_s
        if wait_s <= REPORTED_WAIT_S or ends <= self._until + REPORTED_WAIT_S:
            return
        self._until = ends
        why = f"{self._endpoint.base_url}: {self._endpoint.quoted(failed.text)}{_wait_origin(failed)}"
        self._report("wait", {"for_s": round(wait_s, 3), "why": why, "try": attempt + 2, "tries": tries})

    def between(self, gap_s: float) -> None:
        """Report once how many seconds apart requests start."""
        if gap_s > REPORTED_WAIT_S and not self._paced:
            self._paced = True
            why = "--per-minute allows one request in this time"
            self._report("wait", {"for_s": round(gap_s, 3), "why": why})


def _wait_origin(failed: RequestFailure) -> str:
    """Return who chose the length of a wait."""
    if failed.asked_s is None:
        return ""
    least = f", of which {duration(MAX_WAIT_S)} are waited" if failed.asked_s > MAX_WAIT_S else ""
    return f" (the server asks for {duration(failed.asked_s)}{least})"
