"""Python literals: reading them safely, and writing values as source code."""

from __future__ import annotations

import ast
from itertools import chain
from typing import Any

from benchwright.text.syntax import ParseFault, parse_expression

_DisplayNode = ast.Tuple | ast.List | ast.Set | ast.Dict


def parse_literal(source: str, *, max_bytes: int = 4 << 20, max_depth: int = 100) -> Any:
    """The value of a Python literal, as `ast.literal_eval` would give it.

    Raises ValueError, and nothing else, for any text that is not a literal within the limits; the
    message says what was found and at which line and column (both from 1).
    """
    size = len(source.encode("utf-8", "surrogatepass"))
    if size > max_bytes:
        raise ValueError(f"literal of {size} bytes is over the limit of {max_bytes}")
    text = source.lstrip(" \t")
    shift = len(source) - len(text)
    root = _syntax(text, shift=shift)
    return _Reader(text, shift=shift, max_depth=max_depth).value(root)


def _syntax(text: str, *, shift: int) -> ast.expr:
    """The syntax tree of one expression; every way the parser can fail becomes a ValueError."""
    if "\0" in text:  # the parser refuses it too, but does not say where
        raise ValueError(
            f"not a literal: null character {_line_and_column(text, text.index(chr(0)), shift=shift)}"
        )
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        place = _line_and_column(text, error.start, shift=shift)
        raise ValueError(f"not a literal: lone surrogate {place}") from None
    tree = parse_expression(text)
    if not isinstance(tree, ParseFault):
        return tree
    if not tree.column:
        raise ValueError("literal is nested too deeply for the parser, near line 1, column 1")
    line = tree.line or 1
    column = tree.column + (shift if line == 1 else 0)
    raise ValueError(f"not a literal: {tree.message} at line {line}, column {column}")


def _line_and_column(text: str, at: int, *, shift: int) -> str:
    """The line and column of an offset, as the end of a message."""
    line = text.count("\n", 0, at) + 1
    return f"at line {line}, column {at - text.rfind(chr(10), 0, at) + (shift if line == 1 else 0)}"


class _PartialCollection:
    """A list, tuple, set or dict that is being read: its parts that are left, and the value so far."""

    def __init__(self, node: _DisplayNode) -> None:
        self.node = node
        parts = (
            chain.from_iterable(zip(node.keys, node.values, strict=True))
            if isinstance(node, ast.Dict)
            else node.elts
        )
        self.parts: list[ast.expr | None] = list(parts)[
            ::-1
        ]  # the next one last; None for the `**` of a dict
        self._value: Any = {} if isinstance(node, ast.Dict) else set() if isinstance(node, ast.Set) else []
        self._key: list[Any] = []  # of a dict, the key whose value is still to come

    def add(self, value: Any) -> None:
        """Take the value of the next part. Raises TypeError for what cannot be a key or an item of a set."""
        if isinstance(self._value, list):
            self._value.append(value)
        elif isinstance(self._value, set):
            self._value.add(value)
        elif self._key:
            self._value[self._key.pop()] = value
        else:
            self._key.append(value)

    def value(self) -> Any:
        """The whole, once no part is left."""
        return tuple(self._value) if isinstance(self.node, ast.Tuple) else self._value


class _Reader:
    """Turns the tree of one literal into its value, and knows where each node stands.

    A stack holds the displays that are begun, so a deep tree makes no deep calls.
    """

    def __init__(self, text: str, *, shift: int, max_depth: int) -> None:
        self._text, self._shift, self._max_depth = text, shift, max_depth

    def value(self, root: ast.expr) -> Any:
        """The value of a tree."""
        stack: list[_PartialCollection] = []
        node = root
        while True:
            if len(stack) >= self._max_depth:
                raise self._refuse(f"nesting deeper than {self._max_depth}", node)
            if isinstance(node, _DisplayNode):
                stack.append(_PartialCollection(node))
            elif stack:
                self._add(stack[-1], self._leaf(node))
            else:
                return self._leaf(node)
            while not stack[-1].parts:
                done = stack.pop().value()
                if not stack:
                    return done
                self._add(stack[-1], done)
            node = self._next(stack[-1].parts)

    def _next(self, parts: list[ast.expr | None]) -> ast.expr:
        node = parts.pop()
        if node is None:
            value = parts.pop()
            assert value is not None  # only keys are
            raise self._refuse("`**` in a dict", value)
        return node

    def _add(self, display: _PartialCollection, value: Any) -> None:
        try:
            display.add(value)
        except TypeError as error:  # a list as a dict key or a set item
            raise self._refuse(str(error), display.node) from None

    def _leaf(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Constant):
            return node.value
        return self._empty_set(node) if isinstance(node, ast.Call) else self._number(node)

    def _empty_set(self, node: ast.Call) -> set[Any]:
        """The only call that is a literal: `set()`, because a set has no empty display."""
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name == "set" and not node.args and not node.keywords:
            return set()
        raise self._refuse(f"call of `{name}`" if name else "call", node)

    def _number(self, node: ast.expr) -> complex:
        """A signed number or `real ± imaginary j`; other operators (`1 << 99`, `2 ** 9`) are not literals."""
        if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub)):
            return self._signed(node)
        left, right = self._signed(node.left), self._plain(node.right)
        if isinstance(left, complex) or not isinstance(right, complex):
            raise self._refuse("arithmetic", node)
        try:
            return left + right if isinstance(node.op, ast.Add) else left - right
        except OverflowError as error:
            raise self._refuse(str(error), node) from None

    def _signed(self, node: ast.expr) -> complex:
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.UAdd | ast.USub):
            number = self._plain(node.operand)
            return +number if isinstance(node.op, ast.UAdd) else -number
        return self._plain(node)

    def _plain(self, node: ast.expr) -> complex:
        if isinstance(node, ast.Constant) and type(node.value) in (int, float, complex):
            return node.value  # type: ignore[return-value]  # narrowed by type(), which mypy does not follow
        raise self._refuse(_describe(node), node)

    def _refuse(self, what: str, node: ast.expr) -> ValueError:
        """The error for a node, its column counted in characters (ast counts UTF-8 bytes)."""
        line = self._text.split("\n")[node.lineno - 1] if node.lineno <= self._text.count("\n") + 1 else ""
        column = len(line.encode()[: node.col_offset].decode(errors="ignore")) + 1
        if node.lineno == 1:
            column += self._shift
        return ValueError(f"not a literal: {what} at line {node.lineno}, column {column}")


def _describe(node: ast.expr) -> str:
    """A short name of what stands where a literal should."""
    if isinstance(node, ast.Name):
        return f"name `{node.id}`"
    if isinstance(node, ast.Constant):
        return f"arithmetic on {type(node.value).__name__}"
    if isinstance(node, ast.JoinedStr):
        return "f-string"
    if isinstance(node, ast.BinOp | ast.UnaryOp | ast.BoolOp | ast.Compare):
        return f"operator in {type(node).__name__}"
    return type(node).__name__


_BRACKETS: dict[type, tuple[str, str]] = {
    list: ("[", "]"),
    tuple: ("(", ",)"),
    set: ("{", "}"),
    frozenset: ("frozenset({", "})"),
}


def source_text(value: Any) -> str:
    """Return a value as Python source code; "…" if it is nested too deeply.

    Integers of more than 4,300 digits, which `repr` rejects, are written in base 16, which has no limit.
    """
    try:
        return _value_text(value)
    except RecursionError:
        return "…"


def _value_text(value: Any) -> str:
    try:
        return repr(value)
    except ValueError:
        return _with_long_integers(value)


def _with_long_integers(value: Any) -> str:
    if isinstance(value, int):
        return hex(value)
    if isinstance(value, dict):
        pairs = (f"{_value_text(key)}: {_value_text(each)}" for key, each in value.items())
        return "{" + ", ".join(pairs) + "}"
    if type(value) in _BRACKETS:
        first, last = _BRACKETS[type(value)]
        return first + ", ".join(map(_value_text, value)) + last
    return "…"
