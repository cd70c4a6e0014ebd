"""How long jobs take is learnt from when they end."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from benchwright.executing import worker_process as module
from benchwright.executing.worker_process import JobPace


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A clock that goes only when it is told to."""
    made = SimpleNamespace(now=0.0)
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: made.now))
    return made


def test_nothing_is_known_at_first(clock: SimpleNamespace) -> None:
    """And nothing is learnt from a look that found nothing."""
    pace = JobPace()
    pace.begin()
    clock.now = 5.0
    pace.count(0)

    assert (pace.job_s, pace.jobs_in(1.0)) == (0.0, 0)


def test_the_first_jobs_say_how_long_one_takes(clock: SimpleNamespace) -> None:
    """The time since they were begun, shared among them; time in which there were none is not theirs."""
    pace = JobPace()
    clock.now = 100.0
    pace.begin()
    clock.now = 101.0
    pace.count(4)

    assert (pace.job_s, pace.jobs_in(1.0)) == (0.25, 4)


def test_later_jobs_count_for_more(clock: SimpleNamespace) -> None:
    """A single slow one moves it by an eighth of the way, and many quick ones all the way."""
    pace = JobPace()
    pace.begin()
    clock.now = 0.1
    pace.count(1)
    clock.now += 0.9
    pace.count(1)
    after_a_slow_one = pace.job_s
    clock.now += 0.08
    pace.count(8)

    assert (after_a_slow_one, pace.job_s) == (pytest.approx(0.2), pytest.approx(0.01))
