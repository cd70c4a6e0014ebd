"""Explain a failed check in one line: the call's arguments, the expected value and the actual one.

Nothing here decides a verdict, and nothing of the test is evaluated again: an expected value is shown if it
is a literal or in a variable, otherwise as its source. Each text is bounded before it is built, so a value of
a million items costs no more than one of twenty.
"""

from __future__ import annotations

import ast
import re
import reprlib
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import islice
from types import TracebackType
from typing import Any, NamedTuple

from benchwright.display.escape import escaped

TEST_FILE = "<test>"  # file name under which a data set's test is compiled
VALUE_LIMIT = 120
CALL_LIMIT = 160
SOURCE_LIMIT = 200
TEXT_LIMIT = 1000
DETAIL_LIMIT = 500  # of a whole reason in a verdict
SHOWN_NAMES = 4


class Call(NamedTuple):
    """The last call of a check: its number from 1 on, its arguments, and its reply."""

    number: int
    name: str
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    value: Any

    def text(self) -> str:
        """Return the call as source, such as `f([1, 2], key=3)`, bounded."""
        return call_text(self.name, self.args, self.kwargs)


def named(call: Call | None) -> str:
    """Return the call for a sentence: "call 2, f(5)"."""
    return "no call" if call is None else f"call {call.number}, {call.text()}"


def gave(call: Call, expected: str) -> str:
    """Return a sentence with the value that a call returned and the expected one."""
    return (
        f"call {call.number}: {call.text()} gave {shown(call.value)}, expected {_cut(expected, VALUE_LIMIT)}"
    )


def raised(call: Call | None, message: str) -> str:
    """Return a sentence with the exception of a call; `message` is the answer's own text, after the
    exception's name."""
    return message if call is None else f"call {call.number}: {call.text()} raised {message}"


def traceback_of(report: str, program: str) -> str:
    """Return an exception as Python prints it; the source line comes from the program that reports it.

    >>> print(traceback_of("ValueError: no (line 2)", "def f():\\n    raise ValueError('no')"))
    Traceback (most recent call last):
      File "<solution>", line 2
        raise ValueError('no')
    ValueError: no
    """
    if (found := _PLACE.search(report)) is None:
        return report
    number, lines = int(found[1]), program.split("\n")
    source = lines[number - 1].strip() if 0 < number <= len(lines) else ""
    below = f"\n    {escaped(_cut(source, SOURCE_LIMIT))}" if source else ""
    place = f'  File "<solution>", line {number}{below}'
    return f"Traceback (most recent call last):\n{place}\n{report[: found.start()]}"


_PLACE = re.compile(r" \(line ([0-9]{1,9})\)\Z")


def failed_assert(error: AssertionError, *, test: str, call: Call | None) -> str:
    """Return what failed: for `assert f(x) == y` the call, its value and the expected one; else the assert.

    `test` is the source of the check, compiled under the name `TEST_FILE`; `call` is None if there was none.
    """
    note = f": {text_of(error)}" if error.args else ""
    found = _failed_statement(error, test)
    if found is None:
        return f"an assertion failed{_after(call)}{note}"
    statement, variables = found
    expected = _expected(statement.test, variables, call)
    if call is not None and expected is not None:
        return f"{gave(call, expected)}{note}"
    return (
        f"`{_source(statement, test)}` failed"
        f"{_call_value(statement, call)}{_where(statement, variables)}{note}"
    )


def said_of(error: Exception) -> str:
    """Return an error in one line: its type, its text, and the line of a program that does not compile."""
    line = f" (line {error.lineno})" if isinstance(error, SyntaxError) and error.lineno else ""
    text = error.msg if isinstance(error, SyntaxError) else text_of(error)
    return f"{type(error).__name__}: {text}{line}"


def text_of(error: BaseException) -> str:
    """Return the error's text, bounded; an error that contains an integer of too many digits has none."""
    try:
        return str(error)[:TEXT_LIMIT]
    except (ValueError, RecursionError):
        return "(its text cannot be shown)"


def call_text(name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> str:
    """A call as source, bounded.

    >>> call_text("f", ([1, 2],), {"key": "a"})
    "f([1, 2], key='a')"
    """
    parts = [*map(shown, args), *(f"{key}={shown(value)}" for key, value in kwargs.items())]
    return _cut(f"{name}({', '.join(parts)})", CALL_LIMIT)


def shown(value: Any) -> str:
    """A value as its `repr`, bounded in depth, items and length before it is made.

    >>> shown(list(range(1000)))
    '[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, ...]'
    """
    try:
        text = _REPR.repr(value)
    except (ValueError, RecursionError):  # an integer too long to print, or a value too deeply nested
        return f"a {type(value).__name__} too large to show"
    return _cut(text, VALUE_LIMIT)


def _bounded_repr() -> reprlib.Repr:
    bounds = reprlib.Repr()
    bounds.maxlevel = 8
    bounds.maxlist = bounds.maxtuple = bounds.maxset = bounds.maxfrozenset = bounds.maxdeque = 20
    bounds.maxdict, bounds.maxarray = 10, 20
    bounds.maxstring = bounds.maxother = bounds.maxlong = VALUE_LIMIT
    return bounds


_REPR = _bounded_repr()


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 3] + "..."


def _failed_statement(error: AssertionError, test: str) -> tuple[ast.Assert, Mapping[str, Any]] | None:
    """Return the assert that raised and the variables around it; None if something else raised the error."""
    raised = _deepest(error.__traceback__)
    if raised is None:
        return None
    line, column = _position(raised)
    around = [
        node
        for node in _asserts(test)
        if (node.lineno, node.col_offset) <= (line, column) < (node.end_lineno or 0, node.end_col_offset or 0)
    ]
    return (around[-1], raised.tb_frame.f_locals) if around else None


def _deepest(trace: TracebackType | None) -> TracebackType | None:
    """Return the last frame of the test's own code; None if the error was raised below it."""
    last = None
    while trace is not None:
        last, trace = trace, trace.tb_next
    return last if last is not None and last.tb_frame.f_code.co_filename == TEST_FILE else None


def _position(trace: TracebackType) -> tuple[int, int]:
    """Return line and column, in UTF-8 bytes as in `ast`, of the instruction that raised."""
    positions = trace.tb_frame.f_code.co_positions()
    line, _, column, _ = next(islice(positions, trace.tb_lasti // 2, None))
    return line or trace.tb_lineno, column or 0


@lru_cache(maxsize=64)
def _asserts(test: str) -> tuple[ast.Assert, ...]:
    """Return the asserts of a test in source order, so that an inner one follows an outer one."""
    found = [node for node in _statements(ast.parse(test).body) if isinstance(node, ast.Assert)]
    return tuple(sorted(found, key=lambda node: (node.lineno, node.col_offset)))


def _statements(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Yield all statements, handlers and cases, without expressions: a test may list a million values."""
    for node in nodes:
        yield node
        for name in ("body", "orelse", "finalbody", "handlers", "cases"):
            yield from _statements(getattr(node, name, ()))


def _expected(test: ast.expr, variables: Mapping[str, Any], call: Call | None) -> str | None:
    """Return the other side of `assert f(…) == …`, or the value that a bare `assert f(…)` requires; else
    None."""
    if call is None:
        return None
    if _is_call(test, call):
        return "a true value"
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) and _is_call(test.operand, call):
        return "a false value"
    for side, other in _sides(test):
        if _is_call(side, call) and not _calls(other, call):
            return _value_text(other, variables)
    return None


def _sides(test: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    """Yield both ways to read `a == b` or `a is b`."""
    if isinstance(test, ast.Compare) and [type(each) for each in test.ops] in ([ast.Eq], [ast.Is]):
        return [(test.left, test.comparators[0]), (test.comparators[0], test.left)]
    return []


def _is_call(node: ast.expr, call: Call) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("candidate", call.name)
        and not any(
            _calls(argument, call) for argument in ast.iter_child_nodes(node) if argument is not node.func
        )
    )


def _calls(node: ast.AST, call: Call) -> bool:
    """Return whether an expression calls the candidate, so that the last call may be another one."""
    return any(isinstance(each, ast.Name) and each.id in ("candidate", call.name) for each in ast.walk(node))


def _value_text(node: ast.expr, variables: Mapping[str, Any]) -> str:
    if isinstance(node, ast.Name) and node.id in variables:
        return shown(variables[node.id])
    try:
        return shown(ast.literal_eval(node))
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return f"`{_cut(ast.unparse(node), VALUE_LIMIT)}`"


def _source(statement: ast.Assert, test: str) -> str:
    """Return the assert on one line, as in the data set."""
    text = _segment(test, statement) or ast.unparse(statement)
    return _cut(" ".join(text.split()), SOURCE_LIMIT)


def _segment(source: str, node: ast.stmt) -> str:
    """Return the text of a node like `ast.get_source_segment`, which takes 10 ms for a test of 80 kB."""
    lines = [line.encode() for line in _lines(source)[node.lineno - 1 : node.end_lineno]]
    lines[-1] = lines[-1][: node.end_col_offset]
    lines[0] = lines[0][node.col_offset :]
    return b"".join(lines).decode()


@lru_cache(maxsize=8)
def _lines(source: str) -> list[str]:
    return [line.group() for line in _LINE.finditer(source)]


_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+")  # as Python's parser splits lines


def _call_value(statement: ast.Assert, call: Call | None) -> str:
    if call is None:
        return ""
    last = "" if _calls(statement.test, call) else "the last call, "
    return f": {last}{named(call)}, gave {shown(call.value)}"


def _where(statement: ast.Assert, variables: Mapping[str, Any]) -> str:
    """Return the variables that the assert reads, except functions."""
    pairs = [f"{name} = {shown(variables[name])}" for name in _names(statement.test, variables)]
    return f"; {', '.join(pairs[:SHOWN_NAMES])}" if pairs else ""


def _names(test: ast.expr, variables: Mapping[str, Any]) -> Iterator[str]:
    names = dict.fromkeys(node.id for node in ast.walk(test) if isinstance(node, ast.Name))
    return (name for name in names if name in variables and not callable(variables[name]))


def _after(call: Call | None) -> str:
    return "" if call is None else f" after {named(call)}, which gave {shown(call.value)}"
