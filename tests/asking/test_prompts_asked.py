"""Prompts on their way to a model."""

from __future__ import annotations

from benchwright.asking.prompts import reads_prompts
from benchwright.models.fixed import FixedModel
from kit.live_model import LiveModel


def test_a_model_is_taken_to_read_unless_it_says_no() -> None:
    """A provider from another package need not know of the attribute."""
    assert (reads_prompts(LiveModel()), reads_prompts(FixedModel("gold", lambda task: ""))) == (True, False)
