"""What must be as it was after a hostile program ran: each probe says what is not, or nothing."""

from __future__ import annotations

import contextlib
import ctypes
import os
import socket
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Self

PEAK_KB = 256 << 10  # a reply of 16 MiB may be held as bytes and as a value while it is compared
REST_KB = 48 << 10
PATIENCE_S = 300.0  # only where something is left
NOBODY = 65534
_TIMER_CREATE = {"x86_64": 222, "aarch64": 107}[os.uname().machine]
_libc = ctypes.CDLL(None)
_libc.syscall.restype = ctypes.c_long


class Folder:
    """A folder of the host that anybody may write to, with a secret in it; and a name in the host's /tmp."""

    def __init__(self, *, secret: str, tag: str) -> None:
        base = "/var/tmp" if os.access("/var/tmp", os.W_OK) else None
        self._kept = tempfile.TemporaryDirectory(prefix="bw-attack-", dir=base)
        self.path, self._secret, self._tag = Path(self._kept.name), secret, tag
        self.path.chmod(0o777)
        (self.path / "secret.txt").write_text(secret)

    def close(self) -> None:
        self._kept.cleanup()

    def changed(self) -> str:
        names = sorted(path.name for path in self.path.iterdir())
        outside = [name for name in (f"/tmp/{self._tag}", f"/dev/shm/{self._tag}") if os.path.lexists(name)]
        if names != ["secret.txt"] or outside:
            return f"new on the host: {names + outside}"
        return "" if (self.path / "secret.txt").read_text() == self._secret else "the secret was overwritten"


def both_kinds() -> tuple[socket.socket, socket.socket]:
    """A listening socket and one for datagrams, at the same port."""
    while True:
        stream, datagrams = socket.create_server(("127.0.0.1", 0)), socket.socket(type=socket.SOCK_DGRAM)
        try:
            datagrams.bind(stream.getsockname())
        except OSError:  # another process has this one
            stream.close()
            datagrams.close()
            continue
        return stream, datagrams


class Canary:
    """Servers on this machine that nobody may reach: a port for streams and datagrams, an abstract name."""

    def __init__(self, *, tag: str) -> None:
        self._stream, self._datagram = both_kinds()
        self.port: int = self._stream.getsockname()[1]
        self._name = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._name.bind(f"\0{tag}")
        for each in self._all():
            each.setblocking(False)

    def _all(self) -> tuple[socket.socket, ...]:
        return self._stream, self._datagram, self._name

    def close(self) -> None:
        for each in self._all():
            each.close()

    def reached(self) -> str:
        with contextlib.suppress(BlockingIOError):
            self._stream.accept()[0].close()
            return "a connection came in"
        for each in (self._datagram, self._name):
            with contextlib.suppress(BlockingIOError):
                return f"a datagram came in: {each.recv(64)!r}"
        return ""


class Watch:
    """The trusted process and what is below it, before and after."""

    def __init__(self, *, secret: str, tag: str) -> None:
        self._secret, self._tag = secret, tag
        self.folder, self.canary = Folder(secret=secret, tag=tag), Canary(tag=tag)
        self._tree: list[str] = []
        self._descriptors = self._rest_kb = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.canary.close()
        self.folder.close()

    def begin(self) -> None:
        """Remember how things are, and forget the peak of memory (proc(5), clear_refs)."""
        self._tree = tree(os.getpid())
        self._descriptors = len(os.listdir("/proc/self/fd"))
        Path("/proc/self/clear_refs").write_text("5")
        self._rest_kb = memory_kb("VmRSS")

    def complaints(self, said: bytes, *, during: str = "") -> dict[str, str]:
        """Probe name to what it found. `said` is all the program sent or printed; `during`: what the user
        could not make while it ran."""
        found = {
            "secret": "the secret was sent" if self._secret.encode() in said else "",
            "host files": self.folder.changed(),
            "connections": self.canary.reached(),
            "memory": self._swelling(),
            "processes": self._left(),
            "descriptors": self._more_descriptors(),
            "user limits": during or user_limits(),
        }
        return {name: what for name, what in found.items() if what}

    def _swelling(self) -> str:
        peak, rest = memory_kb("VmHWM") - self._rest_kb, memory_kb("VmRSS") - self._rest_kb
        return f"peak +{peak} KiB, after +{rest} KiB" if peak > PEAK_KB or rest > REST_KB else ""

    def _more_descriptors(self) -> str:
        now = len(os.listdir("/proc/self/fd"))
        return f"{now} open, {self._descriptors} before" if now > self._descriptors else ""

    def _left(self) -> str:
        """Survivors. A zygote that was replaced ends a moment after its place is taken, hence patience."""
        deadline = time.monotonic() + PATIENCE_S
        while (now := tree(os.getpid())) != self._tree or marked(self._tag):
            if time.monotonic() > deadline:
                return f"processes {now}, before {self._tree}; marked {marked(self._tag)}"
            time.sleep(0.02)  # the end of a process that is no child of ours cannot be waited for
        return ""


def user_limits(user: int = NOBODY) -> str:
    """What the user whom the jail runs as can no longer make outside of it, though each may have many.

    Asked in a fork, which becomes that user where this process is root; else of this process's own user.
    """
    pid = os.fork()
    if pid == 0:
        missing = 3
        try:
            if os.getuid() == 0:
                os.setresuid(user, user, user)
            missing = (_libc.inotify_init1(0) < 0) + 2 * (_timer() != 0)
        finally:
            os._exit(missing)
    missing = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return ("", "no watcher", "no timer", "neither a watcher nor a timer")[missing]


def _timer() -> int:
    return int(_libc.syscall(_TIMER_CREATE, 1, None, ctypes.byref(ctypes.c_int())))


def memory_kb(field: str) -> int:
    """A field of /proc/self/status in KiB: VmRSS (now) or VmHWM (its peak)."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{field}:"))


def tree(root: int) -> list[str]:
    """The names of all processes below one, sorted: when a zygote is replaced, numbers change, names not."""
    parents: dict[int, list[tuple[int, str]]] = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            name, _, fields = _content(f"/proc/{pid}/stat").decode(errors="replace").rpartition(")")
            parents.setdefault(int(fields.split()[1]), []).append((int(pid), name.partition("(")[2]))
    found, waiting = [], [root]
    while waiting:
        for pid, name in parents.get(waiting.pop(), []):
            found.append(name)
            waiting.append(pid)
    return sorted(found)


def marked(tag: str) -> list[str]:
    """Processes anywhere on the machine whose name or command line holds the mark."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError, PermissionError):
            line = _content(f"/proc/{pid}/cmdline") + _content(f"/proc/{pid}/comm")
            if tag[:15].encode() in line:
                found.append(pid)
    return found


def _content(path: str) -> bytes:
    """Read a file; without `Path`, which takes longer than a small file of /proc."""
    with open(path, "rb") as file:
        return file.read()


def groups_of(pid: int) -> list[str]:
    """Control groups that a process's sandboxes have not removed."""
    roots = [Path("/sys/fs/cgroup"), *Path("/sys/fs/cgroup").glob("*")]
    made = f"benchwright-{pid}-"
    walked = (entry for root in roots for entry in os.walk(root))  # a group of others may vanish meanwhile
    return [
        os.path.join(folder, name) for folder, names, _ in walked for name in names if name.startswith(made)
    ]
