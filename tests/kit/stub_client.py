"""A plain client for the tests of the stub server: it does not use a proxy from the environment."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import httpx

from benchwright.stub_server import Fault, StubServer
from benchwright.stub_server.behaviour import Script
from benchwright.stub_server.http import StubReply
from benchwright.stub_server.replies import answer_reply
from benchwright.stub_server.requests import COMPLETIONS, StubRequest, read_asked
from kit.processes import HANG_S

CHAT = {"model": "m", "messages": [{"role": "user", "content": "def add(x, y):"}]}
PLAIN = {"model": "m", "prompt": "def add(x, y):"}


class Client:
    """Sends each call as one request to a server, on a persistent connection."""

    def __init__(self, server: StubServer) -> None:
        self.server = server
        self.http = httpx.Client(base_url=server.base_url, trust_env=False, timeout=HANG_S)

    def chat(self, **fields: Any) -> httpx.Response:
        """Ask the chat interface."""
        return self.http.post("/chat/completions", json={**CHAT, **fields})

    def plain(self, **fields: Any) -> httpx.Response:
        """Ask the completions interface."""
        return self.http.post("/completions", json={**PLAIN, **fields})


@contextmanager
def served(script: Script | None = None, **options: Any) -> Generator[Client]:
    """Yield a running server with a client."""
    with StubServer(script, **options) as server:
        client = Client(server)
        try:
            yield client
        finally:
            client.http.close()


def asked(path: str = COMPLETIONS, **fields: Any) -> StubRequest:
    """Return a question as the server reads it."""
    import msgspec

    base = PLAIN if path == COMPLETIONS else CHAT
    return read_asked(path, msgspec.json.encode({**base, **fields}))


def answered(question: StubRequest, script: Script, *kinds: str, **settings: Any) -> StubReply:
    """Return the reply to a question with these faults."""
    return answer_reply(question, script, {kind: Fault(kind=kind, **settings) for kind in kinds})
