"""Assembly of a program from a piece of text and the prompt's frame.

A piece is a block or a whole answer. It is read as the whole entry point, as its body, or as its first line
indicates.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import NamedTuple

from benchwright.text.code_search import (
    START,
    ProgramReading,
    Window,
    indent_of,
    inside_strings,
    longest_window,
    prefix,
    with_indentation,
    without_lines,
)
from benchwright.text.prompt_frame import PromptFrame, method_binding
from benchwright.text.syntax import (
    always_leaves,
    bound_names,
    compiles,
    has_return,
    is_hollow,
    is_prose,
    parse,
    used_names,
)

# Reads a text that holds the whole entry point, among imports, other functions and perhaps prose.

ANCHORS = 4  # definitions of the entry point that are tried, when the first ones do not parse


def read_function(code: str, frame: PromptFrame) -> ProgramReading | None:
    """Read a text as a module that defines the entry point, after the prompt's imports and helpers.

    The prompt's own head is omitted: otherwise an answer that fails to define the function would be judged
    as an empty one.
    """
    lines = code.split("\n")
    fallback, skipped = None, False
    for anchor in [at for at, line in enumerate(lines) if frame.definition.match(line)][:ANCHORS]:
        window = longest_window(lines, anchor=anchor)
        reading = _read_window(window, frame, skipped=skipped) if window else None
        if reading and not reading.hollow:
            return reading
        if reading and not reading.cut:  # else it was torn off below its docstring
            fallback = fallback or reading
        skipped = True
        end = next((at for at in range(anchor + 1, len(lines)) if START.match(lines[at])), len(lines))
        lines[anchor:end] = [""] * (end - anchor)  # empty or broken: the next definition is tried without it
    return fallback


def read_indented_function(lines: Sequence[str], start: int, frame: PromptFrame) -> ProgramReading | None:
    """The same where the first line of code, `start`, is indented.

    Either all of it is, as in a list, or only the first line: tokenizers like to begin with one space.
    """
    indent = indent_of(lines[start])
    whole = with_indentation(lines, old=indent, new="")
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
    """Join the preamble and the lines of `tree`, without the statements to drop.

    A preamble that the lines repeat is not added again. `__future__` imports move to the top, where the
    compiler requires them.
    """
    code = "\n".join(without_lines(lines, drop)).strip("\n") + "\n"
    before = frame.preamble.strip("\n")
    found = frame.definition.search(code)
    if not before or f"\n{before}\n" in "\n" + code[: found.start() if found else len(code)]:
        return code
    future = [item for item in tree.body if isinstance(item, ast.ImportFrom) and item.module == "__future__"]
    if future:
        code = "\n".join(without_lines(lines, [*drop, *future])).strip("\n") + "\n"
        before = "\n".join([*map(ast.unparse, future), before])
    return f"{before}\n\n\n{code}"


def _read_window(window: Window, frame: PromptFrame, *, skipped: bool) -> ProgramReading | None:
    own = [item for item in window.tree.body if _defines(item, frame.name)]
    if not own:
        return None  # the apparent definition is inside a string
    stubs = _trailing_stubs(own)
    prose = [item for item in window.tree.body if is_prose(item)]
    repeats = bool(frame.head.strip()) and "\n".join(window.lines).strip().startswith(frame.head.strip())
    return ProgramReading(
        program=assemble(window.lines, window.tree, frame, drop=[*stubs, *prose]),
        shape="repeat" if repeats else "function",
        prose=window.prose or skipped,
        cut=window.cut,
        hollow=is_hollow(own[-1 - len(stubs)]),
    )


def _defines(item: ast.stmt, name: str) -> bool:
    return isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef) and item.name == name


def _trailing_stubs(own: list[ast.stmt]) -> list[ast.stmt]:
    """Return empty definitions after a real one: the model began to repeat the question."""
    stubs: list[ast.stmt] = []
    for item in reversed(own):
        if not is_hollow(item):
            return stubs
        stubs.append(item)
    return []


# Reads a text that holds only the body of the entry point, which the prompt's head completes.

_AT_COLUMN_0 = re.compile(r"\n[^ \t\n]")
_RETURNS = ("return ", "return(", "return[", "return{")
_JOINS_LINES = ('"""', "'''", "\\\n", "\f")  # and what resets the indentation, for the tokenizer
# Stands for the prompt while a body is parsed: as strict, and much shorter.
_HEADER = "def _():"
_ACTIVE = (
    ast.Pass, ast.Raise, ast.For, ast.AsyncFor, ast.While, ast.If, ast.With, ast.AsyncWith, ast.Try,
    ast.AugAssign, ast.Delete, ast.Global, ast.Nonlocal,
)  # fmt: skip


def read_body(lines: Sequence[str], start: int, frame: PromptFrame) -> ProgramReading | None:
    """An indented body whose first line of code is `start`, and what follows it at column 0.

    A later definition of the entry point counts, as for Python, unless it is empty: a base model that runs
    on begins to repeat the question.
    """
    if not frame.takes_body:
        return None
    if _is_plain(lines, start, frame) and compiles(program := _complete_program(frame, "\n".join(lines))):
        return ProgramReading(program=program, shape="body")
    window = longest_window([_HEADER, *lines], anchor=0)
    if window is None or not isinstance(function := window.tree.body[0], ast.FunctionDef):
        return None
    if all(is_prose(item) for item in function.body):
        return None
    again = [item for item in window.tree.body[1:] if _defines(item, frame.name)]
    stubs = _trailing_stubs([function, *again])
    drop = [*stubs, *(item for item in window.tree.body[1:] if is_prose(item))]
    strings = inside_strings(lines, window.tree, shift=-1)
    own = (function.end_lineno or 1) - 1  # the function's last line, counted without the header
    indented = with_indentation(lines[:own], old=indent_of(lines[start]), new=frame.indent, fixed=strings)
    body = "\n".join(without_lines([*indented, *window.lines[own + 1 :]], drop, shift=-1))
    return ProgramReading(
        program=_complete_program(frame, body),
        shape="body" if indented == list(lines[:own]) else "body+indent",
        cut=window.cut or bool(stubs),
        hollow=is_hollow(again[-1]) if len(again) > len(stubs) else not has_return(function.body),
    )


def _complete_program(frame: PromptFrame, body: str) -> str:
    binding = f"\n\n{frame.binding}\n" if frame.binding else ""
    return f"{frame.head}{body.rstrip()}\n{binding}"


def _is_plain(lines: Sequence[str], start: int, frame: PromptFrame) -> bool:
    """Whether a text, if it compiles below the head, is known without its tree to be all body, and no stub.

    All of it is indented, as the prompt indents; no line begins inside a string; one line, at the depth of
    the first, begins with `return`, which is then a statement of the entry point itself; and only white space
    in Python's sense is stripped off its end.
    """
    indent = frame.indent
    text = "\n" + "\n".join(lines)
    if indent_of(lines[start]) != indent or _AT_COLUMN_0.search(text):
        return False
    if any(sign in text for sign in _JOINS_LINES) or text.rstrip() != text.rstrip(" \t\n"):
        return False
    return any(f"\n{indent}{returns}" in text for returns in _RETURNS)


def read_stripped_body(lines: Sequence[str], start: int, frame: PromptFrame) -> ProgramReading | None:
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


class _UnindentedText(NamedTuple):
    """A text at column 0 that parses, perhaps up to some line, with its statements in two groups."""

    lines: list[str]
    tree: ast.Module
    real: list[ast.stmt]
    prose: list[ast.stmt]
    cut: bool


def read_flat(code: str, frame: PromptFrame) -> ProgramReading | None:
    """A text at column 0 that does not define the entry point with `def`.

    It is a body without indentation, or code that binds the entry point in another way, or no answer.
    """
    flat = _parse_flat(code)
    if flat is None or all(_is_bare_value(item) for item in flat.real):
        return None
    binds = frame.name in bound_names(flat.real)
    if not binds and (binding := method_binding(flat.real, frame.name)):
        program = assemble(flat.lines, flat.tree, frame, drop=flat.prose)
        return ProgramReading(program=f"{program}\n\n{binding}\n", shape="class-method", cut=flat.cut)
    if frame.takes_body and _is_body(flat.real, frame.name):
        return _flat_body(flat, frame)
    if has_return(flat.real) or (flat.cut and not binds):
        return None
    program = assemble(flat.lines, flat.tree, frame, drop=flat.prose)
    return ProgramReading(
        program=program, shape="module", cut=flat.cut, problem=None if binds else "no_entry_point"
    )


def _parse_flat(code: str) -> _UnindentedText | None:
    found = prefix(code.split("\n"), parse)
    if found is None:
        return None
    statements = found.tree.body
    prose = [item for item in statements if is_prose(item)]
    real = [item for item in statements if not is_prose(item)] if prose else statements
    return _UnindentedText(found.lines, found.tree, real, prose, found.cut)


def _flat_body(flat: _UnindentedText, frame: PromptFrame) -> ProgramReading | None:
    """Indent the body. Functions below its last return stay at column 0, where the body can call them."""
    last = next((at for at, item in enumerate(flat.real) if always_leaves(item)), None)
    if flat.cut and last is None:
        return None  # the text ends inside the body
    whole = last is None or has_return(flat.real[last + 1 :])
    end = len(flat.lines) if last is None or whole else flat.real[last].end_lineno
    strings = inside_strings(flat.lines, flat.tree, shift=0)
    body = with_indentation(flat.lines[:end], old="", new=frame.indent, fixed=strings)
    text = "\n".join(without_lines([*body, *flat.lines[end:]], flat.prose)).rstrip()
    return ProgramReading(
        program=_complete_program(frame, text),
        shape="flat-body",
        cut=flat.cut,
        hollow=not has_return(flat.real),
    )


def _is_body(statements: Sequence[ast.stmt], name: str) -> bool:
    """Return whether code returns, or acts without calling the entry point as an example would."""
    if has_return(statements):
        return True
    acts = any(
        isinstance(item, _ACTIVE) or (isinstance(item, ast.Expr) and not _is_bare_value(item))
        for item in statements
    )
    return acts and name not in used_names(statements) and name not in bound_names(statements)


def _is_bare_value(statement: ast.stmt) -> bool:
    """Return whether an expression calls nothing, such as output of a run or a number in prose."""
    calls = (ast.Call, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)
    return isinstance(statement, ast.Expr) and not any(
        isinstance(node, calls) for node in ast.walk(statement)
    )


_GOES_ON = re.compile(r"(?:else|elif|except|finally|case)\b.*:")  # a further branch of what begins above
_TOP_STATEMENT = re.compile(r"@\w|(?:async\s+)?def\s|class\s|import\s|from\s")

# Decides by its first line how one piece of text, a block or a whole answer, is to be read.


def read_program(code: str, frame: PromptFrame) -> ProgramReading | None:
    """Return the best reading of a piece of text; None if none parses."""
    lines = code.split("\n")
    start = first_code(lines)
    if start is None:
        return None
    if frame.unfinished and (continued := read_continued(code, frame)):
        return continued
    if indent_of(lines[start]):
        return _body_or_below(_read_indented(code, lines, start, frame), lines, start, frame)
    if frame.definition.search(code):
        return read_function(code, frame) or read_below_remainder(lines, start, frame)
    flat = read_flat(code, frame)
    if flat and not flat.cut:
        return flat
    return _better(read_stripped_body(lines, start, frame), flat)


def _body_or_below(
    body: ProgramReading | None, lines: Sequence[str], start: int, frame: PromptFrame
) -> ProgramReading | None:
    """Return the body, unless it had to be cut and a complete function that is not empty follows."""
    if body and not body.cut:
        return body
    below = read_below_remainder(lines, start, frame)
    return body if body and below and below.hollow else _better(below, body)


def read_continued(code: str, frame: PromptFrame) -> ProgramReading | None:
    """Join the text to a prompt that ends inside its function; None if the text is a complete answer."""
    if frame.definition.search(code):
        return None
    window = longest_window((frame.unfinished + code).split("\n"), anchor=frame.anchor)
    if window is None or window.prose:
        return None
    program = "\n".join(window.lines).rstrip() + "\n"
    own = next(item for item in window.tree.body if item.lineno == frame.anchor + 1)
    return ProgramReading(program=program, shape="continued", cut=window.cut, hollow=is_hollow(own))


def read_below_remainder(lines: Sequence[str], start: int, frame: PromptFrame) -> ProgramReading | None:
    """Find a complete function at column 0 below the indented rest of another one.

    Its first line may have lost its indentation. As for Python, the later definition is the one that counts.
    """
    if _TOP_STATEMENT.match(lines[start]):
        return None  # the text above is complete and broken
    below = next((at for at in range(start + 1, len(lines)) if _TOP_STATEMENT.match(lines[at])), len(lines))
    above = lines[start + 1 : below]
    if any(_ends_remainder(line) for line in above) or not any(map(indent_of, lines[start:below])):
        return None
    reading = read_function("\n".join(lines[below:]), frame)
    return reading and reading._replace(shape=f"remainder+{reading.shape}")


def _ends_remainder(line: str) -> bool:
    """Whether a line at column 0 is none that the rest of a function may have: `else:` belongs to an `if`."""
    return bool(line[:1].strip()) and line[0] not in "#)]}" and not _GOES_ON.match(line)


def first_code(lines: list[str]) -> int | None:
    """Return the first line that is neither blank nor a comment."""
    return next((at for at, line in enumerate(lines) if line.strip() and line.lstrip()[0] != "#"), None)


def _read_indented(code: str, lines: list[str], start: int, frame: PromptFrame) -> ProgramReading | None:
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


def _better(other: ProgramReading | None, first: ProgramReading | None) -> ProgramReading | None:
    """The first, unless the other keeps text that the first had to cut off."""
    if first is None or (other is not None and first.cut and not other.cut):
        return other
    return first
