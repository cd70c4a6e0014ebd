"""The stub server: its HTTP loop, and the answer to each request."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple

from benchwright.errors import UsageError
from benchwright.records import Record
from benchwright.stub_server.behaviour import ERRORS, MODELS_KINDS, Fault, Script, key_of
from benchwright.stub_server.http import (
    MAX_HEAD,
    MalformedRequest,
    Request,
    StubReply,
    read_request,
    write_reply,
)
from benchwright.stub_server.replies import answer_reply, error_reply, json_reply, refusal
from benchwright.stub_server.requests import CHAT, COMPLETIONS, RefusedRequest, StubRequest, loose, read_asked

MODELS = "/v1/models"
REMEMBERED = 1000
FATAL = frozenset({*ERRORS, "drop"})  # after one of these there is no answer for others to bend


class ServerSetup(Record, frozen=True, kw_only=True):
    """The configuration of a stub server."""

    script: Script = Script()
    faults: tuple[Fault, ...] = ()
    models: tuple[str, ...] = ("stub",)
    host: str = "127.0.0.1"
    port: int = 0  # 0: a free one
    api_key: str | None = None  # given: requests without it get 401


class _Key(NamedTuple):
    """The key under which requests are counted."""

    path: str
    prompt: str
    seed: int | None

    @property
    def name(self) -> str:
        return key_of(*self)


class Counts:
    """Counts of requests and replies, as `GET /_stats` returns them."""

    def __init__(self) -> None:
        self.requests, self.successes, self.in_flight, self.most_in_flight = 0, 0, 0, 0
        self.statuses: Counter[int] = Counter()
        self.faults: Counter[str] = Counter()
        self.keys: dict[str, dict[str, Any]] = {}

    def begin(self, key: _Key) -> dict[str, Any]:
        """Count a request; the entry of its key."""
        self.requests += 1
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        fresh = {"path": key.path, "seed": key.seed, "requests": 0, "successes": 0}
        entry = self.keys.setdefault(key.name, fresh)
        entry["requests"] += 1
        return entry

    def document(self) -> dict[str, Any]:
        """The counts as plain data."""
        return {
            "requests": self.requests,
            "successes": self.successes,
            "most_in_flight": self.most_in_flight,
            "statuses": {str(status): number for status, number in sorted(self.statuses.items())},
            "faults": dict(sorted(self.faults.items())),
            "keys": [{"key": name, **entry} for name, entry in self.keys.items()],
        }


class Service:
    """The paths of the server. All state is here and is used by one thread, the event loop's."""

    def __init__(self, setup: ServerSetup) -> None:
        self._setup = setup
        self.counts = Counts()
        self._bodies: deque[dict[str, Any]] = deque(maxlen=REMEMBERED)

    async def reply(self, request: Request) -> StubReply:
        """The reply to a request, after the delay that a fault asks for."""
        where = request.method, request.path
        if where == ("GET", "/_stats"):
            return json_reply(self.counts.document())
        if where == ("GET", "/_requests"):
            return json_reply(list(self._bodies))
        if where in (("GET", "/health"), ("GET", "/v1/health")):
            return json_reply({"status": "ok"})
        if where not in (("GET", MODELS), ("POST", CHAT), ("POST", COMPLETIONS)):
            return refusal(404, f"no {request.method} {request.path} here", code="not_found")
        return await self._counted(request)

    async def _counted(self, request: Request) -> StubReply:
        question, problem = _read(request)
        key = _Key(request.path, question.prompt if question else "", question.seed if question else None)
        entry = self.counts.begin(key)
        showing = self._showing(key, entry["requests"])
        try:
            if "slow" in showing:
                await asyncio.sleep(showing["slow"].seconds)
            reply = self._stranger(request) or problem or self._answer(question, showing)
        finally:
            self.counts.in_flight -= 1
        self.counts.statuses[reply.status] += 1
        self.counts.faults.update(showing.keys())
        if reply.status == 200 and reply.ending == "whole":
            entry["successes"] += 1
            self.counts.successes += 1
        if request.method == "POST":
            self._bodies.append({"path": request.path, "status": reply.status, "body": loose(request.body)})
        return reply

    def _showing(self, key: _Key, of_key: int) -> dict[str, Fault]:
        """The active faults of this request by kind; the first active one of a kind counts."""
        number, found = int(key.name, 16), dict[str, Fault]()
        for fault in self._setup.faults:
            at_home = (fault.kind in MODELS_KINDS) == (key.path == MODELS)
            if at_home and fault.shows(
                prompt=key.prompt, key=number, of_key=of_key, of_all=self.counts.requests
            ):
                found.setdefault(fault.kind, fault)
        fatal = next((kind for kind in found if kind in FATAL), None)
        if fatal is None:
            return found
        return {kind: fault for kind, fault in found.items() if kind in (fatal, "slow")}

    def _stranger(self, request: Request) -> StubReply | None:
        key = self._setup.api_key
        if key is None or request.headers.get("authorization") == f"Bearer {key}":
            return None
        return refusal(401, "the Authorization header does not have the key", code="invalid_api_key")

    def _answer(self, question: StubRequest | None, showing: dict[str, Fault]) -> StubReply:
        if question is None:
            return _models(self._setup.models, showing)
        if "drop" in showing:
            return StubReply(0, ending="drop")
        error = next((fault for kind, fault in showing.items() if kind in ERRORS), None)
        return error_reply(error) if error else answer_reply(question, self._setup.script, showing)


def _read(request: Request) -> tuple[StubRequest | None, StubReply | None]:
    """The question, or an error reply for an invalid one."""
    if request.method == "GET":
        return None, None
    try:
        return read_asked(request.path, request.body), None
    except RefusedRequest as error:
        return None, refusal(400, str(error))


def _models(names: Sequence[str], showing: dict[str, Fault]) -> StubReply:
    if "models-500" in showing:
        return refusal(500, "stub server: the list of models cannot be made", kind="server_error")
    listed = [] if "models-empty" in showing else names
    models = [{"id": name, "object": "model", "created": 0, "owned_by": "stub"} for name in listed]
    return json_reply({"object": "list", "data": models})


BACKLOG = 1024
LINGER_S = 1.0


async def serve(
    setup: ServerSetup, ready: Callable[[str], None], until: Callable[[], Awaitable[object]]
) -> Service:
    """Serve until `until()` returns; `ready` is called with the base URL when clients may come.

    At the end the sockets are closed, also those of unfinished requests.
    """
    service = Service(setup)
    connections: set[asyncio.Task[None]] = set()

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # Tasks of our own: asyncio keeps none of those it makes, so it could not end them.
        task = asyncio.create_task(_converse(service, reader, writer))
        connections.add(task)
        task.add_done_callback(connections.discard)

    server = await _listen(setup, connected)
    try:
        host, port = server.sockets[0].getsockname()[:2]
        ready(f"http://{f'[{host}]' if ':' in host else host}:{port}/v1")
        await until()
    finally:
        server.close()
        for task in connections:
            task.cancel()
        await asyncio.gather(*connections, return_exceptions=True)
    return service


async def _listen(
    setup: ServerSetup, connected: Callable[[asyncio.StreamReader, asyncio.StreamWriter], None]
) -> asyncio.Server:
    try:
        return await asyncio.start_server(
            connected, setup.host, setup.port, limit=MAX_HEAD, backlog=BACKLOG, reuse_address=True
        )
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        message = f"cannot listen on {setup.host} port {setup.port}: {reason}"
        raise UsageError(message, hint="leave the port out, or give 0, to get a free one") from None


async def _converse(service: Service, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Handle the requests of one connection in sequence."""
    try:
        while await _exchange(service, reader, writer):
            pass
    except ConnectionError:
        return  # the client has closed the connection
    finally:
        writer.close()


async def _exchange(service: Service, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    """One request and its reply; False when the connection ends with it."""
    try:
        request = await read_request(reader, writer)
    except MalformedRequest as error:
        await write_reply(writer, refusal(error.status, str(error)), keeps_alive=False)
        await _hear_out(reader, writer)
        return False
    if request is None:
        return False
    reply = await service.reply(request)
    return await write_reply(writer, reply, keeps_alive=request.keeps_alive)


async def _hear_out(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Read the rest of a refused request. If the socket closed earlier, the client would lose our reply."""
    writer.write_eof()
    try:
        async with asyncio.timeout(LINGER_S):
            while await reader.read(MAX_HEAD):
                pass
    except TimeoutError:
        return  # it had its time; what it loses is the reason for the refusal
