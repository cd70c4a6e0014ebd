"""The requests in flight: workers, each with a connection, take the next prompt when they are free."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, NamedTuple

from benchwright.asking.cost import Budget
from benchwright.contracts import Asking, Prompt
from benchwright.errors import BenchwrightError
from benchwright.models.openai.asker import PromptAsker, Transport
from benchwright.models.openai.endpoint import Endpoint
from benchwright.models.openai.pacing import AsyncClock
from benchwright.records import Answer

OpenConnection = Callable[[], AbstractAsyncContextManager[Transport]]


class ModelEvent(NamedTuple):
    """An event on its way to whoever listens."""

    kind: str
    detail: Mapping[str, Any]


class RequestPool:
    """Asks the prompts that it is given and puts answers and events, as they come, until the last one."""

    def __init__(
        self,
        name: str,
        asking: Asking,
        endpoint: Endpoint,
        *,
        budget: Budget,
        clock: AsyncClock,
        open_connection: OpenConnection,
    ) -> None:
        self._size, self._budget, self._open = asking.concurrency, budget, open_connection
        self._prompts: asyncio.Queue[Prompt | None] = asyncio.Queue()
        self._line, self._settled = asyncio.Lock(), asyncio.Event()  # for room in the budget
        self._put: Callable[[Answer | ModelEvent], None] = lambda _: None
        self._asker = PromptAsker(name, asking, endpoint, clock=clock, tell=self._tell)
        self._error: BenchwrightError | None = None  # set: nothing more is asked
        self._unasked = False  # a prompt was left over

    def give(self, prompts: Sequence[Prompt], *, last: bool) -> None:
        """More prompts; after the last ones each worker ends when it finds none. For the loop's thread."""
        for prompt in prompts:
            self._prompts.put_nowait(prompt)
        if last:
            for _ in range(self._size):
                self._prompts.put_nowait(None)

    async def run(self, put: Callable[[Answer | ModelEvent], None]) -> None:
        """Work until the last prompt is answered. Raises BenchwrightError when the run has to end."""
        self._put = put
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(self._size):
                    group.create_task(self._work())
        except BaseExceptionGroup as failures:
            raise failures.exceptions[0] from None  # workers fail together, and one error says it
        finally:
            self._asker.close()
        if self._unasked:
            raise self._error or self._used_up()

    async def _work(self) -> None:
        prompt = await self._next()
        if prompt is None:
            return  # a connection is opened when there is something to send
        async with self._open() as connection:
            while prompt is not None:
                await self._ask(prompt, connection)
                prompt = await self._next()

    async def _next(self) -> Prompt | None:
        """The next prompt, its cost held back; None when there is none, or no money for it.

        That is not raised here: what is in flight is paid for, so it is taken.
        """
        prompt = await self._prompts.get()
        if prompt is None or await self._afforded(prompt):
            return prompt
        self._unasked = True
        self.give([], last=True)  # for workers that wait
        return None

    async def _afforded(self, prompt: Prompt) -> bool:
        """Whether there is money for a prompt, once enough of what is in flight has been settled."""
        async with self._line:  # one after the other: a short prompt must not overtake a long one for ever
            while not (self._error or self._budget.is_reached):
                if self._budget.admits(prompt):
                    self._budget.hold(prompt)
                    return True
                self._settled.clear()
                await self._settled.wait()
            return False

    async def _ask(self, prompt: Prompt, connection: Transport) -> None:
        try:
            answer = await self._asker.ask(prompt, connection)
            self._put(answer)
            if answer.error is None:
                self._count(prompt, answer)
        finally:
            self._budget.release(prompt)
            self._settled.set()
        if answer.error is not None:
            self._asker.check_alive()

    def _count(self, prompt: Prompt, answer: Answer) -> None:
        try:
            self._budget.add(answer.tokens_in, answer.tokens_out)
            self._budget.learn(prompt, answer.tokens_in, answer.tokens_out)
        except BenchwrightError as error:
            self._error = error

    def _used_up(self) -> BenchwrightError:
        self._tell("budget", self._budget.detail())
        return self._budget.used_up(self._asker.answered)

    def _tell(self, kind: str, detail: Mapping[str, Any]) -> None:
        self._put(ModelEvent(kind, detail))
