"""Runs a program of the jail, such as a compiler, on the files of the job; sends back the files it wrote.

The program is a child of the answer's first process, which collects its files after it ends. Both are
untrusted: the program can manipulate that process, so its reply is a claim like any other.
"""

from __future__ import annotations

import marshal
import os
import signal
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress

from . import cores, wire

ANSWER_FD = 3
HOME = "/tmp/work"
MAX_FILES = 20_000
Send = Callable[[bytes, bytes], None]


def serve(spec: bytes, files: bytes, send: Send) -> None:
    """Run a command. Frames sent: L started · V (path, content) of a collected file · O standard output, if
    the command has a standard input · S status of waitpid."""
    argv, environment, collect, limit, one_core, given = marshal.loads(spec)
    if one_core:
        cores.hold_on_one_core()
    _lay_out(marshal.loads(files))
    streams = () if given is None else _streams(given)
    send(b"L", b"")
    status = _run(argv, environment, streams)
    if streams:
        send(b"O", os.pread(streams[1], os.fstat(streams[1]).st_size, 0))
    for path, content in _collected_files(collect, limit):
        send(b"V", wire.encode((path, content)))
    send(b"S", b"%d" % status)


def become(spec: bytes, files: bytes) -> None:
    """Replace this process by the program, which talks to the trusted side through descriptor `channel`."""
    argv, environment, channel = marshal.loads(spec)
    _lay_out(marshal.loads(files))
    os.dup2(ANSWER_FD, channel)
    _execute(argv, environment, first_closed=max(ANSWER_FD, channel + 1))


def _streams(given: bytes) -> tuple[int, int]:
    """Standard input and output as files without a name, so that neither can block a program."""
    handles = []
    for name, content in (("stdin", given), ("stdout", b"")):
        path = f"/tmp/{name}"
        with open(path, "xb") as file:
            file.write(content)
        handles.append(os.open(path, os.O_RDWR if name == "stdout" else os.O_RDONLY))
        os.unlink(path)
    return handles[0], handles[1]


def _lay_out(files: Mapping[str, bytes]) -> None:
    os.mkdir(HOME)
    for path, content in files.items():
        place = f"{HOME}/{path}"
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "wb") as file:
            file.write(content)


def _run(argv: list[str], environment: Mapping[str, str], streams: Sequence[int]) -> int:
    if argv[0].startswith(f"{HOME}/"):
        with suppress(OSError):
            os.chmod(argv[0], 0o755)  # a program that an earlier command made
    pid = os.fork()
    if pid == 0:
        if streams:
            _take_streams(streams)
        _become(argv, environment)
    _, status = os.waitpid(pid, 0)
    with suppress(ProcessLookupError, PermissionError):
        os.kill(-1, signal.SIGKILL)  # all other processes of this pid namespace: nothing may change files now
    with suppress(ChildProcessError):
        while True:
            os.waitpid(-1, 0)
    return status


def _take_streams(streams: Sequence[int]) -> None:
    """Python ignores two signals. A program would inherit that, and a flood would continue at the limit."""
    for number, handle in enumerate(streams):
        os.dup2(handle, number)
    for ignored in (signal.SIGXFSZ, signal.SIGPIPE):
        signal.signal(ignored, signal.SIG_DFL)


def _become(argv: list[str], environment: Mapping[str, str]) -> None:
    _execute(argv, environment, first_closed=ANSWER_FD)


def _execute(argv: list[str], environment: Mapping[str, str], *, first_closed: int) -> None:
    try:
        os.closerange(first_closed, 64)
        os.chdir(HOME)
        os.execve(argv[0], argv, {**os.environ, **environment})
    except OSError as error:
        os.write(2, f"{argv[0]}: {error.strerror}\n".encode())
    finally:
        os._exit(127)


def _collected_files(collect: Sequence[str], limit: int) -> Iterator[tuple[str, bytes]]:
    """Yield the regular files at or below the wanted paths, up to a total size; links are not followed."""
    left, count = limit, 0
    for path in (path for wanted in collect for path in _below(wanted)):
        size = os.lstat(f"{HOME}/{path}").st_size
        left, count = left - size, count + 1
        if left < 0 or count > MAX_FILES:
            return
        with open(f"{HOME}/{path}", "rb") as file:
            yield path, file.read(size)


def _below(wanted: str) -> Iterator[str]:
    with suppress(OSError):
        if stat.S_ISREG(os.lstat(f"{HOME}/{wanted}").st_mode):
            yield wanted
            return
    for folder, _, names in sorted(os.walk(f"{HOME}/{wanted}")):
        for name in sorted(names):
            path = f"{folder}/{name}"
            if stat.S_ISREG(os.lstat(path).st_mode):
                yield os.path.relpath(path, HOME)
