"""Direct system calls: their effects, and their names in errors."""

from __future__ import annotations

import errno
import os
import signal
from types import SimpleNamespace

import pytest

from benchwright.sandbox.inside import linux
from kit.processes import python


def _in_child(code: str) -> str:
    """Return the output of a process that may change itself."""
    start = "from benchwright.sandbox.inside import linux\nimport os, signal\n"
    done = python(start + code)
    assert done.stderr == ""
    return done.stdout.strip()


def test_this_machine_is_known() -> None:
    """The numbers of the calls are known for it."""
    assert linux.supported()


def test_other_machines_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """No number is guessed."""
    monkeypatch.setattr(linux, "MACHINE", "riscv64")

    assert not linux.supported()


def test_the_numbers_of_signals_are_this_machines() -> None:
    """They are constants, because their module takes long to import."""
    numbers = (signal.SIGINT, signal.SIGKILL, signal.SIGCHLD)

    assert numbers == (linux.SIGINT, linux.SIGKILL, linux.SIGCHLD)


def test_a_signal_is_ignored() -> None:
    """A process that ignores an interrupt continues."""
    said = _in_child("linux.ignore(linux.SIGINT)\nos.kill(os.getpid(), signal.SIGINT)\nprint('on')")

    assert said == "on"


def test_clone_forks() -> None:
    """Without flags it is a fork: 0 in the child, its id in the parent."""
    said = _in_child(
        "pid = linux.clone(0)\nif pid == 0: os._exit(7)\nprint(os.waitpid(pid, 0) == (pid, 7 << 8))"
    )

    assert said == "True"


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: linux.mount(b"none", b"/no/such/place", b"tmpfs", 0), "mount /no/such/place"),
        (lambda: linux.unmount(b"/no/such/place"), "umount /no/such/place"),
        (lambda: linux.prctl(0x7FFFFFFF, 0), "prctl 2147483647"),
        (lambda: linux.unshare(0x1), "unshare"),
        (lambda: linux.clone(linux.CLONE_NEWNS | 0x200), "clone"),
        (lambda: linux.pivot_root(b"/no/such/place", b"/no/such/place"), "pivot_root"),
    ],
    ids=["mount", "unmount", "prctl", "unshare", "clone", "pivot_root"],
)
def test_failures_name_the_call(call: object, name: str) -> None:
    """So the message identifies a missing layer."""
    with pytest.raises(OSError, match=f"^\\[Errno \\d+\\] {name}: ") as caught:
        call()  # type: ignore[operator]

    assert caught.value.errno in (errno.EPERM, errno.EINVAL, errno.ENOENT)


def test_capabilities_are_dropped() -> None:
    """None is left, for any user."""
    said = _in_child(
        "linux.drop_capabilities()\n"
        "lines = open('/proc/self/status').read().splitlines()\n"
        "print(sorted({line.split()[1] for line in lines if line[:6] in ('CapEff', 'CapPrm', 'CapInh')}))"
    )

    assert said == str(["0" * 16])


def test_a_child_dies_with_its_parent() -> None:
    """The kernel sends the signal when the parent has ended."""
    said = _in_child(
        "read, write = os.pipe()\n"
        "if os.fork() == 0:\n"
        "    pid = os.fork()\n"
        "    if pid == 0:\n"
        "        linux.die_with_parent()\n"
        "        os.write(write, b'ready')\n"
        "        signal.pause()\n"
        "    os.read(read, 5)\n"
        "    os._exit(0)\n"
        "os.wait()\n"
        "os.close(write)\n"
        "print(os.read(read, 5))"  # the end of file comes when the grandchild is gone
    )

    assert said == "b''"


@pytest.mark.parametrize(
    ("existing", "added", "flags"),
    [
        (0, 0, 0),
        (os.ST_NOSUID | os.ST_NODEV, 0, linux.MS_NOSUID | linux.MS_NODEV),
        (os.ST_NOEXEC, linux.MS_NOSUID, linux.MS_NOEXEC | linux.MS_NOSUID),
    ],
)
def test_read_only_keeps_the_flags_there_are(
    existing: int, added: int, flags: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A user namespace may add restrictions to a mount, but not remove any."""
    seen = []
    monkeypatch.setattr(linux.os, "statvfs", lambda place: SimpleNamespace(f_flag=existing))
    monkeypatch.setattr(linux, "mount", lambda *arguments: seen.append(arguments))
    linux.make_read_only("/place", added)
    always = linux.MS_BIND | linux.MS_REMOUNT | linux.MS_RDONLY

    assert [(b"none", b"/place", None, always | flags)] == seen


def test_the_signal_is_a_kill() -> None:
    """A signal that a process can catch would not end it."""
    calls = []
    real, linux.prctl = linux.prctl, lambda *arguments: calls.append(arguments)
    try:
        linux.die_with_parent()
    finally:
        linux.prctl = real

    assert calls == [(linux.PR_SET_PDEATHSIG, signal.SIGKILL)]


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("5.8.0-63-generic", (5, 8)),
        ("6.18.44-fc-v669", (6, 18)),
        ("4.4.0", (4, 4)),
        ("6.1", (6, 1)),
        ("7-rc1", (7, 0)),
        ("", (0, 0)),
        ("next.5", (0, 0)),
    ],
)
def test_the_kernels_version(said: str, known: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    """Two numbers; an unknown form counts as older than all versions."""
    monkeypatch.setattr(os, "uname", lambda: SimpleNamespace(release=said))

    assert linux.release() == known
