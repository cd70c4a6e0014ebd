"""Which module a Python test is about: the one whose names the focal file defines.

Evidence is a name that the test takes from a module (`from m import name`, `m.name`, `patch("m.name")`). A
name that the focal file binds counts for that module, one that it lacks against it.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from benchwright.lang.protocol import CompletedPair, Import, ProjectTexts
from benchwright.lang.python.importing import STANDARD, TEST_TOOLS, called_import, kind_of, python_imports
from benchwright.lang.python.tree import bound_names, dotted, parse, scope
from benchwright.lang.source_errors import SyntaxFault

_DEFINED = re.compile(r"^(?:async\s+def|def|class)\s+(\w+)|^(\w+)\s*(?::[^=\n]+)?=(?!=)", re.MULTILINE)
_NEVER = STANDARD | TEST_TOOLS  # a focal file in place of one of these would break the test runner
_PATH = re.compile(r"(?:\w+\.)+\w+")


class ModuleNames(NamedTuple):
    """Names at a module's top level: its own, and those it imports."""

    own: frozenset[str]
    imported: frozenset[str]
    is_open: bool = False  # a star import or `__getattr__`: any name may exist


class FocalCandidate(NamedTuple):
    """A module that may be the focal file: how many of the names taken from it the file has and lacks."""

    module: str  # dotted; relative names start with their dots
    hits: int
    misses: int


def defined_names(code: str) -> ModuleNames:
    """Return the names that a module defines. If it does not parse, its unindented lines are matched by a
    pattern."""
    tree = parse(code)
    if isinstance(tree, SyntaxFault):
        return ModuleNames(
            frozenset(name for pair in _DEFINED.findall(code) for name in pair if name), frozenset()
        )
    own: set[str] = set()
    imported: set[str] = set()
    for statement in scope(tree.body):
        (imported if isinstance(statement, ast.Import | ast.ImportFrom) else own).update(
            bound_names(statement)
        )
    return ModuleNames(frozenset(own), frozenset(imported - own), "*" in imported or "__getattr__" in own)


def candidates(test: ast.Module, focal: ModuleNames, modules: Collection[str] = ()) -> list[FocalCandidate]:
    """Return every module that the test imports and that may be the focal file, the best first.

    `modules`: dotted names that are known to be modules, even if `focal` defines the same name.
    """
    names_by_module: dict[str, set[str]] = {}
    for module, name in _takings(test, focal, modules):
        if module.partition(".")[0] not in _NEVER:
            names_by_module.setdefault(module, set()).update([name] if name else [])
    found = [_weigh(module, names, focal) for module, names in names_by_module.items()]
    return sorted(found, key=lambda each: (-each.hits, each.misses, each.module))


def names_taken(test: ast.Module, module: str) -> set[str]:
    """Return the names that a test file takes from a module, given by the last part of its dotted name."""
    takings = _takings(test, ModuleNames(frozenset(), frozenset()), ())
    return {name for source, name in takings if name and source.rpartition(".")[2] == module}


def _weigh(module: str, names: set[str], focal: ModuleNames) -> FocalCandidate:
    """Count own names twice: a name that the focal file imports too may come from anywhere."""
    own, imported = len(names & focal.own), len(names & focal.imported)
    if own == 0 and not module.startswith(".") and kind_of(module) == "third_party":
        imported = 0
    return FocalCandidate(module, 2 * own + imported, 0 if focal.is_open else len(names) - own - imported)


def _takings(test: ast.Module, focal: ModuleNames, known: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield pairs of a module and a name taken from it; an empty name for a bare import and for a known
    module."""
    bound: dict[str, str] = {}  # local name: dotted name that it stands for
    modules = set(known)
    stars: list[str] = []
    for node in ast.walk(test):
        for module, name, local in imported(node):
            modules.add(module)
            whole = whole_name(module, name)
            yield (whole, "") if whole in known else (module, "" if name == "*" else name)
            if name == "*":
                stars.append(module)
                continue
            bound[local] = whole
            if name and not module.strip("."):  # `from . import m`
                yield whole, ""
    yield from _uses(test, bound, modules, focal)
    yield from _patched(test, modules | set(bound.values()))
    for module in stars:
        yield from ((module, name) for name in _read_names(test) & focal.own)


def whole_name(module: str, name: str) -> str:
    """Return the dotted name that an import binds: "m.name", ".name" of `from . import name`, "m" without a
    name."""
    if not name:
        return module
    return f"{module}{name}" if not module.strip(".") else f"{module}.{name}"


def imported(node: ast.AST) -> Iterator[tuple[str, str, str]]:
    """Yield module, name and local name of each import. `import a.b` binds `a`, so its local name has
    dots."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield alias.name, "", alias.asname or alias.name
    elif isinstance(node, ast.ImportFrom):
        for alias in node.names:
            yield "." * node.level + (node.module or ""), alias.name, alias.asname or alias.name
    elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and called_import(node.value):
        for target in node.targets:
            yield called_import(node.value), "", dotted(target)
    elif isinstance(node, ast.Call) and called_import(node):
        yield called_import(node), "", ""


def _uses(
    test: ast.Module, bound: dict[str, str], modules: set[str], focal: ModuleNames
) -> Iterator[tuple[str, str]]:
    """Yield `m.name` for a local `m`, if `m` can be a module."""
    for node in ast.walk(test):
        if not isinstance(node, ast.Attribute):
            continue
        holder = dotted(node.value)
        module = bound.get(holder, "")
        if module and (module in modules or module.rpartition(".")[2] not in focal.own):
            yield module, node.attr


def _patched(test: ast.Module, modules: set[str]) -> Iterator[tuple[str, str]]:
    """Yield strings such as "pkg.mod.name", as `mock.patch` takes them, of a module that is imported as
    well."""
    for node in ast.walk(test):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and _PATH.fullmatch(node.value[:200])
        ):
            module, _, name = node.value.rpartition(".")
            if module in modules:
                yield module, name


def _read_names(test: ast.Module) -> set[str]:
    return {
        node.id for node in ast.walk(test) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    }


def best(found: Iterable[FocalCandidate]) -> list[FocalCandidate]:
    """Return the candidates with the best score; several are a tie."""
    ordered = sorted(found, key=lambda each: (-each.hits, each.misses))
    return [each for each in ordered if (each.hits, each.misses) == (ordered[0].hits, ordered[0].misses)]


def behind_package(path: str, code: str, test_code: str, files: Collection[str]) -> str:
    """Return the file that a test means by a package whose `__init__.py` only re-exports names.

    That is the one file that all names come from which the test takes from the package; `path` itself if they
    come from several files, or from the package's own code.
    """
    folder = path.removesuffix("/__init__.py")
    package = folder.rpartition("/")[2]
    test, init = parse(test_code), parse(code)
    if isinstance(test, SyntaxFault) or isinstance(init, SyntaxFault) or not path.endswith("/__init__.py"):
        return path
    homes = {
        name: f"{folder}/{module.replace('.', '/')}.py"
        for module, names in _from_inside(init, package)
        for name in names
    }
    found = {homes.get(name, path) for name in names_taken(test, package)}
    return found.pop() if len(found) == 1 and found <= set(files) else path


def _from_inside(init: ast.Module, package: str) -> Iterator[tuple[str, list[str]]]:
    """Return submodules of a package that its `__init__.py` takes names from, and those names."""
    for each in python_imports(init):
        module = each.module.removeprefix(package)
        if re.match(r"\.\w", module) and not each.typing_only:
            yield module[1:], each.names


MOST_PASSED_ON = 5  # packages through which a name is followed


def complete_python(
    focal_path: str, test_path: str, test_code: str, near: ProjectTexts
) -> CompletedPair | None:
    """Return the focal file of this test, if the test takes names of only one file; else None."""
    tree = parse(test_code)
    if isinstance(tree, SyntaxFault):
        return None
    homes = {home for each in python_imports(tree) for home in _homes(each, test_path, near)}
    if len(homes) != 1 or homes == {""}:
        return None
    home = homes.pop()
    return CompletedPair(home, near.read(home), test_code)


def focal_of(test_path: str, test_code: str, near: ProjectTexts) -> str:
    """Return the file that defines most of what a test file imports, also through packages; "" for none."""
    tree = parse(test_code)
    if isinstance(tree, SyntaxFault):
        return ""
    found = Counter(home for each in python_imports(tree) for home in _homes(each, test_path, near))
    found.pop("", None)
    return min(found, key=lambda path: (-found[path], path), default="")


def _homes(each: Import, test_path: str, near: ProjectTexts) -> Iterator[str]:
    """Yield the files that define the names of an import; "" for unknown ones. Nothing for other packages."""
    if each.typing_only or each.fallback or each.kind == "standard":
        return
    module = _absolute(each.module, test_path)
    own = _file_of(module, near)
    if not own and each.kind == "third_party":
        return
    for name in each.names or [""]:
        below = _file_of(f"{module}/{name}", near) if name else ""
        yield below or _defining(own, name, near)


def _absolute(module: str, path: str) -> str:
    """Return a module as a path without suffix; relative modules from the folder of the importing file."""
    level = len(module) - len(module.lstrip("."))
    rest = module.lstrip(".").replace(".", "/")
    if not level:
        return rest
    folder = path.split("/")[:-1]
    return "/".join([*folder[: len(folder) - level + 1], *([rest] if rest else [])])


def _file_of(module: str, near: ProjectTexts) -> str:
    """Return the file of a module, below any folder, the one nearest to the top; "" for none."""
    ends = (f"{module}.py", f"{module}/__init__.py")
    found = [path for path in near.paths for end in ends if path == end or path.endswith(f"/{end}")]
    return min(found, key=lambda path: (path.count("/"), path), default="") if module else ""


def _defining(path: str, name: str, near: ProjectTexts) -> str:
    """Return the file that defines a name, followed through packages that re-export it; "" if it is lost."""
    for _ in range(MOST_PASSED_ON):
        if not path or not name:
            return path
        code = near.read(path)
        defined = defined_names(code)
        if name in defined.own or not path.endswith("/__init__.py"):
            return path if name in defined.own or defined.is_open else ""
        path = _passed_on(path, code, name, near)
    return ""


def _passed_on(path: str, code: str, name: str, near: ProjectTexts) -> str:
    tree = parse(code)
    if isinstance(tree, SyntaxFault):
        return ""
    stars = []
    for each in python_imports(tree):
        target = _file_of(_absolute(each.module, path), near)
        if name in each.names and target:
            return target
        if each.names == ["*"] and target and target != path:
            stars.append(target)
    return next((target for target in stars if name in defined_names(near.read(target)).own), "")
