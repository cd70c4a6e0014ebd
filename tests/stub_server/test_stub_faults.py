"""A fault is a kind and a schedule; both are checked, and the schedule knows no chance."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.errors import UsageError
from benchwright.stub_server.behaviour import ERRORS, KINDS, MODELS_KINDS, Fault, read_faults

TEXTS = {
    "429": Fault(kind="429"),
    "429:first=2": Fault(kind="429", first=2),
    "slow:seconds=0.5,one_in=10": Fault(kind="slow", seconds=0.5, one_in=10),
    "cut:every=7,": Fault(kind="cut", every=7),
    "huge:size=10": Fault(kind="huge", size=10),
    "empty:contains=def add(x, y=1)": Fault(kind="empty", contains="def add(x, y=1)"),
    "empty:first=1,contains=a,first=2": Fault(kind="empty", first=1, contains="a,first=2"),
}


@pytest.mark.parametrize(("text", "expected"), TEXTS.items(), ids=TEXTS)
def test_a_fault_is_read_from_text(text: str, expected: Fault) -> None:
    """KIND:name=value,… with `contains` last, so that it may hold commas."""
    assert (expected,) == read_faults([text])


WRONG = {
    "42": "no fault is named '42'",
    "": "no fault is named ''",
    "emty": "no fault is named 'emty'",
    "429:first=0": "first=0 must be at least 1",
    "429:every=-1": "every=-1 must be at least 1",
    "429:one_in=0": "one_in=0 must be at least 1",
    "429:first=x": "cannot be read",
    "429:first": "cannot be read",
    "429:often=1": "no setting 'often'",
    "slow:seconds=-1": "seconds=-1.0 is not in",
    "slow:seconds=nan": "seconds=nan is not in",
    "huge:size=99999999999": "size=99999999999 is not in",
}


@pytest.mark.parametrize(("text", "message"), WRONG.items(), ids=WRONG)
def test_a_wrong_fault_is_refused(text: str, message: str) -> None:
    """A fault that is spelt wrong would make a test of a client pass by doing nothing."""
    with pytest.raises(UsageError) as caught:
        read_faults([text])

    assert message in caught.value.message


def test_a_near_name_is_offered() -> None:
    """The hint has the kind that was meant."""
    with pytest.raises(UsageError) as caught:
        read_faults(["n-ignore"])

    assert caught.value.hint == "did you mean `n-ignored`?"


def test_records_are_checked_too() -> None:
    """A Fault made in Python is held to the same rules."""
    with pytest.raises(UsageError) as caught:
        read_faults([Fault(kind="429", first=0)])

    assert "first=0" in caught.value.message


def shown(fault: Fault, requests: int, *, key: int = 0, prompt: str = "") -> list[int]:
    """Which of so many requests of one key meet the fault."""
    numbers = range(1, requests + 1)
    return [number for number in numbers if fault.shows(prompt=prompt, key=key, of_key=number, of_all=number)]


SCHEDULES = {
    "always": (Fault(kind="429"), [1, 2, 3, 4, 5, 6]),
    "first": (Fault(kind="429", first=2), [1, 2]),
    "every": (Fault(kind="429", every=3), [3, 6]),
    "first and every": (Fault(kind="429", first=4, every=3), [3]),
    "one key in one": (Fault(kind="429", one_in=1), [1, 2, 3, 4, 5, 6]),
    "another prompt": (Fault(kind="429", contains="a"), []),
}


@pytest.mark.parametrize(("fault", "expected"), SCHEDULES.values(), ids=SCHEDULES)
def test_a_schedule_is_exact(fault: Fault, expected: list[int]) -> None:
    """All conditions that are given must hold."""
    assert expected == shown(fault, 6)


@settings(deadline=None)
@given(key=st.integers(0, 2**64), one_in=st.integers(1, 50))
def test_one_in_chooses_keys(key: int, one_in: int) -> None:
    """A key meets the fault in each of its requests or in none."""
    fault = Fault(kind="500", one_in=one_in)

    assert ([1, 2, 3] if key % one_in == 0 else []) == shown(fault, 3, key=key)


def test_contains_looks_into_the_prompt() -> None:
    """Only prompts with the text meet it."""
    fault = Fault(kind="500", contains="def add(")

    assert shown(fault, 1, prompt="...\ndef add(x):") == [1]


def test_every_kind_is_explained() -> None:
    """The special sets name known kinds only, and each kind says what it does."""
    special = {*ERRORS, *MODELS_KINDS}

    assert (set(), True) == (special - set(KINDS), all(KINDS.values()))


@settings(deadline=None)
@given(text=st.text(alphabet="429:firstevy=,1 0", max_size=20))
def test_any_text_is_a_fault_or_a_known_error(text: str) -> None:
    """No text raises anything but a UsageError."""
    try:
        actual = read_faults([text])[0].kind in KINDS
    except UsageError:
        actual = True

    assert actual
