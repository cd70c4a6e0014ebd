"""The stub server for tests: a context manager that runs it in a thread or in a separate process."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Sequence
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, Literal, Protocol
from urllib.parse import urlsplit

import msgspec

from benchwright.errors import BenchwrightError, PrerequisiteError
from benchwright.stub_server.behaviour import Fault, Script, read_faults
from benchwright.stub_server.service import ServerSetup, serve

START_S = 30.0


class StubServer:
    """An OpenAI-compatible server on loopback while its `with` block lasts.

    `script` is a Script or the path of one; without it the server echoes the prompt. `faults` are
    records or texts such as "429:first=1". `within="process"` costs a third of a second and gives a
    server that does not share this interpreter's lock, for measuring clients.
    """

    def __init__(
        self,
        script: Script | str | Path | None = None,
        *,
        faults: Sequence[Fault | str] = (),
        models: Sequence[str] = ("stub",),
        port: int = 0,
        api_key: str | None = None,
        within: Literal["thread", "process"] = "thread",
    ) -> None:
        read = script.check() if isinstance(script, Script) else Script.read(script) if script else Script()
        checked = read_faults(faults)
        self._setup = ServerSetup(
            script=read, faults=checked, models=tuple(models), port=port, api_key=api_key
        )
        self._home: _Home = _Thread() if within == "thread" else _Process()
        self._url: str | None = None

    def __enter__(self) -> StubServer:
        self._url = self._home.start(self._setup)
        return self

    def __exit__(self, *exc: object) -> None:
        self._url = None
        self._home.stop()

    @property
    def base_url(self) -> str:
        """The base URL for clients: http://127.0.0.1:PORT/v1."""
        if self._url is None:
            raise BenchwrightError("the stub server is not running", hint="use it in a `with` block")
        return self._url

    def stats(self) -> Any:
        """Requests so far, as `GET /_stats` gives them."""
        return self._get("/_stats")

    def requests(self) -> Any:
        """The bodies of the last 1,000 questions, oldest first: {"path", "status", "body"}."""
        return self._get("/_requests")

    def _get(self, path: str) -> Any:
        """Send a request over a separate socket, without the proxy of the environment that urllib uses."""
        where = urlsplit(self.base_url)
        connection = HTTPConnection(str(where.hostname), where.port, timeout=START_S)
        try:
            connection.request("GET", path)
            return msgspec.json.decode(connection.getresponse().read())
        finally:
            connection.close()


class _Home(Protocol):
    """Where a server runs."""

    def start(self, setup: ServerSetup) -> str: ...

    def stop(self) -> None: ...


class _Thread:
    """An event loop in a thread of this process."""

    def start(self, setup: ServerSetup) -> str:
        self._ready = threading.Event()
        self._outcome: str | BaseException = BenchwrightError("the stub server did not start")
        self._thread = threading.Thread(target=self._run, args=(setup,), name="stub-server", daemon=True)
        self._thread.start()
        self._ready.wait(START_S)
        if isinstance(self._outcome, BaseException):
            raise self._outcome
        return self._outcome

    def _run(self, setup: ServerSetup) -> None:
        try:
            asyncio.run(self._serve(setup))
        except Exception as error:  # noqa: BLE001 (it is raised again, where the server was asked for)
            self._outcome = error
        finally:
            self._ready.set()

    async def _serve(self, setup: ServerSetup) -> None:
        self._loop, self._end = asyncio.get_running_loop(), asyncio.Event()
        await serve(setup, self._set_url, self._end.wait)

    def _set_url(self, url: str) -> None:
        self._outcome = url
        self._ready.set()

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join(START_S)


class _Process:
    """A child that ends when its stdin does: with this process, however that ends."""

    def start(self, setup: ServerSetup) -> str:
        self._child = subprocess.Popen(
            [sys.executable, "-m", "benchwright.stub_server"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert self._child.stdin is not None and self._child.stdout is not None
        self._child.stdin.write(msgspec.json.encode(setup) + b"\n")
        self._child.stdin.flush()
        url = self._child.stdout.readline().decode().strip()
        if not url:
            self.stop()
            hint = f"{sys.executable} -m benchwright.stub_server   must start"
            raise PrerequisiteError("the stub server's process did not start; stderr says why", hint=hint)
        return url

    def stop(self) -> None:
        assert self._child.stdin is not None and self._child.stdout is not None
        self._child.stdin.close()
        try:
            self._child.wait(START_S)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()
        self._child.stdout.close()
