"""The one module that speaks HTTP, and the one that knows httpx: to replace the library, replace this.

Each connection has a client of its own. One client for all of them costs six times the processor time at
64 requests in flight: its pool looks at every connection for every request.

A reply is asked for unpacked. One that comes packed all the same, as some proxies send it, is unpacked here:
the library's own unpacking says neither that packed data end too early nor what is wrong with them, and
unpacks a block whole: a few bytes may be a gigabyte.
"""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Self

import httpx

from benchwright.http_client import HttpReply, client_options, error_words, reason
from benchwright.models.openai.failures import Failed

BLOCK = 1 << 20  # unpacked at once
GZIP, DEFLATE = 31, 15  # zlib's window bits; `deflate` is zlib's format (RFC 9110, 8.4.1.2)


class Unpackable(Exception):
    """Content that does not match its content-encoding; the text is the reason."""


class Plain:
    """Uncompressed content."""

    def feed(self, data: bytes, keep: Callable[[bytes], None]) -> None:
        """Keep the bytes."""
        keep(data)

    def end(self) -> None:
        """Do nothing: uncompressed content has no end marker."""


class Zlib:
    """Content compressed with gzip or deflate."""

    def __init__(self, name: str, bits: int) -> None:
        self._name, self._bits = name, bits
        self._unpacker = zlib.decompressobj(bits)
        self._begun = False

    def feed(self, data: bytes, keep: Callable[[bytes], None]) -> None:
        """Decompress the next bytes in blocks. Raises Unpackable; `keep` may raise to stop."""
        full = False  # of a full block more may be left, with nothing more to feed
        while data or full:
            if self._unpacker.eof:  # gzip may be several files in a row
                self._unpacker = zlib.decompressobj(self._bits)
            self._begun = True
            try:
                part = self._unpacker.decompress(data, BLOCK)
            except zlib.error as error:
                raise Unpackable(f"it is called {self._name} and is not: {error}") from None
            keep(part)
            full = len(part) == BLOCK and not self._unpacker.eof
            data = self._unpacker.unconsumed_tail or self._unpacker.unused_data

    def end(self) -> None:
        """Raise Unpackable for truncated content."""
        if self._begun and not self._unpacker.eof:
            raise Unpackable(f"its {self._name} data end too early")


def unpacker(encoding: str) -> Plain | Zlib:
    """Return the decoder of a content-encoding. Raises Unpackable for an unknown one."""
    names = [name for part in encoding.lower().split(",") if (name := part.strip()) not in ("", "identity")]
    if not names:
        return Plain()
    if names in (["gzip"], ["x-gzip"]):
        return Zlib("gzip", GZIP)
    if names == ["deflate"]:
        return Zlib("deflate", DEFLATE)
    raise Unpackable(f"it is packed as {', '.join(names)}, which was not asked for")


MAX_REPLY = 32 << 20
MAX_ERROR = 64 << 10  # of an error's text, as much as anyone reads
CONNECT_S = 30.0


class ServerConnection:
    """One connection to one URL, kept open between requests. One request at a time."""

    def __init__(
        self, url: str, headers: Mapping[str, str], *, timeout_s: float, options: Mapping[str, Any]
    ) -> None:
        self._url, self._timeout_s = url, timeout_s
        self._client = httpx.AsyncClient(
            headers=dict(headers),
            limits=httpx.Limits(max_connections=1, max_keepalive_connections=1),
            timeout=httpx.Timeout(None, connect=min(CONNECT_S, timeout_s)),
            **options,
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._client.aclose()

    async def post(self, body: bytes) -> HttpReply:
        """Send a body and read the whole reply. Raises Failed without one.

        One time limit is for all of it. httpx has a limit for each read, which a server that sends a byte a
        minute would never reach.
        """
        try:
            async with asyncio.timeout(self._timeout_s):
                return await self._post(body)
        except TimeoutError:
            raise Failed("timeout", f"no whole reply within {self._timeout_s:g} s") from None

    async def _post(self, body: bytes) -> HttpReply:
        begun = False
        try:
            async with self._client.stream("POST", self._url, content=body) as response:
                begun = True
                limit = MAX_REPLY if response.status_code == 200 else MAX_ERROR
                data = await _read(response, limit)
                return HttpReply(response.status_code, response.headers, data)
        except Unpackable as error:
            raise Failed("packing", f"the reply cannot be unpacked: {error}", fault="packing") from None
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.ProxyError) as error:
            raise Failed("connect", reason(error)) from None
        except httpx.RequestError as error:
            if begun:
                raise Failed("cut", f"the reply broke off: {error_words(error)}", fault="cut") from None
            raise Failed("dropped", f"the connection ended without a reply: {error_words(error)}") from None


class _Enough(Exception):
    """The size limit is exceeded."""


async def _read(response: httpx.Response, limit: int) -> bytes:
    """Return the decoded body. Above the limit, an error text is cut, and an answer fails."""
    data = bytearray()

    def keep(part: bytes) -> None:
        data.extend(part)
        if len(data) > limit:
            raise _Enough

    try:
        unpacking = unpacker(response.headers.get("content-encoding", ""))
        async for chunk in response.aiter_raw():
            unpacking.feed(chunk, keep)
        unpacking.end()
    except _Enough:
        if response.status_code == 200:
            text = f"the reply has more than {limit >> 20} MiB"
            raise Failed("huge", text, course="give up", fault="huge") from None
    except Unpackable:
        if response.status_code == 200:  # of an error the status says enough
            raise
    return bytes(data[:limit])


def connections(url: str, headers: Mapping[str, str], *, timeout_s: float) -> Callable[[], ServerConnection]:
    """Return a function that opens connections to a URL. They share certificates."""
    options = client_options(url)
    return lambda: ServerConnection(url, headers, timeout_s=timeout_s, options=options)
