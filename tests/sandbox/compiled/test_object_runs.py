"""The shipped object is executed: a driver loads it and sends it the messages of the trusted side."""

from __future__ import annotations

import os
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchwright.sandbox.compiled import build
from benchwright.sandbox.inside import compiled, linux
from benchwright.sandbox.zygote_object import FOLDER, OBJECT
from kit.needs import need
from kit.processes import HANG_S

DRIVER = Path(__file__).parent / "driver.c"
MOST_CPU_S, LAST_FILE = 50, 64
CLOSED, OUT_OF_TURN, MALFORMED = (0, 1), (0, 2), (0, 3)
_IMPOSSIBLE = 0x10000  # CLONE_THREAD alone
_EINVAL, _ENOENT = 22, 2


class Loop:
    """A driver that serves; the test sends messages as the trusted side does to a zygote."""

    def __init__(self, driver: str, *, clone: int = 0, mount: tuple[str, ...] = ()) -> None:
        self._control, inner = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control.settimeout(HANG_S)
        settings = [
            str(FOLDER / OBJECT),
            hex(clone),
            str(MOST_CPU_S),
            str(LAST_FILE),
            *mount,
        ]
        with inner:
            self._process = subprocess.Popen(
                ["/bin/sh", "-c", 'exec "$@" 3<&0 </dev/null', "sh", driver, *settings],
                stdin=inner,
                stderr=subprocess.PIPE,
                text=True,
            )

    def send(self, message: bytes, *files: int) -> None:
        socket.send_fds(self._control, [message], files)

    def report(self) -> bytes:
        self.send(b"K")
        return self._control.recv(512)

    def complaint(self, of: str) -> tuple[int, int]:
        """Return step and number with which the loop ended: in the zygote, or in an answer."""
        assert self._process.stderr
        who, step, number = self._process.stderr.readline().split()
        assert who == of
        return int(step), int(number)

    def ended(self) -> tuple[int, int]:
        """Return the same for the zygote, which ends with the loop."""
        self._control.close()
        assert self._process.wait(HANG_S) == 1
        return self.complaint("zygote")

    def close(self) -> None:
        self._control.close()
        with self._process:
            self._process.kill()


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the program that loads the object."""
    compiler = need(build.COMPILER, "builds what loads the object")
    program = tmp_path_factory.mktemp("driver") / "driver"
    options = ["-O1", "-Wall", "-Werror", "-o", str(program), str(DRIVER)]
    subprocess.run([compiler, *options], check=True)
    return str(program)


@pytest.fixture
def loop(driver: str) -> Iterator[Loop]:
    """Return a serving driver."""
    made = Loop(driver)
    yield made
    made.close()


def answer(loop: Loop, cpu_s: int) -> tuple[dict[str, str], str, bytes]:
    """Order an answer; return its own report, its output, and the report of its end."""
    outer, inner = socket.socketpair()
    outer.settimeout(HANG_S)
    with outer, inner, tempfile.TemporaryFile() as output:
        loop.send(b"F%d" % cpu_s, inner.fileno(), output.fileno())
        inner.close()
        said = b""
        while not said.endswith(b"\n\n"):
            part = outer.recv(4096)
            assert part, said
            said += part
        report = loop.report()
        printed = os.pread(output.fileno(), 4096, 0).decode()
    return dict(line.split(":", 1) for line in said.decode().split("\n") if line), printed, report


def test_an_answer_is_set_up(loop: Loop) -> None:
    """Session, folder, limit, rights and descriptors are set for each order."""
    for cpu_s, limit in ((7, "7 8"), (MOST_CPU_S - 1, "49 50"), (MOST_CPU_S, "50 50"), (10**15, "50 50")):
        said, printed, report = answer(loop, cpu_s)
        none = "\t" + "0" * 16
        status, user_s, system_s, peak_kib = report.removeprefix(b"S").split()

        assert said == {
            "leads": "1",
            "folder": "/tmp",
            "limit": limit,
            "descriptors": " 0 1 2 3",
            **dict.fromkeys(("CapInh", "CapPrm", "CapEff"), none),
            "read": "0",
        }
        assert sorted(printed.split()) == ["complained", "printed"]
        assert (report[:1], int(status), int(peak_kib) > 100) == (b"S", linux.SIGKILL, True)
        assert all(
            len(used.partition(b".")[2]) == 6 and 0 <= float(used) < HANG_S for used in (user_s, system_s)
        )


def test_an_order_to_end_nothing_is_passed_over(loop: Loop) -> None:
    """The next order is carried out."""
    loop.send(b"K")

    assert answer(loop, 5)[0]["leads"] == "1"
    assert loop.ended() == CLOSED


@pytest.mark.parametrize("order", [b"F", b"F5", b"Fx", b"F-5", b"F1" + b"0" * 30, b"Q", b"Q5"])
def test_an_order_that_is_none_ends_the_loop(loop: Loop, order: bytes) -> None:
    """No answer is forked for an invalid order."""
    loop.send(order)

    assert loop._control.recv(64) == b""
    assert loop.ended() == MALFORMED


def test_too_few_descriptors_end_the_loop(loop: Loop) -> None:
    """An order without the answer's socket or output is invalid."""
    with open(os.devnull) as output:
        loop.send(b"F5", output.fileno())

    assert loop._control.recv(64) == b""
    assert loop.ended() == MALFORMED


def test_a_message_within_an_answer_ends_the_loop(loop: Loop) -> None:
    """The exception is the message that ends the answer."""
    with open(os.devnull) as output:
        loop.send(b"F5", output.fileno(), output.fileno())
        loop.send(b"X")

    assert loop._control.recv(64) == b""
    assert loop.ended() == OUT_OF_TURN


def test_a_clone_that_fails_is_named(driver: str) -> None:
    """The complaint has the step and the kernel's number."""
    loop = Loop(driver, clone=_IMPOSSIBLE)
    try:
        with open(os.devnull) as output:
            loop.send(b"F5", output.fileno(), output.fileno())
            assert loop._control.recv(64) == b""
        assert loop.ended() == (compiled._CLONE, _EINVAL)
    finally:
        loop.close()


def test_a_mount_that_fails_ends_the_answer(driver: str) -> None:
    """The answer's process ends with the position in the table of mounts, and the loop continues."""
    loop = Loop(driver, mount=("/nowhere/at/all",))
    try:
        with open(os.devnull) as inner, tempfile.TemporaryFile() as output:
            loop.send(b"F5", inner.fileno(), output.fileno())
            assert loop.complaint("answer") == (compiled._MOUNT, _ENOENT)
            assert loop.report()[:1] == b"S"
        assert loop.ended() == CLOSED
    finally:
        loop.close()


def test_memory_is_moved(driver: str) -> None:
    """Content and address are kept, memory between the pieces is unchanged, and the copies are removed; an
    invalid piece is reported."""
    command = [driver, str(FOLDER / OBJECT), "move"]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, timeout=HANG_S, check=True)

    assert done.stderr == f"moved 0 1 1 {-_EINVAL}\n"
