"""The imports of a Python file, those inside functions and those by a call with a constant name too."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from typing import NamedTuple

from benchwright.lang.found import Import
from benchwright.lang.python.known import STANDARD, THIRD_PARTY
from benchwright.lang.python.tree import dotted

_BY_CALL = {"importlib.import_module", "import_module", "__import__", "pytest.importorskip", "importorskip"}

_IMPORT_ERRORS = {"ImportError", "ModuleNotFoundError"}


class _Place(NamedTuple):
    """Where in the file an import stands."""

    typing_only: bool = False
    fallback: bool = False


def python_imports(module: ast.Module, roots: Collection[str] = ()) -> list[Import]:
    """All imports in the file's order."""
    found = [each for node, place in _import_nodes(module) for each in _records(node, place, roots)]
    return sorted(found, key=lambda each: each.line)


def kind_of(name: str, roots: Collection[str] = ()) -> str:
    """The kind of an absolute import by its name."""
    if any(name == root or name.startswith(f"{root}.") for root in roots):
        return "project"
    top = name.partition(".")[0]
    if top in STANDARD:
        return "standard"
    return "third_party" if roots or top in THIRD_PARTY else "project"


def _import_nodes(module: ast.Module) -> Iterator[tuple[ast.AST, _Place]]:
    stack: list[tuple[ast.AST, _Place]] = [(module, _Place())]
    while stack:
        node, place = stack.pop()
        if isinstance(node, ast.Import | ast.ImportFrom | ast.Call):
            yield node, place
        if isinstance(node, ast.ExceptHandler) and _catches_imports(node):
            place = place._replace(fallback=True)
        guarded = isinstance(node, ast.If) and dotted(node.test).rpartition(".")[2] == "TYPE_CHECKING"
        skipped = {id(item) for item in node.body} if guarded and isinstance(node, ast.If) else set()
        for child in ast.iter_child_nodes(node):
            stack.append((child, place._replace(typing_only=True) if id(child) in skipped else place))


def _catches_imports(handler: ast.ExceptHandler) -> bool:
    caught = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(each is not None and dotted(each) in _IMPORT_ERRORS for each in caught)


def _records(node: ast.AST, place: _Place, roots: Collection[str]) -> Iterator[Import]:
    match node:
        case ast.Import():
            for alias in node.names:
                yield Import(
                    module=alias.name,
                    kind=kind_of(alias.name, roots),
                    line=node.lineno,
                    alias=alias.asname or "",
                    typing_only=place.typing_only,
                    fallback=place.fallback,
                )
        case ast.ImportFrom():
            name = node.module or ""
            yield Import(
                module="." * node.level + name,
                kind="relative" if node.level else kind_of(name, roots),
                line=node.lineno,
                names=[alias.name for alias in node.names],
                alias=(node.names[0].asname or "") if len(node.names) == 1 else "",
                typing_only=place.typing_only,
                fallback=place.fallback,
            )
        case ast.Call() if called := called_import(node):
            kind = "relative" if called.startswith(".") else kind_of(called, roots)
            yield Import(
                module=called,
                kind=kind,
                line=node.lineno,
                typing_only=place.typing_only,
                fallback=place.fallback,
            )


def called_import(node: ast.Call) -> str:
    """The module that a call such as `importlib.import_module("a.b")` imports; empty for other calls."""
    if dotted(node.func) not in _BY_CALL or not node.args:
        return ""
    first = node.args[0]
    name = first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else ""
    return name if all(part.isidentifier() for part in name.lstrip(".").split(".")) else ""
