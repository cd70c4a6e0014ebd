"""The graph of imports from modules to test files, with the cost of each way.

Modules come from grimp. Two kinds of edges are not imports and are read from the text: names of the form
"package.module:object", by which commands, tracks and judges are loaded, and the imports of test files, which
belong to no package.
"""

from __future__ import annotations

import ast
import heapq
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import grimp

PACKAGES = {"benchwright": "src", "kit": "tests", "benchmarks": ".", "demo_source": ".", "tools": "."}
CACHE = ".import_linter_cache"
IMPORT_COST, NAME_COST = 1, 3
_NAMED = re.compile(r"""["']((?:benchwright|benchmarks)(?:\.\w+)+)(?::\w+)?["']""")


class Test(NamedTuple):
    """A test file: its text and the modules that it imports or names."""

    path: str
    text: str
    modules: Mapping[str, int]


class Graph:
    """Modules, test files, and their users with the cost of each edge."""

    def __init__(self, root: Path) -> None:
        self._root = root
        sys.path[:0] = [str(root / folder) for folder in dict.fromkeys(PACKAGES.values())]
        present = [name for name, folder in PACKAGES.items() if (root / folder / name).is_dir()]
        self._imports = grimp.build_graph(*present, cache_dir=str(root / CACHE))
        self.modules = frozenset(self._imports.modules)
        self._naming = self._names_in_modules()
        self.tests = tuple(self._read_tests())

    def distances(self, changed: Iterable[str]) -> dict[str, int]:
        """Return the least cost from any of the changed modules to each module that uses it."""
        found: dict[str, int] = {}
        queue = [(0, module) for module in changed]
        heapq.heapify(queue)
        while queue:
            cost, module = heapq.heappop(queue)
            if module in found:
                continue
            found[module] = cost
            for user, step in self._users(module):
                heapq.heappush(queue, (cost + step, user))
        return found

    def _users(self, module: str) -> Iterator[tuple[str, int]]:
        if module in self.modules:
            for user in self._imports.find_modules_that_directly_import(module):
                yield user, IMPORT_COST
        for user in self._naming.get(module, ()):
            yield user, NAME_COST

    def _names_in_modules(self) -> dict[str, set[str]]:
        naming: dict[str, set[str]] = defaultdict(set)
        for user in self.modules:
            for named in _NAMED.findall(_text(path_of(self._root, user))):
                if named in self.modules and named != user:
                    naming[named].add(user)
        return naming

    def _read_tests(self) -> Iterator[Test]:
        for path in sorted((self._root / "tests").rglob("test_*.py")):
            text = _text(path)
            named = dict.fromkeys(_NAMED.findall(text), NAME_COST)
            imported = dict.fromkeys(imported_modules(text), IMPORT_COST)
            yield Test(path.relative_to(self._root).as_posix(), text, {**named, **imported})


def imported_modules(text: str) -> set[str]:
    """Return modules that a file may import: of `from a import b` both `a` and `a.b`. Empty if it does not
    parse."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return set()
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module)
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
    return found


def module_of(path: str) -> str | None:
    """Return the dotted name of a file of one of the packages, whether it exists or not; otherwise None."""
    for name, folder in PACKAGES.items():
        base = "" if folder == "." else f"{folder}/"
        if path.startswith(f"{base}{name}/") and path.endswith(".py"):
            dotted = path.removeprefix(base).removesuffix(".py").replace("/", ".")
            return dotted.removesuffix(".__init__")
    return None


def path_of(root: Path, module: str) -> Path:
    """Return the file of a module."""
    base = root / PACKAGES[module.partition(".")[0]] / module.replace(".", "/")
    return base / "__init__.py" if base.is_dir() else base.with_suffix(".py")


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else ""
