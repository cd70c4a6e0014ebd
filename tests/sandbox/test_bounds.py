"""The clock of a judge ends Python code, reports it to callers that catch the exception, and is removed
afterwards."""

from __future__ import annotations

import signal
import threading

import pytest

from benchwright.sandbox import untrusted
from benchwright.sandbox.untrusted import CpuTimeExceeded, processor_limit


def _loop() -> None:
    while True:
        pass


def test_the_time_ends_a_loop_and_the_signal_is_as_before() -> None:
    """Handler and timer are restored."""
    before = signal.getsignal(signal.SIGVTALRM)
    with pytest.raises(CpuTimeExceeded), processor_limit(0.05):
        _loop()

    assert signal.getsignal(signal.SIGVTALRM) is before
    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0.0, 0.0)


def test_who_catches_it_is_found_out() -> None:
    """A test with a bare `except` continues; its clock has expired all the same."""
    with processor_limit(0.05) as clock:
        try:
            _loop()
        except CpuTimeExceeded:
            caught = True

    assert (caught, clock.expired, clock.seconds) == (True, True, 0.05)


def test_no_exception_handler_of_a_test_holds_it_up() -> None:
    """`except Exception` does not catch it."""
    assert not issubclass(CpuTimeExceeded, Exception)


def test_a_block_in_time_has_not_expired() -> None:
    """By default its clock is that of a check."""
    with processor_limit() as clock:
        pass

    assert (clock.expired, clock.seconds) == (False, untrusted.CHECK_CPU_S)


def test_another_thread_goes_without() -> None:
    """Signals belong to the main thread: in others nothing is set, and nothing fails."""
    seen: list[bool] = []

    def work() -> None:
        with processor_limit(0.01) as clock:
            sum(range(3_000_000))
            seen.append(clock.expired)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()

    assert seen == [False]
