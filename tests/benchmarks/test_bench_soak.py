"""A soak draws answers from a seed, sees what a worker does wrong, and hurts nothing but its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import msgspec
import pytest

from benchmarks import soak, soak_sight
from benchmarks.soak_mix import LIMITS, Answer, Mix
from benchwright.contracts import CallsSpec
from benchwright.sandbox.box import Sandbox
from kit.judging import ProgramJudge
from kit.needs import need_jail
from kit.processes import HANG_S, stop, wait_until


def _one_of_each(seed: int) -> dict[str, Answer]:
    """The first answer of each kind."""
    mix, found = Mix(seed), dict[str, Answer]()
    for _ in range(5000):
        answer = mix.draw()
        found.setdefault(answer.name, answer)
    return found


def test_a_seed_gives_the_same_answers() -> None:
    """A fault that was seen can be looked for again."""
    first, second, other = (Mix(seed) for seed in (7, 7, 8))
    drawn = [[mix.draw() for _ in range(200)] for mix in (first, second, other)]

    assert (drawn[0] == drawn[1], drawn[0] == drawn[2]) == (True, False)


def test_the_mix_is_mostly_good_and_has_every_harm() -> None:
    """About half of all answers are right, and each kind comes."""
    mix = Mix(1)
    counts = Counter(mix.draw().name for _ in range(5000))

    assert (0.35 < counts["good"] / 5000 < 0.6, min(counts.values()) >= 10, len(counts) > 20) == (
        True,
        True,
        True,
    )


@pytest.mark.slow
@pytest.mark.usefixtures("jail")
def test_each_kind_ends_as_it_says() -> None:
    """What a soak calls a fault is one: in peace, every program ends in its own outcome."""
    ended = {}
    with Sandbox(limits=msgspec.structs.replace(LIMITS, wall_s=1.5)) as box:
        judge = ProgramJudge(box)
        for name, answer in _one_of_each(3).items():
            ended[name] = judge.judge(answer.program, answer.spec).outcome.value in answer.outcomes

    assert ended == dict.fromkeys(ended, True)


@contextmanager
def _child(code: str) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        try:
            yield process
        finally:
            process.kill()


WAITS = "print(flush=True); input()"


def test_a_process_is_known_by_number_and_start() -> None:
    """A number that is used again is another process, and a zombie is none."""
    with _child(WAITS) as child:
        (mine,) = [each for each in soak_sight.below(os.getpid()) if each.pid == child.pid]
        alive = [soak_sight.lives(each) for each in (mine, mine._replace(start=mine.start - 1))]
        child.kill()
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        zombie = soak_sight.lives(mine)

    assert (alive, zombie, soak_sight.lives(mine)) == ([True, False], False, False)


def test_a_signal_reaches_this_process_only() -> None:
    """One that has ended, or whose number is another's now, is left alone."""
    with _child(WAITS) as child:
        (mine,) = [each for each in soak_sight.below(os.getpid()) if each.pid == child.pid]
        missed = soak_sight.send(mine._replace(start=1), signal.SIGKILL)
        still = child.poll() is None
        hit = soak_sight.send(mine, signal.SIGKILL)
        code = child.wait(timeout=HANG_S)
        late = soak_sight.send(mine, signal.SIGKILL)

    assert (missed, still, hit, code, late) == (False, True, True, -signal.SIGKILL, False)


def test_vital_signs_grow_with_what_is_opened() -> None:
    """Descriptors, memory and processes of another process."""
    grows = "import os, subprocess; kept = bytearray(64 << 20); os.pipe(); "
    sleeper = "child = subprocess.Popen(['sleep', '60']); "
    with _child(WAITS) as small, _child(f"{grows}{sleeper}{WAITS}; child.kill()") as large:
        less, more = soak_sight.vital(small.pid), soak_sight.vital(large.pid)
        large.communicate(b"\n", timeout=HANG_S)

    assert (more.descriptors - less.descriptors, more.processes - less.processes) == (2, 1)
    assert more.resident_kib - less.resident_kib > 60 << 10


@pytest.mark.usefixtures("jail")
@pytest.mark.parametrize("jail", ["bubblewrap", "native"])
def test_the_zygote_is_found_and_not_its_jail_or_its_answer(jail: str) -> None:
    """Also while an answer runs, which has the same command line."""
    need_jail(jail)
    others = set(soak_sight.below(os.getpid()))
    with Sandbox(limits=LIMITS, jail=jail) as box:
        box.run("def f():\n    return 1\n", "f", [((), {})])
        resting = soak_sight.zygotes(os.getpid())
        with box.session("def f():\n    return 1\n", "f") as session:
            session.call((), {})
            busy = soak_sight.zygotes(os.getpid())
            processes = len(set(soak_sight.below(os.getpid())) - others)

    assert (len(resting), resting == busy, processes) == (1, True, 3)


def _work_until(made: soak.Soak, enough: Callable[[], bool]) -> None:
    """Let it work until so much is done, however long that takes here."""
    until = time.monotonic() + HANG_S
    while not enough() and time.monotonic() < until:
        made._work(time.monotonic() + 0.2)
    assert enough()


@pytest.mark.usefixtures("jail")
def test_a_short_soak_is_sound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers are judged while zygotes are harmed, and nothing is wrong afterwards."""
    monkeypatch.setattr(soak, "BETWEEN_HARMS_S", 0.5)
    monkeypatch.setattr(soak, "HARMS", soak.HARMS[:2])  # one that is stopped for good takes half a minute
    monkeypatch.setattr(soak, "SILENT_S", HANG_S)
    made = soak.Soak(workers=1, seed=2, jail="auto")
    made._next_harm = float("inf")
    _work_until(made, lambda: made.judged > 5)
    made._next_harm = 0.0
    _work_until(made, lambda: made.judged > 20 and made.harms.total() >= 2)
    made._drain()
    made._look_at_rest()
    made._close()

    assert made.faults == []
    assert wait_until(lambda: not soak_sight.zygotes(os.getpid()))


@pytest.mark.usefixtures("jail")
def test_a_wrong_outcome_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the program, the form, both outcomes and the reason."""
    right = "def add(x, y):\n    return x + y\n"
    spec = CallsSpec(entry_point="add", test="def check(f):\n    assert f(1, 2) == 3\n", cpu_limit_s=1)
    lying = Answer("a lie", right, spec, frozenset({"wrong"}))
    monkeypatch.setattr(Mix, "draw", lambda self: lying)
    made = soak.Soak(workers=1, seed=1, jail="auto")
    _work_until(made, lambda: made.judged > 0)
    made._drain()
    made._close()

    assert made.faults[0] == "answer 0 (a lie, calls) ended as passed and not as wrong: "


@pytest.mark.usefixtures("jail")
def test_a_silent_worker_and_a_dead_one_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """A silent one with where it and its processes are in the kernel; a dead one is replaced."""
    monkeypatch.setattr(soak, "SILENT_S", 1.0)
    monkeypatch.setattr(soak, "BETWEEN_HARMS_S", 1e9)
    made = soak.Soak(workers=1, seed=1, jail="auto")
    made._next_harm = float("inf")
    pid = made._slots[0].worker.pid
    stop(pid)
    _work_until(made, lambda: len(made.faults) > 0)
    monkeypatch.setattr(soak, "SILENT_S", HANG_S)
    os.kill(pid, signal.SIGKILL)
    _work_until(made, lambda: len(made.faults) > 1)
    made._drain()
    made._close()
    silent, dead = made.faults

    assert (f"worker {pid} silent for 1 s at " in silent, f"{pid} T " in silent) == (True, True)
    assert (dead, made.judged > 0) == (f"worker {pid} has died", True)


@pytest.mark.usefixtures("jail")
def test_the_command_prints_one_document(capsys: pytest.CaptureFixture[str]) -> None:
    """--json has all numbers, and the exit code says whether anything was wrong."""
    code = soak.main(["--minutes", "0.02", "--workers", "1", "--json"])
    document = json.loads(capsys.readouterr().out)

    assert (code, document["faults"], document["judged"] > 0, document["seed"]) == (0, [], True, 1)
