"""Tracks with one form: it is accepted, and any other is refused with a hint."""

from __future__ import annotations

import pytest

from benchwright import registry
from benchwright.errors import UsageError

ONE_FORM = (
    "aicodereval",
    "codecorrectness-errors",
    "evalplus",
    "mbpp",
    "multipl",
    "ruhumaneval",
    "smartcoding-comments",
    "smartcoding-issues",
)


@pytest.mark.parametrize("name", ONE_FORM)
def test_another_form_is_refused_with_the_one_there_is(name: str) -> None:
    """The track itself accepts the form of the hint."""
    track = registry.find("track", name)
    with pytest.raises(UsageError, match=f"{name} has no form 'neither'") as caught:
        track.in_form("neither")
    only = str(caught.value.hint).removeprefix("its only form is: ")

    assert track.in_form(only) is track
