"""Line ends and control marks of raw text, and stop strings applied to a finished one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.text.normalisation import cut_at_stop, drop_marks, normalise


@pytest.mark.parametrize(
    ("raw", "expected"),
    [("a\r\nb\rc\n", "a\nb\nc\n"), ("\ufeffa", "a"), ("a\ufeff", "a\ufeff"), ("\r\r\n", "\n\n"), ("", "")],
)
def test_normalise(raw: str, expected: str) -> None:
    """All line ends are equal, and there is no byte order mark at the start."""
    assert normalise(raw) == expected


@settings(deadline=None)
@given(text=st.text(alphabet="a\r\n\ufeff"))
def test_normalise_twice_is_once(text: str) -> None:
    """A normal text does not change, except for a second byte order mark."""
    once = normalise(text)

    assert "\r" not in once
    assert normalise(once) == once.removeprefix("\ufeff")


MARKS = {
    "none": ("return a < b\n", "return a < b\n"),
    "end of text": ("return x<|endoftext|>import os\n", "return x"),
    "end of turn": ("return x\n<|im_end|>\n<|im_start|>user\n", "return x\n"),
    "upper case": ("return x<|EOT|>", "return x"),
    "fill in the middle": ("    return x\n<|fim_middle|>y", "    return x\n"),
    "wide bars": ("return x<｜end▁of▁sentence｜>", "return x"),
    "end of a sequence": ("return x</s>\n", "return x"),
    "struck text": ("<s>a</s> b", "<s>a</s> b"),
    "in double quotes": ('x = "<|im_end|>"\n', 'x = "<|im_end|>"\n'),
    "in single quotes": ("x = 'a <|im_end|> b'\n", "x = 'a <|im_end|> b'\n"),
    "in a code span": ("Drop `<|im_end|>`.\n", "Drop `<|im_end|>`.\n"),
    "in quotes, then for real": ("x = '<|im_end|>'<|im_end|>y", "x = '<|im_end|>'"),
    "role header": ("<|im_start|>assistant\n    return x\n", "    return x\n"),
    "two headers": ("<|start_header_id|>assistant<|end_header_id|>\n\nx", "\nx"),
    "assistant mark": ("<|assistant|>return x", "return x"),
    "only marks": ("<|endoftext|>", ""),
}


@pytest.mark.parametrize(("text", "expected"), MARKS.values(), ids=MARKS)
def test_drop_marks(text: str, expected: str) -> None:
    """The text ends at the first end mark outside quotes, and begins after a role header."""
    assert drop_marks(text) == expected


@settings(deadline=None)
@given(text=st.text(alphabet="<|im_end>\"' \n", max_size=40))
def test_drop_marks_leaves_a_part(text: str) -> None:
    """Marks are removed, never replaced."""
    assert drop_marks(text) in text


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
    """The earliest stop string and all text after it are the tail."""
    assert expected == cut_at_stop(text, stops)


@settings(deadline=None)
@given(text=TEXTS, stops=STOPS)
def test_nothing_is_lost(text: str, stops: list[str]) -> None:
    """Text and tail together are the input."""
    assert text == "".join(cut_at_stop(text, stops))


@settings(deadline=None)
@given(text=TEXTS, stops=STOPS)
def test_no_stop_is_left(text: str, stops: list[str]) -> None:
    """The kept text has no stop string, and a tail begins with one."""
    kept, tail = cut_at_stop(text, stops)
    named = [stop for stop in stops if stop]

    assert not any(stop in kept for stop in named)
    assert not tail or any(tail.startswith(stop) for stop in named)


@settings(deadline=None)
@given(text=TEXTS, stops=STOPS)
def test_a_second_cut_changes_nothing(text: str, stops: list[str]) -> None:
    """Cutting again changes nothing."""
    kept, _ = cut_at_stop(text, stops)

    assert (kept, "") == cut_at_stop(kept, stops)


@settings(deadline=None)
@given(text=TEXTS, stops=STOPS, data=st.data())
def test_the_order_of_stops_is_nothing(text: str, stops: list[str], data: st.DataObject) -> None:
    """Only places in the text decide, and an iterator works as well as a list."""
    shuffled = data.draw(st.permutations(stops))

    assert cut_at_stop(text, stops) == cut_at_stop(text, iter(shuffled))


@settings(deadline=None)
@given(text=TEXTS, tail=TEXTS, stop=st.text(alphabet="ab\n", min_size=1, max_size=4))
def test_what_follows_a_stop_is_nothing(text: str, tail: str, stop: str) -> None:
    """More text after the stop string does not change the kept text."""
    expected = cut_at_stop(text + stop, (stop,))[0]

    assert expected == cut_at_stop(text + stop + tail, (stop,))[0]
