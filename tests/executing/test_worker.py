"""A worker is one process that serves until its input ends, and cannot be talked over by a check."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import msgspec
import pytest

from benchwright.contracts import CallsSpec, Criterion
from benchwright.executing import wire
from benchwright.executing.worker_process import START
from benchwright.sandbox.limits import Limits
from kit.processes import HANG_S, descendants, groups, parents, wait_until

RIGHT = "def f(x):\n    return x + 1\n"
TEST = "def check(candidate):\n    assert candidate(1) == 2\n"


def start() -> subprocess.Popen[bytes]:
    """A worker of our own."""
    command = [sys.executable, "-P", "-c", START]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def setup() -> bytes:
    """The first message, for the jail that this machine has."""
    from benchwright.sandbox.jail import choose_jail

    return wire.frame(wire.WorkerSetup(jail=choose_jail(), limits=Limits()))


def serve(*messages: bytes) -> tuple[list[wire.WorkerResult], int]:
    """What a worker answers to messages, and how it ends."""
    with start() as worker:
        out, _ = worker.communicate(b"".join(messages), timeout=HANG_S)
    answers, stream = [], memoryview(out)
    while stream:
        size = int.from_bytes(stream[:4], "little")
        answers.append(msgspec.msgpack.decode(stream[4 : 4 + size], type=wire.WorkerResult))
        stream = stream[4 + size :]
    return answers, worker.returncode


def work(number: int, test: str | None = TEST) -> bytes:
    """A request; without a test, by the spec of the one before."""
    sent = None
    if test is not None:
        spec = CallsSpec(entry_point="f", test=test)
        sent = wire.send_criterion(Criterion(spec))
    return wire.frame(wire.WorkerJob(number=number, program=RIGHT, criterion=sent))


def test_a_worker_without_work_ends_well() -> None:
    """An input that ends at once is no error."""
    assert serve() == ([], 0)


@pytest.mark.usefixtures("jail")
def test_work_is_answered_in_order_and_a_spec_is_kept() -> None:
    """A message without a spec is judged by the last one."""
    answers, code = serve(setup(), work(5), work(6, None), work(7, TEST.replace("2", "3")), work(8, None))
    seen = [(done.number, done.judgement.outcome.value) for done in answers]

    assert (seen, code) == ([(5, "passed"), (6, "passed"), (7, "wrong"), (8, "wrong")], 0)


@pytest.mark.usefixtures("jail")
def test_a_check_that_prints_does_not_spoil_the_messages() -> None:
    """Standard output of the worker carries messages only; a check that reads its input gets nothing."""
    test = (
        "import os, sys\ndef check(candidate):\n    print('noise', flush=True)\n    os.write(1, b'noise')\n"
    )
    answers, code = serve(
        setup(), work(1, test + "    assert not sys.stdin.read()\n    assert candidate(1) == 2\n")
    )
    seen = [(done.number, done.judgement.outcome.value) for done in answers]

    assert (seen, code) == ([(1, "passed")], 0)


@pytest.mark.usefixtures("jail")
def test_a_cut_message_ends_the_worker_without_a_word(capfd: pytest.CaptureFixture[str]) -> None:
    """A runner that was killed while it wrote leaves half a message: no traceback on the user's terminal."""
    answers, code = serve(setup(), work(1), work(2)[:-3])

    assert ([done.number for done in answers], code, capfd.readouterr().err) == ([1], 0, "")


@pytest.mark.usefixtures("jail")
def test_a_signal_to_end_cleans_up(capfd: pytest.CaptureFixture[str]) -> None:
    """In the middle of a check it ends its jail, removes its control group, and says nothing."""
    endless = "def check(candidate):\n    while candidate(1):\n        pass\n"
    with start() as worker:
        assert worker.stdin
        worker.stdin.write(setup() + work(1, endless))
        worker.stdin.flush()
        wait_until(lambda: len(descendants(worker.pid)) > 1)
        below = descendants(worker.pid)
        worker.terminate()
        code = worker.wait(timeout=HANG_S)
    gone = wait_until(lambda: not below & parents().keys())

    assert (code, gone, groups({worker.pid}), capfd.readouterr().err) == (0, True, [], "")


@pytest.mark.usefixtures("jail")
def test_a_killed_worker_takes_its_jail_with_it() -> None:
    """SIGKILL gives no time to clean up: the kernel ends the interpreters below."""
    with start() as worker:
        assert worker.stdin
        worker.stdin.write(setup() + work(1))
        worker.stdin.flush()
        wait_until(lambda: len(descendants(worker.pid)) > 1)
        below = descendants(worker.pid)
        os.kill(worker.pid, signal.SIGKILL)
    gone = wait_until(lambda: not below & parents().keys())

    assert (bool(below), gone) == (True, True)
