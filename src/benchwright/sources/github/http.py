"""HTTP for the search: the token, which is sent to one host only, and one request at a time."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Self

import httpx

from benchwright.display.escape import escaped_name
from benchwright.errors import PrerequisiteError
from benchwright.http_client import HttpReply, client_options, reason

NAMES = ("GITHUB_TOKEN", "GH_TOKEN")
MAX_SAID = 300  # maximum length of a server's message


class Token:
    """A token, or none. Its text form does not show it."""

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        given = os.environ if environment is None else environment
        self.name = next((name for name in NAMES if given.get(name, "").strip()), "")
        self._text = given[self.name].strip() if self.name else ""
        if not (self._text.isascii() and self._text.isprintable() and " " not in self._text):
            hint = f"export {self.name}=… again, without line breaks"
            raise PrerequisiteError(f"{self.name} contains characters that are invalid in a token", hint=hint)

    def headers(self) -> dict[str, str]:
        """The header with the token; empty without one."""
        return {"authorization": f"Bearer {self._text}"} if self._text else {}

    def quoted(self, text: str) -> str:
        """A server's message as one short escaped line, without the token that some servers repeat."""
        if self._text:
            text = text.replace(self._text, "…")
        return escaped_name(" ".join(text[: 20 * MAX_SAID].split()), MAX_SAID)


MAX_REPLY = 16 << 20  # a page of a hundred repositories has less than 1 MB
READ_S, WHOLE_S = 30.0, 120.0


class Unanswered(Exception):
    """There was no complete reply; the text gives the reason."""


class GitHubConnection:
    """A connection to the host of one API, with the headers of every request.

    It has its own event loop, so that a request can be aborted at any point. A limit on each read would let a
    server send a byte at a time, or `100 Continue` again and again, without end. So it cannot be used inside
    a running event loop.
    """

    def __init__(self, api: str, headers: Mapping[str, str]) -> None:
        self._api = api
        self._open = ExitStack()
        self._loop = asyncio.Runner()
        self._client = httpx.AsyncClient(headers=dict(headers), timeout=READ_S, **client_options(api))

    def __enter__(self) -> Self:
        self._open.enter_context(self._loop)
        self._open.callback(lambda: self._loop.run(self._client.aclose()))
        return self

    def __exit__(self, *exc: object) -> None:
        self._open.close()

    def get(self, url: str, *, etag: str = "") -> HttpReply:
        """Request one address below that of the API. Raises Unanswered.

        One time limit applies to all of it, from the connection to the last byte.
        """
        if not url.startswith(f"{self._api}/"):
            raise ValueError(f"{url} is not below {self._api}")
        try:
            return self._loop.run(self._get(url, {"if-none-match": etag} if etag else {}))
        except TimeoutError:
            raise Unanswered(f"no whole reply within {WHOLE_S:g} s") from None
        except (httpx.RequestError, UnicodeError) as error:  # ValueError for a header that httpx cannot read
            raise Unanswered(reason(error)) from None

    async def _get(self, url: str, headers: Mapping[str, str]) -> HttpReply:
        body = bytearray()
        async with asyncio.timeout(WHOLE_S), self._client.stream("GET", url, headers=headers) as response:
            async for chunk in response.aiter_raw():
                body += chunk
                if len(body) > MAX_REPLY:
                    raise Unanswered(f"the reply has more than {MAX_REPLY >> 20} MiB")
            return HttpReply(response.status_code, response.headers, bytes(body))
