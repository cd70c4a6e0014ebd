"""The distributions: each file of the package is in one wheel, and the core imports none of the others."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from benchwright.cli.commands import COMMANDS, extra_of
from benchwright.installation import DISTRIBUTIONS

ROOT = Path(__file__).resolve().parents[1]
FILES = sorted(path.relative_to(ROOT) for path in (ROOT / "src/benchwright").rglob("*") if path.is_file())
OTHERS = ("benchwright-build", "benchwright-ianvs", "benchwright-ray", "benchwright-station")


def wheel(project: Path) -> dict[str, Any]:
    """What a project's file says about its wheel."""
    settings = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))
    targets: dict[str, Any] = settings["tool"]["hatch"]["build"]["targets"]["wheel"]
    return targets


def below(path: Path, places: list[str]) -> bool:
    """Whether a file is one of the places or in a folder of them."""
    return any(path.is_relative_to(place) for place in places)


MOVED = {name: wheel(ROOT / "packages" / name)["only-include"] for name in OTHERS}
NOT_CORE = wheel(ROOT)["exclude"]
CORE = [path for path in FILES if not below(path, NOT_CORE)]


def test_each_file_is_in_one_wheel() -> None:
    """What the core leaves out is in exactly one of the others, and all that they name exists."""
    holders = {path: [name for name in OTHERS if below(path, MOVED[name])] for path in FILES}
    core = set(CORE)

    assert {path for path, names in holders.items() if len(names) != (path not in core)} == set()
    assert [place for places in MOVED.values() for place in places if not (ROOT / place).exists()] == []
    assert {name: len(set(places)) for name, places in MOVED.items()} == {
        name: len(places) for name, places in MOVED.items()
    }  # the builder refuses a place that stands twice


@cache
def imported(path: Path) -> frozenset[str]:
    """Modules that a file imports while it is itself imported."""
    return frozenset(_imported(path))


def _imported(path: Path) -> Iterator[str]:
    waiting: list[ast.AST] = [ast.parse((ROOT / path).read_text(encoding="utf-8"))]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{each.name}" for each in node.names)
        elif isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.expr):
            waiting += ast.iter_child_nodes(node)


@pytest.mark.parametrize("name", OTHERS)
def test_the_core_starts_without_the_others(name: str) -> None:
    """No module of the core imports one of another distribution when it is imported."""
    modules = {place.removeprefix("src/").removesuffix(".py").replace("/", ".") for place in MOVED[name]}
    reached = {
        (str(path), each)
        for path in CORE
        if path.suffix == ".py"
        for each in imported(path)
        if any(f"{each}.".startswith(f"{module}.") for module in modules)
    }

    assert reached == set()


def test_a_command_of_another_distribution_names_its_extra() -> None:
    """A core installation can say what to install for each command that it does not have."""
    holders = {
        words: {name for name in OTHERS if below(Path(f"src/{module.replace('.', '/')}.py"), MOVED[name])}
        for words, (target, _) in COMMANDS.items()
        for module in [target.partition(":")[0]]
    }
    moved = {words: names for words, names in holders.items() if names}

    assert len(moved) > 5
    assert {words: set(DISTRIBUTIONS[extra_of(words)]) for words in moved} == moved
