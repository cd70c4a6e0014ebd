"""Uses of a Python module in executed lines; lines that were not executed cannot make a test unsteady."""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Collection, Iterator

from benchwright.lang.python.tree import Function, bound_names, first_line, last_line, parse
from benchwright.lang.python.uses import python_uses
from benchwright.lang.source_errors import SyntaxFault

_BY_MAKING = frozenset(
    ["__init__", "__new__", "__call__", "__set_name__", "__init_subclass__", "__post_init__"]
)
_BLOCKS = ("body", "orelse", "finalbody")
_WORD = re.compile(r"[^\W\d]\w*")
_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def _loaded_uses(focal: ast.Module) -> set[str]:
    """Return the uses of everything that loading a module can reach by name.

    Functions, classes and methods count if their name is a word of reached code; all other statements of the
    module run on import and always count. Special methods count with their class if creating an object, or a
    built-in function of their name, calls them.
    """
    units = list(_units(focal))
    words = set[str]()
    for unit, _ in units:
        if not isinstance(unit, _Definition | ast.Import | ast.ImportFrom):
            words.update(_words(unit))
    reached: set[int] = set()
    while True:
        new = [
            unit
            for unit, owner in units
            if id(unit) not in reached
            and _is_reached(unit, words, is_owned=owner is None or id(owner) in reached)
        ]
        if not new:
            break
        for unit in new:
            reached.add(id(unit))
            words.update(_head_words(unit))
    return python_uses(
        ast.Module(body=[_pruned(unit, reached, words) for unit in focal.body], type_ignores=[])
    )


def executed_uses(focal_code: str, lines: Collection[int]) -> set[str] | None:
    """Return the uses of executed lines, and of everything that loading the module can reach.

    None for a text that does not parse. Functions that only a call of another line leads to do not count.
    """
    focal = parse(focal_code)
    if isinstance(focal, SyntaxFault):
        return None
    statements = [_executed(each, frozenset(lines)) for each in focal.body]
    words = {
        word
        for each in statements
        if not isinstance(each, ast.Import | ast.ImportFrom)
        for word in _words(each)
    }
    body = [_pruned(each, set(map(id, statements)), words) for each in statements]
    return _loaded_uses(focal) | python_uses(ast.Module(body=body, type_ignores=[]))


def _executed(statement: ast.stmt, lines: frozenset[int]) -> ast.stmt:
    """Return a statement of a module or class with the executed code of its functions."""
    if isinstance(statement, Function):
        return _inside(statement, lines)
    pruned = copy.copy(statement)
    for name in _BLOCKS:
        if isinstance(inside := getattr(pruned, name, None), list):
            setattr(pruned, name, [_executed(each, lines) for each in inside])
    return pruned


def _inside(statement: ast.stmt, lines: frozenset[int]) -> ast.stmt:
    """Return a statement of a function with the executed code of its blocks."""
    pruned = copy.copy(statement)
    for name in _BLOCKS:
        if isinstance(inside := getattr(pruned, name, None), list):
            setattr(pruned, name, [_inside(each, lines) for each in inside if _is_executed(each, lines)])
    if isinstance(pruned, ast.Try | ast.TryStar):
        pruned.handlers = [_handler(each, lines) for each in pruned.handlers]
    return pruned


def _handler(handler: ast.ExceptHandler, lines: frozenset[int]) -> ast.ExceptHandler:
    body = [_inside(each, lines) for each in handler.body if _is_executed(each, lines)]
    return ast.ExceptHandler(type=handler.type, name=handler.name, body=body)


def _is_executed(statement: ast.stmt, lines: frozenset[int]) -> bool:
    return not lines.isdisjoint(range(first_line(statement), last_line(statement) + 1))


def _units(module: ast.Module) -> Iterator[tuple[ast.stmt, ast.ClassDef | None]]:
    """Yield the module's statements, and those of its classes with the class."""
    for node in module.body:
        yield node, None
        if isinstance(node, ast.ClassDef):
            yield from ((each, node) for each in node.body)


def _is_reached(unit: ast.stmt, words: set[str], *, is_owned: bool) -> bool:
    """Return whether a unit is reached. `is_owned`: its class is reached, or it has none."""
    if isinstance(unit, Function) and unit.name.startswith("__"):
        return is_owned and (unit.name in _BY_MAKING or unit.name.strip("_") in words)
    return not isinstance(unit, _Definition) or unit.name in words


def _head_words(unit: ast.stmt) -> set[str]:
    if isinstance(unit, ast.ClassDef):
        parts: list[ast.AST] = [*unit.bases, *unit.keywords, *unit.decorator_list]
        return {word for part in parts for word in _words(part)}
    return set() if isinstance(unit, ast.Import | ast.ImportFrom) else set(_words(unit))


def _pruned(unit: ast.stmt, reached: set[int], words: set[str]) -> ast.stmt:
    """Return the statement, or `pass` if it is not reached; a class keeps its reached members."""
    if isinstance(unit, ast.Import | ast.ImportFrom):
        names = {name.partition(".")[0] for name in bound_names(unit)}
        return unit if "*" in names or not names.isdisjoint(words) else ast.Pass()
    if isinstance(unit, _Definition) and id(unit) not in reached:
        return ast.Pass()
    if isinstance(unit, ast.ClassDef):
        body = [_pruned(each, reached, words) for each in unit.body]
        return ast.ClassDef(
            name=unit.name,
            bases=unit.bases,
            keywords=unit.keywords,
            body=body,
            decorator_list=unit.decorator_list,
        )
    return unit


def _executable(root: ast.AST) -> Iterator[ast.AST]:
    """Yield a node and its descendants except annotations and docstrings, which call nothing."""
    stack = [root]
    while stack:
        node = stack.pop()
        yield node
        for name, value in ast.iter_fields(node):
            children = value if isinstance(value, list) else [value]
            is_remark = isinstance(node, ast.Expr) and isinstance(value, ast.Constant)
            if name not in ("annotation", "returns") and not is_remark:
                stack.extend(each for each in children if isinstance(each, ast.AST))


def _words(node: ast.AST) -> Iterator[str]:
    for each in _executable(node):
        if isinstance(each, ast.Name):
            yield each.id
        elif isinstance(each, ast.Attribute) and not isinstance(each.ctx, ast.Store):
            yield each.attr
        elif isinstance(each, ast.alias):
            yield from _WORD.findall(each.name)
        elif isinstance(each, ast.Constant) and isinstance(each.value, str):
            yield from _WORD.findall(each.value[:2000])
