"""Process of a test case: start, messages, timeout, and the end of its process group."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from mmap import mmap
from pathlib import Path
from typing import Any

from benchwright.interop.ianvs.child.progress_pipe import PAGE, read_stage

_BLOCK = 1 << 16
_MAX_MESSAGE = 16 << 20
_LAST = {"metrics", "failed", "again"}  # a message with one of these is the last one
GRACE_S = 30.0  # for what an example does when Python ends, once its result is here

Message = dict[str, Any]


def run_process(
    spec: Message, *, folder: Path, log: Path, timeout_s: float | None, hear: Callable[[Message], None]
) -> Message:
    """Run a case in a process, and return its last message: metrics, or the reason for failure.

    `hear` receives progress. Output of the example's code goes to `log`. At the end of the process, or after
    `timeout_s` wall seconds, all processes of its group are killed.
    """
    with (
        _CaseChannels() as wires,
        log.open("ab") as out,
        _start_process(wires, spec, folder, out) as (child, pidfd),
    ):
        late, last = _listen(wires.reading, pidfd, timeout_s, hear)
        if last is not None:
            return last
        stage = read_stage(wires.page)
        return _late(stage, timeout_s) if late else _silent(child, stage)


class _CaseChannels:
    """Channels between both processes: a pipe, a shared page of memory, and the specification of the case."""

    def __enter__(self) -> _CaseChannels:
        self.reading, self.writing = os.pipe()
        self.memory = os.memfd_create("stage")
        os.ftruncate(self.memory, PAGE)
        self.page = mmap(self.memory, PAGE)
        self.specification = os.memfd_create("case")
        return self

    def write_spec(self, spec: Message) -> int:
        """Write the standard input of the process to a file in memory, which has a definite end."""
        with open(self.specification, "wb", closefd=False) as file:
            file.write(json.dumps(spec).encode())
        os.lseek(self.specification, 0, os.SEEK_SET)
        return self.specification

    def __exit__(self, *exc: object) -> None:
        for fd in (self.reading, self.writing, self.memory, self.specification):
            os.close(fd)
        self.page.close()


@contextlib.contextmanager
def _start_process(
    wires: _CaseChannels, spec: Message, folder: Path, out: Any
) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """Start the process, and yield it with its pidfd; on exit, kill its process group."""
    arguments = f"{wires.writing}, {wires.memory}, {os.getpid()}"
    program = f"from benchwright.interop.ianvs.child.main import main; main({arguments})"
    child = subprocess.Popen(
        [sys.executable, "-u", "-P", "-c", program],
        stdin=wires.write_spec(spec),
        stdout=out,
        stderr=out,
        pass_fds=(wires.writing, wires.memory),
        cwd=folder,
        start_new_session=True,
    )
    with child:
        pidfd = os.pidfd_open(child.pid)
        try:
            yield child, pidfd
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            os.close(pidfd)


def _listen(
    pipe: int, pidfd: int, timeout_s: float | None, on_message: Callable[[Message], None]
) -> tuple[bool, Message | None]:
    """Read messages. Returns whether the time was exceeded, and the last message; None without one."""
    deadline = None if timeout_s is None else time.monotonic() + timeout_s
    buffer = b""
    while True:
        left = None if deadline is None else max(0.0, deadline - time.monotonic())
        ready = select.select([pipe, pidfd], [], [], left)[0]
        if pipe not in ready:  # timed out, or ended without a message: this process also holds the pipe open
            return not ready, None
        *lines, buffer = (buffer + os.read(pipe, _BLOCK)).split(b"\n")
        if len(buffer) > _MAX_MESSAGE:
            return False, None
        for line in lines:
            message: Message = json.loads(line)
            on_message(message)
            if message.keys() & _LAST:
                select.select([pidfd], [], [], GRACE_S)
                return False, message


def _late(stage: str, timeout_s: float | None) -> Message:
    hint = "raise `--timeout SECONDS`, or check the log"
    return failed_message(stage, f"timed out after {timeout_s:g} s", hint)


def _silent(child: subprocess.Popen[bytes], stage: str) -> Message:
    """Return the message for a process that ended without a last message."""
    code = child.wait()
    if code < 0:
        name = signal.Signals(-code).name
        hint = "check the log, and free memory (`dmesg | tail`)"
        return failed_message(stage, f"the process was killed by {name}", hint)
    return failed_message(stage, f"the process exited with code {code}", "check the log")


def failed_message(stage: str, message: str, hint: str) -> Message:
    """Return the last message for a case without its own."""
    return {"failed": {"stage": stage, "message": message, "hint": hint, "place": ""}}
