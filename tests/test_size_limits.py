"""The shape of the source: small files, small functions, and a sentence on everything public."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import NamedTuple

from kit.package_source import package

MAX_LINES = 499
FORBIDDEN = {"utils", "util", "helpers", "helper", "misc", "common"}
# Overrides, whose contract is in the library that they come from.
UNDOCUMENTED = {
    "cli/main.py: LazyGroup.list_commands",
}
Function = ast.FunctionDef | ast.AsyncFunctionDef


class Defined(NamedTuple):
    """A module, class or function: where, its dotted name in the module, and its syntax."""

    path: str
    name: str
    node: ast.Module | ast.ClassDef | Function

    @property
    def is_public(self) -> bool:
        """Whether no part of its path or name begins with an underscore; a package's own file is public."""
        modules = [part for part in Path(self.path).with_suffix("").parts if part != "__init__"]
        return not any(part.startswith("_") for part in (*modules, *self.name.split(".")))


def _trees() -> dict[str, ast.Module]:
    return {path: module.tree for path, module in package().items()}


def _definitions() -> Iterator[Defined]:
    for path, tree in _trees().items():
        yield from _below(path, "", tree)


def _below(path: str, name: str, node: ast.AST) -> Iterator[Defined]:
    """Functions inside functions are no part of the public face; those inside `if` are."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef | Function):
            full = f"{name}.{child.name}".lstrip(".")
            yield Defined(path, full, child)
            if isinstance(child, ast.ClassDef):
                yield from _below(path, full, child)
        elif not isinstance(child, ast.expr):
            yield from _below(path, name, child)


def _functions(node: ast.AST) -> Iterator[Function]:
    """All functions below a node, which are statements: nothing is looked for in expressions."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Function):
            yield child
        if not isinstance(child, ast.expr):
            yield from _functions(child)


def _lengths() -> list[int]:
    """Lines of each function, its decorators left out, nested functions counted on their own as well."""
    functions = (node for tree in _trees().values() for node in _functions(tree))
    return sorted((node.end_lineno or node.lineno) - node.lineno + 1 for node in functions)


def test_files_are_short() -> None:
    """No file of the package has 500 lines."""
    lines = {path: len(module.text.splitlines()) for path, module in package().items()}
    long = {path: count for path, count in lines.items() if count > MAX_LINES}

    assert (long, len(lines) > 50) == ({}, True)


def test_functions_are_short() -> None:
    """Half of all functions have at most 12 lines, and all but one in twenty at most 45."""
    lengths = _lengths()
    ninety_fifth = lengths[int(0.95 * len(lengths))]

    assert (median(lengths) <= 12, ninety_fifth <= 45) == (True, True)


def test_no_module_is_a_drawer() -> None:
    """No module has a name that anything could be put under."""
    drawers = [
        path for path in _trees() if Path(path).stem in FORBIDDEN or Path(path).parent.name in FORBIDDEN
    ]

    assert drawers == []


def test_modules_have_docstrings() -> None:
    """Each module that has any code begins with what it is for."""
    silent = [path for path, tree in _trees().items() if tree.body and not ast.get_docstring(tree)]

    assert silent == []


def test_public_definitions_have_docstrings() -> None:
    """Each public class, method and function says its contract, but for the listed overrides."""
    public = [each for each in _definitions() if each.is_public and not isinstance(each.node, ast.Module)]
    silent = {f"{each.path}: {each.name}" for each in public if not ast.get_docstring(each.node)}

    assert (silent, len(public) > 200) == (UNDOCUMENTED, True)
