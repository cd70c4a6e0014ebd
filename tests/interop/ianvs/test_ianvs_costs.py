"""What the example's code takes: time, processor time and memory, its own processes included."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from benchwright.interop.ianvs.child import costs as costs_module
from benchwright.interop.ianvs.child.costs import (
    CostMeter,
    Stopwatch,
    cpu_seconds,
    descendant_processes,
    largest_mb,
)
from kit.processes import HANG_S


@contextmanager
def started(program: str) -> Iterator[subprocess.Popen[str]]:
    """A process that has printed "ready" and waits until its input ends."""
    words = [sys.executable, "-c", f"import sys\n{program}\nprint('ready', flush=True)\nsys.stdin.read()"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        try:
            yield child
        finally:
            child.kill()


def test_what_a_call_takes_is_measured() -> None:
    """Processor seconds do not count waiting."""
    costs = CostMeter()
    watch = Stopwatch(costs)
    sum(range(200_000))
    time.sleep(0.05)
    spent = watch.stop()

    assert spent.cpu_s > 0 and spent.seconds >= 0.05 and spent.peak_mb > 5
    assert costs.document()["predict"] == {
        "seconds": round(spent.seconds, 6),
        "cpu_s": round(spent.cpu_s, 6),
    }


def test_kinds_are_added_up_apart() -> None:
    """A block that fails counts too."""
    costs = CostMeter()
    for _ in range(2):
        with costs.of("setup"):
            sum(range(50_000))
    with pytest.raises(ZeroDivisionError), costs.of("metrics"):
        sum(range(50_000 // 0))
    taken = costs.document()

    assert taken["setup"]["cpu_s"] > 0 and taken["metrics"]["seconds"] > 0
    assert taken["predict"] == {"seconds": 0.0, "cpu_s": 0.0}


def test_a_living_process_counts() -> None:
    """Its processor time and its memory: a model's server is never waited for."""
    before = cpu_seconds()
    with started("kept = bytearray(64 << 20)\nsum(range(3_000_000))") as child:
        assert str(child.pid) in descendant_processes()
        assert cpu_seconds() - before > 0.02
        peak = CostMeter().peak_mb()
    assert peak > 64 + 5


def test_a_process_below_a_process_counts() -> None:
    """Also one that a process of the example's has started."""
    inner = "import subprocess; subprocess.Popen([sys.executable, '-c', 'import sys; sys.stdin.read()'], stdin=subprocess.PIPE)"
    before = len(descendant_processes())
    with started(inner):
        assert len(descendant_processes()) == before + 2


def test_a_process_that_has_ended_counts() -> None:
    """Where it was larger than this one: the kernel tells no more."""
    costs = CostMeter()
    before, cpu = costs.peak_mb(), cpu_seconds()
    program = f"kept = bytearray({int(before) + 50} << 20)"
    subprocess.run([sys.executable, "-c", program], check=True, timeout=HANG_S)

    assert costs.peak_mb() > largest_mb() + int(before) + 50
    assert cpu_seconds() > cpu


def test_calls_close_together_share_a_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of memory and of other processes: reading them takes as long as a fast model."""
    readings = []
    monkeypatch.setattr(costs_module, "descendant_processes", lambda: readings.append(1) or [])
    monkeypatch.setattr(costs_module, "READING_S", 3600.0)
    costs = CostMeter()
    spent = [Stopwatch(costs).stop() for _ in range(5)]
    monkeypatch.setattr(costs_module, "READING_S", 0.0)
    Stopwatch(costs).stop()

    assert len(readings) == 3 and spent[-1].peak_mb == spent[0].peak_mb > 5


def test_a_block_is_read_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also in a short block, the processes that it started are counted."""
    monkeypatch.setattr(costs_module, "READING_S", 3600.0)
    costs = CostMeter()
    Stopwatch(costs).stop()
    with costs.of("setup"):
        subprocess.run([sys.executable, "-c", "sum(range(3_000_000))"], check=True, timeout=HANG_S)
    Stopwatch(costs).stop()

    assert costs.document()["setup"]["cpu_s"] > 0.02 > costs.document()["predict"]["cpu_s"]


def test_without_processes_nothing_is_searched() -> None:
    """The kernel reports at once that there are no children."""
    program = "from benchwright.interop.ianvs.child.costs import descendant_processes\nprint(descendant_processes())"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=HANG_S
    )

    assert done.stdout == "[]\n"
