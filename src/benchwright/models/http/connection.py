"""HTTP with a model server, the one place that uses httpx: replies to requests, and the list of models.

Each connection has its own client. One client for all of them costs six times the processor time at 64
requests in flight: its pool inspects every connection for every request.

Requests ask for uncompressed replies. Compressed replies, which some proxies send, are decompressed here:
httpx reports neither truncated data nor what is wrong with it.
"""

from __future__ import annotations

import asyncio
import time
import zlib
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping
from types import TracebackType
from typing import Any, Self

import httpx
import msgspec

from benchwright.http_client import HttpReply, client_options, connection_error_text, error_words
from benchwright.models.http.endpoint import Endpoint
from benchwright.models.http.failures import RequestFailure, failed_status
from benchwright.store.keys import canonical

BLOCK = 1 << 20  # unpacked at once
GZIP, DEFLATE = 31, 15  # zlib's window bits; `deflate` is zlib's format (RFC 9110, 8.4.1.2)


class UndecodableContent(Exception):
    """Content that does not match its content-encoding; the text is the reason."""


class PlainContent:
    """Uncompressed content."""

    def feed(self, data: bytes, keep: Callable[[bytes], None]) -> None:
        """Keep the bytes."""
        keep(data)

    def end(self) -> None:
        """Do nothing: uncompressed content has no end marker."""


class ZlibContent:
    """Content compressed with gzip or deflate."""

    def __init__(self, name: str, bits: int) -> None:
        self._name, self._bits = name, bits
        self._unpacker = zlib.decompressobj(bits)
        self._has_data = False

    def feed(self, data: bytes, keep: Callable[[bytes], None]) -> None:
        """Decompress the next bytes in blocks. Raises UndecodableContent; `keep` may raise to stop."""
        full = False  # of a full block more may be left, with nothing more to feed
        while data or full:
            if self._unpacker.eof:  # gzip may be several files in a row
                self._unpacker = zlib.decompressobj(self._bits)
            self._has_data = True
            try:
                part = self._unpacker.decompress(data, BLOCK)
            except zlib.error as error:
                raise UndecodableContent(f"it is called {self._name} and is not: {error}") from None
            keep(part)
            full = len(part) == BLOCK and not self._unpacker.eof
            data = self._unpacker.unconsumed_tail or self._unpacker.unused_data

    def end(self) -> None:
        """Raise UndecodableContent for truncated content."""
        if self._has_data and not self._unpacker.eof:
            raise UndecodableContent(f"its {self._name} data end too early")


def unpacker(encoding: str) -> PlainContent | ZlibContent:
    """Return the decoder of a content-encoding. Raises UndecodableContent for an unknown one."""
    names = [name for part in encoding.lower().split(",") if (name := part.strip()) not in ("", "identity")]
    if not names:
        return PlainContent()
    if names in (["gzip"], ["x-gzip"]):
        return ZlibContent("gzip", GZIP)
    if names == ["deflate"]:
        return ZlibContent("deflate", DEFLATE)
    raise UndecodableContent(f"it is packed as {', '.join(names)}, which was not asked for")


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
        """Send a body and read the whole reply. Raises RequestFailure without one.

        One time limit is for all of it. httpx has a limit for each read, which a server that sends a byte a
        minute would never reach.
        """
        try:
            async with asyncio.timeout(self._timeout_s):
                return await self._post(body)
        except TimeoutError:
            raise RequestFailure("timeout", f"no whole reply within {self._timeout_s:g} s") from None

    async def _post(self, body: bytes) -> HttpReply:
        has_reply = False
        try:
            async with self._client.stream("POST", self._url, content=body) as response:
                has_reply = True
                limit = MAX_REPLY if response.status_code == 200 else MAX_ERROR
                data = await _read(response, limit)
                return HttpReply(response.status_code, response.headers, data)
        except (UndecodableContent, httpx.RequestError) as error:
            raise _failure_of(error, has_reply=has_reply) from None


def _failure_of(error: UndecodableContent | httpx.RequestError, *, has_reply: bool) -> RequestFailure:
    """Return the failure of a request; `has_reply` if a part of the reply had arrived."""
    if isinstance(error, UndecodableContent):
        return RequestFailure("packing", f"the reply cannot be unpacked: {error}", fault="packing")
    if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout | httpx.ProxyError):
        return RequestFailure("connect", connection_error_text(error))
    if has_reply:
        return RequestFailure("cut", f"the reply was truncated: {error_words(error)}", fault="cut")
    return RequestFailure("dropped", f"the connection ended without a reply: {error_words(error)}")


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
            raise RequestFailure("huge", text, course="give up", fault="huge") from None
    except UndecodableContent:
        if response.status_code == 200:  # of an error the status says enough
            raise
    return bytes(data[:limit])


def connections(url: str, headers: Mapping[str, str], *, timeout_s: float) -> Callable[[], ServerConnection]:
    """Return a function that opens connections to a URL. They share certificates."""
    options = client_options(url)
    return lambda: ServerConnection(url, headers, timeout_s=timeout_s, options=options)


MOST_BYTES = 4 << 20
TIMEOUT_S = 10.0  # for a part of the reply, and for all of it
_TIMES = ("created", "permission")  # some servers make new ones for each list


class _List(msgspec.Struct):
    data: list[dict[str, Any]] = []


def read_model_entry(endpoint: Endpoint, name: str) -> str:
    """Return the entry as canonical JSON; empty without a list or an entry.

    A failure to answer is not reported here, but by the questions themselves.
    """
    url = f"{endpoint.base_url}/models"
    try:
        with httpx.Client(timeout=TIMEOUT_S, **client_options(url)) as client:
            body = _read_listing(client, url, endpoint)
        models = msgspec.json.decode(body, type=_List).data
    except (httpx.HTTPError, msgspec.DecodeError, RecursionError):
        return ""
    entry = next((each for each in models if each.get("id") == name), {})
    return (
        canonical({key: value for key, value in entry.items() if key not in _TIMES}).decode() if entry else ""
    )


def _read_listing(client: httpx.Client, url: str, endpoint: Endpoint) -> bytes:
    """Return the body of a reply with status 200; empty for other statuses, large and slow replies."""
    body, until = bytearray(), time.monotonic() + TIMEOUT_S
    with client.stream("GET", url, headers=endpoint.headers()) as reply:
        if reply.status_code != httpx.codes.OK:
            return b""
        for part in reply.iter_raw():
            body += part
            if len(body) > MOST_BYTES or time.monotonic() > until:
                return b""
    return bytes(body)


MAX_LINE = 32 << 20
DOWNLOAD_S = 3600.0  # for all lines of a file, at least


class ApiConnection:
    """Requests to several paths of one server, one at a time, in the thread of the caller."""

    def __init__(self, endpoint: Endpoint, *, timeout_s: float) -> None:
        self._base_url, self._timeout_s = endpoint.base_url, timeout_s
        headers = endpoint.headers()
        self._json = {"content-type": headers.pop("content-type")}  # of an upload httpx chooses the type
        self._client = httpx.Client(
            headers=headers,
            timeout=httpx.Timeout(timeout_s, connect=min(CONNECT_S, timeout_s)),
            **client_options(endpoint.base_url),
        )

    def close(self) -> None:
        """Close the connection."""
        self._client.close()

    def get(self, path: str, query: Mapping[str, str]) -> HttpReply:
        """Return the whole reply, at most MAX_REPLY bytes. Raises RequestFailure without one."""
        return self._request("GET", path, params=dict(query))

    def post(self, path: str, body: bytes) -> HttpReply:
        """Send a JSON body. Raises RequestFailure without a whole reply."""
        return self._request("POST", path, content=body, headers=self._json)

    def upload(self, path: str, fields: Mapping[str, str], name: str, data: bytes) -> HttpReply:
        """Send a form with a file. Raises RequestFailure without a whole reply."""
        files = {"file": (name, data, "application/jsonl")}
        return self._request("POST", path, data=dict(fields), files=files)

    def lines(self, path: str) -> Generator[bytes, None, None]:
        """Yield the lines of a file, without their ends. Raises RequestFailure, also above MAX_LINE."""
        rest = bytearray()
        for part in self._parts(path):
            rest += part
            if b"\n" in part:
                *whole, rest = rest.split(b"\n")
                yield from map(bytes, whole)
            if len(rest) > MAX_LINE:
                text = f"a line of the results has more than {MAX_LINE >> 20} MiB"
                raise RequestFailure("huge", text, course="give up", fault="huge")
        if rest:
            yield bytes(rest)

    def _parts(self, path: str) -> Iterator[bytes]:
        """Yield the decoded body of a reply with status 200 in parts."""
        until, has_reply = time.monotonic() + max(DOWNLOAD_S, self._timeout_s), False
        try:
            with self._client.stream("GET", self._base_url + path) as response:
                has_reply = True
                if response.status_code != httpx.codes.OK:
                    body = _body(response, MAX_ERROR, until)
                    raise failed_status(response.status_code, response.headers, body, date=time.time())
                yield from _decoded(response, until)
        except (UndecodableContent, httpx.RequestError) as error:
            raise _failure_of(error, has_reply=has_reply) from None

    def _request(self, method: str, path: str, **content: Any) -> HttpReply:
        until, has_reply = time.monotonic() + self._timeout_s, False
        try:
            with self._client.stream(method, self._base_url + path, **content) as response:
                has_reply = True
                limit = MAX_REPLY if response.status_code == httpx.codes.OK else MAX_ERROR
                return HttpReply(response.status_code, response.headers, _body(response, limit, until))
        except (UndecodableContent, httpx.RequestError) as error:
            raise _failure_of(error, has_reply=has_reply) from None


def _decoded(response: httpx.Response, until: float) -> Iterator[bytes]:
    """Yield the decoded body in parts of at most BLOCK bytes. `until` is a time of the monotonic clock."""
    unpacking = unpacker(response.headers.get("content-encoding", ""))
    found: deque[bytes] = deque()
    for chunk in response.iter_raw():
        if time.monotonic() > until:
            raise RequestFailure("timeout", "the reply did not end in time")
        unpacking.feed(chunk, found.append)
        while found:
            yield found.popleft()
    unpacking.end()


def _body(response: httpx.Response, limit: int, until: float) -> bytes:
    """Return the decoded body. Above the limit, an error text is cut, and a reply fails."""
    data = bytearray()
    for part in _decoded(response, until):
        data += part
        if len(data) > limit and response.status_code == httpx.codes.OK:
            text = f"the reply has more than {limit >> 20} MiB"
            raise RequestFailure("huge", text, course="give up", fault="huge")
        if len(data) > limit:
            break
    return bytes(data[:limit])
