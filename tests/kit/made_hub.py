"""Emulates a Hugging Face Hub on 127.0.0.1, with invented models and a hub's faults.

Shape of replies and headers: https://huggingface.co/docs/hub/api and the requests of huggingface_hub: the
list at `/api/models`, whose `Link` names the next page, one model at `/api/models/ID`, and files at
`/ID/resolve/REVISION/NAME` with `ETag` and `X-Repo-Commit`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, NamedTuple
from urllib.parse import parse_qs, unquote, urlencode, urlsplit

RESOLVED = "/cdn"  # prefix of the paths to which redirects lead
PAGE = 3  # models on one page, whatever number is requested


class HubReply(NamedTuple):
    """A reply; `cut` closes the connection before the announced end of the body."""

    status: int
    headers: Mapping[str, str] = {}
    body: bytes = b""
    cut: bool = False


class HubAsked(NamedTuple):
    """A received request; header names in lower case."""

    method: str
    path: str
    query: dict[str, list[str]]
    headers: dict[str, str]

    @property
    def line(self) -> str:
        """Return method and path."""
        return f"{self.method} {self.path}"


class MadeModel(NamedTuple):
    """An invented model: its entry in the list, and its card or None."""

    entry: dict[str, Any]
    card: bytes | None


def model(
    name: str, card: str | bytes | None = "---\nlicense: mit\n---\n# Tiny\n", **other: Any
) -> MadeModel:
    """Return a model as a hub lists it."""
    data = card.encode() if isinstance(card, str) else card
    entry = {
        "_id": hashlib.sha256(name.encode()).hexdigest()[:24],
        "id": name,
        "modelId": name,
        "sha": hashlib.sha1(name.encode() + (data or b"")).hexdigest(),
        "lastModified": "2026-02-03T04:05:06.000Z",
        "createdAt": "2025-01-02T03:04:05.000Z",
        "private": False,
        "gated": False,
        "downloads": 7,
        "likes": 1,
        "pipeline_tag": "text-classification",
        "library_name": "transformers",
        "tags": ["transformers", "license:mit", "region:us"],
        "siblings": [
            {"rfilename": "config.json"},
            *([{"rfilename": "README.md"}] if data is not None else []),
        ],
        **other,
    }
    return MadeModel(entry, data)


class MadeHub:
    """Answers for `models`. `script` has other replies by "METHOD PATH", each list used from its front."""

    def __init__(self, models: list[MadeModel], endpoint: str) -> None:
        self.models, self.endpoint = models, endpoint
        self.asked: list[HubAsked] = []
        self.script: dict[str, list[HubReply | Callable[[], HubReply] | None]] = {}

    def lines(self) -> list[str]:
        """Return methods and paths of all requests so far."""
        return [each.line for each in self.asked]

    def answer(self, asked: HubAsked) -> HubReply:
        """Return the reply to one request."""
        self.asked.append(asked)
        scripted = self.script.get(asked.line)
        given = scripted.pop(0) if scripted else None
        if given is not None:
            return given() if callable(given) else given
        if asked.path == "/api/models":
            return self._page(asked)
        by_name = {each.entry["id"]: each for each in self.models}
        if asked.path.startswith("/api/models/"):
            found = by_name.get(asked.path.removeprefix("/api/models/"))
            return missing("RepoNotFound") if found is None else _json(found.entry)
        name, _, rest = asked.path.removeprefix(RESOLVED).removeprefix("/").partition("/resolve/")
        found = by_name.get(name)
        if found is None:
            return missing("RepoNotFound")
        return missing("EntryNotFound") if found.card is None else card_reply(found, rest.partition("/")[0])

    def _page(self, asked: HubAsked) -> HubReply:
        wanted = [each.entry for each in self.models if _wanted(each.entry, asked.query)]
        start = int(asked.query.get("cursor", ["0"])[0])
        body = json.dumps(wanted[start : start + PAGE]).encode()
        etag = f'W/"{hashlib.sha1(body).hexdigest()}"'
        headers = {"etag": etag}
        if start + PAGE < len(wanted):
            query = {name: values for name, values in asked.query.items() if name != "cursor"}
            headers["link"] = self.next_link({**query, "cursor": [str(start + PAGE)]})
        if asked.headers.get("if-none-match") == etag:
            return HubReply(304, {"etag": etag})
        return HubReply(200, {"content-type": "application/json", **headers}, body)

    def next_link(self, query: Mapping[str, list[str]]) -> str:
        """Return the header with the next page."""
        return f'<{self.endpoint}/api/models?{urlencode(query, doseq=True)}>; rel="next"'


def missing(code: str) -> HubReply:
    """Return a hub's reply for a missing page."""
    return HubReply(404, {"x-error-code": code}, b"{}")


def card_reply(found: MadeModel, revision: str) -> HubReply:
    """Return a card as a hub sends it."""
    commit = found.entry["sha"] if revision == "main" else revision
    data = found.card or b""
    headers = {"etag": f'"{hashlib.sha1(data).hexdigest()}"', "x-repo-commit": commit}
    return HubReply(200, {"content-type": "text/plain; charset=utf-8", **headers}, data)


def _json(value: object) -> HubReply:
    return HubReply(200, {"content-type": "application/json"}, json.dumps(value).encode())


def _wanted(entry: dict[str, Any], query: dict[str, list[str]]) -> bool:
    return entry.get("pipeline_tag") == query.get("pipeline_tag", [entry.get("pipeline_tag")])[0]


@contextmanager
def serving_hub(*models: MadeModel) -> Iterator[MadeHub]:
    """Serve for the duration of the block."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            """Answer one request."""
            parts = urlsplit(self.path)
            headers = {name.lower(): value for name, value in self.headers.items()}
            path = unquote(parts.path)
            reply = hub.answer(HubAsked(self.command, path, parse_qs(parts.query), headers))
            self.send_response_only(reply.status)
            sent = {"date": formatdate(usegmt=True), "content-length": str(len(reply.body)), **reply.headers}
            for name, value in sent.items():
                self.send_header(name, value)
            self.end_headers()
            if reply.cut:
                self.wfile.write(reply.body[: len(reply.body) // 2])
                self.close_connection = True
            elif self.command != "HEAD" and reply.status != 304:
                self.wfile.write(reply.body)

        do_HEAD = do_GET

        def log_message(self, format: str, *args: Any) -> None:
            """Write no log."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        hub = MadeHub(list(models), f"http://127.0.0.1:{server.server_port}")
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield hub
        finally:
            server.shutdown()
            thread.join()
