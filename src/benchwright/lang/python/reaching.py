"""What of a Python module a test can reach by name: the rest of it cannot make the test unsteady."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from benchwright.lang.faults import SyntaxFault
from benchwright.lang.python.tree import Function, bound_names, parse
from benchwright.lang.python.uses import python_uses

_WORD = re.compile(r"[^\W\d]\w*")
_Named = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def reached_uses(focal_code: str, test_code: str) -> set[str] | None:
    """The uses of what the test reaches in the focal file; None where either does not parse.

    Functions, classes and methods count when their name is a word of what is reached; all other statements
    of the module run on import and count always. Special methods count with their class.
    """
    focal, test = parse(focal_code), parse(test_code)
    if isinstance(focal, SyntaxFault) or isinstance(test, SyntaxFault):
        return None
    units = list(_units(focal))
    words = set(_words(test))
    for unit in units:
        if not isinstance(unit, _Named | ast.Import | ast.ImportFrom):
            words.update(_words(unit))
    reached: set[int] = set()
    while True:
        new = [unit for unit in units if id(unit) not in reached and _is_reached(unit, words)]
        if not new:
            break
        for unit in new:
            reached.add(id(unit))
            words.update(_head_words(unit))
    return python_uses(
        ast.Module(body=[_pruned(unit, reached, words) for unit in focal.body], type_ignores=[])
    )


def _units(module: ast.Module) -> Iterator[ast.stmt]:
    for node in module.body:
        yield node
        if isinstance(node, ast.ClassDef):
            yield from node.body


def _is_reached(unit: ast.stmt, words: set[str]) -> bool:
    if isinstance(unit, Function) and unit.name.startswith("__"):
        return True
    return not isinstance(unit, _Named) or unit.name in words


def _head_words(unit: ast.stmt) -> set[str]:
    if isinstance(unit, ast.ClassDef):
        parts: list[ast.AST] = [*unit.bases, *unit.keywords, *unit.decorator_list]
        return {word for part in parts for word in _words(part)}
    return set() if isinstance(unit, ast.Import | ast.ImportFrom) else set(_words(unit))


def _pruned(unit: ast.stmt, reached: set[int], words: set[str]) -> ast.stmt:
    """The statement, or `pass` for what is not reached; of a class the members that are."""
    if isinstance(unit, ast.Import | ast.ImportFrom):
        names = {name.partition(".")[0] for name in bound_names(unit)}
        return unit if "*" in names or not names.isdisjoint(words) else ast.Pass()
    if isinstance(unit, _Named) and id(unit) not in reached:
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


def _words(node: ast.AST) -> Iterator[str]:
    for each in ast.walk(node):
        if isinstance(each, ast.Name):
            yield each.id
        elif isinstance(each, ast.Attribute):
            yield each.attr
        elif isinstance(each, ast.alias):
            yield from _WORD.findall(each.name)
        elif isinstance(each, ast.Constant) and isinstance(each.value, str):
            yield from _WORD.findall(each.value[:2000])
