"""A failure in computing a note never ends a run."""

from __future__ import annotations

import pytest

from benchwright.text.guarded_notes import guarded_note


@guarded_note(most_chars=10)
def shout(text: str) -> str:
    """Return the text in upper case."""
    return text.upper()


def test_a_note_is_what_the_function_says() -> None:
    """The guard has no effect without an error."""
    assert shout("ten chars.") == "TEN CHARS."
    assert shout.__name__ == "shout"


def test_a_long_text_is_not_looked_at() -> None:
    """The text has one character more than the limit."""
    assert shout("ten chars..") == ""


@pytest.mark.parametrize("error", [RecursionError, MemoryError, ValueError, KeyError, AssertionError])
def test_a_failure_is_an_empty_note(error: type[Exception]) -> None:
    """Any exception is caught."""

    @guarded_note(most_chars=10)
    def fails(text: str) -> str:
        raise error(text)

    assert fails("text") == ""


def test_an_interrupt_is_not_swallowed() -> None:
    """KeyboardInterrupt is not caught."""

    @guarded_note(most_chars=10)
    def interrupted(text: str) -> str:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted("text")
