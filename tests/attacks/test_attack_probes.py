"""Each probe trips when the harm it watches for is done: else a clean pack would say nothing."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest

from kit.needs import need_root
from tests.attacks import probes

LONER = 54321  # a user that runs nothing else here
# Takes all of one kind.
HOARD = f"""
import ctypes, os, resource, sys
os.setresuid({LONER}, {LONER}, {LONER})
libc, place = ctypes.CDLL(None), ctypes.c_int()
number = dict(x86_64=222, aarch64=107)[os.uname().machine]
watcher, timer = lambda: libc.inotify_init1(0), lambda: libc.syscall(number, 1, None, ctypes.byref(place))
resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
while dict(watcher=watcher, timer=timer)[sys.argv[1]]() >= 0:
    continue
print("taken", flush=True)
input()
"""
SECRET, TAG = "bwsecret" + "0" * 24, f"bwtag-probe-test-{os.getpid()}"


@pytest.fixture
def watch() -> Iterator[probes.Watch]:
    with probes.Watch(secret=SECRET, tag=TAG) as watch:
        watch.begin()
        yield watch


def test_nothing_done_trips_nothing(watch: probes.Watch) -> None:
    """With nothing done there are no complaints."""
    complaints = watch.complaints(b"harmless")

    assert complaints == {}


def test_the_secret_in_what_was_said(watch: probes.Watch) -> None:
    """The expected value among what a program sent is seen."""
    complaints = watch.complaints(b"found " + SECRET.encode())

    assert list(complaints) == ["secret"]


def test_a_new_file(watch: probes.Watch) -> None:
    """A file written into the host's folder is seen."""
    (watch.folder.path / "written").touch()
    complaints = watch.complaints(b"")

    assert list(complaints) == ["host files"]


def test_a_changed_file(watch: probes.Watch) -> None:
    """A change of a file of the host is seen."""
    (watch.folder.path / "secret.txt").write_text("other")
    complaints = watch.complaints(b"")

    assert list(complaints) == ["host files"]


def test_a_connection(watch: probes.Watch) -> None:
    """A connection to the port is seen."""
    with socket.create_connection(("127.0.0.1", watch.canary.port), 5):
        complaints = watch.complaints(b"")

    assert "connections" in complaints


@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_UNIX])
def test_a_datagram(watch: probes.Watch, family: socket.AddressFamily) -> None:
    """A datagram to the port, or to the abstract name, is seen."""
    address = ("127.0.0.1", watch.canary.port) if family == socket.AF_INET else f"\0{TAG}"
    with socket.socket(family, socket.SOCK_DGRAM) as sender:
        sender.sendto(b"hello", address)
    complaints = watch.complaints(b"")

    assert list(complaints) == ["connections"]


def test_a_survivor(watch: probes.Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that is left below the runner is seen, by place and by mark."""
    monkeypatch.setattr(probes, "PATIENCE_S", 0.0)
    with subprocess.Popen([sys.executable, "-c", "input()", TAG], stdin=subprocess.PIPE) as process:
        complaints, marked = watch.complaints(b""), probes.marked(TAG)
        process.communicate(b"\n")

    assert ("processes" in complaints, marked) == (True, [str(process.pid)])


def test_swelling(watch: probes.Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory that was taken and given back is seen by its peak."""
    monkeypatch.setattr(probes, "PEAK_KB", 32 << 10)
    swollen = [b"x" * (64 << 20)]
    swollen.clear()
    complaints = watch.complaints(b"")

    assert list(complaints) == ["memory"]


def test_a_descriptor_left_open(watch: probes.Watch) -> None:
    """A descriptor more than before is seen."""
    read, write = os.pipe()
    complaints = watch.complaints(b"")
    os.close(read)
    os.close(write)

    assert list(complaints) == ["descriptors"]


@pytest.mark.parametrize("kind", ["watcher", "timer"])
def test_an_account_that_is_used_up(kind: str) -> None:
    """When a user can make no more watchers or timers, that is seen; afterwards it is over."""
    need_root()  # to take them from a user that no other test runs as
    with subprocess.Popen(
        [sys.executable, "-c", HOARD, kind], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as hoard:
        assert hoard.stdout
        assert hoard.stdout.readline() == b"taken\n"
        during = probes.user_limits(LONER)
        hoard.communicate(b"\n")

    assert (during, probes.user_limits(LONER)) == (f"no {kind}", "")
