"""Trusted side of a slot: a zygote in its jail, and the running answer."""

from __future__ import annotations

import _socket
import contextlib
import itertools
import marshal
import os
import signal
import socket
import struct
import subprocess
import time
from typing import NamedTuple

from benchwright.errors import SandboxError
from benchwright.records import Outcome
from benchwright.sandbox import cgroups, jail
from benchwright.sandbox.clock import AnswerClock, GroupClock, SleepWatch, TreeClock, tree_cpu_s
from benchwright.sandbox.environments import Environment
from benchwright.sandbox.inside.wire import FORMAT
from benchwright.sandbox.limits import Limits
from benchwright.sandbox.untrusted import UntrustedBytes
from benchwright.sandbox.zygote_object import find_object

TICK_S = 0.1
START_WALL = 10.0  # wall seconds per CPU second of a start, after which it counts as hanging
STDOUT_KEPT = 2048
_ANSWER = struct.pack("ll", 30, 0)  # a zygote reaps at once, or is replaced
_FDS = struct.Struct("ii")
_NUMBERS = itertools.count()


def _tick_of(cpu_s: float) -> bytes:
    """Return the interval between two looks at the clock as a struct timeval, shorter for a short limit.

    A program that hangs is ended at a look, so it takes at most half of a short limit more.
    """
    return struct.pack("ll", 0, int(min(TICK_S, cpu_s / 2) * 1e6))


# Mode ("batch", "calls", "mera", "command", "program", "placed"), entry point, source or marshalled code,
# encoded calls.
Job = tuple[str, str, str | bytes, bytes]


class AnswerEnded(Exception):
    """The answer has ended, with an outcome and a reason.

    `raised` is the exception that ended it, as reported by the answer. It contains nothing of the test.
    """

    def __init__(self, outcome: Outcome, detail: str, *, raised: str = "") -> None:
        super().__init__(detail)
        self.outcome, self.detail, self.raised = outcome, detail, raised


def cpu_time_exceeded(cpu_s: float) -> AnswerEnded:
    """Return the end of an answer that exceeded its CPU time."""
    return AnswerEnded(Outcome.timed_out, f"used more than {cpu_s:g} s of processor time")


class AnswerUsage(NamedTuple):
    """Resources that an answer used, and its output, as counted by the kernel and the zygote."""

    cpu_s: float
    wall_s: float
    peak_kb: int
    status: int  # of os.wait4
    printed: int  # bytes
    stdout: bytes  # the first `RunningAnswer.kept` bytes


class Zygote:
    """A warm interpreter in a jail, from which answers are forked one at a time."""

    def __init__(self, environment: Environment, limits: Limits, *, jail_name: str) -> None:
        self.environment, self.jail_name = environment, jail_name
        self.why_python = ""  # reason for forking in Python; empty if machine code forks
        self.limits = limits = limits.of_bare() if environment.is_bare else limits
        memory_mb = limits.memory_mb + environment.memory_mb
        self.group = cgroups.open_group(next(_NUMBERS), memory_mb=memory_mb, processes=limits.processes)
        self._errors = os.fdopen(os.memfd_create("errors", os.MFD_CLOEXEC), "w+b")
        try:
            self._start()
        except BaseException:
            self.close()
            raise

    def _start(self) -> None:
        self._control, inner = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with inner:
            joins = self.group.join_files() if self.group else []
            compiled = find_object()
            config = jail.launcher_config(
                *(self.jail_name, self.environment, self.limits),
                control=inner.fileno(),
                cgroups=joins,
                compiled=compiled.path,
            )
            self._process = subprocess.Popen(
                jail.launcher_command(config),
                stdin=subprocess.DEVNULL,
                stdout=self._errors,
                stderr=self._errors,
                pass_fds=[inner.fileno()],
                env={},
                start_new_session=True,
            )
        self.why_python = self._await_ready() or compiled.why
        self.clock: AnswerClock = GroupClock(self.group) if self.group else TreeClock(self._process.pid)

    def _await_ready(self) -> str:
        """Wait for the zygote. Returns the reason why it cannot use the compiled loop, if any."""
        hello, overdue = self._first_message()
        if not hello.startswith(b"R"):
            complaint = self._complaint()
            raise SandboxError(
                f"the {self.jail_name} jail did not start: {overdue or complaint}", hint="benchwright doctor"
            )
        self._control.settimeout(None)
        self._control.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, _ANSWER)
        return hello.partition(b" ")[2].decode("utf-8", "replace")

    def _first_message(self) -> tuple[bytes, str]:
        """Return the first message of the zygote, or an empty one and the exceeded limit.

        A start is limited in CPU time, because the wall time of imports depends on the machine.
        """
        limit_s, began = self.environment.start_cpu_s, time.monotonic()
        until = began + START_WALL * limit_s
        first_look = began + limit_s / (os.cpu_count() or 1)  # earlier it cannot have used that much
        self._control.settimeout(TICK_S)
        while True:
            try:
                return self._control.recv(512), ""
            except TimeoutError:
                now = time.monotonic()
                if now >= first_look and tree_cpu_s(self._process.pid) > limit_s:
                    return b"", f"it was not ready after {limit_s:g} s of processor time"
                if now > until:
                    return b"", f"it was not ready after {START_WALL * limit_s:g} s"

    def _complaint(self) -> str:
        self._process.kill()
        self._process.wait()
        self._errors.seek(0)
        lines = self._errors.read(1 << 16).decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else f"exit status {self._process.returncode}"

    def fork(self, job: Job, *, cpu_s: float | None = None) -> RunningAnswer:
        """Start an answer in a fork."""
        return RunningAnswer(self, job, cpu_s=self.limits.cpu_s if cpu_s is None else cpu_s)

    def close(self) -> None:
        """End the zygote and its descendants."""
        if hasattr(self, "_control"):
            self._control.close()
        if hasattr(self, "_process"):
            self._process.kill()
            self._process.wait()
        self._errors.close()
        if self.group:
            self.group.close()
            self.group = None

    def memory_kills(self) -> int:
        """Return the number of out-of-memory kills in the control group of this slot."""
        return self.group.memory_kills() if self.group else 0

    def send_fork(self, fds: tuple[int, int], cpu_limit_s: int) -> None:
        """Request a child that uses these descriptors. Raises SandboxError if the zygote has ended."""
        try:
            rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, _FDS.pack(*fds))]
            self._control.sendmsg([b"F%d" % cpu_limit_s], rights)
        except OSError as error:
            raise SandboxError(f"the zygote is gone: {error.strerror}") from error

    def kill_and_reap(self) -> tuple[list[bytes], str | None]:
        """End the answer. Returns the fields of the zygote's report, and its error if any."""
        complaint = None
        try:
            self._control.send(b"K")
            while True:
                message = self._control.recv(512)
                if message.startswith(b"S"):
                    return message[1:].split(), complaint
                if not message.startswith(b"!"):
                    break
                complaint = message[1:].decode("utf-8", "replace")
        except BlockingIOError:
            raise SandboxError("the zygote does not answer") from None
        except OSError as error:
            raise SandboxError(f"the zygote is gone: {error.strerror}") from error
        raise SandboxError("the zygote has ended")


def _framed(*payloads: bytes) -> memoryview:
    return memoryview(b"".join(len(each).to_bytes(4, "little") + each for each in payloads))


class RunningAnswer:
    """A running answer: sends requests, reads frames, and enforces limits."""

    def __init__(self, zygote: Zygote, job: Job, *, cpu_s: float) -> None:
        self._zygote, self._cpu_s = zygote, cpu_s
        self._limits = zygote.limits
        self._guard_s = zygote.limits.guard_of(cpu_s)
        self._sleep_s = zygote.limits.sleep_of(cpu_s)
        self._sleep = SleepWatch(zygote.clock, self._sleep_s)
        self._buffer = bytearray()
        self._frames = 0
        self.usage: AnswerUsage | None = None
        self.kept = STDOUT_KEPT  # bytes of what it prints
        self.slowest_s: float | None = None  # CPU seconds of the slowest reply; None: not measured
        self._call_s: float | None = None  # limit of one reply; None: that of all
        self._replied_s = 0.0  # CPU seconds at the last look after which something arrived
        self._arrived = False  # since the last look
        unsent = _framed(marshal.dumps(job, FORMAT))
        self._output = os.memfd_create("output", os.MFD_CLOEXEC)
        self._socket, inner = _socket.socketpair()  # `socket` makes each of them twice
        try:
            try:
                # Before the fork: if the answer had to wait for its job, both would be woken once more.
                unsent = unsent[self._socket.send(unsent, socket.MSG_DONTWAIT) :]
                self._fork(inner.fileno())
            finally:
                inner.close()
            with contextlib.suppress(AnswerEnded):  # it ended at once; the first read reports how
                self._write(unsent)
        except SandboxError:  # also while the job is written: the zygote can end in between
            self.close()
            raise

    def _fork(self, inner: int) -> None:
        self._look_each(self._cpu_s)
        self._zygote.clock.start()
        self._kills = self._zygote.memory_kills()
        self._started = self._checked = time.monotonic()
        self._waited = 0.0  # seconds of waiting; the time of the judge does not count
        self._zygote.send_fork((inner, self._output), int(self._cpu_s) + 2)

    def _look_each(self, limit_s: float) -> None:
        tick = _tick_of(limit_s)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, tick)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, tick)

    def limit_call(self, cpu_s: float) -> None:
        """Limit the CPU seconds without a reply, in addition to those of the answer.

        Measured from look to look, so a call may take at most one interval more.
        """
        self._call_s = cpu_s
        self._look_each(min(cpu_s, self._cpu_s))

    def measure_calls(self) -> None:
        """Measure the CPU seconds of each reply; `slowest_s` is the largest.

        In a batch, calls that the answer makes before this process has read a reply count for that reply.
        """
        self.slowest_s = 0.0

    def send(self, *payloads: bytes) -> None:
        """Write requests. Raises AnswerEnded if the answer has ended or does not read."""
        self._write(_framed(*payloads))

    def _write(self, unsent: memoryview) -> None:
        self._sleep.begin()
        while unsent:
            began = time.monotonic()
            try:
                unsent = unsent[self._socket.send(unsent) :]
                self._waited += time.monotonic() - began
            except BlockingIOError:
                self._waited += time.monotonic() - began
                self._check_clock(quiet=True)
            except OSError:
                raise self._death() from None

    @property
    def has_unread(self) -> bool:
        """True if bytes without a request have arrived."""
        return bool(self._buffer)

    def read(self) -> tuple[bytes, UntrustedBytes]:
        """Read the next frame: kind and payload. Raises AnswerEnded."""
        buffer = self._buffer
        while len(buffer) < 5:
            self._fill()
        size = int.from_bytes(buffer[:4], "little")
        if size > self._limits.reply_bytes:
            raise AnswerEnded(
                Outcome.output_limit, f"a reply of {size} bytes; the limit is {self._limits.reply_bytes}"
            )
        while len(buffer) < size + 5:
            self._fill()
        kind = bytes(buffer[4:5])
        with memoryview(buffer) as view:
            payload = UntrustedBytes(bytes(view[5 : size + 5]))
        del buffer[: size + 5]
        if self.slowest_s is not None:
            used = self._zygote.clock.read().cpu_s
            self.slowest_s, self._replied_s = max(self.slowest_s, used - self._replied_s), used
        return kind, payload

    def begins_with(self, stream: bytes) -> bool:
        """Return whether the unread bytes begin with `stream`; they stay unread.

        Waits only until this is known, usually in one system call for all frames. Raises AnswerEnded if the
        answer has ended before, not if what arrived differs: the difference came first, on any machine.
        """
        buffer = self._buffer
        while (missing := len(stream) - len(buffer)) > 0 and stream.startswith(buffer):
            try:
                self._fill(missing, socket.MSG_WAITALL)
            except AnswerEnded:
                if stream.startswith(buffer):
                    raise
        return buffer.startswith(stream)

    def skips(self, stream: bytes) -> bool:
        """Return whether the unread bytes begin with `stream`, and remove them if so. Raises AnswerEnded."""
        if not self.begins_with(stream):
            return False
        del self._buffer[: len(stream)]
        return True

    def _fill(self, most: int = 1 << 16, flags: int = 0) -> None:
        began = time.monotonic()
        try:
            chunk = self._socket.recv(most, flags)
        except BlockingIOError:
            self._waited += time.monotonic() - began
            self._check_clock(quiet=True)
            return
        except OSError:
            chunk = b""
        if not chunk:
            raise self._death()
        self._buffer += chunk
        self._arrived = True
        self._sleep.begin()
        now = time.monotonic()
        self._waited += now - began
        if now - self._checked > TICK_S:
            self._check_clock()

    def _check_clock(self, *, quiet: bool = False) -> None:
        """Raise AnswerEnded if a limit is exceeded. `quiet`: nothing arrived while waiting."""
        self._checked = time.monotonic()
        use = self._zygote.clock.read()
        if use.cpu_s > self._cpu_s:
            raise cpu_time_exceeded(self._cpu_s)
        if self._call_s is not None:
            self._check_call(use.cpu_s, self._call_s)
        if use.memory > self._limits.memory_mb << 20:
            raise AnswerEnded(
                Outcome.out_of_memory, f"its processes held more than {self._limits.memory_mb} MiB"
            )
        if self._waited > self._guard_s:
            raise AnswerEnded(Outcome.timed_out, f"did not end within {self._guard_s:g} s of wall time")
        if quiet and self._sleep.only_sleeps(self._checked, use.cpu_s):
            raise AnswerEnded(Outcome.timed_out, f"only slept for {self._sleep_s:g} s of wall time")

    def _check_call(self, used_s: float, limit_s: float) -> None:
        if self._arrived:
            self._arrived, self._replied_s = False, used_s
        elif used_s - self._replied_s > limit_s:
            raise AnswerEnded(
                Outcome.timed_out, f"used more than {limit_s:g} s of processor time in one call"
            )

    def _death(self) -> AnswerEnded:
        usage = self.finish()
        signal_number, exit_code = usage.status & 0x7F, usage.status >> 8
        if signal_number == signal.SIGKILL and self._zygote.memory_kills() > self._kills:
            return AnswerEnded(
                Outcome.out_of_memory, f"its processes held more than {self._limits.memory_mb} MiB"
            )
        if usage.cpu_s > self._cpu_s:
            return cpu_time_exceeded(self._cpu_s)
        if usage.printed >= self._limits.output_bytes:
            return AnswerEnded(Outcome.output_limit, f"printed {usage.printed} bytes")
        how = f"was ended by signal {signal_number}" if signal_number else f"exited with status {exit_code}"
        return AnswerEnded(Outcome.exception, f"the process {how} before it had answered")

    def finish(self) -> AnswerUsage:
        """End the answer and its processes, and return its usage. Raises SandboxError."""
        if self.usage is not None:
            return self.usage
        fields, complaint = self._end()
        wall = time.monotonic() - self._started
        printed = os.fstat(self._output).st_size
        stdout = os.pread(self._output, self.kept, 0) if printed else b""
        self.close()
        if complaint is not None or int(fields[0]) == -1:
            raise SandboxError(f"cannot set up an answer: {complaint}", hint="benchwright doctor")
        cpu = float(fields[1]) + float(fields[2])
        self.usage = AnswerUsage(cpu, wall, int(fields[3]), int(fields[0]), printed, stdout)
        return self.usage

    def _end(self) -> tuple[list[bytes], str | None]:
        """Kill and reap the answer.

        If the kernel killed the zygote because of the answer's memory, this is not a failure of the sandbox:
        otherwise a wrong answer could turn itself into a missing one.
        """
        try:
            return self._zygote.kill_and_reap()
        except SandboxError:
            if self._zygote.memory_kills() == self._kills:
                raise
            return [b"%d" % signal.SIGKILL, b"0", b"0", b"0"], None

    def close(self) -> None:
        """Close the descriptors."""
        self._socket.close()
        if self._output >= 0:
            with contextlib.suppress(OSError):
                os.close(self._output)
            self._output = -1
