"""One prompt, asked until it is answered or given up; and when the whole run had better end."""

from __future__ import annotations

from typing import Protocol

from benchwright.contracts import Asking, Prompt
from benchwright.http_client import HttpReply, backoff
from benchwright.models.openai.endpoint import Endpoint
from benchwright.models.openai.failures import (
    FAULTS,
    EventCounter,
    Failed,
    Silence,
    Tell,
    ending,
    failed_status,
    nobody,
)
from benchwright.models.openai.pacing import AsyncClock, Pace, Waits
from benchwright.models.openai.reply import ReplyContent, read_reply
from benchwright.models.openai.request import Form
from benchwright.records import Answer

START_TRIES = 3  # to connect at all: a wrong address should not take a minute to notice


class Transport(Protocol):
    """What a request is sent through."""

    async def post(self, body: bytes) -> HttpReply:
        """Send a body, give the whole reply; raises Failed when there is none."""
        ...


class PromptAsker:
    """Asks prompts of one server, and keeps what is known of it: its faults, its pace, what it cost."""

    def __init__(
        self, name: str, asking: Asking, endpoint: Endpoint, *, clock: AsyncClock, tell: Tell
    ) -> None:
        self._name, self._asking, self._endpoint, self._clock = name, asking, endpoint, clock
        self._form = Form(name, asking)
        self._waits = Waits(endpoint, clock=clock, tell=tell)
        self._pace = Pace(
            most=asking.concurrency, per_minute=asking.per_minute, clock=clock, tell=self._waits.between
        )
        self._faults, self._retries = EventCounter("server_fault", tell), EventCounter("retry", tell)
        self._silence = Silence(endpoint)
        self._heard = False
        self.answered = 0

    async def ask(self, prompt: Prompt, connection: Transport) -> Answer:
        """The answer to a prompt, or an Answer with `error`. Raises BenchwrightError to end the run."""
        body = self._form.body(prompt)
        attempt, before = 0, self.answered
        while True:
            try:
                reading = await self._try(prompt, body, connection, attempt)
            except Failed as failed:
                self._check(failed, attempt, others=self.answered - before)
                if failed.course == "give up" or attempt == self._asking.retries:
                    return self._missing(prompt, failed, tries=attempt + 1)
                await self._wait(prompt, failed, attempt)
                attempt += 1
            else:
                return self._answer(prompt, reading)

    def check_alive(self) -> None:
        """Raise RunError when so many prompts in a row got no answer that the server must be gone."""
        self._silence.check()

    def close(self) -> None:
        """Tell of what has been counted and not told yet."""
        self._faults.close()
        self._retries.close()

    async def _try(self, prompt: Prompt, body: bytes, connection: Transport, attempt: int) -> ReplyContent:
        async with self._pace.turn() as started:
            try:
                return self._read(await connection.post(body))
            except Failed as failed:
                if failed.fault:
                    self._fault(failed.fault, failed.text, prompt)
                if failed.course == "again":
                    self._settle_wait(failed, prompt, attempt, started=started)
                raise

    def _read(self, reply: HttpReply) -> ReplyContent:
        self._heard = True
        if reply.status != 200:
            raise failed_status(reply.status, reply.headers, reply.body, date=self._clock.date())
        reading = read_reply(reply.body, self._form, model=self._name, api=self._asking.api)
        self._pace.answered()
        return reading

    def _settle_wait(self, failed: Failed, prompt: Prompt, attempt: int, *, started: float) -> None:
        if failed.wait_s is None:
            failed.wait_s = backoff(prompt.key, attempt)
        if failed.throttles:
            self._pace.throttled(failed.wait_s, started=started)

    def _check(self, failed: Failed, attempt: int, *, others: int) -> None:
        """Raise what ends the run: the request is refused whatever it asks, or nobody is there.

        `others` were answered meanwhile: then somebody is there, who only takes no more connections.
        """
        if failed.course == "end":
            raise ending(failed, self._endpoint)
        tries = self._asking.retries + 1 if self._heard else min(START_TRIES, self._asking.retries + 1)
        if failed.reason == "connect" and attempt + 1 >= tries and not others:
            raise nobody(failed, self._endpoint, heard=self._heard)

    async def _wait(self, prompt: Prompt, failed: Failed, attempt: int) -> None:
        wait_s = failed.wait_s or 0.0
        detail = {"status": failed.reason, "wait_s": round(wait_s, 3), "try": attempt + 1}
        detail |= {
            "said": self._endpoint.quoted(failed.text),
            "task": prompt.task_id,
            "sample": prompt.sample,
        }
        self._retries.add(str(failed.reason), detail)
        self._waits.after(failed, attempt=attempt, tries=self._asking.retries + 1)
        await self._clock.sleep(wait_s)

    def _fault(self, name: str, detail: str, prompt: Prompt) -> None:
        quoted = self._endpoint.quoted(detail)
        told = {"fault": name, "means": FAULTS[name], "detail": quoted}
        self._faults.add(name, {**told, "task": prompt.task_id, "sample": prompt.sample})

    def _answer(self, prompt: Prompt, reading: ReplyContent) -> Answer:
        for name, detail in reading.faults.items():
            self._fault(name, detail, prompt)
        self._silence.broken()
        self.answered += 1
        return Answer(
            key=prompt.key,
            task_id=prompt.task_id,
            sample=prompt.sample,
            model=f"openai:{self._name}",
            text=reading.text,
            prompt=prompt.variant,
            seed=self._form.seed(prompt),
            finish_reason=reading.finish_reason,
            tail=reading.tail,
            reasoning=reading.reasoning,
            tokens_in=reading.tokens_in,
            tokens_out=reading.tokens_out,
        )

    def _missing(self, prompt: Prompt, failed: Failed, *, tries: int) -> Answer:
        if failed.course == "again":
            self._silence.add(prompt, failed)
        times = "" if tries == 1 else f" (tried {tries} times)"
        return Answer(
            key=prompt.key,
            task_id=prompt.task_id,
            sample=prompt.sample,
            model=f"openai:{self._name}",
            text="",
            prompt=prompt.variant,
            seed=self._form.seed(prompt),
            error=self._endpoint.quoted(failed.text) + times,
        )
