"""Decorators and marks of pytest and its relatives: what is a fixture, what runs several times."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from benchwright.lang.python.tree import Function, all_nodes, decorator_name

_MANY = {"parametrize", "parameterize", "expand", "parameterized", "parameterized_class", "data", "file_data"}
_FIXTURES = {"fixture", "yield_fixture"}


def is_fixture(node: Function) -> bool:
    """True for a function that pytest calls for others and not as a test."""
    return any(_last(each) in _FIXTURES for each in node.decorator_list)


def is_parametrised(nodes: Sequence[ast.AST]) -> bool:
    """True when a decorator, or a `pytestmark` among statements, makes tests run several times."""
    return any(_is_mark(node) for node in nodes)


def parametrised_fixtures(module: ast.Module) -> set[str]:
    """Names of fixtures with `params`, and of those that use them."""
    fixtures = {
        node.name: node
        for node in all_nodes(module)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and is_fixture(node)
    }
    users: dict[str, list[str]] = {}
    for name, node in fixtures.items():
        for argument in node.args.args:
            users.setdefault(argument.arg, []).append(name)
    stack = [name for name, node in fixtures.items() if _has_params(node)]
    many: set[str] = set()
    while stack:
        name = stack.pop()
        if name not in many:
            many.add(name)
            stack += users.get(name, [])
    return many


def _has_params(node: Function) -> bool:
    calls = (each for each in node.decorator_list if isinstance(each, ast.Call))
    return any(keyword.arg == "params" for call in calls for keyword in call.keywords)


def _is_mark(node: ast.AST) -> bool:
    if isinstance(node, ast.expr):
        return _last(node) in _MANY
    if isinstance(node, ast.Assign):
        marked = any(isinstance(each, ast.Name) and each.id == "pytestmark" for each in node.targets)
        return marked and any(
            isinstance(each, ast.Attribute) and each.attr in _MANY for each in ast.walk(node.value)
        )
    return False


def _last(node: ast.expr) -> str:
    return decorator_name(node).rpartition(".")[2]
