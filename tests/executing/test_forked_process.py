"""Tests of workers that are forks of a command's process."""

from __future__ import annotations

import json

import pytest

from kit.processes import all_gone, python

_FORKS = """
import json, os, signal, sys, threading
from benchwright.executing.forked_process import ForkedProcess, can_fork

open_here = open(os.devnull)
kept = os.memfd_create("kept")


def seen():
    room, frame = 0, sys._getframe()
    def deeper(depth):
        nonlocal room
        room = depth
        deeper(depth + 1)
    try:
        deeper(0)
    except RecursionError:
        pass
    report = {
        "others": [fd for fd in map(int, os.listdir("/proc/self/fd")) if fd > 2 and fd != kept][:-1],
        "kept": os.fstat(kept).st_size, "leads": os.getsid(0) == os.getpid(), "variable": os.environ["MINE"],
        "room": room, "asked": os.read(0, 100).decode(),
    }
    os.write(1, json.dumps(report).encode())


def fails():
    raise ValueError("from the fork")


def deep(calls, do):
    return do() if not calls else deep(calls - 1, do)


def start(main):
    return ForkedProcess(main, kept=kept, variables={"MINE": "1"})


here = [can_fork()]
del sys.path[0]  # the current folder, as in an installed command
here.append(can_fork())
process = deep(200, lambda: start(seen))
process.stdin.write(b"a job")
report = json.loads(process.stdout.read())
ends = [process.wait(timeout=600)]
failed = start(fails)
ends.append(failed.wait())
for end in (ForkedProcess.terminate, ForkedProcess.kill):
    waits = start(signal.pause)
    end(waits)
    ends.append(waits.wait(timeout=600))
    end(waits)  # nothing is signalled once it is gone
gate = threading.Event()
thread = threading.Thread(target=gate.wait)
thread.start()
here.append(can_fork())
gate.set()
thread.join()
os.environ["PYTHONHASHSEED"] = "1"
here.append(can_fork())
del os.environ["PYTHONHASHSEED"]
print(json.dumps([report, ends, here]))
"""


def test_a_fork_is_like_a_process_of_its_own() -> None:
    """It has its descriptors, its session and room on the stack, and nothing continues behind its program."""
    done = python(_FORKS)
    lines = done.stdout.splitlines()
    report, ends, here = json.loads(lines[0])
    room = report.pop("room")

    assert (report, ends, here, len(lines)) == (
        {"others": [], "kept": 0, "leads": True, "variable": "1", "asked": "a job"},
        [0, 1, -15, -9],
        [False, True, False, False],
        1,
    )
    assert room > 950
    assert "ValueError: from the fork" in done.stderr


_JUDGES = """
import json, os, sys
from benchwright.contracts import BatchSpec, Criterion, Job
from benchwright.executing.pool import Pool
from benchwright.sandbox.inside.wire import encode

del sys.path[0]
spec = BatchSpec(entry_point="add", calls=encode([((1, 2), {})]), expected=[encode(3)])
dies = "import os\\ndef add(a, b):\\n    return os._exit(3)\\n"
programs = ["def add(a, b):\\n    return a + b\\n", "def add(a, b):\\n    return a - b\\n", dies] * 2
with Pool(workers=1, forked=True) as pool:
    seen = {}
    for number, judgement in pool.judge(Job(n, each, Criterion(spec)) for n, each in enumerate(programs)):
        worker = pool._workers[0].pid
        seen[number] = judgement.outcome.value
        same = open(f"/proc/{worker}/cmdline").read() == open("/proc/self/cmdline").read()
        children = open(f"/proc/{worker}/task/{worker}/children").read().split()
print(json.dumps([[seen[number] for number in sorted(seen)], same, [worker, *map(int, children)]]))
"""


@pytest.mark.usefixtures("jail")
def test_a_forked_worker_judges_in_the_sandbox_and_leaves_nothing() -> None:
    """The command line shows that it is a fork; the answers are still forks of an interpreter in a jail."""
    done = python(_JUDGES)
    outcomes, same, below = json.loads(done.stdout)

    assert (outcomes, same, len(below)) == (["passed", "wrong", "exception"] * 2, True, 2)
    assert all_gone(below)
