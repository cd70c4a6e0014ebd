"""Slips of the pen in Python source, found in the tree and made in the text. Kinds as in `lang.breaking`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from benchwright.lang.breaking import misspelt
from benchwright.lang.mutations import Edit, TextEdit
from benchwright.lang.python.mutations import PythonText, statements_and_values

_COLON = re.compile(rb"[ \t]*\)?[ \t]*:")
_CLOSED = (ast.Call, ast.List, ast.Dict, ast.Subscript)


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
        if isinstance(node, _CLOSED):
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
    if (wrong := misspelt(name)) and source.data[start:end] == name.encode():
        yield Edit("misspelt", [TextEdit(start, end, wrong)])


def _without_import(source: PythonText, statement: ast.Import | ast.ImportFrom) -> Iterator[Edit]:
    """Remove an import of one line; imports from `__future__` follow other rules."""
    start, end = source.span(statement)
    after = source.data.find(b"\n", end) + 1 or len(source.data)
    is_alone = statement.col_offset == 0 and not source.data[end:after].strip()
    if is_alone and getattr(statement, "module", "") != "__future__":
        yield Edit("import", [TextEdit(start, after, "")])
