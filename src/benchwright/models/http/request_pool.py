"""The requests in flight: workers take the next prompt when free, and ask until it is answered or skipped."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from queue import SimpleQueue
from threading import Thread
from typing import Any, Generic, NamedTuple, Protocol, Self, TypeVar

from benchwright.asking.cost import Budget
from benchwright.contracts import Prompt, RequestOptions
from benchwright.errors import BenchwrightError
from benchwright.http_client import HttpReply, backoff
from benchwright.models.http.endpoint import Endpoint
from benchwright.models.http.failures import (
    FAULTS,
    EventCallback,
    EventCounter,
    RequestFailure,
    UnansweredStreak,
    ending,
    failed_status,
    nobody,
)
from benchwright.models.http.interfaces import form_of
from benchwright.models.http.messages import ReplyContent
from benchwright.models.http.pacing import AsyncClock, RequestPacer, WaitReporter
from benchwright.records import Answer

# One prompt, asked until it is answered or given up; and when the whole run had better end.

START_TRIES = 3  # to connect at all: a wrong address should not take a minute to notice


class Transport(Protocol):
    """A connection that sends requests."""

    async def post(self, body: bytes) -> HttpReply:
        """Send a body and return the whole reply. Raises RequestFailure without one."""
        ...


class PromptAsker:
    """Asks prompts of one server, and tracks its faults, pace and cost."""

    def __init__(
        self, name: str, asking: RequestOptions, endpoint: Endpoint, *, clock: AsyncClock, tell: EventCallback
    ) -> None:
        self._name, self._options, self._endpoint, self._clock = name, asking, endpoint, clock
        self._spec = f"{endpoint.provider.scheme}:{name}"
        self._requested_name = "" if endpoint.provider.has_aliases else name
        self._form = form_of(endpoint.provider.interface, name, asking)
        self._waits = WaitReporter(endpoint, clock=clock, tell=tell)
        self._pace = RequestPacer(
            most=asking.concurrency, per_minute=asking.per_minute, clock=clock, tell=self._waits.between
        )
        self._faults, self._retries = EventCounter("server_fault", tell), EventCounter("retry", tell)
        self._silence = UnansweredStreak(endpoint)
        self._has_replied = False
        self.answered = 0

    async def ask(self, prompt: Prompt, connection: Transport) -> Answer:
        """Return the answer to a prompt, or one with `error`. Raises BenchwrightError to end the run."""
        body = self._form.body(prompt)
        attempt, before = 0, self.answered
        while True:
            try:
                reading, seconds = await self._try(prompt, body, connection, attempt)
            except RequestFailure as failed:
                self._check(failed, attempt, others=self.answered - before)
                if failed.course == "give up" or attempt == self._options.retries:
                    return self._missing(prompt, failed, tries=attempt + 1)
                await self._wait(prompt, failed, attempt)
                attempt += 1
            else:
                return self._answer(prompt, reading, seconds)

    def check_alive(self) -> None:
        """Raise RunError after too many consecutive prompts without an answer."""
        self._silence.check()

    def close(self) -> None:
        """Report the remaining counts."""
        self._faults.close()
        self._retries.close()

    async def _try(
        self, prompt: Prompt, body: bytes, connection: Transport, attempt: int
    ) -> tuple[ReplyContent, float]:
        """Return the content of a reply, and the seconds from sending the request to reading it."""
        async with self._pace.turn() as started:
            try:
                begin = self._clock.now()
                reply = await connection.post(body)
                return self._read(reply), self._clock.now() - begin
            except RequestFailure as failed:
                if failed.fault:
                    self._fault(failed.fault, failed.text, prompt)
                if failed.course == "again":
                    self._settle_wait(failed, prompt, attempt, started=started)
                raise

    def _read(self, reply: HttpReply) -> ReplyContent:
        self._has_replied = True
        if reply.status != 200:
            raise failed_status(reply.status, reply.headers, reply.body, date=self._clock.date())
        reading = self._form.read(reply.body, model=self._requested_name)
        self._pace.answered()
        return reading

    def _settle_wait(self, failed: RequestFailure, prompt: Prompt, attempt: int, *, started: float) -> None:
        if failed.wait_s is None:
            failed.wait_s = backoff(prompt.key, attempt)
        if failed.throttles:
            self._pace.throttled(failed.wait_s, started=started)

    def _check(self, failed: RequestFailure, attempt: int, *, others: int) -> None:
        """Raise what ends the run: a refusal of every request, or an unreachable server.

        `others` were answered in the meantime: then the server lives, and only refuses more connections.
        """
        if failed.course == "end":
            raise ending(failed, self._endpoint)
        tries = (
            self._options.retries + 1 if self._has_replied else min(START_TRIES, self._options.retries + 1)
        )
        if failed.reason == "connect" and attempt + 1 >= tries and not others:
            raise nobody(failed, self._endpoint, has_replied=self._has_replied)

    async def _wait(self, prompt: Prompt, failed: RequestFailure, attempt: int) -> None:
        wait_s = failed.wait_s or 0.0
        detail = {"status": failed.reason, "wait_s": round(wait_s, 3), "try": attempt + 1}
        detail |= {
            "said": self._endpoint.quoted(failed.text),
            "task": prompt.task_id,
            "sample": prompt.sample,
        }
        self._retries.add(str(failed.reason), detail)
        self._waits.after(failed, attempt=attempt, tries=self._options.retries + 1)
        await self._clock.sleep(wait_s)

    def _fault(self, name: str, detail: str, prompt: Prompt) -> None:
        quoted = self._endpoint.quoted(detail)
        event = {"fault": name, "means": FAULTS[name], "detail": quoted}
        self._faults.add(name, {**event, "task": prompt.task_id, "sample": prompt.sample})

    def _answer(self, prompt: Prompt, reading: ReplyContent, seconds: float) -> Answer:
        for name, detail in reading.faults.items():
            self._fault(name, detail, prompt)
        self._silence.broken()
        self.answered += 1
        took = round(seconds, 3) if self._options.timed else None
        return answer_of(prompt, reading, spec=self._spec, seed=self._form.seed(prompt), seconds=took)

    def _missing(self, prompt: Prompt, failed: RequestFailure, *, tries: int) -> Answer:
        if failed.course == "again":
            self._silence.add(prompt, failed)
        error = error_of(failed, self._endpoint, tries=tries)
        return answer_of(prompt, None, spec=self._spec, seed=self._form.seed(prompt), error=error)


def answer_of(
    prompt: Prompt, reading: ReplyContent | None, *, spec: str, seed: int | None, **fields: Any
) -> Answer:
    """Return the answer to a prompt. `fields` are further ones, such as `error` where there is no reply."""
    reading = reading or ReplyContent(text="")
    return Answer(
        key=prompt.key,
        task_id=prompt.task_id,
        sample=prompt.sample,
        model=spec,
        text=reading.text,
        prompt=prompt.variant,
        seed=seed,
        finish_reason=reading.finish_reason,
        tail=reading.tail,
        reasoning=reading.reasoning,
        tokens_in=reading.tokens_in,
        tokens_out=reading.tokens_out,
        **fields,
    )


def error_of(failed: RequestFailure, endpoint: Endpoint, *, tries: int) -> str:
    """Return the reason of a missing answer."""
    times = "" if tries == 1 else f" (tried {tries} times)"
    return endpoint.quoted(failed.text) + times


# A coroutine that runs concurrently with the caller: its own thread puts results into a queue. The caller
# is an ordinary iterator, so the rest of a run does not depend on asyncio, and it can be used where an event
# loop is running already, as in a notebook. No thread is left when `close` returns.

T = TypeVar("T")
_ENDED = object()


class BackgroundLoop(Generic[T]):
    """Runs `work(put)` in a thread inside a `with` block; `take` returns what it puts.

    An item stays here until the next one is requested: Ctrl-C can strike between the queue and the taker, and
    an answer that was paid for must not be lost.
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
        """Call a function in the thread soon; never after the work has ended."""
        with suppress(RuntimeError):  # the loop is closed: the work has ended in this moment
            self._loop.call_soon_threadsafe(function)

    def take(self) -> T | None:
        """Wait for the next item; None at the end. Raises the work's error after all its items."""
        if self._holds:
            self._things.popleft()
            self._holds = False
        self._signals.get()
        self._holds = True
        thing = self._things[0]
        if thing is _ENDED:
            self._end()
            return None
        item: T = thing
        return item

    def rest(self) -> list[T]:
        """After `close`: return the items that were not taken, and possibly the last one that was."""
        return [thing for thing in self._things if thing is not _ENDED]

    def close(self) -> None:
        """Cancel unfinished work, and join the thread."""
        self.call(self._task.cancel)
        self._thread.join()

    def _end(self) -> None:
        self._put(_ENDED)  # for a caller that asks again
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


# The requests in flight: workers, each with a connection, take the next prompt when they are free.

OpenConnection = Callable[[], AbstractAsyncContextManager[Transport]]


class ModelEvent(NamedTuple):
    """An event for the listener."""

    kind: str
    detail: Mapping[str, Any]


class RequestPool:
    """Asks prompts, and puts answers and events as they arrive, until the last one."""

    def __init__(
        self,
        name: str,
        asking: RequestOptions,
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
        self._prompt_asker = PromptAsker(name, asking, endpoint, clock=clock, tell=self._report)
        self._error: BenchwrightError | None = None  # set: nothing more is asked
        self._has_unasked = False  # a prompt was left over

    def give(self, prompts: Sequence[Prompt], *, last: bool) -> None:
        """Add prompts. After the last ones, workers end when the queue is empty. For the loop's thread."""
        for prompt in prompts:
            self._prompts.put_nowait(prompt)
        if last:
            for _ in range(self._size):
                self._prompts.put_nowait(None)

    async def run(self, put: Callable[[Answer | ModelEvent], None]) -> None:
        """Work until the last prompt is answered. Raises BenchwrightError where the run must end."""
        self._put = put
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(self._size):
                    group.create_task(self._work())
        except BaseExceptionGroup as failures:
            raise failures.exceptions[0] from None  # workers fail together, and one error says it
        finally:
            self._prompt_asker.close()
        if self._has_unasked:
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
        """Return the next prompt, with its cost reserved; None without a prompt or budget.

        A used-up budget is not raised here: requests in flight are paid for, so their answers are taken.
        """
        prompt = await self._prompts.get()
        if prompt is None or await self._afforded(prompt):
            return prompt
        self._has_unasked = True
        self.give([], last=True)  # for workers that wait
        return None

    async def _afforded(self, prompt: Prompt) -> bool:
        """Whether the budget covers a prompt, once enough requests in flight have ended."""
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
            answer = await self._prompt_asker.ask(prompt, connection)
            self._put(answer)
            if answer.error is None:
                self._count(prompt, answer)
        finally:
            self._budget.release(prompt)
            self._settled.set()
        if answer.error is not None:
            self._prompt_asker.check_alive()

    def _count(self, prompt: Prompt, answer: Answer) -> None:
        try:
            self._budget.add(answer.tokens_in, answer.tokens_out)
            self._budget.learn(prompt, answer.tokens_in, answer.tokens_out)
        except BenchwrightError as error:
            self._error = error

    def _used_up(self) -> BenchwrightError:
        self._report("budget", self._budget.detail())
        return self._budget.used_up(self._prompt_asker.answered)

    def _report(self, kind: str, detail: Mapping[str, Any]) -> None:
        self._put(ModelEvent(kind, detail))
