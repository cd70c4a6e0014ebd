"""The one module that speaks HTTP, and the one that knows httpx: to replace the library, replace this.

Each connection has a client of its own. One client for all of them costs six times the processor
time at 64 requests in flight: its pool looks at every connection for every request.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping
from ssl import SSLContext
from types import TracebackType
from typing import NamedTuple, Self

import httpx

from benchwright.models.openai.packing import Unpackable, unpacker
from benchwright.models.openai.retry import Failed

MAX_REPLY = 32 << 20
MAX_ERROR = 64 << 10  # of an error's text, as much as anyone reads
CONNECT_S = 30.0


class Reply(NamedTuple):
    """What came back; header names in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class ServerConnection:
    """One connection to one URL, kept open between requests. One request at a time."""

    def __init__(
        self, url: str, headers: Mapping[str, str], *, tls: SSLContext | bool, timeout_s: float
    ) -> None:
        # Through the environment's proxy, save to this machine: no proxy can reach that.
        host = httpx.URL(url).host
        local = host in ("localhost", "::1") or host.startswith("127.")
        self._url, self._timeout_s = url, timeout_s
        self._client = httpx.AsyncClient(
            headers=dict(headers),
            verify=tls,
            trust_env=not local,
            limits=httpx.Limits(max_connections=1, max_keepalive_connections=1),
            timeout=httpx.Timeout(None, connect=min(CONNECT_S, timeout_s)),
            follow_redirects=False,  # a redirect turns a POST into a GET, and takes the key elsewhere
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._client.aclose()

    async def post(self, body: bytes) -> Reply:
        """Send a body and read the whole reply. Raises Failed when there is none.

        The time limit is one for all of it: httpx's own is for each read, and a server that sends a byte
        a minute would never reach it.
        """
        try:
            async with asyncio.timeout(self._timeout_s):
                return await self._post(body)
        except TimeoutError:
            raise Failed("timeout", f"no whole reply within {self._timeout_s:g} s") from None

    async def _post(self, body: bytes) -> Reply:
        begun = False
        try:
            async with self._client.stream("POST", self._url, content=body) as response:
                begun = True
                limit = MAX_REPLY if response.status_code == 200 else MAX_ERROR
                data = await _read(response, limit)
                return Reply(response.status_code, response.headers, data)
        except Unpackable as error:
            raise Failed("packing", f"the reply cannot be unpacked: {error}", fault="packing") from None
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.ProxyError) as error:
            raise Failed("connect", reason(error)) from None
        except httpx.RequestError as error:
            if begun:
                raise Failed("cut", f"the reply broke off: {_words(error)}", fault="cut") from None
            raise Failed("dropped", f"the connection ended without a reply: {_words(error)}") from None


class _Enough(Exception):
    """The limit is passed."""


async def _read(response: httpx.Response, limit: int) -> bytes:
    """The body, unpacked. Over the limit an error's text is cut, and an answer has failed."""
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


def reason(error: BaseException) -> str:
    """Why there is no connection: the system's own word, which three libraries wrap in "there is none"."""
    words = _words(error)
    for _ in range(10):
        inner = error.exceptions[0] if isinstance(error, BaseExceptionGroup) else error.__cause__
        inner = inner or error.__context__
        if inner is None:
            break
        error = inner
    if isinstance(error, ConnectionError) and error.errno:
        return os.strerror(error.errno)
    return (isinstance(error, OSError) and error.strerror) or words


def _words(error: BaseException) -> str:
    return str(error) or type(error).__name__


def connections(url: str, headers: Mapping[str, str], *, timeout_s: float) -> Callable[[], ServerConnection]:
    """What opens connections to a URL. They share the certificates, which take 30 ms to load."""
    tls = httpx.create_ssl_context() if url.startswith("https:") else False
    return lambda: ServerConnection(url, headers, tls=tls, timeout_s=timeout_s)
