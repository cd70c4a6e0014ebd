"""Asking through a provider's batches: submit, wait, collect, and submit failed requests again.

    prompts ──plan──▶ batches.jsonl ──submit──▶ provider ──state──▶ wait … ──results──▶ Answers
       ▲                                                                        └──────▶ failed requests ─┐
       └──────────────────────────────────────────────────────────────────────────────────────────────────┘

Each step is on the disk before the next one, see `batch_file`. So a killed process, or one that did not wait,
leaves batches that the next one collects. A batch whose submission got no reply is searched for before
anything is submitted again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

from benchwright.asking.cost import Budget
from benchwright.contracts import Prompt, RequestOptions
from benchwright.display.escape import escaped_path
from benchwright.display.wording import counted, first_names
from benchwright.errors import BatchesPending, BenchwrightError, RunError, UsageError
from benchwright.http_client import WaitingClock, backoff
from benchwright.models.http.batch_file import NAME, BatchedRequest, BatchFile, StoredBatch
from benchwright.models.http.batch_formats import BatchResult, BatchState, batch_interface
from benchwright.models.http.connection import ApiConnection
from benchwright.models.http.endpoint import Endpoint
from benchwright.models.http.failures import (
    FAULTS,
    EventCallback,
    EventCounter,
    RequestFailure,
    ending,
    nobody,
)
from benchwright.models.http.interfaces import form_of
from benchwright.models.http.request_pool import START_TRIES, answer_of, error_of
from benchwright.records import Answer, KeyedRow

FIRST_POLL_S, MAX_POLL_S = 5.0, 60.0  # between two looks at open batches, doubled each time
SPARE_LINES = 1000  # more lines than requests that results may have

R = TypeVar("R")


class _WaitingRequest(NamedTuple):
    """A prompt to put into a batch, and how many batches failed to answer it."""

    prompt: Prompt
    attempt: int = 0

    @property
    def row(self) -> KeyedRow:
        return self.prompt.key, self.prompt.task_id


class BatchAsker:
    """Asks prompts of one server in batches. Its state is in a run folder."""

    def __init__(
        self,
        name: str,
        asking: RequestOptions,
        endpoint: Endpoint,
        *,
        budget: Budget,
        folder: Path,
        tell: EventCallback,
        clock: WaitingClock | None = None,
    ) -> None:
        self._name, self._options, self._endpoint, self._budget = name, asking, endpoint, budget
        self._spec = f"{endpoint.provider.scheme}:{name}"
        self._form = form_of(endpoint.provider.interface, name, asking)
        path = endpoint.provider.path(name, asking.api)
        self._interface = batch_interface(endpoint.provider.batches, path)
        self._connection = ApiConnection(endpoint, timeout_s=asking.timeout_s)
        self._file, self._clock, self._report = BatchFile(folder), clock or WaitingClock(), tell
        self._faults = EventCounter("server_fault", tell)
        self._prompts: dict[KeyedRow, Prompt] = {}  # without an answer
        self._queue: deque[_WaitingRequest] = deque()
        self._open: list[StoredBatch] = []
        self._states: dict[str, BatchState] = {}  # by label, as last seen
        self._answered, self._has_replied = 0, False
        self._error: BenchwrightError | None = None  # ends the session after the results of a batch

    def answers(self, prompts: Iterable[Prompt]) -> Iterator[Answer]:
        """Yield answers as batches end.

        Raises BatchesPending if batches have not ended and the options say not to wait, and RunError where
        the provider refuses batches or no longer answers. Nothing that was submitted is lost.
        """
        try:
            self._resume(prompts)
            yield from self._work()
        finally:
            self._faults.close()
            self._connection.close()

    def _resume(self, prompts: Iterable[Prompt]) -> None:
        """Take open batches of earlier sessions, and queue all prompts that are in none of them."""
        self._prompts = {(prompt.key, prompt.task_id): prompt for prompt in prompts}
        self._open = self._file.open_batches()
        open_rows: set[KeyedRow] = set()
        for batch in self._open:
            if batch.server != self._endpoint.base_url:
                message = f"batch {batch.id or batch.label} of this run was submitted to {batch.server}"
                raise UsageError(message, hint=f"--base-url {batch.server} collects it")
            open_rows |= {request.row for request in batch.requests}
        if known := open_rows & self._prompts.keys():
            names = first_names([batch.id or batch.label for batch in self._open])
            text = f"{len(known):,} of these requests are in {_batches(self._open)} of this run: {names}"
            self._report("batch", {"state": "resumed", "requests": len(known), "text": text})
        for row, prompt in self._prompts.items():
            if row in open_rows:
                self._budget.hold(prompt)
            else:
                self._queue.append(_WaitingRequest(prompt))

    def _work(self) -> Iterator[Answer]:
        looks = 0
        while True:
            self._settle_lost()
            self._submit_queue()
            if not self._open:
                if self._queue:
                    self._report("budget", self._budget.detail())
                    raise self._budget.used_up(self._answered)
                return
            if (yield from self._collect_ended()):
                looks = 0
                if self._queue:  # wait before failed requests are sent again
                    self._clock.sleep(backoff(self._queue[-1].prompt.key, self._queue[-1].attempt - 1))
            elif not self._options.wait:
                raise self._pending()
            else:
                self._clock.sleep(min(MAX_POLL_S, FIRST_POLL_S * 2.0 ** min(looks, 10)))
                looks += 1

    # Submitting.

    def _submit_queue(self) -> None:
        """Submit batches until the queue is empty, or the budget is held back."""
        while self._queue:
            next_requests, lines = self._next_batch()
            if not next_requests:
                return
            requests = [
                BatchedRequest(key=each.prompt.key, task_id=each.prompt.task_id, attempt=each.attempt)
                for each in next_requests
            ]
            batch = self._file.plan(self._endpoint.base_url, requests)
            numbered_lines = [self._interface.line(batch.custom_id(n), body) for n, body in enumerate(lines)]
            self._open.append(batch)
            self._submit(batch, numbered_lines)

    def _next_batch(self) -> tuple[list[_WaitingRequest], list[bytes]]:
        """Take requests from the queue, within the limits of a batch and the budget, with their bodies."""
        requests, bodies, size = list[_WaitingRequest](), list[bytes](), 0
        while self._queue and len(requests) < self._interface.max_requests:
            prompt = self._queue[0].prompt
            body = self._form.body(prompt)
            size += len(body) + _LINE_BYTES
            if not self._budget.admits(prompt) or (requests and size > self._interface.max_bytes):
                break
            self._budget.hold(prompt)
            requests.append(self._queue.popleft())
            bodies.append(body)
        return requests, bodies

    def _submit(self, batch: StoredBatch, lines: list[bytes]) -> None:
        """Submit a planned batch once; after a request without a reply, search before another try."""
        uncertain = False
        for attempt in range(self._options.retries + 1):
            try:
                batch_id = self._interface.submit(self._connection, batch.label, lines)
            except RequestFailure as failed:
                uncertain |= not _is_unsent(failed)
                if not uncertain and (failed.course == "end" or self._is_last(failed, attempt)):
                    self._file.end(batch, "refused", failed.text)
                    raise self._refusal(failed) from None
                if self._is_last(failed, attempt):
                    raise self._lost_server(failed) from None
                self._pause(failed, batch.label, attempt)
                found = self._search(batch) if uncertain else None
                if found is None:
                    continue
                batch_id = found
            self._has_replied = True
            if batch_id:  # else it was perhaps submitted, which is known later
                self._adopt(batch, batch_id, "submitted")
            return

    def _is_last(self, failed: RequestFailure, attempt: int) -> bool:
        """Return whether there is no further try: a wrong address should not take a minute to notice."""
        tries = self._options.retries + 1
        if failed.reason == "connect" and not self._has_replied:
            tries = min(START_TRIES, tries)
        return failed.course == "give up" or attempt + 1 >= tries

    def _refusal(self, failed: RequestFailure) -> RunError:
        """Return the error of a batch that was certainly not created."""
        if failed.reason in (404, 405):
            message = self._endpoint.quoted(failed.text)
            hint = "leave --batch out, or check --base-url"
            return RunError(f"{self._endpoint.base_url} has no batches: {message}", hint=hint)
        return self._lost_server(failed) if failed.course == "again" else ending(failed, self._endpoint)

    def _adopt(self, batch: StoredBatch, batch_id: str, what: str) -> None:
        stored = self._file.submitted(batch, batch_id)
        self._open[self._open.index(batch)] = stored
        text = f"{what} batch {batch_id}: {counted(len(batch.requests), 'request')}"
        self._report("batch", {"id": batch_id, "state": what, "requests": len(batch.requests), "text": text})
        self._show()

    def _search(self, batch: StoredBatch) -> str | None:
        """Return the id of a batch whose submission got no reply; empty if unsure, None if it is absent."""
        known = self._file.known_ids()
        try:
            found = self._call(lambda: self._interface.find(self._connection, batch, known))
        except RequestFailure as failed:
            raise ending(failed, self._endpoint) from None
        if not found.id and found.unsure and batch.label not in self._states:
            text = (
                f"a batch of {counted(len(batch.requests), 'request')} was perhaps submitted before an "
                f"interruption: {first_names(list(found.unsure))} must end first, to compare the results"
            )
            self._states[batch.label] = BatchState("unknown", has_ended=False)
            self._report("batch", {"label": batch.label, "state": "unknown", "text": text})
        return found.id or ("" if found.unsure else None)

    def _settle_lost(self) -> None:
        """Find submitted batches without a stored id; queue the requests of those that do not exist."""
        for batch in [each for each in self._open if not each.id]:
            found = self._search(batch)
            if found:
                self._adopt(batch, found, "found")
            elif found is None:
                self._file.end(batch, "absent")
                self._open.remove(batch)
                self._requeue(batch)

    def _requeue(self, batch: StoredBatch) -> None:
        for request in batch.requests:
            if (prompt := self._prompts.get(request.row)) is not None:
                self._budget.release(prompt)
                self._queue.append(_WaitingRequest(prompt, request.attempt))

    # Collecting.

    def _collect_ended(self) -> Generator[Answer, None, bool]:
        """Yield the answers of batches that have ended. Returns whether any had."""
        has_collected = False
        for batch in [each for each in self._open if each.id]:
            if not any(request.row in self._prompts for request in batch.requests):
                self._close(batch, "collected before")  # a session ended before it stored that
                has_collected = True
                continue
            state = self._state_of(batch)
            self._states[batch.label] = state
            self._show()
            if state.has_ended:
                has_collected = True
                yield from self._collect(batch, state)
                if self._error is not None:
                    raise self._error
        return has_collected

    def _state_of(self, batch: StoredBatch) -> BatchState:
        try:
            return self._call(lambda: self._interface.state(self._connection, batch.id))
        except RequestFailure as failed:
            if failed.reason != 404:
                raise ending(failed, self._endpoint) from None
            reason = self._endpoint.quoted(failed.text)
            message = f"{self._endpoint.base_url} does not have batch {batch.id} of this run: {reason}"
            hint = f"use the key of the account that submitted it; without {NAME}, the run submits again"
            raise RunError(message, hint=hint) from None

    def _collect(self, batch: StoredBatch, state: BatchState) -> Iterator[Answer]:
        """Yield an answer to each request that has one, or that is not tried again; queue the others."""
        unanswered = {
            batch.custom_id(number): _WaitingRequest(prompt, request.attempt)
            for number, request in enumerate(batch.requests)
            if (prompt := self._prompts.get(request.row)) is not None
        }
        known = {batch.custom_id(number) for number in range(len(batch.requests))}
        for result in self._results(batch, state, known):
            if (request_sent := unanswered.pop(result.custom_id, None)) is not None:
                yield from self._settle(batch, request_sent, result)
        failure = state.failure or RequestFailure("no-result", "the batch has no result for this request")
        for request_sent in unanswered.values():
            yield from self._settle(batch, request_sent, BatchResult("", failure=failure))
        self._close(batch, state.state)

    def _results(self, batch: StoredBatch, state: BatchState, known: set[str]) -> Iterator[BatchResult]:
        """Yield the first result of each request. A broken download is repeated."""
        for path in state.paths:
            for attempt in range(self._options.retries + 1):
                try:
                    yield from self._read_results(path, known)
                    break
                except RequestFailure as failed:
                    if failed.fault:
                        self._fault(failed.fault, failed.text)
                    if failed.course != "again" or attempt == self._options.retries:
                        raise self._lost_server(failed) from None
                    self._pause(failed, batch.label, attempt)

    def _read_results(self, path: str, known: set[str]) -> Iterator[BatchResult]:
        seen: set[str] = set()
        for number, line in enumerate(self._connection.lines(path)):
            if number > len(known) + SPARE_LINES:
                text = f"the results have more than {number:,} lines for {len(known):,} requests"
                raise RequestFailure("huge", text, course="give up", fault="huge")
            if not line.strip():
                continue
            try:
                result = self._interface.read(line)
            except RequestFailure as failed:
                self._fault(failed.fault or "wrong-shape", failed.text)
                continue
            if result.custom_id not in known or result.custom_id in seen:
                fault = "repeated-result" if result.custom_id in seen else "unknown-result"
                self._fault(fault, f"custom_id {result.custom_id[:100]}")
                continue
            seen.add(result.custom_id)
            yield result

    def _settle(self, batch: StoredBatch, request: _WaitingRequest, result: BatchResult) -> Iterator[Answer]:
        """Yield the answer of a result, or queue the request again."""
        prompt, failure = request.prompt, result.failure
        if failure is None:
            try:
                yield from self._answer(batch, prompt, result.body)
            except RequestFailure as failed:
                failure = failed
        self._budget.release(prompt)
        if failure is None:
            return
        if failure.fault:
            self._fault(failure.fault, failure.text, prompt)
        if failure.course == "again" and request.attempt < self._options.retries:
            self._queue.append(_WaitingRequest(prompt, request.attempt + 1))
            return
        self._prompts.pop(request.row)
        error = error_of(failure, self._endpoint, tries=request.attempt + 1)
        yield answer_of(prompt, None, spec=self._spec, seed=self._form.seed(prompt), error=error)

    def _answer(self, batch: StoredBatch, prompt: Prompt, body: bytes) -> Iterator[Answer]:
        reading = self._form.read(body, model=self._name)
        for name, detail in reading.faults.items():
            self._fault(name, detail, prompt)
        seed = self._form.seed(prompt)
        yield answer_of(prompt, reading, spec=self._spec, seed=seed, batch=batch.id)
        self._answered += 1
        self._prompts.pop((prompt.key, prompt.task_id))
        try:
            self._budget.add(reading.tokens_in, reading.tokens_out)
            self._budget.learn(prompt, reading.tokens_in, reading.tokens_out)
        except BenchwrightError as error:
            self._error = error

    def _close(self, batch: StoredBatch, state: str) -> None:
        self._file.end(batch, "collected", state)
        self._open.remove(batch)
        text = f"batch {batch.id} ended" + ("" if state == "ended" else f" ({state})")
        again = len(self._queue)
        if again:
            text += f"; {counted(again, 'request')} will be sent in another batch"
        self._report("batch", {"id": batch.id, "state": state, "text": text})
        self._show()

    # Waiting, and what is shown of it.

    def _call(self, request: Callable[[], R]) -> R:
        """Return the result of a request without side effects; tries it again.

        Raises RequestFailure for a refusal, and RunError where the provider no longer answers.
        """
        attempt = 0
        while True:
            try:
                result = request()
            except RequestFailure as failed:
                if failed.course != "again":
                    raise
                if self._is_last(failed, attempt):
                    raise self._lost_server(failed) from None
                self._pause(failed, "batches", attempt)
                attempt += 1
            else:
                self._has_replied = True
                return result

    def _pause(self, failed: RequestFailure, key: str, attempt: int) -> None:
        wait_s = failed.wait_s if failed.wait_s is not None else backoff(key, attempt)
        reason = self._endpoint.quoted(failed.text)
        detail = {"status": failed.reason, "wait_s": round(wait_s, 3), "try": attempt + 1, "said": reason}
        self._report("retry", detail)
        self._clock.sleep(wait_s)

    def _lost_server(self, failed: RequestFailure) -> RunError:
        if failed.reason == "connect":
            return nobody(failed, self._endpoint, has_replied=self._has_replied)
        reason = self._endpoint.quoted(failed.text)
        hint = "submitted batches are kept; the same command continues"
        return RunError(f"{self._endpoint.base_url}: batches cannot be used: {reason}", hint=hint)

    def _pending(self) -> BatchesPending:
        names = first_names([batch.id or "one of unknown id" for batch in self._open])
        requests = sum(len(batch.requests) for batch in self._open)
        verb = "has" if len(self._open) == 1 else "have"
        message = (
            f"{counted(len(self._open), 'batch', 'batches')} with {counted(requests, 'request')} "
            f"{verb} not ended at {self._endpoint.base_url}: {names}; {self._processed()}, "
            f"{self._answered:,} answers collected"
        )
        return BatchesPending(
            message, hint="the same command collects the results; batches end within 24 hours"
        )

    def _show(self) -> None:
        self._report("progress", {"text": self._progress()})

    def _progress(self) -> str:
        """Return the text next to the progress bar."""
        collected = f"{self._answered:,} answers collected"
        if not self._open:
            return collected
        return f"{_batches(self._open)}, {self._processed()}, {collected}"

    def _processed(self) -> str:
        """Return the number of processed requests in open batches, as last seen."""
        total = sum(len(batch.requests) for batch in self._open)
        states = [self._states.get(batch.label) for batch in self._open]
        processed = sum(state.processed for state in states if state is not None)
        return f"{min(processed, total):,} of {counted(total, 'request')} processed"

    def _fault(self, name: str, detail: str, prompt: Prompt | None = None) -> None:
        event = {"fault": name, "means": FAULTS[name], "detail": self._endpoint.quoted(detail)}
        place = {"task": prompt.task_id, "sample": prompt.sample} if prompt is not None else {}
        self._faults.add(name, {**event, **place})


_PERHAPS_DONE = frozenset({408, 409})  # statuses of requests that may have had an effect
_LINE_BYTES = 200  # of a request in a batch in addition to its body, at most


def _is_unsent(failed: RequestFailure) -> bool:
    """Return whether a failed submission certainly created no batch."""
    refused = isinstance(failed.reason, int) and failed.reason < 500 and failed.reason not in _PERHAPS_DONE
    return refused or failed.reason == "connect"


def _batches(batches: Sequence[StoredBatch]) -> str:
    return counted(len(batches), "open batch", "open batches")


def check_no_open_batches(folder: Path) -> None:
    """Raise UsageError if a folder has open batches: single requests would be paid for again."""
    if batches := BatchFile(folder).open_batches():
        names = first_names([batch.id or batch.label for batch in batches])
        message = f"{escaped_path(folder)} has {_batches(batches)}: {names}"
        hint = f"add --batch to collect them, or remove {escaped_path(folder / NAME)} to pay for them twice"
        raise UsageError(message, hint=hint)
