"""Sends the messages of a source to all pages that show the same: they are made and encoded once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any, Protocol

import msgspec
from litestar.response import Stream

from benchwright.web.core.policy import Refusal

Message = dict[str, Any]
TICK_S = 0.5  # between two looks for changes
CROWD = 8  # readers above which the looks get rarer in proportion
SLOWEST_S = 2.0
ALIVE_S = 15.0  # after which a comment shows that the connection is alive
MOST_WAITING = 16  # messages that a slow reader may lag behind
MOST_READERS = 256  # open pages; each has one stream
ALIVE = b": alive\n\n"


class StreamSource(Protocol):
    """The content of a page, as changes. Methods are called in threads, never at once."""

    def message(self) -> Message | None:
        """The changes since the last message; None without changes."""

    def everything(self) -> Message:
        """All that the messages so far have said."""


class SharedStreams:
    """The streams of an application, by what they show."""

    def __init__(self, closing: asyncio.Event) -> None:
        self.closing = closing
        self._shared: dict[object, SharedStream] = {}

    @property
    def readers(self) -> int:
        """The number of open pages."""
        return sum(each.readers for each in self._shared.values())

    def response(self, key: object, make: Callable[[], StreamSource]) -> Stream:
        """Follow what has this key, by a source that is made for its first reader."""
        if self.readers >= MOST_READERS:
            raise Refusal(503, "Too many pages are open", "Close some and reload this one.")
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        return Stream(lambda: self._events(key, make), media_type="text/event-stream", headers=headers)

    async def _events(self, key: object, make: Callable[[], StreamSource]) -> AsyncIterator[bytes]:
        shared = self._shared.get(key)
        if shared is None:
            shared = self._shared[key] = SharedStream(make(), self.closing)
        try:
            async for each in shared.events():
                yield each
        finally:
            if not shared.readers and self._shared.get(key) is shared:
                del self._shared[key]


class SharedStream:
    """One source and its readers. The source is asked while there are readers."""

    def __init__(self, source: StreamSource, closing: asyncio.Event) -> None:
        self._source, self._closing = source, closing
        self._queues: set[asyncio.Queue[bytes | None]] = set()
        self._turn = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None

    @property
    def readers(self) -> int:
        """The number of readers."""
        return len(self._queues)

    async def events(self) -> AsyncIterator[bytes]:
        """All at first, then changes, until the server ends or the reader lags too far behind."""
        queue: asyncio.Queue[bytes | None] = asyncio.Queue(MOST_WAITING)
        self._queues.add(queue)
        try:
            async with self._turn:
                message, everything = await asyncio.to_thread(self._join)
                self._publish(message, without=queue)
                while not queue.empty():
                    queue.get_nowait()  # it is in `everything`
                queue.put_nowait(_event(everything))
            if self._task is None:
                self._task = asyncio.create_task(self._follow())
            while (event := await _next(queue)) is not None:
                yield event
        finally:
            self._queues.discard(queue)

    def _join(self) -> tuple[Message | None, Message]:
        return self._source.message(), self._source.everything()

    async def _follow(self) -> None:
        try:
            while self._queues and not await self._closes():
                async with self._turn:
                    self._publish(await asyncio.to_thread(self._source.message))
        finally:
            self._task = None
            for queue in self._queues:
                _end(queue)

    async def _closes(self) -> bool:
        """Wait for the next look; return whether the server ends."""
        pause = min(SLOWEST_S, TICK_S * max(1.0, len(self._queues) / CROWD))
        try:
            await asyncio.wait_for(self._closing.wait(), pause)
        except TimeoutError:
            return False
        return True

    def _publish(self, message: Message | None, without: asyncio.Queue[bytes | None] | None = None) -> None:
        if message is None:
            return
        event = _event(message)
        for queue in self._queues - {without}:
            if queue.full():  # the page connects again, and gets everything
                _end(queue)
            else:
                queue.put_nowait(event)


def _event(message: Message) -> bytes:
    return b"data: " + msgspec.json.encode(message) + b"\n\n"


async def _next(queue: asyncio.Queue[bytes | None]) -> bytes | None:
    try:
        return await asyncio.wait_for(queue.get(), ALIVE_S)
    except TimeoutError:
        return ALIVE


def _end(queue: asyncio.Queue[bytes | None]) -> None:
    while queue.full():
        queue.get_nowait()
    queue.put_nowait(None)
