"""The one module of the search that speaks HTTP: one connection to one host, one request at a time."""

from __future__ import annotations

import time
from collections.abc import Mapping
from types import TracebackType
from typing import NamedTuple, Self
from urllib.parse import urlsplit

import httpx

from benchwright.sources.github.query import LOCAL

MAX_REPLY = 16 << 20  # a page of a hundred repositories has less than 1 MB
READ_S, WHOLE_S = 30.0, 120.0


class Reply(NamedTuple):
    """What came back; header names in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Unanswered(Exception):
    """There was no whole reply; the text says why."""


class Connection:
    """A connection to the host of one interface, with the headers of every request."""

    def __init__(self, api: str, headers: Mapping[str, str]) -> None:
        # Through the environment's proxy, save to this machine: no proxy can reach that.
        local = urlsplit(api).hostname in LOCAL
        self._api = api
        self._client = httpx.Client(
            headers=dict(headers),
            verify=httpx.create_ssl_context() if api.startswith("https:") else False,
            timeout=READ_S,
            trust_env=not local,
            follow_redirects=False,  # they would take the token elsewhere
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.close()

    def get(self, url: str, *, etag: str = "") -> Reply:
        """Ask for one address, below the interface's own. Raises Unanswered.

        httpx limits each read; the limit on all of them is for servers that send a byte at a time.
        """
        if not url.startswith(f"{self._api}/"):
            raise ValueError(f"{url} is not below {self._api}")
        until = time.monotonic() + WHOLE_S
        headers = {"if-none-match": etag} if etag else {}
        body = bytearray()
        try:
            with self._client.stream("GET", url, headers=headers) as response:
                for chunk in response.iter_raw():
                    body += chunk
                    if len(body) > MAX_REPLY:
                        raise Unanswered(f"the reply has more than {MAX_REPLY >> 20} MiB")
                    if time.monotonic() > until:
                        raise Unanswered(f"no whole reply within {WHOLE_S:g} s")
                return Reply(response.status_code, response.headers, bytes(body))
        except httpx.RequestError as error:
            raise Unanswered(str(error) or type(error).__name__) from None
