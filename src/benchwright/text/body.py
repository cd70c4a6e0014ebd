"""Reads a text that holds only the body of the entry point, which the prompt's head completes."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import NamedTuple

from benchwright.text.frame import PromptFrame
from benchwright.text.reading import (
    Reading,
    Window,
    indent_of,
    inside_strings,
    prefix,
    settle,
    shifted,
    without,
)
from benchwright.text.syntax import (
    always_leaves,
    bound_names,
    compiles,
    first_line,
    has_return,
    is_prose,
    parse,
    used_names,
)
from benchwright.text.whole import assemble

_BLANK = ("", " ", "\t")
_RETURNS = ("return ", "return(", "return[", "return{")
_JOINS_LINES = ('"""', "'''", "\\\n", "\f")  # and what resets the indentation, for the tokenizer
# Stands for the prompt while a body is parsed: as strict, and much shorter.
_HEADER = "def _():"
_ACTIVE = (
    ast.Pass, ast.Raise, ast.For, ast.AsyncFor, ast.While, ast.If, ast.With, ast.AsyncWith, ast.Try,
    ast.AugAssign, ast.Delete, ast.Global, ast.Nonlocal,
)  # fmt: skip


def read_body(lines: Sequence[str], start: int, frame: PromptFrame) -> Reading | None:
    """An indented body whose first line of code is `start`, and what follows it at column 0.

    A later definition of the entry point is cut off with all after it: the body was the answer, and a
    base model that runs on likes to begin the same function again.
    """
    if not frame.takes_body:
        return None
    if _is_plain(lines, start, frame) and compiles(program := _completed(frame, "\n".join(lines))):
        return Reading(program=program, shape="body")
    window = settle([_HEADER, *lines], anchor=0)
    if window is None or not isinstance(function := window.tree.body[0], ast.FunctionDef):
        return None
    if all(is_prose(item) for item in function.body):
        return None
    end = _end(window, frame) - 1
    tail = [item for item in window.tree.body[1:] if is_prose(item) and first_line(item) <= end]
    strings = inside_strings(lines, window.tree, shift=-1)
    own = (function.end_lineno or 1) - 1  # the function's last line, counted without the header
    kept = shifted(lines[:own], old=indent_of(lines[start]), new=frame.indent, fixed=strings)
    body = "\n".join(without([*kept, *lines[own:end]], tail, shift=-1))
    return Reading(
        program=_completed(frame, body),
        shape="body",
        cut=any(line.strip() for line in lines[end:]),
        hollow=not has_return(function.body),
    )


def _completed(frame: PromptFrame, body: str) -> str:
    return f"{frame.head}{body.rstrip()}\n"


def _is_plain(lines: Sequence[str], start: int, frame: PromptFrame) -> bool:
    """Whether a text, if it compiles below the head, is known without its tree to be all body, and no stub.

    All of it is indented, as the prompt indents; no line begins inside a string; one line, at the depth of
    the first, begins with `return`, which is then a statement of the entry point's own; and nothing that is
    no white space for Python is stripped off its end.
    """
    indent = frame.indent
    if indent_of(lines[start]) != indent or not all(line[:1] in _BLANK for line in lines):
        return False
    text = "\n".join(lines)
    if any(sign in text for sign in _JOINS_LINES) or text.rstrip() != text.rstrip(" \t\n"):
        return False
    return any(line.startswith(_RETURNS, len(indent)) for line in lines if line.startswith(indent))


def _end(window: Window, frame: PromptFrame) -> int:
    """The line after the last one to keep, counted with the header."""
    tail = window.tree.body[1:]
    again = (item for item in tail if not is_prose(item) and frame.name in bound_names([item]))
    return min([len(window.lines), *(first_line(item) - 1 for item in again)])


def read_stripped_body(lines: Sequence[str], start: int, frame: PromptFrame) -> Reading | None:
    """A body whose first line has lost its indentation, or has some of it: whole answers get stripped."""
    rest = lines[start + 1 :]
    indents = []
    for line in rest:
        if line.strip() and line[0] not in " \t#":
            break
        if line.strip() and line[0] != "#":
            indents.append(indent_of(line))
    first = parse(lines[start].lstrip())
    if isinstance(first, ast.Module) and all(is_prose(item) for item in first.body):
        return None
    if not indents or (indent := min(indents, key=len)) == indent_of(lines[start]):
        return None
    restored = [*lines[:start], indent + lines[start].lstrip(), *rest]
    reading = read_body(restored, start, frame)
    return reading and reading._replace(shape="stripped-body")


class _Flat(NamedTuple):
    """A text at column 0 that parses, perhaps only up to some line, and its statements in two heaps."""

    lines: list[str]
    tree: ast.Module
    real: list[ast.stmt]
    prose: list[ast.stmt]
    cut: bool


def read_flat(code: str, frame: PromptFrame) -> Reading | None:
    """A text at column 0 that does not define the entry point with `def`.

    It is a body without indentation, or code that binds the entry point in another way, or no answer.
    """
    flat = _parse_flat(code)
    if flat is None or all(_is_bare_value(item) for item in flat.real):
        return None
    if frame.takes_body and _is_body(flat.real, frame.name):
        return _flat_body(flat, frame)
    binds = frame.name in bound_names(flat.real)
    if has_return(flat.real) or (flat.cut and not binds):
        return None
    program = assemble(flat.lines, flat.tree, frame, drop=flat.prose)
    return Reading(program=program, shape="module", cut=flat.cut, problem=None if binds else "no_entry_point")


def _parse_flat(code: str) -> _Flat | None:
    found = prefix(code.split("\n"), parse)
    if found is None:
        return None
    statements = found.tree.body
    prose = [item for item in statements if is_prose(item)]
    real = [item for item in statements if not is_prose(item)] if prose else statements
    return _Flat(found.lines, found.tree, real, prose, found.cut)


def _flat_body(flat: _Flat, frame: PromptFrame) -> Reading | None:
    """Indents the body. Functions below its last return stay at column 0, where the body can call them."""
    last = next((at for at, item in enumerate(flat.real) if always_leaves(item)), None)
    if flat.cut and last is None:
        return None  # the text breaks off inside the body
    whole = last is None or has_return(flat.real[last + 1 :])
    end = len(flat.lines) if last is None or whole else flat.real[last].end_lineno
    strings = inside_strings(flat.lines, flat.tree, shift=0)
    body = shifted(flat.lines[:end], old="", new=frame.indent, fixed=strings)
    text = "\n".join(without([*body, *flat.lines[end:]], flat.prose)).rstrip()
    return Reading(
        program=f"{frame.head}{text}\n",
        shape="flat-body",
        cut=flat.cut,
        hollow=not has_return(flat.real),
    )


def _is_body(statements: Sequence[ast.stmt], name: str) -> bool:
    """True for code that returns, or that acts without a call of the entry point, as an example has."""
    if has_return(statements):
        return True
    acts = any(
        isinstance(item, _ACTIVE) or (isinstance(item, ast.Expr) and not _is_bare_value(item))
        for item in statements
    )
    return acts and name not in used_names(statements) and name not in bound_names(statements)


def _is_bare_value(statement: ast.stmt) -> bool:
    """True for an expression that calls nothing: the output of a run, or a number in prose."""
    calls = (ast.Call, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)
    return isinstance(statement, ast.Expr) and not any(
        isinstance(node, calls) for node in ast.walk(statement)
    )
