"""Measuring one process from outside."""

import os
import subprocess
import sys

import pytest

from benchmarks.dataset import REPOSITORY
from benchmarks.measure import measure, peak_mib, tree_memory
from benchwright.errors import BenchwrightError

PYTHON = [sys.executable, "-S", "-c"]
BURN = "import time\nend = time.process_time() + 0.2\nwhile time.process_time() < end: pass"


def test_cpu_time_of_children_is_counted(tmp_path):
    """0.2 s burnt by a grandchild are found in the account."""
    script = f"import os, sys; pid = os.fork()\nif pid: os.waitpid(pid, 0)\nelse:\n exec({BURN!r})"
    used = measure([*PYTHON, script], folder=tmp_path, limit_s=30)

    assert used.cpu_s >= 0.19


def test_output_is_kept(tmp_path):
    """A tally reads what the run printed."""
    measure([*PYTHON, "print('said')"], folder=tmp_path, limit_s=30)

    assert (tmp_path / "stdout.txt").read_text() == "said\n"


def test_memory_is_sampled_only_when_asked(tmp_path):
    """A timed run is not disturbed by reading its memory."""
    quiet = measure([*PYTHON, "0"], folder=tmp_path, limit_s=30)
    watched = measure([*PYTHON, BURN], folder=tmp_path, limit_s=30, memory="sampled")

    assert (quiet.peak_mib, (watched.peak_mib or 0) > 1) == (None, True)


def test_a_run_that_fails_says_why(tmp_path):
    """The last lines of stderr are in the message."""
    with pytest.raises(BenchwrightError, match="exit code 3") as caught:
        measure([*PYTHON, "import sys; sys.stderr.write('no\\n'); sys.exit(3)"], folder=tmp_path, limit_s=30)

    assert str(caught.value).endswith("no")


def test_a_run_that_does_not_end_is_killed(tmp_path):
    """A hanging contestant stops the bench with a message instead of hanging it."""
    with pytest.raises(BenchwrightError, match="did not end within") as caught:
        measure([*PYTHON, "import signal; signal.pause()"], folder=tmp_path, limit_s=0.2)

    assert caught.value.exit_code == 1


def test_memory_of_this_process_is_more_than_nothing():
    """A Python process has some MiB of its own."""
    assert tree_memory([os.getpid()]).mib > 1


def test_memory_of_processes_that_ended_is_nothing():
    """A process may end between the listing and the reading."""
    assert (tree_memory([2**22 + 1]).mib, tree_memory([2**22 + 1]).unreadable) == (0.0, 0)


def test_the_peak_is_of_the_process_alone(tmp_path):
    """Not of the one that started it, however much that holds."""
    held = bytearray(100 << 20)
    told = "from benchmarks.measure import peak_mib; print(peak_mib())"
    done = subprocess.run(
        [sys.executable, "-c", told], capture_output=True, text=True, check=True, cwd=REPOSITORY
    )

    assert 5 < float(done.stdout) < 100 < peak_mib() and len(held) > 0
