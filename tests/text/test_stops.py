"""A text is cut at its first stop string, and nothing of it is lost."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.text.stops import cut_at_stop

CASES = {
    "no stops": ("return 1\n", (), ("return 1\n", "")),
    "not found": ("return 1\n", ("\ndef", "\nclass"), ("return 1\n", "")),
    "found": ("return 1\ndef g():", ("\ndef",), ("return 1", "\ndef g():")),
    "the rest of its token": ("if x: y else", ("e",), ("if x: y ", "else")),
    "the earliest of two": ("a\nclass B\ndef c", ("\ndef", "\nclass"), ("a", "\nclass B\ndef c")),
    "one inside the other": ("x\n\ny", ("\n\n", "\n"), ("x", "\n\ny")),
    "overlapping": ("xaby", ("by", "ab"), ("x", "aby")),
    "at the start": ("\ndef f", ("\ndef",), ("", "\ndef f")),
    "the whole text": ("stop", ("stop",), ("", "stop")),
    "half of it at the end": ("x\nde", ("\ndef",), ("x\nde", "")),
    "an empty stop": ("abc", ("",), ("abc", "")),
    "an empty stop beside another": ("abc", ("", "c"), ("ab", "c")),
    "an empty text": ("", ("a",), ("", "")),
    "not a pattern": ("a.b", (".",), ("a", ".b")),
    "Cyrillic": ("да\nКонец.", ("\nКонец",), ("да", "\nКонец.")),
}
TEXTS = st.text(alphabet="ab\n", max_size=30)
STOPS = st.lists(st.text(alphabet="ab\n", max_size=4), max_size=4)


@pytest.mark.parametrize(("text", "stops", "expected"), CASES.values(), ids=CASES)
def test_a_text_is_cut_before_its_first_stop(
    text: str, stops: tuple[str, ...], expected: tuple[str, str]
) -> None:
    """The earliest stop string and all that follows it go into the tail."""
    assert expected == cut_at_stop(text, stops)


@settings(deadline=None)
@given(text=TEXTS, stops=STOPS)
def test_nothing_is_lost(text: str, stops: list[str]) -> None:
    """Text and tail joined are what came in."""
    assert text == "".join(cut_at_stop(text, stops))


@settings(deadline=None)
@given(text=TEXTS, stops=STOPS)
def test_no_stop_is_left(text: str, stops: list[str]) -> None:
    """What is kept holds no stop string, and a tail begins with one."""
    kept, tail = cut_at_stop(text, stops)
    named = [stop for stop in stops if stop]

    assert not any(stop in kept for stop in named)
    assert not tail or any(tail.startswith(stop) for stop in named)


@settings(deadline=None)
@given(text=TEXTS, stops=STOPS)
def test_a_second_cut_changes_nothing(text: str, stops: list[str]) -> None:
    """What was cut once is not cut again."""
    kept, _ = cut_at_stop(text, stops)

    assert (kept, "") == cut_at_stop(kept, stops)


@settings(deadline=None)
@given(text=TEXTS, stops=STOPS, data=st.data())
def test_the_order_of_stops_is_nothing(text: str, stops: list[str], data: st.DataObject) -> None:
    """Only places in the text decide, and an iterator serves as well as a list."""
    shuffled = data.draw(st.permutations(stops))

    assert cut_at_stop(text, stops) == cut_at_stop(text, iter(shuffled))


@settings(deadline=None)
@given(text=TEXTS, tail=TEXTS, stop=st.text(alphabet="ab\n", min_size=1, max_size=4))
def test_what_follows_a_stop_is_nothing(text: str, tail: str, stop: str) -> None:
    """A server that sends more after the stop string than it should does not change what is kept."""
    expected = cut_at_stop(text + stop, (stop,))[0]

    assert expected == cut_at_stop(text + stop + tail, (stop,))[0]
