"""Emulates GitHub's search on 127.0.0.1, with invented repositories and GitHub's faults.

Shape of replies and headers: https://docs.github.com/en/rest/search/search#search-repositories and
https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api.
"""

from __future__ import annotations

import hashlib
import json
import re
import socket
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

Entry = dict[str, Any]
LIMITED = (
    "API rate limit exceeded for 192.0.2.7. (But here's the good news: authenticated requests get more.)"
)
SECONDARY = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."


class Scripted(NamedTuple):
    """A reply in place of a page."""

    status: int
    headers: Mapping[str, str] = {}
    body: bytes = b"{}"


class Asked(NamedTuple):
    """A received request; header names in lower case."""

    query: str
    page: int
    headers: dict[str, str]


def entry(
    name: str, *, stars: int = 50, language: str = "Go", licence: str | None = "MIT", **other: Any
) -> Entry:
    """Return a repository as in a search reply; the server fills in its address."""
    owner, _, short = name.partition("/")
    return {
        "id": int(hashlib.sha256(name.encode()).hexdigest()[:7], 16),
        "name": short,
        "full_name": name,
        "owner": {"login": owner, "id": 1, "type": "Organization"},
        "private": False,
        "html_url": f"https://github.com/{name}",
        "description": "An invented repository <b>\u202e",
        "fork": False,
        "created_at": "2015-03-04T05:06:07Z",
        "updated_at": "2026-01-02T03:04:05Z",
        "pushed_at": "2026-02-03T04:05:06Z",
        "size": 123,
        "stargazers_count": stars,
        "language": language,
        "archived": False,
        "disabled": False,
        "license": licence and {"key": licence.lower(), "name": licence, "spdx_id": licence, "url": None},
        "topics": ["invented"],
        "default_branch": "main",
        "score": 1.0,
        **other,
    }


def limited(*, reset_s: float) -> Scripted:
    """Return the reply of a used-up primary limit, with the seconds until it resets."""
    headers = {"x-ratelimit-limit": "10", "x-ratelimit-remaining": "0"}
    headers["x-ratelimit-reset"] = str(int(time.time() + reset_s))
    return Scripted(403, headers, json.dumps({"message": LIMITED}).encode())


class GitHub:
    """Answers searches over `entries`. `script` has the first replies, request by request; None there is a
    page."""

    def __init__(self, entries: Sequence[Entry], address: str) -> None:
        self.entries, self.api = list(entries), address
        self.asked: list[Asked] = []
        self.script: list[Scripted | None] = []
        self.incomplete = False

    def answer(self, path: str, headers: dict[str, str]) -> Scripted:
        """Return the reply to one request."""
        given = parse_qs(urlsplit(path).query)
        page = int(given["page"][0])
        self.asked.append(Asked(given["q"][0], page, headers))
        scripted = self.script.pop(0) if self.script else None
        return scripted or self._page(given["q"][0], page, headers.get("if-none-match", ""))

    def _page(self, query: str, page: int, etag: str) -> Scripted:
        matching = sorted(filter(lambda each: _matches(each, query), self.entries), key=_order)
        host = urlsplit(self.api).netloc
        items = [
            {"clone_url": f"https://{host}/{each['full_name']}.git", **each}
            for each in matching[:1000][100 * (page - 1) : 100 * page]
        ]
        document = {"total_count": len(matching), "incomplete_results": self.incomplete, "items": items}
        body = json.dumps(document).encode()
        tag = f'W/"{hashlib.sha256(body).hexdigest()[:20]}"'
        headers = {"etag": tag, "x-ratelimit-limit": "10", "x-ratelimit-remaining": "9"}
        return Scripted(304, headers, b"") if tag == etag else Scripted(200, headers, body)


def _order(each: Entry) -> tuple[int, str]:
    return -each["stargazers_count"], each["full_name"]


def _matches(each: Entry, query: str) -> bool:
    words = dict(word.split(":", 1) for word in query.split())
    found = re.fullmatch(r"(\d+)\.\.(\d+|\*)", words["stars"])
    assert found and words["is"] == "public"
    low, high = int(found[1]), 10**9 if found[2] == "*" else int(found[2])
    licence = (each["license"] or {}).get("spdx_id", "").lower()
    return (
        low <= each["stargazers_count"] <= high
        and each["language"] == words["language"]
        and words.get("license", licence) == licence
        and each["pushed_at"] >= words.get("pushed", ">=")[2:]
    )


@contextmanager
def serving(entries: Sequence[Entry] = ()) -> Iterator[GitHub]:
    """Serve for the duration of the block."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            """Answer one search."""
            reply = github.answer(self.path, {name.lower(): value for name, value in self.headers.items()})
            self.send_response_only(reply.status)
            headers = {
                "date": formatdate(usegmt=True),
                "content-length": str(len(reply.body)),
                **reply.headers,
            }
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(reply.body)

        def log_message(self, format: str, *args: Any) -> None:
            """Write no log."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        github = GitHub(entries, f"http://127.0.0.1:{server.server_port}")
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield github
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def endless(begun: bytes, piece: bytes) -> Iterator[str]:
    """Yield the address of a server whose reply begins with a head and repeats a piece for as long as the
    client reads.

    With an empty piece the server sends nothing more. Its threads end with their connections.
    """
    listener = socket.create_server(("127.0.0.1", 0))
    serving_thread = Thread(target=_go_on, args=(listener, begun, piece))
    serving_thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        serving_thread.join()
        listener.close()


def _go_on(listener: socket.socket, begun: bytes, piece: bytes) -> None:
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:  # shut down: the test is over
            return
        with connection:
            try:
                connection.recv(1 << 16)
                connection.sendall(begun)
                while piece:
                    connection.sendall(piece)
                    time.sleep(0.01)  # the rate of the attack; nothing waits for it
                connection.recv(1)  # until the other side closes the connection
            except OSError:
                pass
