"""Other project files that a Python pair uses: by import, by attribute, or by a string.

A name is followed to the file that defines it, through packages that re-export it. Loading a package's
`__init__.py` alone does not count; taking a name that it defines does.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import NamedTuple

from benchwright.lang.protocol import PairTexts, ProjectTexts
from benchwright.lang.python.focal_file import defined_names, imported, whole_name
from benchwright.lang.python.importing import STANDARD, executed_imports
from benchwright.lang.python.layout import OF_ANY_MODULE, ImportedName, names_taken_of
from benchwright.lang.python.tree import bound_names, dotted, nodes_of, parse, scope
from benchwright.lang.source_errors import SyntaxFault

_MOST_PASSED_ON = 8  # files through which a name is followed
_PATH = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)+")
_BY_TEXT = """
patch setattr delattr object import_module __import__ import_string run_module find_spec resolve_name locate
load_module importorskip get_data files open_text read_text
"""
_TAKE_TEXTS = frozenset(_BY_TEXT.split())  # calls whose string argument may be a module's name


def reached_files(pair: PairTexts, near: ProjectTexts) -> frozenset[str]:
    """Return the paths of other project files that either file takes something from."""
    project = ProjectModules(pair, near)
    texts = ((pair.focal_path, pair.focal_code), (pair.test_path, pair.test_code))
    found = {path for at, code in texts for path in project.reached(at, code)}
    return frozenset(found - {"", pair.focal_path, pair.test_path})


class ProjectModules:
    """The modules of a project, by the names that they can be imported by."""

    def __init__(self, pair: PairTexts, near: ProjectTexts) -> None:
        self._focal, self._own = pair.focal_path, {pair.focal_path: pair.focal_code}
        self._own[pair.test_path] = pair.test_code
        self._near, self._names = near, _module_names(tuple(near.paths))

    def reached(self, at: str, code: str) -> Iterator[str]:
        """Return the files that a file takes something from, possibly including itself."""
        references = _file_references(code)
        for module, name in references.imports:
            yield from self._loaded_files(module, name, at, references)
        for taken in references.taken:
            yield self._file_of_use(taken, at)
        for text in references.texts:
            yield self._home(text, at)

    def _loaded_files(self, module: str, name: str, at: str, references: _FileReferences) -> Iterator[str]:
        """Yield the files that an import statement itself loads or takes from."""
        path = self._file(module, at)
        if name == "*" and _is_package(path):  # files of names that only a star import can provide
            yield from (self._defining(path, each) for each in references.free)
        elif name and name != "*":
            yield self._home(whole_name(module, name), at)
        elif path and not _is_package(path):
            yield path

    def _file_of_use(self, use: ImportedName, at: str) -> str:
        """Yield the files behind a use of an imported name; the package itself if it is passed on as an
        object."""
        if use.attribute in OF_ANY_MODULE:
            return ""
        whole = f"{use.holder}.{use.attribute}" if use.attribute else use.holder
        return self._home(whole, at, bare=not use.attribute)

    def _home(self, whole: str, at: str, *, bare: bool = False) -> str:
        """Return the file that a dotted name leads to; "" for names outside the project."""
        level = len(whole) - len(whole.lstrip("."))
        parts = whole.lstrip(".").split(".")
        for end in range(len(parts), -1 if level else 0, -1):
            path = self._file("." * level + ".".join(parts[:end]), at)
            if not path:
                continue
            if end < len(parts):
                return self._defining(path, parts[end])
            return "" if _is_package(path) and not bare else path
        return ""

    def _file(self, module: str, at: str) -> str:
        """Return the file of a module, as the file `at` imports it; "" for modules outside the project."""
        level = len(module) - len(module.lstrip("."))
        if not level:
            found = self._names.get(module, ()) if module.partition(".")[0] not in STANDARD else ()
            return min(found, key=lambda path: _distance(path, at), default="")
        folder = at.split("/")[:-1]
        if level - 1 > len(folder):
            return ""
        parts = [*folder[: len(folder) - level + 1], *filter(None, module.lstrip(".").split("."))]
        stem = "/".join(parts)
        package = f"{stem}/__init__.py" if stem else "__init__.py"
        return next((path for path in (f"{stem}.py", package) if path in self._near.paths), "")

    def _defining(self, path: str, name: str, hops: int = _MOST_PASSED_ON) -> str:
        """Return the file that defines a name of a module, followed through re-exports; the last known one if
        the name is lost."""
        if path == self._focal or not hops or not path:
            return path
        given = _module_exports(self._own.get(path) or self._near.read(path))
        if name in given.own:
            return path
        found = self._passed_on(given, path, name, hops)
        below = f"{path.removesuffix('__init__.py')}{name}" if _is_package(path) else ""
        beside = (f"{below}.py", f"{below}/__init__.py") if below else ()
        return found or next((each for each in beside if each in self._near.paths), path)

    def _passed_on(self, given: _ModuleExports, path: str, name: str, hops: int) -> str:
        if name in given.passed:
            module, original = given.passed[name]
            target = self._file(whole_name(module, original), path)
            return target or self._defining(self._file(module, path), original or name, hops - 1)
        for module in given.stars:
            target = self._file(module, path)
            home = self._defining(target, name, hops - 1) if target and target != path else ""
            if home and name in _module_exports(self._own.get(home) or self._near.read(home)).own:
                return home
        return ""


class _FileReferences(NamedTuple):
    """References of a file to other modules, each once."""

    imports: list[tuple[str, str]] = []  # module and name, both as written
    taken: list[ImportedName] = []
    texts: list[str] = []  # strings that a call takes for the name of a module
    free: list[str] = []  # names that it reads and does not bind


class _ModuleExports(NamedTuple):
    """The names of a module: its own, those it re-exports, and modules that it re-exports whole."""

    own: frozenset[str] = frozenset()
    passed: dict[str, tuple[str, str]] = {}
    stars: list[str] = []


@lru_cache(maxsize=16)  # a focal file is read for each case of its tests
def _file_references(code: str) -> _FileReferences:
    tree = parse(code)
    if isinstance(tree, SyntaxFault):
        return _FileReferences()
    imports = [each for node in executed_imports(tree) for each in imported(node)]
    bound = {local: whole_name(module, name) for module, name, local in imports}
    own = {name for statement in scope(tree.body) for name in bound_names(statement)}
    read = {node.id for node in nodes_of(tree, ast.Name) if isinstance(node.ctx, ast.Load)}
    return _FileReferences(
        list(dict.fromkeys((module, name) for module, name, _ in imports)),
        list(dict.fromkeys(names_taken_of(tree, bound))),
        list(dict.fromkeys(_texts(tree))),
        sorted(read - own),
    )


def _texts(tree: ast.Module) -> Iterator[str]:
    for call in nodes_of(tree, ast.Call):
        if dotted(call.func).rpartition(".")[2] in _TAKE_TEXTS:
            for each in call.args[:2]:
                text = each.value if isinstance(each, ast.Constant) else None
                if isinstance(text, str) and _PATH.fullmatch(text[:300]):
                    yield text


@lru_cache(maxsize=1024)
def _module_exports(code: str) -> _ModuleExports:
    tree = parse(code)
    if isinstance(tree, SyntaxFault):
        return _ModuleExports()
    found = [each for node in scope(tree.body) for each in imported(node)]
    passed = {local: (module, name) for module, name, local in found if name != "*"}
    return _ModuleExports(
        defined_names(code).own, passed, [module for module, name, _ in found if name == "*"]
    )


def _is_package(path: str) -> bool:
    return path.rpartition("/")[2] == "__init__.py"


@lru_cache(maxsize=4)  # the candidates of one repository are consecutive
def _module_names(paths: tuple[str, ...]) -> dict[str, list[str]]:
    """Map each dotted name to the files that may have it: from every folder that is not a package."""
    known, found = set(paths), dict[str, list[str]]()
    for path in paths:
        if path.endswith(".py"):
            for name in _names_of(path, known):
                found.setdefault(name, []).append(path)
    return found


def _names_of(path: str, known: Collection[str]) -> Iterator[str]:
    parts = path.removesuffix(".py").split("/")
    if parts[-1] == "__init__":
        parts.pop()
    for start in range(len(parts)):
        folder = "/".join(parts[:start])
        is_package = start > 0 and f"{folder}/__init__.py" in known
        if not is_package and all(part.isidentifier() for part in parts[start:]):
            yield ".".join(parts[start:])


def _distance(path: str, at: str) -> tuple[int, int, str]:
    """Return the distance to the importing file, then to the top."""
    shared = 0
    for one, other in zip(path.split("/")[:-1], at.split("/")[:-1], strict=False):
        if one != other:
            break
        shared += 1
    return -shared, path.count("/"), path
