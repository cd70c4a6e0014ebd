"""A coroutine beside the caller: it runs in a thread of its own and puts what it makes into a queue.

The caller stays an ordinary iterator, so the rest of a run needs to know nothing of asyncio, and it can be
used where an event loop is running already, as in a notebook. No thread is left when `close` returns.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import Any, Generic, Self, TypeVar

T = TypeVar("T")
_ENDED = object()


class BackgroundLoop(Generic[T]):
    """Runs `work(put)` in a thread from `with` on; what it puts is taken with `take`.

    A thing stays here until the next one is asked for: Ctrl-C can strike between the queue and whoever
    takes, and an answer that was paid for must not be lost there.
    """

    def __init__(self, work: Callable[[Callable[[T], None]], Coroutine[Any, Any, None]]) -> None:
        self._things: deque[Any] = deque()
        self._signals: SimpleQueue[None] = SimpleQueue()  # one for each thing
        self._holds = False  # the first thing has been taken
        self._loop = asyncio.new_event_loop()
        self._task = self._loop.create_task(work(self._put))
        # A daemon: if the join is interrupted by a second Ctrl-C, the process can still end.
        self._thread = Thread(target=self._run, name="asking", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def call(self, function: Callable[[], object]) -> None:
        """Have a function called in the thread, soon; never after the work has ended."""
        with suppress(RuntimeError):  # the loop is closed: the work has ended in this moment
            self._loop.call_soon_threadsafe(function)

    def take(self) -> T | None:
        """The next thing, waited for; None at the end. Raises what the work raised, after all it has put."""
        if self._holds:
            self._things.popleft()
            self._holds = False
        self._signals.get()
        self._holds = True
        thing = self._things[0]
        if thing is _ENDED:
            self._end()
            return None
        taken: T = thing
        return taken

    def rest(self) -> list[T]:
        """After `close`: what was put and not taken, and maybe the last thing that was."""
        return [thing for thing in self._things if thing is not _ENDED]

    def close(self) -> None:
        """Cancel the work if it is not done, and see its thread end."""
        self.call(self._task.cancel)
        self._thread.join()

    def _end(self) -> None:
        self._put(_ENDED)  # for whoever asks again
        self._thread.join()
        if not self._task.cancelled() and (error := self._task.exception()) is not None:
            raise error

    def _put(self, thing: Any) -> None:
        self._things.append(thing)
        self._signals.put(None)

    def _run(self) -> None:
        try:
            self._loop.run_until_complete(asyncio.wait([self._task]))
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.run_until_complete(self._loop.shutdown_default_executor())
        finally:
            self._loop.close()
            self._put(_ENDED)
