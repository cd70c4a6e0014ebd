"""Keyed names, orders and tokens; pace and breaks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.web.station.blinding import (
    new_page,
    new_project_secret,
    order_key,
    pseudonym,
    repeat_fraction,
    shown_order,
    turn_of,
)
from benchwright.web.station.judge_session import BREAK_MS, REST_MS, JudgeProgress

ONE, OTHER = new_project_secret(), new_project_secret()


@given(st.integers(0, (1 << 63) - 1))
def test_a_token_is_read_by_its_project_alone(turn: int) -> None:
    """The token contains the turn, differs each time, and is invalid under another secret or with a letter
    changed."""
    page = new_page(ONE, turn)
    changed = ("A" if page[0] != "A" else "B") + page[1:]

    assert (turn_of(ONE, page), turn_of(OTHER, page), turn_of(ONE, changed)) == (turn, None, None)
    assert new_page(ONE, turn) != page


@given(st.text(max_size=60))
def test_any_text_may_come_as_a_token(text: str) -> None:
    """It is invalid, and no exception is raised."""
    assert turn_of(ONE, text) is None


def test_orders_and_names_hang_on_judge_item_and_secret() -> None:
    """Equal inputs give equal results, any other input another one, and inputs are not concatenated."""
    keys = {order_key(secret, judge, item) for secret in (ONE, OTHER) for judge in "ab" for item in "xy"}

    assert len(keys) == 8
    assert order_key(ONE, "ab", "c") != order_key(ONE, "a", "bc")
    assert pseudonym(ONE, "ann") == pseudonym(ONE, "ann") != pseudonym(OTHER, "ann")


def test_shares_and_sides_are_even() -> None:
    """Of a thousand items a tenth is below 0.1, and half of the pairs are swapped, in repeats the other way."""
    shares = [repeat_fraction(ONE, "ann", str(n)) for n in range(1_000)]
    sides = [shown_order(ONE, "ann", str(n), "first") for n in range(1_000)]
    again = [shown_order(ONE, "ann", str(n), "repeat") for n in range(1_000)]

    assert 65 < sum(share < 0.1 for share in shares) < 135
    assert 430 < sides.count("ab") < 570
    assert all(one != other for one, other in zip(sides, again, strict=True))


def test_pace_leaves_out_what_is_no_work() -> None:
    """With decisions of ten seconds, an hour's break and a page left open, the pace is that of the work."""
    now, seat = 1_000_000, JudgeProgress()
    for _ in range(6):
        seat = seat.after(now, now + 10_000)
        now += 10_000
    rested = seat.after(now, now + 3_600_000)

    assert (seat.seconds, seat.decided, seat.time_for(30)) == (10.0, 6, "about 5 min at 10 s each")
    assert (rested.worked - seat.worked, rested.sat_at) == (REST_MS, now + 3_600_000 - REST_MS)
    assert JudgeProgress().seconds is None
    assert JudgeProgress().time_for(30) == ""


@pytest.mark.parametrize(
    "worked, items, expected",
    [
        (300, 37, "less than 1 min at less than 1 s each"),
        (3_000, 10, "less than 1 min at 1 s each"),
        (3_000, 90, "about 2 min at 1 s each"),
        (30_000, 6, "about 1 min at 10 s each"),
        (30_000, 60_000, "about 10,000 min at 10 s each"),
        (30_000, 0, ""),
    ],
)
def test_the_time_left_is_never_zero(worked: int, items: int, expected: str) -> None:
    """The estimate is based on three decisions."""
    assert JudgeProgress(decided=3, paced=3, worked=worked).time_for(items) == expected


def test_a_break_is_proposed_after_a_long_stretch() -> None:
    """It is not proposed earlier, nor after a rest, nor after the clock was set back."""
    now, seat = 1_000_000, JudgeProgress()
    begun = now
    while now < begun + BREAK_MS:
        assert not seat.is_tired(now)
        seat = seat.after(now, now + 60_000)
        now += 60_000

    assert seat.is_tired(now)
    assert not seat.is_tired(now + REST_MS)
    assert not seat.is_tired(begun - 10)


@given(st.lists(st.integers(-10_000_000, 10_000_000), max_size=30))
def test_a_pace_is_never_negative(steps: list[int]) -> None:
    """This holds for any jump of the clock."""
    now, seat = 100_000_000, JudgeProgress()
    for step in steps:
        seat = seat.after(now, now + step)
        now += step

    assert seat.worked >= 0
    assert seat.decided == len(steps)
