"""Reads a text that holds the whole entry point, among imports, other functions and perhaps prose."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from benchwright.text.frame import PromptFrame
from benchwright.text.reading import START, Reading, Window, indent_of, settle, shifted, without
from benchwright.text.syntax import is_hollow, is_prose

ANCHORS = 4  # definitions of the entry point that are tried, when the first ones do not parse


def read_function(code: str, frame: PromptFrame) -> Reading | None:
    """The text as a module that defines the entry point; the prompt's imports and helpers come first.

    The prompt's own head is left out: below it the same function would be defined again, and an answer
    that fails to define it would be judged as an empty one.
    """
    lines = code.split("\n")
    fallback, skipped = None, False
    for anchor in [at for at, line in enumerate(lines) if frame.definition.match(line)][:ANCHORS]:
        window = settle(lines, anchor=anchor)
        reading = _reading(window, frame, skipped=skipped) if window else None
        if reading and not reading.hollow:
            return reading
        if reading and not reading.cut:  # else it was torn off below its docstring
            fallback = fallback or reading
        skipped = True
        end = next((at for at in range(anchor + 1, len(lines)) if START.match(lines[at])), len(lines))
        lines[anchor:end] = [""] * (end - anchor)  # empty or broken: the next definition is tried without it
    return fallback


def read_indented_function(lines: Sequence[str], start: int, frame: PromptFrame) -> Reading | None:
    """The same where the first line of code, `start`, is indented.

    Either all of it is, as in a list, or only the first line: tokenizers like to begin with one space.
    """
    indent = indent_of(lines[start])
    whole = shifted(lines, old=indent, new="")
    first = [*lines[:start], lines[start].lstrip(), *lines[start + 1 :]]
    best = None
    for attempt in (first, whole) if indent in {" ", "   "} else (whole, first):
        reading = read_function("\n".join(attempt), frame)
        if reading and not reading.cut:
            return reading
        best = best or reading
    return best


def assemble(
    lines: Sequence[str], tree: ast.Module, frame: PromptFrame, *, drop: Sequence[ast.stmt] = ()
) -> str:
    """The program: preamble and the lines of `tree`, less the statements to drop.

    A preamble that the lines repeat is not added again. Their `__future__` imports go to the very top,
    the only place where the compiler takes them.
    """
    code = "\n".join(without(lines, drop)).strip("\n") + "\n"
    before = frame.preamble.strip("\n")
    found = frame.definition.search(code)
    if not before or f"\n{before}\n" in "\n" + code[: found.start() if found else len(code)]:
        return code
    future = [item for item in tree.body if isinstance(item, ast.ImportFrom) and item.module == "__future__"]
    if future:
        code = "\n".join(without(lines, [*drop, *future])).strip("\n") + "\n"
        before = "\n".join([*map(ast.unparse, future), before])
    return f"{before}\n\n\n{code}"


def _reading(window: Window, frame: PromptFrame, *, skipped: bool) -> Reading:
    own = [item for item in window.tree.body if _defines(item, frame.name)]
    stubs = _trailing_stubs(own)
    prose = [item for item in window.tree.body if is_prose(item)]
    repeats = bool(frame.head.strip()) and "\n".join(window.lines).strip().startswith(frame.head.strip())
    return Reading(
        program=assemble(window.lines, window.tree, frame, drop=[*stubs, *prose]),
        shape="repeat" if repeats else "function",
        prose=window.prose or skipped,
        cut=window.cut,
        hollow=is_hollow(own[-1 - len(stubs)]) if own else False,
    )


def _defines(item: ast.stmt, name: str) -> bool:
    return isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef) and item.name == name


def _trailing_stubs(own: list[ast.stmt]) -> list[ast.stmt]:
    """Empty definitions after a real one: a model that ran on began to repeat the question."""
    stubs: list[ast.stmt] = []
    for item in reversed(own):
        if not is_hollow(item):
            return stubs
        stubs.append(item)
    return []
