"""A test module as it is executed: comparisons watched, and two tests added whose end is known.

This runs before anything of the suite does. The functions that watch are put into the code itself as
constants: nothing in the module's namespace refers to them.
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
# Nothing below these is compared, and what is no node at all.
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
    """The module's code. Raises what compile raises."""
    tree = _parsed(source, path)
    if canary is not None:
        tree.body += _canaries(canary, after=tree.body[-1] if tree.body else None)
    marks = {secrets.token_hex(12): suite_checks.compared, secrets.token_hex(12): suite_checks.explained}
    _watch(tree, *marks)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of text that is called like a function: see `_with`
        code: CodeType = compile(tree, path, "exec", dont_inherit=True)
    return _with(code, marks)


_looked_at: dict[tuple[str | bytes, str], ast.Module] = {}  # a parse costs as much as a test


def _parsed(source: str | bytes, path: str) -> ast.Module:
    """A tree for the caller alone, which may change it."""
    return _looked_at.pop((source, path), None) or ast.parse(source, path)


def governs_all(source: str | bytes, path: str) -> bool:
    """Whether marks, set-up or fixtures of the module would also reach tests that are added to it."""
    if b"autouse" in (source if isinstance(source, bytes) else source.encode("utf-8", "replace")):
        return True
    tree = _looked_at[source, path] = _parsed(source, path)
    return any(not _MODULE_WIDE.isdisjoint(_bound(node)) for node in tree.body)


def _bound(node: ast.stmt) -> set[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return {node.name}
    if isinstance(node, ast.Assign | ast.AnnAssign):
        return {name.id for name in ast.walk(node) if isinstance(name, ast.Name)}
    return set()


def canary_source(canary: Canary) -> str:
    """Two tests. Their numbers are drawn, so what they compare with is in no other text."""
    number = secrets.randbelow(10**6)
    return (
        f"def {canary.passing}():\n    number = {number}\n    assert number + 1 == {number + 1}\n"
        f"def {canary.failing}():\n    number = {number}\n    assert number + 1 == {number + 2}\n"
    )


def _canaries(canary: Canary, *, after: ast.stmt | None) -> list[ast.stmt]:
    line = (after.end_lineno or after.lineno) if after is not None else 0
    return ast.parse("\n" * line + canary_source(canary)).body  # a walk to move them takes longer


def _watch(node: ast.AST, compare: str, explain: str) -> None:
    """Have all below a node watched, in place. `ast.NodeTransformer` takes three times as long."""
    for name in node._fields:
        value: Any = getattr(node, name, None)
        if type(value) is list:
            for at, each in enumerate(value):
                if type(each) not in _LEAVES:
                    value[at] = _watched(each, compare, explain)
        elif type(value) not in _LEAVES:
            setattr(node, name, _watched(value, compare, explain))


def _watched(node: ast.AST, compare: str, explain: str) -> ast.AST:
    """A single comparison only: a chain evaluates its right side depending on its left. An assert without
    a text of its own tells the comparison that was false last."""
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
    """The code with functions in the place of the texts that mark them: a tree may hold no function."""
    constants = tuple(
        _with(each, functions)
        if isinstance(each, CodeType)
        else functions.get(each, each)
        if isinstance(each, str)
        else each
        for each in code.co_consts
    )
    return code.replace(co_consts=constants)
