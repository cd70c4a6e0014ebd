"""Named data sets made for a test: known to the commands while it runs, and served over HTTP."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from unittest import mock

from msgspec import to_builtins

from benchwright.store import named_data
from benchwright.store.named_data import NamedData

TWICE = {
    "task_id": "Own/0",
    "prompt": 'def twice(x: int) -> int:\n    """Twice x."""\n',
    "entry_point": "twice",
    "canonical_solution": "    return x * 2\n",
    "test": "def check(candidate):\n    assert candidate(2) == 4\n    assert candidate(-3) == -6\n",
}
CONTENT = json.dumps(TWICE).encode() + b"\n"


def made_data(content: bytes = CONTENT, *, urls: tuple[str, ...] = (), rows: int = 1) -> NamedData:
    """Return the table entry of this content, as if it were published packed."""
    return NamedData(
        name="own-twice",
        title="Our own",
        track="humaneval",
        rows=rows,
        licence="Apache-2.0",
        homepage="https://example.org/own/twice",
        urls=list(urls) or ["http://127.0.0.1:9/never"],
        bytes=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
        packed_sha256=hashlib.sha256(packed(content)).hexdigest(),
    )


def packed(content: bytes = CONTENT) -> bytes:
    """Return the content compressed by gzip, always the same bytes."""
    return gzip.compress(content, mtime=0)


@contextmanager
def only_known(cache: Path, *known: NamedData) -> Iterator[None]:
    """Replace the table of named data sets, and keep copies in this folder."""
    cache.parent.mkdir(parents=True, exist_ok=True)
    table = cache.with_name("named.toml")
    facts = ({**to_builtins(each), "title": each.title} for each in known)
    table.write_text("".join(_entry(each.pop("name"), each) for each in facts))
    with (
        mock.patch.dict(os.environ, BENCHWRIGHT_CACHE=str(cache)),
        mock.patch.object(named_data, "TABLE", table),
    ):
        named_data.known_data.cache_clear()
        yield
    named_data.known_data.cache_clear()


def _entry(name: str, facts: dict[str, object]) -> str:
    """Return a TOML table; its strings, numbers and lists of strings are written as in JSON."""
    return f"[{name}]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in facts.items())


class _Files(BaseHTTPRequestHandler):
    """Files by path. Paths in `moved` are redirected; those in `short` are truncated after half of the
    content."""

    files: dict[str, bytes]
    moved: dict[str, str]
    short: frozenset[str]
    asked: list[str]

    def do_GET(self) -> None:
        """Send a file, a redirect, or 404."""
        self.asked.append(self.path)
        body = self.files.get(self.path)
        self.send_response(302 if self.path in self.moved else 200 if body is not None else 404)
        if self.path in self.moved:
            self.send_header("Location", self.moved[self.path])
        self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        self.wfile.write((body or b"")[: len(body or b"") // 2 if self.path in self.short else None])

    def log_message(self, *args: object) -> None:
        """Write no log."""


@contextmanager
def served(
    files: dict[str, bytes], *, moved: dict[str, str] | None = None, short: tuple[str, ...] = ()
) -> Iterator[tuple[str, list[str]]]:
    """Yield the address of a local server of these files, and the list of requested paths."""
    asked: list[str] = []
    facts = {"files": files, "moved": moved or {}, "short": frozenset(short), "asked": asked}
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Files,), facts))
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
