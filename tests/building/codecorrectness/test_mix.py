"""The option --mix: what it may say, and what a set with these failures is over."""

from __future__ import annotations

import pytest

from benchwright.building.codecorrectness.quotas import MOST, exceeded_quotas, read_mix
from benchwright.errors import UsageError


def test_kinds_that_are_not_named_keep_their_bounds() -> None:
    """Blanks do not matter."""
    assert read_mix("mutated=40, history = 30") == {**MOST, "mutated": 40, "history": 30}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("mutants=40", "'mutants' is not a kind"),
        ("mutated", "mutated: expected a whole percentage"),
        ("mutated=101", "from 0 to 100, got '101'"),
        ("mutated=4.5", "got '4.5'"),
        ("mutated=-1", "got '-1'"),
        ("mutated=٣", "whole percentage"),
        (f"mutated={'9' * 5000}", "whole percentage"),
        ("mutated=10,history=10,original=0,generated=0", "add up to 25 %"),
        ("", "'' is not a kind"),
    ],
)
def test_what_no_set_could_keep(text: str, said: str) -> None:
    """It is refused with what to write."""
    with pytest.raises(UsageError) as caught:
        read_mix(text)

    assert (said in caught.value.message, bool(caught.value.hint)) == (True, True)


def test_what_is_over() -> None:
    """A kind at its bound is not."""
    assert exceeded_quotas({"mutated": 50, "history": 50}, MOST) == {}
    assert exceeded_quotas({"mutated": 80, "history": 10, "broken": 10}, MOST) == {
        "broken": 10.0,
        "mutated": 80.0,
    }
