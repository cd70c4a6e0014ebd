"""The servers of this process (`command_server`): each starts with its first request and ends with this
process."""

from __future__ import annotations

import atexit
import functools
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import FileIO
from pathlib import Path
from typing import Any
from unittest import mock

from benchwright.executing import worker_process
from kit import command_server
from kit.command_server import CommandProcess
from kit.processes import HANG_S, wait_until


@functools.cache
def folder() -> Path:
    """Return the folder of the sockets, which are named by kind of server."""
    made = tempfile.TemporaryDirectory(prefix="bw-commands-")
    atexit.register(made.cleanup)
    return Path(made.name)


@functools.cache
def address(kind: str) -> str:
    """Return the socket of a server, after it has started to listen."""
    path = folder() / kind / "socket"
    path.parent.mkdir()
    command = [sys.executable, "-P", command_server.__file__, "serve", kind, str(path)]
    server = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, start_new_session=True
    )
    atexit.register(
        functools.partial(server.communicate, timeout=HANG_S)
    )  # a test may leak a copy of the pipe
    assert wait_until(lambda: path.exists() or server.poll() is not None)
    assert server.poll() is None, "the server of commands did not start"
    return str(path)


def forked(
    arguments: Sequence[str], place: Path | None, environment: Mapping[str, str]
) -> tuple[int, bytes, bytes]:
    """Run a command; return its exit code and its two streams."""
    server = address(command_server.kind_of(arguments))
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, open(os.devnull, "rb") as nothing:
        files = [stream.fileno() for stream in (nothing, out, err)]
        code = CommandProcess(server, arguments, str(place or Path.cwd()), environment, files).wait()
        out.seek(0)
        err.seek(0)
        return code, out.read(), err.read()


class _Worker:
    """A forked worker of a run in this process, with the part of the process interface that the runner uses."""

    def __init__(self, environment: Mapping[str, str], page: int) -> None:
        (source, stdin), (stdout, target) = os.pipe(), os.pipe()
        self._forked = CommandProcess(
            address("workers"), (), str(Path.cwd()), environment, (source, target, 2, page), page
        )
        os.close(source)
        os.close(target)
        self.pid = self._forked.pid
        self.stdin, self.stdout = FileIO(stdin, "w"), FileIO(stdout, "r")

    @property
    def returncode(self) -> int | None:
        return self._forked.returncode

    def wait(self, timeout: float | None = None) -> int:
        try:
            return self._forked.wait(timeout)
        except (TimeoutError, BlockingIOError) as error:
            raise subprocess.TimeoutExpired("a worker", timeout or 0.0) from error

    def terminate(self) -> None:
        self._send(signal.SIGTERM)

    def kill(self) -> None:
        self._send(signal.SIGKILL)

    def _send(self, number: signal.Signals) -> None:
        try:
            os.kill(self.pid, number)
        except ProcessLookupError:  # it has ended, and its code will arrive
            return


@contextmanager
def forked_workers() -> Iterator[None]:
    """Fork workers of runs in this process within the block; workers of other programs are started as usual."""
    started = worker_process._start

    def start(program: str, page: int) -> Any:
        environment = {**os.environ, **worker_process._ONE_THREAD, "PYTHONHASHSEED": "random"}
        if program is not worker_process.START or not command_server.fits(os.environ):
            return started(program, page)
        return _Worker(environment, page)

    with mock.patch.object(worker_process, "_start", start):
        yield
