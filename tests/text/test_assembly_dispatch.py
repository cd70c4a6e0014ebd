"""Choosing how to read a piece of text by its first line."""

from __future__ import annotations

import pytest

from benchwright.text.program_assembly import first_code, read_program
from benchwright.text.prompt_frame import frame_of

FRAME = frame_of('def f(x):\n    """Doc."""\n', "f")

SHAPES = {
    "body": ("    return x\n", "body"),
    "comment, body": ("# a\n    return x\n", "body"),
    "body, then a definition": ("    return x\n\ndef f(x):\n    return 1\n", "body"),
    "body that calls an inner function": ("    def g(y):\n        return y\n    return g(x)\n", "body"),
    "function": ("def f(x):\n    return x\n", "function"),
    "comment, function": ("    # a\ndef f(x):\n    return x\n", "function"),
    "space, function": (" def f(x):\n    return x\n", "function"),
    "decorator": ("  @d\n  def f(x):\n    return x\n", "function"),
    "space, prose, function": (" Sure:\n\ndef f(x):\n    return x\n", "function"),
    "space, prose, indented function": (" Sure\n\n    def f(x):\n        return x\n", None),
    "flat": ("return x\n", "flat-body"),
    "stripped": ("y = x\n    return y\n", "stripped-body"),
    "stripped, prose": ("y = x\n    return y\nIt is so.\n", "stripped-body"),
    "module": ("f = abs\n", "module"),
    "nothing": ("", None),
    "comments": ("# a\n  # b\n", None),
    "prose": ("It is so.\n", None),
    "indented prose": ("  It is so.\n", None),
}


@pytest.mark.parametrize(("code", "shape"), SHAPES.values(), ids=SHAPES)
def test_read(code: str, shape: str | None) -> None:
    """The shape of the text; None if it is not code."""
    reading = read_program(code, FRAME)

    assert (reading.shape if reading else None) == shape


def test_more_text_is_better() -> None:
    """If one way must cut the text and another keeps all, the other is used."""
    reading = read_program("if x:\n        return 1\n    return 2\n", FRAME)

    assert reading is not None
    assert (reading.shape, reading.cut) == ("stripped-body", False)


@pytest.mark.parametrize(("lines", "expected"), [(["", "# a", " x"], 2), (["  # a", ""], None), ([], None)])
def test_first_code(lines: list[str], expected: int | None) -> None:
    """Blank lines and comments do not count."""
    assert first_code(lines) == expected
