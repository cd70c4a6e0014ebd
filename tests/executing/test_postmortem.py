"""A death that an answer brought about is its outcome; any other is the sandbox's, and the answer is missing."""

from __future__ import annotations

import signal
from itertools import product

import pytest

from benchwright.contracts import CallsSpec, LabelSpec, Spec
from benchwright.executing.worker_limits import Phase
from benchwright.executing.worker_process import ATTEMPTS, Death, judge_worker_deaths
from benchwright.records import Outcome

CALLS = CallsSpec(entry_point="f")
LABEL = LabelSpec(expected="failed")
CLOCK, KILL, SEGV = -signal.SIGPROF, -signal.SIGKILL, -signal.SIGSEGV


def died(phase: str, status: int, *, late: bool = False) -> Death:
    """A death in a phase."""
    return Death("a worker has died", Phase[phase], status, late=late)


@pytest.mark.parametrize(
    ("phase", "words"), [("reading", "reading its text"), ("checking", "checking its values")]
)
def test_the_kernels_clock_ends_an_answer_at_once(phase: str, words: str) -> None:
    """Its signal has one meaning, so nobody pays for a second and a third attempt."""
    judgement = judge_worker_deaths([died(phase, CLOCK)], CALLS)

    assert judgement is not None
    assert (judgement.outcome, words in judgement.detail) == (Outcome.timed_out, True)


@pytest.mark.parametrize("status", [CLOCK, KILL, SEGV, 1])
def test_a_death_between_is_tried_again_and_then_missing(status: int) -> None:
    """While the sandbox is at work the answer has nothing in its hands."""
    deaths = [died("executing", status)] * ATTEMPTS
    judgement = judge_worker_deaths(deaths, CALLS)

    assert [judge_worker_deaths(deaths[:count], CALLS) for count in (1, 2)] == [None, None]
    assert judgement is not None
    assert (judgement.outcome, judgement.detail) == (
        Outcome.sandbox_error,
        "a worker has died, 3 times",
    )


@pytest.mark.parametrize(
    ("phase", "status", "spec", "outcome"),
    [
        ("checking", KILL, CALLS, "out_of_memory"),
        ("reading", KILL, CALLS, "out_of_memory"),
        ("checking", SEGV, CALLS, "wrong"),
        ("checking", 1, CALLS, "wrong"),
        ("reading", SEGV, CALLS, "no_code"),
        ("reading", 1, LABEL, "unparsable"),
    ],
)
def test_three_deaths_of_one_answer_are_its_end(phase: str, status: int, spec: Spec, outcome: str) -> None:
    """A signal that may come from elsewhere is believed the third time."""
    deaths = [died(phase, status)] * ATTEMPTS
    judgement = judge_worker_deaths(deaths, spec)

    assert [judge_worker_deaths(deaths[:count], spec) for count in (1, 2)] == [None, None]
    assert judgement is not None
    assert (judgement.outcome.value, judgement.detail.endswith(", 3 times")) == (outcome, True)


def test_a_worker_that_hangs_three_times_over_an_answer() -> None:
    """The runner ended it, by a signal that is not the answer's: the outcome is that it did not end."""
    judgement = judge_worker_deaths([died("checking", KILL, late=True)] * ATTEMPTS, CALLS)

    assert judgement is not None
    assert judgement.outcome is Outcome.timed_out


def test_no_mixture_of_deaths_makes_an_answer_missing_that_had_a_part_in_them() -> None:
    """One death over its own text or values among three is enough."""
    phases = ("idle", "executing", "reading", "checking")
    for mixture in product(phases, repeat=ATTEMPTS):
        judgement = judge_worker_deaths([died(phase, KILL) for phase in mixture], CALLS)
        own = {"reading", "checking"} & set(mixture)

        assert judgement is not None
        assert judgement.outcome.is_missing == (not own), mixture
