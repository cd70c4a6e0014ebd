"""A copy of all pages as files that open from a disk or any static host.

Pages are those of the server; the answers of each run are in a report next to them.
"""

from __future__ import annotations

import asyncio
import hashlib
import html
import os
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import msgspec
from litestar import Litestar

from benchwright.display.escape import escaped_path
from benchwright.errors import BenchwrightError, RunError, UsageError
from benchwright.report.page import make_folder, write_file
from benchwright.report.pipeline import write_report
from benchwright.web.core.database import open_database
from benchwright.web.core.site import LOOPBACK_HOSTS
from benchwright.web.serve.application import make_serve_application, serve_settings
from benchwright.web.serve.serve_parts import ServeParts
from benchwright.web.serve.tables import PARTS

_ADDRESS = re.compile(r'(href|src)="(/[^"]*)"')
_POLICY = (
    "<meta http-equiv=\"Content-Security-Policy\" content=\"script-src 'self' file:; object-src 'none'; "
    "base-uri 'none'; form-action 'none'\">\n"
)


class FrozenSite(NamedTuple):
    """The written site: its first page, the number of files, and the runs that were left out with reasons."""

    page: Path
    files: int
    left_out: tuple[str, ...]


def freeze(folders: Sequence[Path], out: Path) -> FrozenSite:
    """Write the pages of the runs in these folders. The same runs give the same bytes.

    Raises UsageError if the folder has other files.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(f"{escaped_path(out)} is not an empty folder", hint="--freeze another folder")
    make_folder(out)
    with tempfile.TemporaryDirectory(prefix="benchwright-freeze-") as scratch:
        database = open_database(Path(scratch) / "index.sqlite", PARTS)
        try:
            application = make_serve_application(folders, database, serve_settings())
            application.state.serve = application.state.serve._replace(is_frozen=True)
            return asyncio.run(_Freezer(application, out).write())
        finally:
            database.close()


class _Freezer:
    """Follows the links of all pages from the first."""

    def __init__(self, application: Litestar, out: Path) -> None:
        self._application, self._out = application, out
        self._parts: ServeParts = application.state.serve
        self._waiting = ["/"]
        self._files: dict[str, str] = {"/": "index.html"}

    async def write(self) -> FrozenSite:
        """Write all pages."""
        state = await self._parts.runs.complete()
        left_out = []
        try:
            while self._waiting:
                await self._write_page(self._waiting.pop())
        finally:
            await self._parts.runs.child.close()
            await self._parts.figures.close()
        for run in state.runs.values():
            name = self._files.get(f"/runs/{run.key}")
            if name is not None:
                path = self._parts.runs.board.path_of(run.key)
                left_out += self._write_run(path, self._out / name, is_scored=run.has_score)
        return FrozenSite(self._out / "index.html", len(self._files), tuple(left_out))

    def _write_run(self, path: Path, file: Path, *, is_scored: bool) -> list[str]:
        make_folder(file.parent)
        why = "it has no score"
        if is_scored:
            try:
                write_report([path], file)
                return []
            except BenchwrightError as error:
                why = error.message
        note = f"<!doctype html>\n<title>No report</title>\n<p>No report of this run: {html.escape(why)}.\n"
        write_file(file, [note.encode("utf-8", "replace")])
        return [f"{escaped_path(path)}: {why}"]

    async def _write_page(self, address: str) -> None:
        name = self._files[address]
        body, kind = await self._fetch(address)
        if kind == "text/html":
            text = body.decode().replace("<head>\n", f"<head>\n{_POLICY}", 1)
            body = _ADDRESS.sub(lambda found: self._linked(found, name), text).encode()
        make_folder((self._out / name).parent)
        write_file(self._out / name, [body])

    def _linked(self, found: re.Match[str], page: str) -> str:
        """The link relative to a page; what it leads to is written too."""
        address, mark, fragment = html.unescape(found[2]).partition("#")
        if address.startswith("/runs/"):  # the report of the run; its tasks have other addresses
            address, mark, fragment = address.partition("?")[0], "", ""
        if address not in self._files:
            self._files[address] = _file_of(address)
            if not address.startswith("/runs/"):
                self._waiting.append(address)
        target = os.path.relpath(self._files[address], os.path.dirname(page) or ".")
        return f'{found[1]}="{html.escape(target + mark + fragment)}"'

    async def _fetch(self, address: str) -> tuple[bytes, str]:
        """The page at an address once its figures are computed. Raises RunError if the server refuses it."""
        while True:
            status, headers, body = await _call(self._application, address)
            if status != 200:
                raise RunError(f"the page {address} cannot be written: status {status}", hint="run it again")
            if "refresh" not in headers:
                return body, headers["content-type"].partition(";")[0]


async def _call(application: Litestar, address: str) -> tuple[int, dict[str, str], bytes]:
    """A request without a socket: status, headers, body."""
    parts = urlsplit(address)
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": parts.path,
        "raw_path": parts.path.encode(),
        "query_string": parts.query.encode(),
        "root_path": "",
        "headers": [(b"host", LOOPBACK_HOSTS[0].encode())],
        "client": ("127.0.0.1", 0),
        "server": (LOOPBACK_HOSTS[0], 80),
    }
    sent: list[dict[str, object]] = []
    messages = iter([{"type": "http.request", "body": b"", "more_body": False}])

    async def receive() -> dict[str, object]:
        return next(messages, {"type": "http.disconnect"})

    async def send(message: dict[str, object]) -> None:
        sent.append(message)

    await application(scope, receive, send)  # type: ignore[arg-type]
    start = sent[0]
    raw = msgspec.convert(start["headers"], list[tuple[bytes, bytes]])
    headers = {name.decode().lower(): value.decode() for name, value in raw}
    body = b"".join(bytes(each.get("body", b"")) for each in sent[1:])  # type: ignore[call-overload]
    return int(str(start["status"])), headers, body


def _file_of(address: str) -> str:
    """The file of an address."""
    parts = urlsplit(address)
    path = parts.path.strip("/")
    tail = f"-{hashlib.sha256(parts.query.encode()).hexdigest()[:12]}" if parts.query else ""
    stem, dot, ending = path.rpartition(".")
    if dot and ending in ("css", "js", "csv", "json"):
        return f"{stem}{tail}.{ending}"
    return f"{path}{tail}.html"
