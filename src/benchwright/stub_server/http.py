"""The part of HTTP/1.1 that clients of model servers use: keep-alive, Content-Length, no chunks.

Uses asyncio's streams instead of `http.server`, which has a thread for each connection and cannot end a
reply in the middle.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import NamedTuple

MAX_HEAD, MAX_BODY = 64 << 10, 64 << 20
_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


class Request(NamedTuple):
    """A request of a client; header names in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    keeps_alive: bool


class StubReply(NamedTuple):
    """A response. `ending` "drop" closes before the first byte, "cut" in the middle of the body."""

    status: int
    body: bytes = b""
    headers: Mapping[str, str] = {}
    ending: str = "whole"
    fill: tuple[int, int] = (0, 0)  # position in the body and number of further bytes

    @property
    def size(self) -> int:
        """The length of the whole body."""
        return len(self.body) + self.fill[1]


class MalformedRequest(Exception):
    """The bytes are not a valid request; the connection ends with this status."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


async def read_request(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Request | None:
    """The next request of a connection; None when the client has closed it between two requests."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError as error:
        if not error.partial.strip():
            return None
        raise MalformedRequest(400, "the connection ended inside the request's head") from None
    except asyncio.LimitOverrunError:
        raise MalformedRequest(431, f"the head is longer than {MAX_HEAD} bytes") from None
    method, path, version, headers = _parse_head(head.decode("latin-1"))
    if headers.get("expect", "").lower() == "100-continue":
        writer.write(_CONTINUE)
    body = await _read_body(reader, headers)
    wants = headers.get("connection", "").lower()
    return Request(method, path, headers, body, wants != "close" and (version == "1.1" or "keep" in wants))


def _parse_head(head: str) -> tuple[str, str, str, dict[str, str]]:
    first, *lines = head.strip().split("\r\n")
    parts = first.split(" ")
    if len(parts) != 3 or not parts[2].startswith("HTTP/1."):
        raise MalformedRequest(400, "the first line is not a request of HTTP/1.1")
    headers = {}
    for line in lines:
        name, colon, value = line.partition(":")
        if not colon:
            raise MalformedRequest(400, "a header has no colon")
        headers[name.strip().lower()] = value.strip()
    return parts[0], parts[1].partition("?")[0], parts[2].removeprefix("HTTP/"), headers


async def _read_body(reader: asyncio.StreamReader, headers: Mapping[str, str]) -> bytes:
    if "transfer-encoding" in headers:
        raise MalformedRequest(411, "send the body with Content-Length")
    length = headers.get("content-length", "0")
    if not (length.isascii() and length.isdigit()):
        raise MalformedRequest(400, "Content-Length is not a number")
    if len(length) > 12 or int(length) > MAX_BODY:
        raise MalformedRequest(413, f"the body is longer than {MAX_BODY} bytes")
    try:
        return await reader.readexactly(int(length))
    except asyncio.IncompleteReadError:
        raise MalformedRequest(400, "the connection ended inside the request's body") from None


async def write_reply(writer: asyncio.StreamWriter, reply: StubReply, *, keeps_alive: bool) -> bool:
    """Send a reply; False when the connection has to be closed after it."""
    if reply.ending == "drop":
        return False
    keeps_alive = keeps_alive and reply.ending == "whole"
    head = [
        f"HTTP/1.1 {reply.status} {HTTPStatus(reply.status).phrase}",
        *(f"{name}: {value}" for name, value in reply.headers.items()),
        f"Content-Length: {reply.size}",
        f"Connection: {'keep-alive' if keeps_alive else 'close'}",
    ]
    writer.write("\r\n".join([*head, "", ""]).encode("latin-1"))
    left = reply.size // 2 if reply.ending == "cut" else reply.size
    for piece in _pieces(reply):
        writer.write(piece[:left])
        left -= min(left, len(piece))
        await writer.drain()
    return keeps_alive


def _pieces(reply: StubReply) -> Iterator[bytes]:
    """The body in order, at most a mebibyte of filling at once: a huge reply needs no memory here."""
    place, size = reply.fill
    yield reply.body[:place] if size else reply.body
    while size > 0:
        yield b"x" * min(size, 1 << 20)
        size -= 1 << 20
    if reply.fill[1]:
        yield reply.body[place:]
