"""Shared code of the tests of asking: prompts, a clock that never waits, connections and servers with fixed
replies."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any, Self

from benchwright.contracts import Prompt, RequestOptions
from benchwright.http_client import HttpReply
from benchwright.models.http.endpoint import find_endpoint
from benchwright.models.http.failures import RequestFailure
from benchwright.models.http.model import OpenAIModel
from benchwright.models.http.pacing import AsyncClock
from benchwright.stub_server import StubServer
from kit.processes import HANG_S

DATE = 1_800_000_000.0


class FakeClock(AsyncClock):
    """A clock that advances only when a task sleeps, and records every sleep."""

    def __init__(self) -> None:
        self.time = 0.0
        self.slept: list[float] = []

    def now(self) -> float:
        """Return the seconds slept so far."""
        return self.time

    def date(self) -> float:
        """Return the same time as a date on a fixed day."""
        return DATE + self.time

    async def sleep(self, seconds: float) -> None:
        """Let other tasks run; tasks wake in the order of their wake-up times."""
        self.slept.append(seconds)
        until = self.time + seconds
        await asyncio.sleep(0)
        self.time = max(self.time, until)


class Heard:
    """A listener that records events."""

    def __init__(self) -> None:
        self.events: list[tuple[str, dict[str, Any]]] = []

    def __call__(self, kind: str, detail: Mapping[str, Any]) -> None:
        """Record an event."""
        self.events.append((kind, dict(detail)))

    def counts(self, kind: str, field: str) -> dict[Any, int]:
        """Return the last count of each name."""
        return {detail[field]: detail["count"] for told, detail in self.events if told == kind}


class Scripted:
    """A connection that returns a list of outcomes in order: replies, or failures to raise."""

    def __init__(self, *outcomes: HttpReply | RequestFailure) -> None:
        self.outcomes = list(outcomes)
        self.bodies: list[Any] = []

    async def post(self, body: bytes) -> HttpReply:
        """Return the next outcome; the last one repeats."""
        self.bodies.append(json.loads(body))
        outcome = self.outcomes.pop(0) if len(self.outcomes) > 1 else self.outcomes[0]
        if isinstance(outcome, RequestFailure):
            raise outcome
        return outcome

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Do nothing: there is no connection to close."""


def prompts(tasks: int = 1, n: int = 1) -> list[Prompt]:
    """Return prompts of this number of tasks, n for each."""
    return [
        Prompt(key=f"{task}/{sample}", task_id=task, sample=sample, text=f"task {task}", variant="v")
        for task in range(tasks)
        for sample in range(n)
    ]


def document(text: Any = "code", **changed: Any) -> dict[str, Any]:
    """Return a chat reply of a correct server."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    usage = {"prompt_tokens": 7, "completion_tokens": 3}
    return {"model": "m", "choices": [choice], "usage": usage, **changed}


def completion(text: Any = "code", **changed: Any) -> dict[str, Any]:
    """Return a reply of the completions interface."""
    return document(choices=[{"index": 0, "text": text, "finish_reason": "stop"}], **changed)


def good(text: Any = "code", **changed: Any) -> HttpReply:
    """Return a chat reply with status 200."""
    return HttpReply(200, {}, json.dumps(document(text, **changed)).encode())


def refusal(status: int, message: str = "no", *, code: str = "c", **headers: str) -> HttpReply:
    """Return an error in the interface's shape; underscores in header names stand for dashes."""
    body = json.dumps({"error": {"message": message, "type": "t", "code": code}}).encode()
    return HttpReply(status, {name.replace("_", "-"): value for name, value in headers.items()}, body)


def model_at(
    base_url: str, *, clock: AsyncClock | None = None, opener: Any = None, **settings: Any
) -> OpenAIModel:
    """Return the model `m` at a URL, on a clock that does not wait."""
    asking = RequestOptions(base_url=base_url, **settings)
    endpoint = find_endpoint(base_url, api=asking.api, environment={"OPENAI_API_KEY": "sk-secret"})
    return OpenAIModel("m", asking, endpoint, clock=clock or FakeClock(), opener=opener)


def model_on(*connections: Scripted, clock: AsyncClock | None = None, **settings: Any) -> OpenAIModel:
    """Return the model `m` on connections with fixed outcomes, all used concurrently."""
    waiting = list(connections)
    concurrency = settings.pop("concurrency", len(connections))
    return model_at(
        "http://scripted.test/v1",
        clock=clock,
        opener=lambda endpoint, asking: waiting.pop,
        concurrency=concurrency,
        **settings,
    )


def stub_model(server: StubServer, **settings: Any) -> OpenAIModel:
    """Return the model `m` on the stub server, without waits."""
    return model_at(server.base_url, **settings)


class RawServer:
    """Sends fixed bytes to each connection after its request, then closes it; for replies that no server
    should send.

    `requests` are the received bytes.
    """

    def __init__(self, pieces: Sequence[bytes] | bytes) -> None:
        self._pieces = [pieces] if isinstance(pieces, bytes) else list(pieces)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self.requests: list[bytes] = []

    @property
    def base_url(self) -> str:
        """Return the server's URL."""
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._thread.join(HANG_S)
        self._listener.close()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:  # closed: the test is over
                return
            with connection:
                self._answer(connection)

    def _answer(self, connection: socket.socket) -> None:
        request = b""
        while b"\r\n\r\n" not in request or not request.endswith(b"}"):
            request += (more := connection.recv(1 << 16))
            if not more:
                return
        self.requests.append(request)
        try:
            for piece in self._pieces:
                connection.sendall(piece)
        except OSError:  # the client closed the connection
            return


def http(body: bytes, *headers: str, status: str = "200 OK", length: int | None = None) -> bytes:
    """Return a reply as bytes, with its own length or another one in the header."""
    size = len(body) if length is None else length
    head = [f"HTTP/1.1 {status}", f"Content-Length: {size}", *headers, "", ""]
    return "\r\n".join(head).encode() + body


def texts(answers: Iterable[Any]) -> dict[str, str]:
    """Return the texts by key."""
    return {answer.key: answer.text for answer in answers}
