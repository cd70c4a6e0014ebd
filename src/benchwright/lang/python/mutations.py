"""Edits of Python source by tree nodes, edits that stop it from loading, and explained load errors.

Kinds: "compare" (a comparison becomes its negation), "boundary" (`<` becomes `<=`), "logic" (and, or),
"negate" (a condition), "boolean" (True, False), "constant" (an integer, one more), "arithmetic" (another
operator), "return" (None), "arguments" (the first two of a call, swapped). They leave marks that a reader
would notice, so rows of a data set are made with the slips of `python.slips` instead.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from benchwright.lang.compile_faults import misspell
from benchwright.lang.lines import split
from benchwright.lang.protocol import PairTexts
from benchwright.lang.text_edits import ARITHMETIC, BOUNDARY, NEGATED, Edit, TextEdit

KINDS = ("compare", "boundary", "logic", "negate", "boolean", "constant", "arithmetic", "return", "arguments")
_GAP = r"(?:\s|\\|#[^\r\n]*)+"
_OPERATOR = re.compile(
    rf"#[^\r\n]*|(not{_GAP}in\b|is{_GAP}not\b|in\b|is\b|and\b|or\b|<<|>>|<=|>=|==|!=|//|\*\*|[-+*/%<>@&|^])"
)
_WORDS = {"in": "not in", "not in": "in", "is": "is not", "is not": "is", "and": "or", "or": "and"}


def python_edits(module: ast.Module, code: str) -> Iterator[Edit]:
    """Yield every change that the tree allows, in no order."""
    source = _Source(code)
    for node in statements_and_values(module):
        match node:
            case ast.Compare():
                yield from source.comparisons(node)
            case ast.BoolOp():
                yield from source.logic(node)
            case ast.BinOp():
                yield from source.operators("arithmetic", node.left, node.right, ARITHMETIC)
            case ast.AugAssign():
                yield from source.operators("arithmetic", node.target, node.value, ARITHMETIC)
            case ast.Constant():
                yield from source.constant(node)
            case ast.If() | ast.While() | ast.IfExp():
                yield Edit("negate", [source.place(node.test, f"not ({source.text(node.test)})")])
            case ast.Return(value=ast.expr() as value) if not _is_none(value):
                yield Edit("return", [source.place(value, "None")])
            case ast.Call():
                yield from source.swapped_arguments(node)


def statements_and_values(module: ast.Module) -> Iterator[ast.AST]:
    """Return all nodes except annotations, which run nothing, and the content of f-strings, whose positions
    are wrong in 3.11."""
    stack: list[ast.AST] = [module]
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, ast.JoinedStr):
            unread = {id(getattr(node, name, None)) for name in ("annotation", "returns")}
            stack.extend(child for child in ast.iter_child_nodes(node) if id(child) not in unread)


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


class PythonText:
    """The text by the positions of its tree: lines from 1, columns in bytes."""

    def __init__(self, code: str) -> None:
        self.data = code.encode()
        self.starts = [0]
        for line in split(code):
            self.starts.append(self.starts[-1] + len(line.encode()))
        self.mark = 3 if code.startswith("\ufeff") else 0  # which the parser skips

    def at(self, line: int, column: int) -> int:
        """Return the byte offset of a line and column of the tree."""
        return self.starts[line - 1] + column + (self.mark if line == 1 else 0)

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """Return the start and end of a node."""
        assert node.end_lineno is not None and node.end_col_offset is not None
        return self.at(node.lineno, node.col_offset), self.at(node.end_lineno, node.end_col_offset)

    def text(self, node: ast.expr | ast.stmt) -> str:
        """Return the source of a node."""
        start, end = self.span(node)
        return self.data[start:end].decode()

    def place(self, node: ast.expr | ast.stmt, text: str) -> TextEdit:
        """Replace a node by another text."""
        return TextEdit(*self.span(node), text)


class OperatorText(PythonText):
    """The text, and the operators in it."""

    def operator(self, left: ast.expr, right: ast.expr) -> tuple[int, str] | None:
        """Return the range of the operator between two expressions, and its words with single spaces."""
        start, end = self.span(left)[1], self.span(right)[0]
        between = self.data[start:end].decode()
        for found in _OPERATOR.finditer(between):
            if found.group(1):
                return start + len(between[: found.start()].encode()), found.group(1)
        return None

    def operators(self, kind: str, left: ast.expr, right: ast.expr, table: dict[str, str]) -> Iterator[Edit]:
        """Replace the operator between two expressions, if the table has it."""
        found = self.operator(left, right)
        if found is not None:
            start, text = found
            plain = " ".join(re.sub(r"#[^\r\n]*|\\", " ", text).split())
            if plain in table:
                yield Edit(kind, [TextEdit(start, start + len(text.encode()), table[plain])])


class _Source(OperatorText):
    """The changes of one node of the tree."""

    def comparisons(self, node: ast.Compare) -> Iterator[Edit]:
        for left, right in zip([node.left, *node.comparators], node.comparators, strict=False):
            yield from self.operators("compare", left, right, NEGATED | _WORDS)
            yield from self.operators("boundary", left, right, BOUNDARY)

    def logic(self, node: ast.BoolOp) -> Iterator[Edit]:
        pairs = zip(node.values, node.values[1:], strict=False)
        edits = [edit for left, right in pairs for edit in self.operators("logic", left, right, _WORDS)]
        yield Edit("logic", [place for edit in edits for place in edit.places])

    def constant(self, node: ast.Constant) -> Iterator[Edit]:
        if isinstance(node.value, bool):
            yield Edit("boolean", [self.place(node, str(not node.value))])
        elif isinstance(node.value, int) and node.value.bit_length() < 1000:  # printable
            yield Edit("constant", [self.place(node, str(node.value + 1))])

    def swapped_arguments(self, node: ast.Call) -> Iterator[Edit]:
        if (
            len(node.args) < 2
            or isinstance(node.args[0], ast.Starred)
            or isinstance(node.args[1], ast.Starred)
        ):
            return
        first, second = node.args[:2]
        bare = (ast.Yield, ast.YieldFrom)  # only whole, inside its own brackets, which stay
        if not isinstance(first, bare) and not isinstance(second, bare):
            texts = self.text(first), self.text(second)
            if texts[0] != texts[1]:
                yield Edit("arguments", [self.place(first, texts[1]), self.place(second, texts[0])])


_COLON = re.compile(rb"[ \t]*\)?[ \t]*:")
_BRACKETED = (ast.Call, ast.List, ast.Dict, ast.Subscript)


def python_breaks(module: ast.Module, code: str) -> Iterator[Edit]:
    """Yield every fault that the tree allows, in no order."""
    source = PythonText(code)
    for node in statements_and_values(module):
        match node:
            case ast.If(test=last) | ast.While(test=last) | ast.For(iter=last):
                yield from _without_colon(source, last)
            case ast.Name(ctx=ast.Load(), id=name):
                yield from _respelt(source, node, name)
            case ast.Attribute(ctx=ast.Load(), attr=name):
                yield from _respelt(source, node, name)
        if isinstance(node, _BRACKETED):
            yield from _without_bracket(source, node)
    for statement in module.body:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            yield from _without_import(source, statement)


def _without_colon(source: PythonText, last: ast.expr) -> Iterator[Edit]:
    _, end = source.span(last)
    if match := _COLON.match(source.data, end):
        yield Edit("colon", [TextEdit(match.end() - 1, match.end(), "")])


def _without_bracket(source: PythonText, node: ast.expr) -> Iterator[Edit]:
    _, end = source.span(node)
    if source.data[end - 1 : end] in (b")", b"]", b"}"):
        yield Edit("bracket", [TextEdit(end - 1, end, "")])


def _respelt(source: PythonText, node: ast.expr, name: str) -> Iterator[Edit]:
    """Misspell a name where it is used; an attribute's name is at the end of its node."""
    _, end = source.span(node)
    start = end - len(name.encode())
    if (wrong := misspell(name)) and source.data[start:end] == name.encode():
        yield Edit("misspelt", [TextEdit(start, end, wrong)])


def _without_import(source: PythonText, statement: ast.Import | ast.ImportFrom) -> Iterator[Edit]:
    """Remove an import of one line; imports from `__future__` follow other rules."""
    start, end = source.span(statement)
    after = source.data.find(b"\n", end) + 1 or len(source.data)
    is_alone = statement.col_offset == 0 and not source.data[end:after].strip()
    if is_alone and getattr(statement, "module", "") != "__future__":
        yield Edit("import", [TextEdit(start, after, "")])


_NOT_IMPORTED = re.compile(
    r"ImportError: cannot import name '(\w{1,200})' from '[\w.]{1,200}' \((.{1,300})\)"
)


def python_shows_why(pair: PairTexts, errors: str) -> bool:
    """Return whether the test imports a name that the focal file does not contain."""
    match = _NOT_IMPORTED.search(errors)
    if match is None or not pair.focal_path.endswith(match[2].rpartition("/")[2]):
        return False
    code = pair.focal_code
    return re.search(rf"\b{match[1]}\b", code) is None and "import *" not in code
