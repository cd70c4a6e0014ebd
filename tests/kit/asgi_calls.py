"""Send requests to an application through its ASGI interface: headers may hold any bytes, and streams end
after one message."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, NamedTuple
from urllib.parse import unquote

from kit.processes import HANG_S

Headers = Sequence[tuple[bytes, bytes]]


class AsgiReply(NamedTuple):
    """A response; for a stream, its first message."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        """Return the body as text."""
        return self.body.decode("utf-8", "replace")


async def call(
    application: Any, method: str, target: bytes, headers: Headers = (), body: bytes = b""
) -> AsgiReply:
    """Send a request in the form in which uvicorn passes it on."""
    path, _, query = target.partition(b"?")
    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": unquote(path.decode("latin-1")),
        "raw_path": path,
        "query_string": query,
        "root_path": "",
        "headers": [*headers],
        "client": ("192.0.2.1", 50_000),
        "server": ("127.0.0.1", 8080),
        "state": {},
    }
    bodies, left = [body], asyncio.Event()
    status, given, parts = 0, {}, []

    async def receive() -> dict[str, Any]:
        if bodies:
            return {"type": "http.request", "body": bodies.pop(), "more_body": False}
        await left.wait()
        return {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        nonlocal status
        if message["type"] == "http.response.start":
            status = message["status"]
            given.update(
                (name.decode("latin-1"), value.decode("latin-1")) for name, value in message["headers"]
            )
        elif message["type"] == "http.response.body":
            parts.append(message.get("body", b""))
            left.set()

    async with asyncio.timeout(HANG_S):
        await application(scope, receive, send)
    return AsgiReply(status, given, b"".join(parts))
