"""The word of memory in which a worker says what it does outlives the worker."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.executing.worker_limits import Phase, PhasePage

KILLED = """
import os, signal, sys
from benchwright.executing.worker_limits import Phase, PhasePage
PhasePage(int(sys.argv[1])).write(Phase.checking, 7)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture(name="page", scope="module")
def make_page() -> PhasePage:
    """A page of one process."""
    page, fd = PhasePage.create()
    os.close(fd)
    return page


def test_a_new_page_is_idle() -> None:
    """A worker that never came to write has no job."""
    page, fd = PhasePage.create()
    os.close(fd)

    assert page.read() == (Phase.idle, 0)


@given(phase=st.sampled_from(Phase), number=st.integers(0, 1 << 59))
def test_what_was_written_is_read(page: PhasePage, phase: Phase, number: int) -> None:
    """Phase and number do not run into each other, however large the run is."""
    page.write(phase, number)

    assert page.read() == (phase, number)


def test_a_killed_process_has_said_what_it_did() -> None:
    """SIGKILL leaves no time for a message; the page needs none."""
    page, fd = PhasePage.create()
    done = subprocess.run([sys.executable, "-c", KILLED, str(fd)], pass_fds=[fd], check=False)
    os.close(fd)

    assert (done.returncode, page.read()) == (-signal.SIGKILL, (Phase.checking, 7))


def test_only_reading_and_checking_are_the_answers() -> None:
    """What happens between them is the sandbox's."""
    assert {phase for phase in Phase if phase.is_the_answers} == {Phase.reading, Phase.checking}
