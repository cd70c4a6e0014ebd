"""A slot's life: start, answers one after another, crashes, and an end that leaves nothing."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchwright.errors import SandboxError
from benchwright.records import Outcome
from benchwright.sandbox import box as box_module
from benchwright.sandbox import zygote as zygote_module
from benchwright.sandbox.box import Sandbox
from benchwright.sandbox.codec import encode
from benchwright.sandbox.environments import Environment
from benchwright.sandbox.inside import zygote as inside
from benchwright.sandbox.inside.wire import frame
from benchwright.sandbox.jail import JAILS
from benchwright.sandbox.limits import Limits
from benchwright.sandbox.zygote import Zygote
from kit.needs import need_jail, need_that
from kit.processes import all_gone, descendants, open_files, parents, wait_until

LIMITS = Limits(cpu_s=1.0, wall_s=20.0, memory_mb=256, processes=32)
ADD = "def add(x, y): return x + y"
ONE_TWO: list[tuple[tuple[Any, ...], dict[str, Any]]] = [((1, 2), {})]
LOADED, THREE = frame(b"L", b""), frame(b"V", encode(3))


@pytest.fixture(params=JAILS, scope="module")
def jail(request: pytest.FixtureRequest) -> str:
    return need_jail(request.param)


@pytest.fixture(scope="module")
def shared_box(jail: str) -> Iterator[Sandbox]:
    with Sandbox(jail=jail, limits=LIMITS) as box:
        yield box


@pytest.fixture
def box(shared_box: Sandbox) -> Sandbox:
    """Return the sandbox of this file without the failures of earlier tests. It replaces a zygote that was ended."""
    shared_box.trouble.clear()
    return shared_box


def adds(box: Sandbox) -> bool:
    result = box.run(ADD, "add", ONE_TWO)
    return result.outcome is Outcome.passed and result.replies[0].value == 3


def slot(box: Sandbox) -> Zygote:
    (zygote,) = box._zygotes.values()
    return zygote


def below() -> set[int]:
    return descendants(os.getpid())


def innermost(root: int) -> int:
    """The one process below another that has none below it."""
    above = parents()
    under = descendants(root, above)
    (leaf,) = under - {above[pid] for pid in under}
    return leaf


def test_close_leaves_no_process(jail: str) -> None:
    """The launcher, the jail and the zygote end with the sandbox."""
    before = below()
    with Sandbox(jail=jail, limits=LIMITS) as box:
        adds(box)
        own = below() - before

    assert (len(own) > 0, all_gone(own)) == (True, True)


def test_close_leaves_no_group_and_no_descriptor(jail: str) -> None:
    """Control groups are removed, and every descriptor is given back."""
    before = open_files()
    with Sandbox(jail=jail, limits=LIMITS) as box:
        adds(box)
        group = slot(box).group
        folders = list(group.folders.values()) if group else []
    left = [folder for folder in folders if folder.exists()]

    assert (left, open_files() - before) == ([], set())


def test_closing_twice_is_no_harm(box: Sandbox) -> None:
    """A sandbox may be closed again, and starts anew when it is used again."""
    adds(box)
    box.close()
    box.close()

    assert adds(box)


@pytest.mark.parametrize("whom", ["launcher", "zygote"])
def test_a_killed_zygote_is_replaced(box: Sandbox, whom: str) -> None:
    """kill -9 of either end of the jail costs one attempt, not an answer, and is remembered."""
    adds(box)
    first = slot(box)._process.pid
    inner = innermost(first)
    os.kill(first if whom == "launcher" else inner, signal.SIGKILL)
    ended = wait_until(lambda: not {first, inner} & parents().keys())  # the kernel ends one after the other

    assert (ended, adds(box), slot(box)._process.pid != first, len(box.trouble)) == (True, True, True, 1)


def test_a_replaced_zygote_leaks_nothing(box: Sandbox) -> None:
    """Descriptors of an attempt that failed are given back."""
    adds(box)
    before = open_files()
    for _ in range(3):
        os.kill(slot(box)._process.pid, signal.SIGKILL)
        slot(box)._process.wait()
        adds(box)

    assert len(open_files()) == len(before)


def test_a_zygote_killed_during_an_answer(box: Sandbox) -> None:
    """The answer is run again in a new one."""
    attempts: list[int] = []

    def work(running: Any) -> None:
        attempts.append(slot(box)._process.pid)
        if len(attempts) == 1:
            os.kill(attempts[0], signal.SIGKILL)
        with contextlib.suppress(zygote_module.AnswerEnded):
            running.read()

    box.execute(("batch", "add", f"import time\ntime.sleep(0.5)\n{ADD}", b"("), work)

    assert (len(attempts), len(set(attempts))) == (2, 2)


@pytest.mark.parametrize(
    ("beginning", "expected"),
    [
        (LOADED, True),
        (LOADED + THREE, True),
        (LOADED + THREE + frame(b"D", b""), True),
        (frame(b"E", b""), False),
        (LOADED + frame(b"V", encode(4)), False),
        (LOADED + THREE + THREE + THREE, False),
    ],
)
def test_what_comes_is_compared_and_still_to_be_read(box: Sandbox, beginning: bytes, expected: bool) -> None:
    """Several frames at once, also more of them than there will ever be when the answer is seen to differ."""
    seen: list[Any] = []

    def work(running: Any) -> None:
        seen[:] = [running.begins_with(beginning), running.read(), running.read()]

    box.execute(("batch", "add", ADD, encode(ONE_TWO)), work)

    assert seen == [expected, (b"L", b""), (b"V", encode(3))]


def test_waiting_for_what_never_comes_ends_by_the_clock(box: Sandbox) -> None:
    """And what differs already is not waited for."""
    seen: list[Any] = []

    def work(running: Any) -> None:
        seen.append(running.begins_with(LOADED + frame(b"V", encode(4)) + THREE))
        with pytest.raises(zygote_module.AnswerEnded) as ended:
            running.begins_with(LOADED + THREE + THREE)
        seen.append(ended.value.outcome)

    hangs = "def add(x, y):\n    while x > 1: pass\n    return x + y"
    box.execute(("batch", "add", hangs, encode([*ONE_TWO, ((2, 1), {})])), work, cpu_s=0.2)

    assert seen == [False, Outcome.timed_out]


def test_a_sandbox_that_always_fails_says_so(box: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three failures in a row are raised, and no outcome is made of them."""
    monkeypatch.setattr(Zygote, "kill_and_reap", _always_gone)
    with pytest.raises(SandboxError, match="gone"):
        box.run(ADD, "add", ONE_TWO)

    assert box.trouble == ["gone", "gone"]


def test_a_zygote_that_ends_before_the_job_is_written_leaks_nothing(
    box: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has taken the request, but nobody reads the rest of a job that is larger than the socket's buffer.

    The descriptors of the answer are given back.
    """
    adds(box)
    zygote = slot(box)
    monkeypatch.setattr(Zygote, "send_fork", lambda self, fds, cpu_limit_s: None)
    monkeypatch.setattr(Zygote, "kill_and_reap", _always_gone)
    before = open_files()
    with pytest.raises(SandboxError, match="gone"):
        zygote.fork(("batch", "add", ADD, bytes(1 << 24)))

    assert len(open_files()) == len(before)


def _always_gone(self: Zygote) -> Any:
    raise SandboxError("gone")


def test_an_error_of_the_judge_does_not_touch_the_next_answer(box: Sandbox) -> None:
    """Whatever is raised while an answer runs, the next one is not given its end."""

    def broken(running: Any) -> None:
        running.read()
        raise ZeroDivisionError

    seen = []
    for _ in range(3):
        with pytest.raises(ZeroDivisionError):
            box.execute(("batch", "add", ADD, b"("), broken)
        seen.append(adds(box))

    assert seen == [True] * 3


def test_the_start_failure_names_the_cause(jail: str) -> None:
    """What the zygote complained of is in the message, and nothing stays behind."""
    before = below()
    broken = Environment(name="broken", preload=("no_module_of_this_name",))
    with Sandbox(broken, jail=jail, limits=LIMITS) as box, pytest.raises(SandboxError) as caught:
        box.run(ADD, "add", ONE_TWO)
    expected = f"the {jail} jail did not start: ModuleNotFoundError: No module named 'no_module_of_this_name'"

    assert (expected, "benchwright doctor", True) == (
        caught.value.message,
        caught.value.hint,
        wait_until(lambda: below() <= before),
    )


def test_an_interpreter_that_is_not_there(jail: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A jail whose program cannot be started names that too."""
    monkeypatch.setattr("benchwright.sandbox.jail._zygote_command", lambda *rest: ["/no/such/python"])
    with pytest.raises(SandboxError, match="did not start") as caught, Sandbox(jail=jail) as box:
        box.run(ADD, "add", ONE_TWO)

    assert "No such file" in caught.value.message


def test_a_zygote_that_says_nothing_is_given_up(jail: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A jail that starts and never gets ready does not hold everything up."""
    monkeypatch.setattr(zygote_module, "START_WALL", 0.01)
    silent = ["/bin/sh", "-c", "exec sleep 60"]
    monkeypatch.setattr("benchwright.sandbox.jail.launcher_command", lambda config: silent)
    with pytest.raises(SandboxError, match="did not start: it was not ready"), Sandbox(jail=jail) as box:
        box.run(ADD, "add", ONE_TWO)


def _preloading(folder: Path, text: str, **fields: Any) -> Environment:
    """A profile with one module of the test's own."""
    (folder / "own.py").write_text(text)
    return Environment(
        name="own", preload=("own",), binds=((str(folder / "own.py"), "/site/own.py"),), **fields
    )


def test_a_start_is_bounded_in_processor_time(
    jail: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A module that computes for ever while it is imported is given up by what it has used."""
    monkeypatch.setattr(zygote_module, "START_WALL", 1e4)
    endless = _preloading(tmp_path, "while True: pass", start_cpu_s=0.3)
    with pytest.raises(SandboxError) as caught:
        Zygote(endless, LIMITS, jail_name=jail)

    assert "it was not ready after 0.3 s of processor time" in caught.value.message


def test_a_profile_that_starts_threads_is_refused(jail: str, tmp_path: Path) -> None:
    """At once, though the thread never ends and would hold an orderly exit up."""
    threads = "import threading\nthreading.Thread(target=threading.Event().wait).start()"
    with Sandbox(_preloading(tmp_path, threads), jail=jail) as box, pytest.raises(SandboxError) as caught:
        box.run(ADD, "add", ONE_TWO)

    assert "2 threads before the first fork" in caught.value.message


def test_a_scratch_folder_while_preloading(jail: str, tmp_path: Path) -> None:
    """A module may write into /tmp when it is imported; no answer sees that, and each still has its own /tmp."""
    writes = "import os\nopen('/tmp/mark', 'w').close()\nheld = os.listdir('/tmp')"
    look = (
        "import os, own\ndef f():\n    open('/tmp/x', 'w').close()\n    return own.held, os.listdir('/tmp')"
    )
    with Sandbox(_preloading(tmp_path, writes, scratch=True), jail=jail) as box:
        results = [box.run(look, "f", [((), {})]).replies[0].value for _ in range(2)]

    assert results == [(["mark"], ["x"])] * 2


def test_without_it_a_root_stays_read_only(jail: str, tmp_path: Path) -> None:
    """A profile that did not ask for it cannot leave anything."""
    writes = _preloading(tmp_path, "open('/tmp/mark', 'w').close()")
    with Sandbox(writes, jail=jail) as box, pytest.raises(SandboxError, match="Read-only file system"):
        box.run(ADD, "add", ONE_TWO)


def test_variables_and_files_of_a_profile(jail: str) -> None:
    """Its variables are there before anything is imported, and as many files can be open as it says."""
    own = Environment(name="own", variables=(("TORCH_HOME", "/tmp/torch"),), open_files=100)
    source = "import os, resource\ndef f(): return os.environ['TORCH_HOME'], resource.getrlimit(7)[0]"
    with Sandbox(own, jail=jail) as box:
        assert box.run(source, "f", [((), {})]).replies[0].value == ("/tmp/torch", 100)


def test_a_zygote_is_recycled(box: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """After so many answers a new one takes its place, without trouble."""
    monkeypatch.setattr(box_module, "RECYCLE_AFTER", 2)
    pids = []
    box.close()
    for _ in range(5):
        adds(box)
        pids.append(slot(box)._process.pid)

    assert (len(set(pids)), box.trouble) == (3, [])


def test_memory_kills_of_one_answer_are_not_the_nexts(box: Sandbox) -> None:
    """An answer that dies by signal after another was short of memory is not called short of memory."""
    hungry = """
import os, time
def f():
    for _ in range(5):
        if os.fork() == 0:
            kept = b"x" * (90 << 20)
            time.sleep(2 if kept else 0)
            os._exit(0)
    return [os.wait()[1] for _ in range(5)]
"""
    closes = "import os\ndef f():\n    os.close(3)\n    while True: pass"
    adds(box)
    need_that(slot(box).group is not None, "this needs control groups")
    box.run(hungry, "f", [((), {})], cpu_s=9)
    kills = slot(box).memory_kills()
    result = box.run(closes, "f", [((), {})])

    assert (True, Outcome.exception) == (kills > 0, result.outcome)


def test_a_zygote_killed_for_an_answers_memory(box: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the kernel picks the zygote as its victim, the answer was out of memory: no failure of ours."""
    kills = iter([0, 1, 1, 1, 1, 1])

    def read_until_the_end(running: Any) -> None:
        os.kill(slot(box)._process.pid, signal.SIGKILL)
        with pytest.raises(zygote_module.AnswerEnded) as caught:
            while True:
                running.read()
        outcomes.append(caught.value.outcome)

    outcomes: list[Outcome] = []
    adds(box)
    monkeypatch.setattr(Zygote, "memory_kills", lambda self: next(kills))
    usage = box.execute(("calls", "add", ADD, b""), read_until_the_end)

    assert ([Outcome.out_of_memory], signal.SIGKILL, []) == (outcomes, usage.status, box.trouble)


def test_small_processes_cannot_hide_behind_the_zygote(jail: str) -> None:
    """Processes smaller than the zygote, together too large: the answer fails, it does not go missing."""
    many = """
import os, time
def f():
    for number in range(64):
        try:
            open(f"/tmp/{number}", "wb").write(b"x" * (1 << 20))
        except OSError:
            break
    for _ in range(100):
        if os.fork() == 0:
            kept = b"x" * 1_500_000
            time.sleep(2 if kept else 0)
            os._exit(0)
    time.sleep(1)
    raise ValueError
"""
    limits = Limits(cpu_s=9, wall_s=20, memory_mb=64, processes=110)
    with Sandbox(jail=jail, limits=limits) as box:
        result = box.run(many, "f", [((), {})])
        after = adds(box)

    assert (
        result.outcome in (Outcome.out_of_memory, Outcome.exception),
        after,
        [each for each in box.trouble if "gone" not in each],
    ) == (True, True, [])


@pytest.mark.parametrize("data", [[], [(1, 1, bytes(4))], [(0, 1, bytes(8))], [(1, 2, bytes(8))]])
def test_a_fork_without_its_descriptors_ends_the_zygote(data: list[tuple[int, int, bytes]]) -> None:
    """A control message must carry exactly the two descriptors."""
    with pytest.raises((SystemExit, IndexError)):
        inside._descriptors(data)
