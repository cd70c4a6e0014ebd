"""Serves the repositories of a folder over HTTP on 127.0.0.1, with git's own back end."""

from __future__ import annotations

import os
import ssl
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

from kit.processes import HANG_S

_CONFIG = {"safe.directory": "*", "uploadpack.allowAnySHA1InWant": "true"}


class _Handler(BaseHTTPRequestHandler):
    root = Path()
    exact = True  # whether single commits may be fetched
    moved: Mapping[str, str] = {}  # prefixes of paths, with the prefix to which a redirect leads

    def do_GET(self) -> None:
        """Send references, or a redirect."""
        for old, new in self.moved.items():
            if self.path.startswith(f"{old}/"):
                self.send_response_only(301)
                self.send_header("Location", new + self.path.removeprefix(old))
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
        self._serve(b"")

    def do_POST(self) -> None:
        """Send packs."""
        if self.headers.get("transfer-encoding") != "chunked":
            self._serve(self.rfile.read(int(self.headers["content-length"])))
            return
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size + 2)[:size]
        self.rfile.readline()
        self._serve(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Write no log."""

    def _serve(self, body: bytes) -> None:
        path, _, query = self.path.partition("?")
        given = {
            "PATH": os.environ["PATH"],
            "GIT_PROJECT_ROOT": str(self.root),
            "GIT_HTTP_EXPORT_ALL": "1",
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "REQUEST_METHOD": self.command,
            "CONTENT_TYPE": self.headers.get("content-type", ""),
            "CONTENT_LENGTH": str(len(body)),
        }
        config = dict(list(_CONFIG.items())[: 2 if self.exact else 1])
        for number, (key, value) in enumerate(config.items()):
            given |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
        given["GIT_CONFIG_COUNT"] = str(len(config))
        done = subprocess.run(
            ["git", "http-backend"], input=body, env=given, capture_output=True, timeout=HANG_S, check=False
        )
        head, _, data = done.stdout.partition(b"\r\n\r\n")
        headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n") if line)
        self.send_response_only(int(headers.pop("Status", "200").split()[0]))
        for name, value in {**headers, "Content-Length": str(len(data))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)


@contextmanager
def git_server(
    root: Path,
    *,
    exact: bool = True,
    moved: Mapping[str, str] | None = None,
    context: ssl.SSLContext | None = None,
) -> Iterator[str]:
    """Yield the address of the repositories below `root`; with an SSL context it is an https one."""
    handler = type("Handler", (_Handler,), {"root": root, "exact": exact, "moved": moved or {}})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        if context:
            server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield f"{'https' if context else 'http'}://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
