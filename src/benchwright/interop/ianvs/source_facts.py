"""Objects that a Python file of an Ianvs example registers, from its syntax tree; nothing is executed."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from benchwright.text.syntax import ParseFault, parse

MAX_SOURCE = 1 << 20


class Callable(NamedTuple):
    """Signature of a function or method, without `self`."""

    name: str
    line: int
    parameters: tuple[str, ...]
    takes_any: bool  # has **kwargs


class Registered(NamedTuple):
    """A class or function that is registered with Sedna's ClassFactory. `alias` is its name there."""

    alias: str
    line: int
    is_class: bool
    bases: bool  # a class that inherits: what it lacks here may be there
    call: Callable  # the function itself, or the class's __init__
    methods: dict[str, Callable]


class SourceFacts(NamedTuple):
    """Objects that a file registers, or the reason why it cannot be parsed."""

    registered: list[Registered]
    fault: str = ""
    line: int = 1
    in_loops: bool = False  # something is registered by a call: its alias is known to a running program only

    def find(self, alias: str) -> Registered | None:
        """Return the object registered under a name; the last one counts, as in ClassFactory."""
        return next((each for each in reversed(self.registered) if each.alias == alias), None)


def read_source(path: Path) -> SourceFacts:
    """Read the facts of a file; for an unreadable one, the reason."""
    try:
        with path.open("rb") as stream:
            text = stream.read(MAX_SOURCE + 1).decode()
    except OSError as error:
        return SourceFacts([], error.strerror or "it cannot be read")
    except UnicodeDecodeError:
        return SourceFacts([], "it is not UTF-8")
    if len(text) > MAX_SOURCE:
        return SourceFacts([], f"more than {MAX_SOURCE:,} characters")
    tree = parse(text)
    if isinstance(tree, ParseFault):
        return SourceFacts([], tree.message, tree.line or 1)
    found = [each for node in tree.body for each in _registered(node)]
    return SourceFacts(found, in_loops=any(map(_registers_by_call, _expressions(tree))))


def _registered(node: ast.stmt) -> Iterator[Registered]:
    if not isinstance(node, ast.ClassDef | ast.FunctionDef):
        return
    for decorator in node.decorator_list:
        if isinstance(decorator, ast.Call) and _is_register(decorator.func):
            yield _facts(node, _alias(decorator) or node.name)


def _facts(node: ast.ClassDef | ast.FunctionDef, alias: str) -> Registered:
    if isinstance(node, ast.FunctionDef):
        return Registered(alias, node.lineno, False, False, _callable(node, skip=0), {})
    methods = {
        each.name: _callable(each, skip=1)
        for each in node.body
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    init = methods.get("__init__", Callable("__init__", node.lineno, (), False))
    return Registered(alias, node.lineno, True, bool(node.bases), init, methods)


def _callable(node: ast.FunctionDef | ast.AsyncFunctionDef, *, skip: int) -> Callable:
    named = [each.arg for each in (*node.args.posonlyargs, *node.args.args)][skip:]
    names = (*named, *(each.arg for each in node.args.kwonlyargs))
    return Callable(node.name, node.lineno, names, node.args.kwarg is not None)


def _alias(decorator: ast.Call) -> str:
    for keyword in decorator.keywords:
        if keyword.arg == "alias" and isinstance(keyword.value, ast.Constant):
            return str(keyword.value.value)
    return ""


def _is_register(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "register"


def _registers_by_call(node: ast.expr) -> bool:
    """Return whether an expression is `ClassFactory.register(…)(thing)`."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Call) and _is_register(node.func.func)


def _expressions(tree: ast.Module) -> Iterator[ast.expr]:
    """Yield expression statements of a module, including those in loops and branches."""
    waiting: list[ast.stmt] = list(tree.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Expr):
            yield node.value
        elif isinstance(node, ast.For | ast.While | ast.If | ast.With | ast.Try):
            waiting.extend(node.body)
