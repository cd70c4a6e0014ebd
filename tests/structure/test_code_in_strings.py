"""Programs that tests and pages hold as text import names that exist: no checker of types reads them."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from kit.package_source import package

FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef
ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "benchwright"
IMPORT = re.compile(r"from (benchwright(?:\.\w+)*) import (\w+(?: as \w+)?(?:, \w+(?: as \w+)?)*)")
FILES = [
    *sorted((ROOT / "tests").rglob("*.py")),
    *sorted((ROOT / "benchmarks").rglob("*.py")),
    *sorted((ROOT / "docs").rglob("*.md")),
    ROOT / "README.md",
]


@cache
def names_in(module: str) -> frozenset[str]:
    """Return what can be imported from a module of the package; nothing if there is no such module."""
    place = "/".join(module.split(".")[1:])
    path = f"{place}.py" if f"{place}.py" in package() else f"{place}/__init__.py".lstrip("/")
    if path not in package():
        return frozenset()
    beside = {each.stem for each in (PACKAGE / place).iterdir()} if path.endswith("__init__.py") else set()
    return frozenset(beside | _bound(package()[path].tree))


def _bound(tree: ast.Module) -> set[str]:
    """Return the names that a module defines, assigns or imports."""
    names = {node.name for node in tree.body if isinstance(node, ast.ClassDef | FUNCTION)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names.update(alias.asname or alias.name for alias in node.names)
    return names


def missing_names(text: str) -> list[str]:
    """Imports from the package whose module or name is not there."""
    return [
        f"{module}.{name}"
        for module, names in IMPORT.findall(text)
        for name in (each.split(" as ")[0] for each in names.split(", "))
        if name not in names_in(module)
    ]


def test_every_import_finds_its_name() -> None:
    """In code, in a string that another process runs, and in a block to paste."""
    texts = {path: path.read_text(encoding="utf-8") for path in FILES if path != Path(__file__)}
    missing = {str(path.relative_to(ROOT)): missing_names(text) for path, text in texts.items()}

    assert {path: names for path, names in missing.items() if names} == {}
    assert len(texts) > 100


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("x = 'from benchwright.running.plan import make_plan, Gone'", ["benchwright.running.plan.Gone"]),
        ("from benchwright.nowhere import Thing as T", ["benchwright.nowhere.Thing"]),
        ("from benchwright import registry, pass_at_k as p", []),
    ],
)
def test_what_is_not_there_is_found(text: str, missing: list[str]) -> None:
    """A name that moved, a module that went; what a package loads when it is first used is there."""
    assert missing_names(text) == missing
