"""Decides by its first line how one piece of text, a block or a whole answer, is to be read."""

from __future__ import annotations

from benchwright.text.body import read_body, read_flat, read_stripped_body
from benchwright.text.frame import PromptFrame
from benchwright.text.reading import Reading, indent_of
from benchwright.text.whole import read_function, read_indented_function


def read(code: str, frame: PromptFrame) -> Reading | None:
    """The best reading of a piece of text; None when none parses."""
    lines = code.split("\n")
    start = first_code(lines)
    if start is None:
        return None
    if indent_of(lines[start]):
        return _read_indented(code, lines, start, frame)
    if frame.definition.search(code):
        return read_function(code, frame)
    flat = read_flat(code, frame)
    if flat and not flat.cut:
        return flat
    return _better(read_stripped_body(lines, start, frame), flat)


def first_code(lines: list[str]) -> int | None:
    """The first line that is neither blank nor a comment: comments may stand at any column."""
    return next((at for at, line in enumerate(lines) if line.strip() and line.lstrip()[0] != "#"), None)


def _read_indented(code: str, lines: list[str], start: int, frame: PromptFrame) -> Reading | None:
    """The first line is indented: a body, or a function with a stray indentation.

    A body is tried before a function at column 0 further down, which may be where a base model ran on.
    """
    head = frame.indented.match(lines[start].lstrip())
    if head or (lines[start].lstrip().startswith("@") and frame.indented.search(code)):
        return read_indented_function(lines, start, frame)
    body = read_body(lines, start, frame)
    if body is None or body.cut:
        body = _better(read_stripped_body(lines, start, frame), body)
    if body is None and frame.indented.search(code):
        return read_function(code, frame) or read_indented_function(lines, start, frame)
    return body


def _better(other: Reading | None, first: Reading | None) -> Reading | None:
    """The first, unless the other keeps text that the first had to cut off."""
    if first is None or (other is not None and first.cut and not other.cut):
        return other
    return first
