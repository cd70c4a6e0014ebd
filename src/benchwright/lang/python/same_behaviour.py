"""A Python file that does the same with another text and another bytecode."""

from __future__ import annotations

import ast

from benchwright.lang.python.tree import parse
from benchwright.lang.source_errors import SyntaxFault


def with_idle_lines(code: str, word: str) -> str:
    """The file with an assignment to an unused name in each function; unchanged if it does not parse."""
    tree = parse(code)
    if isinstance(tree, SyntaxFault):
        return code
    lines = code.split("\n")
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    places = [_place(node) for node in ast.walk(tree) if isinstance(node, functions)]
    for line, column in sorted((place for place in places if place), reverse=True):
        lines.insert(line - 1, f"{lines[line - 1][:column]}{word} = None")
    return "\n".join(lines)


def _place(node: ast.FunctionDef | ast.AsyncFunctionDef) -> tuple[int, int] | None:
    """Line and column of the first statement after the docstring; None if it shares the line of the head."""
    body = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
    body = [each for each in body if not isinstance(each, ast.Global | ast.Nonlocal)] or node.body
    first = body[0]
    start = min([first.lineno, *(each.lineno for each in getattr(first, "decorator_list", []))])
    shared = start == node.lineno or any(each.end_lineno == start for each in node.body if each is not first)
    return None if shared else (start, first.col_offset)
