"""Servers that fork processes with their imports done: commands, and the workers of runs.

Importing click, rich, numpy and other packages is most of the cost of a short command. A server of commands
imports no module of Benchwright, so each command still imports them itself, in its own order, and reads its
own environment, arguments, folder and standard streams. Do not use it for settings that are fixed when an
interpreter starts: the encoding of its streams, its hash seed, coverage, limits of the shell (`fits` decides
which environments need a started process).

`python -P FILE serve KIND PATH` is a server; it ends with its standard input. `python -IS FILE PATH
ARGUMENTS` is a command for a shell: it passes its streams to the server of its kind, waits, and ends as the
command did.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import select
import signal
import socket
import struct
import sys
from collections.abc import Mapping, Sequence
from typing import NamedTuple, NoReturn

HANG_S = 600.0
PATIENCE_S = 10.0  # after SIGTERM
_LIGHT = (
    *("click.shell_completion", "concurrent.futures.thread", "email.message", "importlib.metadata"),
    *("importlib.resources", "msgspec", "rich.console", "rich.markup", "rich.progress", "rich.table"),
    *("subprocess", "tomllib", "uuid", "zipfile"),
)
# Imported once, by kind of server; none of them starts a thread. Missing packages are skipped. A command
# forks its workers only while it is small, so commands that execute answers must not import numpy.
PACKAGES = {
    "light": _LIGHT,
    "heavy": (*_LIGHT, "jinja2", "numpy", "scipy.special", "unittest", "xml.etree.ElementTree"),
    "workers": (),
}
HEAVY = ("compare", "export", "judge", "rank", "report", "serve", "suite")  # commands that import numpy
# Settings that an interpreter reads when it starts.
AT_START = ("PYTHON", "LC_", "LANG", "LD_", "MALLOC_")
FIRST = dict(os.environ)
_NUMBER = struct.Struct("q")


class Request(NamedTuple):
    """A process to run: arguments, folder, environment, the number of a fourth file, and the files.

    The files are the standard streams, and the fourth file if there is one.
    """

    arguments: list[str]
    folder: str
    environment: dict[str, str]
    kept: int
    files: list[int]


def fits(environment: Mapping[str, str]) -> bool:
    """Return whether a forked process in this environment behaves as a started one.

    Packages on PYTHONPATH are found, except where one replaces a package that the server has imported.
    """
    differing = {name for name, value in environment.items() if FIRST.get(name) != value}
    folders = environment.get("PYTHONPATH", "").split(os.pathsep) if "PYTHONPATH" in differing else []
    tops = {"sitecustomize", "usercustomize", *(name.partition(".")[0] for name in PACKAGES["heavy"])}
    entries = [name for folder in folders if os.path.isdir(folder) for name in os.listdir(folder)]
    shadows = {name.partition(".")[0] for name in entries}
    at_start = {name for name in differing if name.startswith(AT_START)} - {"PYTHONPATH", "PYTHONBREAKPOINT"}
    measured = any(name.startswith("COVERAGE_") for name in environment)
    return not (at_start or tops & shadows or measured)


class CommandProcess:
    """A process forked by a server, with the interface of `subprocess.Popen`."""

    def __init__(
        self,
        path: str,
        arguments: Sequence[str],
        folder: str,
        environment: Mapping[str, str],
        files: Sequence[int],
        kept: int = -1,
    ) -> None:
        self.returncode: int | None = None
        self._connection = socket.socket(socket.AF_UNIX)
        self._connection.settimeout(HANG_S)
        self._connection.connect(path)
        with os.fdopen(os.memfd_create("request"), "wb") as request:
            request.write(json.dumps([list(arguments), folder, dict(environment), kept]).encode())
            request.flush()
            socket.send_fds(self._connection, [b"+"], [request.fileno(), *files])
        self.pid = self._next()

    def _next(self) -> int:
        said = self._connection.recv(_NUMBER.size, socket.MSG_WAITALL)
        if not said:
            raise ConnectionError("the server of commands has ended")
        number: int = _NUMBER.unpack(said)[0]
        return number

    def wait(self, timeout: float | None = None) -> int:
        """Wait: return the exit code, or -N if signal N ended the process. Raises TimeoutError."""
        if self.returncode is None:
            self._connection.settimeout(HANG_S if timeout is None else timeout)
            self.returncode = self._next()
            self._connection.close()
        return self.returncode

    def close(self) -> None:
        """Close the connection; the server ends the process."""
        self._connection.close()


def _received(connection: socket.socket) -> Request | None:
    """Return a client's request, or None if the client closed the connection."""
    said, files, _, _ = socket.recv_fds(connection, 1, 5)
    if not said:
        return None
    with open(files[0], "rb") as request:
        request.seek(0)
        return Request(*json.load(request), files[1:])


class Server:
    """Accepts requests, and forks a process for each."""

    def __init__(self, path: str) -> None:
        import selectors

        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(f"{path}.new")
        self._listener.listen(64)
        os.rename(f"{path}.new", path)  # it is there when it accepts
        self._ready = selectors.DefaultSelector()
        self._ready.register(self._listener, selectors.EVENT_READ)
        self._ready.register(0, selectors.EVENT_READ)
        self._running: dict[int, tuple[int, socket.socket]] = {}  # running processes by pidfd

    def next_command(self) -> Request | None:
        """Serve. Returns the request in each forked process, and None in the server after its owner closed
        it."""
        while True:
            for key, _ in self._ready.select():
                if key.fileobj == 0:
                    return self._end()
                if key.fileobj is self._listener:
                    connection, _ = self._listener.accept()
                    if request := self._fork(connection):
                        return request
                elif isinstance(key.fileobj, int):
                    self._answer(key.fileobj)
                elif key.data in self._running:  # the client closed the connection before the answer
                    self._ready.unregister(key.fileobj)
                    signal.pidfd_send_signal(key.data, signal.SIGTERM)

    def _fork(self, connection: socket.socket) -> Request | None:
        request = _received(connection)
        if request is None:
            connection.close()
            return None
        pid = os.fork()
        if pid == 0:
            self._let_go()
            connection.close()
            return request
        for file in request.files:
            os.close(file)
        command = os.pidfd_open(pid)
        _tell(connection, pid)
        self._running[command] = pid, connection
        self._ready.register(command, 1)
        self._ready.register(connection, 1, data=command)
        return None

    def _answer(self, command: int) -> None:
        """Report the end of a command to its client."""
        pid, connection = self._running.pop(command)
        _, status = os.waitpid(pid, 0)
        self._ready.unregister(command)
        with contextlib.suppress(KeyError):  # the client has closed the connection
            self._ready.unregister(connection)
        _tell(connection, os.waitstatus_to_exitcode(status))
        connection.close()
        os.close(command)

    def _let_go(self) -> None:
        """Close the server's files in a forked process."""
        self._ready.close()
        self._listener.close()
        for command, (_, connection) in self._running.items():
            os.close(command)
            connection.close()

    def _end(self) -> None:
        """End all running processes, and kill those that do not end, such as stopped ones."""
        for command in self._running:
            signal.pidfd_send_signal(command, signal.SIGTERM)
        for command, (pid, _) in self._running.items():
            if not select.select([command], [], [], PATIENCE_S)[0]:
                signal.pidfd_send_signal(command, signal.SIGKILL)
            os.waitpid(pid, 0)


def _tell(connection: socket.socket, number: int) -> None:
    with contextlib.suppress(OSError):  # the client has closed the connection
        connection.send(_NUMBER.pack(number))


def become(request: Request) -> None:
    """Turn this process into the requested one."""
    os.setsid()
    files = [fcntl.fcntl(file, fcntl.F_DUPFD_CLOEXEC, 1 << 9) for file in request.files]  # out of the way
    for file in request.files:
        os.close(file)
    for place, file in zip((0, 1, 2, request.kept), files, strict=False):
        if file != place:
            os.dup2(file, place)
            os.close(file)
    os.chdir(request.folder)
    earlier = os.environ.get("PYTHONPATH", "")
    os.environ.clear()
    os.environ.update(request.environment)
    if (paths := request.environment.get("PYTHONPATH", "")) != earlier:
        sys.path[:0] = paths.split(os.pathsep)
    sys.argv = ["benchwright", *request.arguments]


def serve(kind: str, path: str) -> None:
    """Import the packages and listen; in each forked process, run the request."""
    import gc
    import importlib
    import runpy

    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # a process with threads cannot be forked
    for name in PACKAGES[kind]:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    if kind == "workers":
        from benchwright.executing.worker import main
    gc.collect()
    gc.freeze()
    request = Server(path).next_command()
    if request is None:
        return
    become(request)
    if kind == "workers":
        main()
    else:
        runpy.run_module("benchwright", run_name="__main__", alter_sys=True)


def kind_of(arguments: Sequence[str]) -> str:
    """Return the kind of server for a command."""
    return "heavy" if arguments and arguments[0] in HEAVY else "light"


def client(folder: str, arguments: Sequence[str]) -> NoReturn:
    """Run a shell's command through a server; the sockets are in the folder, by kind of server."""
    path = os.path.join(folder, kind_of(arguments), "socket")
    code = CommandProcess(path, arguments, os.getcwd(), os.environ, (0, 1, 2)).wait()
    if code < 0:
        os.kill(os.getpid(), -code)
    sys.exit(code)


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve(*sys.argv[2:])
    else:
        client(sys.argv[1], sys.argv[2:])
