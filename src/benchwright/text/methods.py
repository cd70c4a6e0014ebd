"""Binding of a method to a global name, for answers with a `class Solution`."""

from __future__ import annotations

import ast
from collections.abc import Sequence

_PLAIN = frozenset({"staticmethod", "classmethod"})


def method_binding(statements: Sequence[ast.stmt], name: str) -> str | None:
    """Return a line that binds `name` to the method of that name; None unless exactly one class has it.

    Static and class methods are bound to the class, others to an instance made without arguments.
    """
    found = [
        (owner, method)
        for owner in statements
        if isinstance(owner, ast.ClassDef)
        for method in owner.body
        if isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef) and method.name == name
    ]
    if len(found) != 1:
        return None
    owner, method = found[0]
    decorators = {each.id for each in method.decorator_list if isinstance(each, ast.Name)}
    if decorators & _PLAIN:
        return f"{name} = {owner.name}.{name}"
    return f"{name} = {owner.name}().{name}" if _takes_nothing(owner) else None


def _takes_nothing(owner: ast.ClassDef) -> bool:
    """Return whether the class's own `__init__` permits an instance without arguments."""
    made = next((each for each in owner.body if getattr(each, "name", "") == "__init__"), None)
    if not isinstance(made, ast.FunctionDef):
        return True
    positional = len(made.args.posonlyargs) + len(made.args.args) - len(made.args.defaults)
    return positional <= 1 and None not in made.args.kw_defaults
