"""Rewrites a test module: checks its comparisons for forgery and adds two tests with known outcomes.

This runs before any code of the suite. The checking functions are constants of the code itself, so the
namespace of the module has no reference to them.
"""

from __future__ import annotations

import ast
import secrets
import warnings
from types import CodeType
from typing import Any, NamedTuple

from . import suite_checks

_OPS = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}
# Nodes without comparisons below them, and values that are not nodes.
_LEAVES = frozenset(
    {ast.Name, ast.Constant, ast.Load, ast.Store, ast.alias, ast.Import, ast.ImportFrom, ast.Pass}
)
_LEAVES |= {type(None), str, int, bool, *_OPS, *ast.operator.__subclasses__(), *ast.unaryop.__subclasses__()}
_MODULE_WIDE = {"pytestmark", "setup_module", "setup_function", "setUpModule", "setup"}
_MODULE_WIDE |= {"teardown_module", "teardown_function", "tearDownModule", "teardown"}


class Canary(NamedTuple):
    """The names of the two functions that are added."""

    passing: str
    failing: str


def rewritten(source: str | bytes, path: str, canary: Canary | None) -> CodeType:
    """Return the rewritten code of the module. Raises the exceptions of compile."""
    tree = _parsed(source, path)
    if canary is not None:
        tree.body += _canaries(canary, after=tree.body[-1] if tree.body else None)
    marks = {secrets.token_hex(12): suite_checks.compared, secrets.token_hex(12): suite_checks.explained}
    _watch(tree, *marks)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # constants that are called like functions: see `_with`
        code: CodeType = compile(tree, path, "exec", dont_inherit=True)
    return _with(code, marks)


_trees: dict[tuple[str | bytes, str], ast.Module] = {}  # parsing costs as much as a test


def _parsed(source: str | bytes, path: str) -> ast.Module:
    """Return a tree that the caller may change."""
    return _trees.pop((source, path), None) or ast.parse(source, path)


def governs_all(source: str | bytes, path: str) -> bool:
    """Return whether marks, set-up or fixtures of the module would also affect added tests."""
    if b"autouse" in (source if isinstance(source, bytes) else source.encode("utf-8", "replace")):
        return True
    tree = _trees[source, path] = _parsed(source, path)
    return any(not _MODULE_WIDE.isdisjoint(_bound_names(node)) for node in tree.body)


def _bound_names(node: ast.stmt) -> set[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return {node.name}
    if isinstance(node, ast.Assign | ast.AnnAssign):
        return {name.id for name in ast.walk(node) if isinstance(name, ast.Name)}
    return set()


def canary_source(canary: Canary) -> str:
    """Return two tests with random numbers, which occur in no other text."""
    number = secrets.randbelow(10**6)
    return (
        f"def {canary.passing}():\n    number = {number}\n    assert number + 1 == {number + 1}\n"
        f"def {canary.failing}():\n    number = {number}\n    assert number + 1 == {number + 2}\n"
    )


def _canaries(canary: Canary, *, after: ast.stmt | None) -> list[ast.stmt]:
    line = (after.end_lineno or after.lineno) if after is not None else 0
    return ast.parse("\n" * line + canary_source(canary)).body  # faster than moving the nodes


def _watch(node: ast.AST, compare: str, explain: str) -> None:
    """Rewrite all nodes below a node in place. `ast.NodeTransformer` takes three times as long."""
    for name in node._fields:
        value: Any = getattr(node, name, None)
        if type(value) is list:
            for at, each in enumerate(value):
                if type(each) not in _LEAVES:
                    value[at] = _watched(each, compare, explain)
        elif type(value) not in _LEAVES:
            setattr(node, name, _watched(value, compare, explain))


def _watched(node: ast.AST, compare: str, explain: str) -> ast.AST:
    """Rewrite single comparisons (a chain evaluates its right side conditionally), and asserts without a
    message, which then show the last false comparison."""
    _watch(node, compare, explain)
    if type(node) is ast.Compare and len(node.ops) == 1 and type(node.ops[0]) in _OPS:
        return _call(node, compare, ast.Constant(_OPS[type(node.ops[0])]), node.left, node.comparators[0])
    if type(node) is ast.Assert and node.msg is None:
        node.msg = _call(node.test, explain)
    return node


def _call(at: ast.expr, mark: str, *arguments: ast.expr) -> ast.Call:
    call = ast.Call(ast.Constant(mark), list(arguments), [])
    for new in (call, call.func, *arguments[:1]):
        ast.copy_location(new, at)
    return call


def _with(code: CodeType, functions: dict[str, Any]) -> CodeType:
    """Replace the marker texts in the code by functions, which a tree cannot contain."""
    constants = tuple(
        _with(each, functions)
        if isinstance(each, CodeType)
        else functions.get(each, each)
        if isinstance(each, str)
        else each
        for each in code.co_consts
    )
    return code.replace(co_consts=constants)
