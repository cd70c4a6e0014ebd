"""Line ends and control marks."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.text.clean import drop_marks, normalise


@pytest.mark.parametrize(
    ("raw", "expected"),
    [("a\r\nb\rc\n", "a\nb\nc\n"), ("\ufeffa", "a"), ("a\ufeff", "a\ufeff"), ("\r\r\n", "\n\n"), ("", "")],
)
def test_normalise(raw: str, expected: str) -> None:
    """One kind of line end, and no byte order mark at the start."""
    assert normalise(raw) == expected


@settings(deadline=None)
@given(text=st.text(alphabet="a\r\n\ufeff"))
def test_normalise_twice_is_once(text: str) -> None:
    """A normal text stays as it is, save a second byte order mark."""
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
    """The text ends at the first end mark that is not in quotes, and begins after a role header."""
    assert drop_marks(text) == expected


@settings(deadline=None)
@given(text=st.text(alphabet="<|im_end>\"' \n", max_size=40))
def test_drop_marks_leaves_a_part(text: str) -> None:
    """Marks are only left out, never replaced."""
    assert drop_marks(text) in text
