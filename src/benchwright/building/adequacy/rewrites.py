"""Rewrites of the canonical solution: programs with the same behaviour, which the tests must accept."""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Callable, Iterator

_NAMES_MATTER = frozenset({"locals", "globals", "vars", "eval", "exec", "dir", "inspect", "sys"})
_FLIPPED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE, ast.Eq: ast.Eq, ast.NotEq: ast.NotEq
}  # fmt: skip
_WORD = re.compile(r"[^\W\d]\w*")
_FunctionDef = ast.FunctionDef | ast.AsyncFunctionDef
_Scope = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def rewrites(gold: str, entry_point: str) -> dict[str, str]:
    """Whole programs by kind of rewrite; none for a program that does not parse or inspects its own names.

    Only the function of that name is rewritten; formatting and comments of the module may be lost.
    """
    try:
        module = ast.parse(gold)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    if any(isinstance(node, ast.Name) and node.id in _NAMES_MATTER for node in ast.walk(module)):
        return {}
    found, plain = {}, ast.dump(module)
    for name, change in _CHANGES.items():
        changed = copy.deepcopy(module)
        for node in changed.body:
            if isinstance(node, _FunctionDef) and node.name == entry_point:
                change(node)
        if ast.dump(changed) != plain:
            found[name] = ast.unparse(ast.fix_missing_locations(changed)) + "\n"
    return found


def _rename(function: _FunctionDef) -> None:
    """New names for variables of the function that are not also a parameter, definition or import.

    A variable keeps its name if a string contains it as a word: pandas' `query` evaluates its text.
    """
    reserved = set(_bound_otherwise(function)) | set(_words_of_texts(function))
    mine = {node.id for node in _names(function) if isinstance(node.ctx, ast.Store)} - reserved
    fresh = {name: f"{name}_renamed" for name in mine}
    for node in _names(function):
        node.id = fresh.get(node.id, node.id)


def _words_of_texts(function: _FunctionDef) -> Iterator[str]:
    for node in ast.walk(function):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from _WORD.findall(node.value)


def _names(function: _FunctionDef) -> Iterator[ast.Name]:
    return (node for node in ast.walk(function) if isinstance(node, ast.Name))


def _bound_otherwise(function: _FunctionDef) -> Iterator[str]:
    for node in ast.walk(function):
        match node:
            case ast.arg(arg=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name
            case ast.ExceptHandler(name=str(name)) | ast.MatchStar(name=str(name)):
                yield name
            case ast.MatchAs(name=str(name)) | ast.MatchMapping(rest=str(name)):
                yield name
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                yield from names
            case ast.alias(name=name, asname=other):
                yield other or name.partition(".")[0]
            case ast.ClassDef():  # its variables are attributes
                yield node.name
                yield from (inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name))


def _swap_branches(function: _FunctionDef) -> None:
    for node in ast.walk(function):
        if (isinstance(node, ast.If) and node.orelse) or isinstance(node, ast.IfExp):
            node.test = ast.UnaryOp(ast.Not(), node.test)
            node.body, node.orelse = node.orelse, node.body


def _flip_comparisons(function: _FunctionDef) -> None:
    """Swap the sides of comparisons whose evaluation has no side effect."""
    for node in ast.walk(function):
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _FLIPPED:
            left, right = node.left, node.comparators[0]
            if isinstance(left, ast.Name | ast.Constant) and isinstance(right, ast.Name | ast.Constant):
                node.left, node.comparators = right, [left]
                node.ops = [_FLIPPED[type(node.ops[0])]()]


class _ForAsWhile(ast.NodeTransformer):
    """Rewrite each `for` as a `while` over its iterator."""

    def __init__(self) -> None:
        self.count = 0

    def visit_For(self, node: ast.For) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        if node.orelse:
            return node
        self.count += 1
        name = f"iterator_{self.count}"
        begin = ast.parse(f"{name} = iter(None)").body[0]
        step = ast.parse(
            f"while True:\n  try:\n    _ = next({name})\n  except StopIteration:\n    break"
        ).body[0]
        assert isinstance(begin, ast.Assign)
        assert isinstance(begin.value, ast.Call)
        assert isinstance(step, ast.While)
        begin.value.args = [node.iter]
        first = step.body[0]
        assert isinstance(first, ast.Try)
        assert isinstance(first.body[0], ast.Assign)
        first.body[0].targets = [node.target]
        step.body += node.body
        return [begin, step]


class _ReturnByVariable(ast.NodeTransformer):
    """Assign each value to a variable before returning it."""

    def visit_Return(self, node: ast.Return) -> ast.AST | list[ast.stmt]:
        if node.value is None:
            return node
        assignment = ast.Assign([ast.Name("returned", ast.Store())], node.value)
        return [assignment, ast.Return(ast.Name("returned", ast.Load()))]


def _as_while(function: _FunctionDef) -> None:
    _ForAsWhile().visit(function)


def _by_variable(function: _FunctionDef) -> None:
    _ReturnByVariable().visit(function)


_CHANGES: dict[str, Callable[[_FunctionDef], None]] = {
    "renamed variables": _rename,
    "swapped branches": _swap_branches,
    "flipped comparisons": _flip_comparisons,
    "for as while": _as_while,
    "returned by a variable": _by_variable,
}
