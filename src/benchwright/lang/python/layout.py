"""The layout of a Python pair as a project, and modules that share their name with a function.

The test's import of the focal module determines its place. A package may have a module `name` that defines a
function `name`. Its `__init__.py` decides which one `from pkg import name` means; a row has none, so the use
in the test decides: `name.other()` takes from the module, `name()` calls the function.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from benchwright.contracts import Suite
from benchwright.lang.paths import check_names, safe_name
from benchwright.lang.protocol import UNREADABLE, Import, Opening
from benchwright.lang.python.focal_file import (
    ModuleNames,
    best,
    candidates,
    defined_names,
    imported,
    whole_name,
)
from benchwright.lang.python.importing import executed_imports, kind_of, python_imports
from benchwright.lang.python.test_cases import PythonCase, collect
from benchwright.lang.python.tree import Function, all_nodes, bound_names, dotted, nodes_of, parse, scope
from benchwright.lang.source_errors import LayoutError, SyntaxFault

# folders around a test that imports relatively, outermost first, if its own path does not name them
_PACKAGES = ("project", "tests", "unit", "cases", "part", "inner")


def lay_out_python(focal: str, test: str, *, focal_name: str | None, test_name: str | None) -> Suite:
    """Return the focal file at its import path, packages around it, and the test at the top or in its own
    package."""
    tree = parse(test)
    if isinstance(tree, SyntaxFault):
        raise LayoutError(f"the test file does not parse: {tree}", reason=tree.reason)
    found = collect(tree)
    if not found:
        raise LayoutError("the test file has no test case", reason="no_cases")
    module = _focal_module(tree, focal, focal_name, test_name)
    folder = _test_folder(tree, module, test_name)
    parts = check_names(_absolute(module, folder))
    package = _is_package(tree, focal, module, focal_name) or folder[: len(parts)] == parts
    path = "/".join(parts) + ("/__init__.py" if package else ".py")
    test_path = _test_path(folder, path, test_name)
    files = dict.fromkeys(_package_files([path, test_path]), "") | {path: focal, test_path: test}
    return Suite(
        lang="Python",
        framework=framework(tree, found),
        files=files,
        focal=path,
        test=test_path,
        cases=[each.name for each in found],
    )


def framework(tree: ast.Module, found: list[PythonCase]) -> str:
    """Return "unittest" if every case belongs to a `TestCase` and nothing needs pytest, which runs those as
    well."""
    asks = any(each.module.partition(".")[0] == "pytest" for each in python_imports(tree))
    plain = all(each.is_unittest and each.name.count("::") == 1 for each in found)
    return "unittest" if plain and not asks else "pytest"


def _focal_module(tree: ast.Module, focal: str, focal_name: str | None, test_name: str | None) -> str:
    uses = meanings(tree, focal)
    modules = {each for each in uses.modules if _ends_alike(each, focal_name) or not focal_name}
    found = candidates(tree, defined_names(focal), modules)
    hits = [each for each in found if each.hits]
    tied = best(hits) or [each for each in found if _is_path_of(each.module, focal_name)]
    tied = tied or [each for each in found if _may_be_the_projects_own(each.module)]
    for hint in (focal_name, _tested_name(test_name)):
        tied = [each for each in tied if _ends_alike(each.module, hint)] or tied
    if not tied:
        raise LayoutError("no import in the test file names the focal file", reason="no_import")
    if len(tied) > 1:
        names = ", ".join(each.module for each in tied[:5])
        raise LayoutError(
            f"several imports fit the focal file equally: {names}",
            reason="ambiguous",
            hint="give the focal file's path in its project",
        )
    if tied[0].module in uses.objects:
        raise LayoutError(
            f"the test uses {tied[0].module} as a module and as what that module defines", reason="ambiguous"
        )
    return tied[0].module


def _may_be_the_projects_own(module: str) -> bool:
    return module.startswith(".") or kind_of(module) == "project"


def _is_path_of(module: str, path: str | None) -> bool:
    """Return whether a path ends in all of an absolute module, even one named like a well-known package."""
    own = "/" + module.replace(".", "/")
    return bool(path) and not module.startswith(".") and f"/{_stem(path or '')}".endswith(own)


def _tested_name(test_name: str | None) -> str | None:
    name = safe_name(test_name, ".py")
    return name.removeprefix("test_").replace("_test.py", ".py") if name else None


def _ends_alike(module: str, path: str | None) -> bool:
    """Return whether path and module path have the same end, compared over the length of the shorter one."""
    if not path:
        return False
    parts = _stem(path).split("/")
    own = module.strip(".").split(".")
    shared = min(len(parts), len(own))
    return parts[-shared:] == own[-shared:]


def _stem(path: str) -> str:
    return path.replace("\\", "/").removesuffix(".py").removesuffix("/__init__")


def _is_package(tree: ast.Module, focal: str, module: str, focal_name: str | None) -> bool:
    """Return whether some import goes through the focal module to one below it."""
    if not module.strip(".") or (focal_name and focal_name.endswith("__init__.py")):
        return True
    focal_tree = parse(focal)
    trees = [tree] if isinstance(focal_tree, SyntaxFault) else [tree, focal_tree]
    below = f"{module}."
    return any(each.module.startswith(below) for tree in trees for each in python_imports(tree))


def _test_folder(tree: ast.Module, module: str, test_name: str | None) -> list[str]:
    """Return the packages around the test: as many as its relative imports climb."""
    levels = [len(each.module) - len(each.module.lstrip(".")) for each in python_imports(tree)]
    depth = max([*levels, len(module) - len(module.lstrip("."))], default=0)
    if depth == 0:
        return []
    own = [part for part in (test_name or "").replace("\\", "/").split("/")[:-1] if part.isidentifier()]
    if len(own) >= depth:
        return own[-depth:]
    if depth > len(_PACKAGES):
        raise LayoutError(f"the test imports from {depth} packages up", reason="package")
    return list(_PACKAGES[:depth])


def _absolute(module: str, folder: list[str]) -> list[str]:
    level = len(module) - len(module.lstrip("."))
    parts = [part for part in module.strip(".").split(".") if part]
    return [*folder[: len(folder) - level + 1], *parts] if level else parts


def _test_path(folder: list[str], focal_path: str, test_name: str | None) -> str:
    stem = focal_path.removesuffix(".py").removesuffix("/__init__").rpartition("/")[2]
    given = safe_name(test_name, ".py")
    fits = given and given[:-3].isidentifier() and (given.startswith("test_") or given.endswith("_test.py"))
    name = given if given and fits else f"test_{stem}.py"
    path = "/".join([*folder, name])
    is_occupied = path == focal_path or focal_path.startswith(f"{path.removesuffix('.py')}/")
    return "/".join([*folder, f"test_the_{stem}.py"]) if is_occupied else path


def _package_files(paths: Iterable[str]) -> list[str]:
    """Return the `__init__.py` of every folder above some files."""
    folders = {path.rsplit("/", depth)[0] for path in paths for depth in range(1, path.count("/") + 1)}
    return sorted(f"{folder}/__init__.py" for folder in folders)


def missing_in_python(suite: Suite, roots: Collection[str]) -> set[str]:
    """Return dotted modules that the suite lacks, or "pkg.name" if the module is an empty package of the
    layout."""
    modules = {_module(path): path for path in suite.files if path.endswith(".py")}
    layout = _LayoutModules(
        modules, {name: defined_names(suite.files[path]) for name, path in modules.items()}, suite
    )
    read = {path: parse(suite.files[path]) for path in (suite.focal, suite.test)}
    trees = {path: tree for path, tree in read.items() if not isinstance(tree, SyntaxFault)}
    loaded = {name for path, tree in trees.items() for name in _loaded_modules(path, tree)}
    return {
        name
        for path, tree in trees.items()
        for name in (*_not_imported(path, tree, layout, roots), *_not_reached(path, tree, layout, loaded))
    }


class _LayoutModules(NamedTuple):
    """The modules of a layout, the names that each defines, and the suite."""

    modules: dict[str, str]
    defined: dict[str, ModuleNames]
    suite: Suite

    def is_empty(self, module: str) -> bool:
        """Return whether a module is a package that the layout added; the project's own one may contain
        anything."""
        return module in self.modules and self.modules[module] not in (self.suite.focal, self.suite.test)


def _not_imported(
    path: str, tree: ast.Module, layout: _LayoutModules, roots: Collection[str]
) -> Iterator[str]:
    tops = {name.partition(".")[0] for name in layout.modules}
    for each in python_imports(tree, roots):
        own = each.kind in ("project", "relative") or each.module.partition(".")[0] in tops
        if own and not (each.typing_only or each.fallback):
            yield from _lacking(each, _base(path, each.module), layout)


def _lacking(each: Import, module: str, layout: _LayoutModules) -> Iterator[str]:
    if module not in layout.defined:
        yield module
    elif layout.modules[module] != layout.suite.focal:
        names = layout.defined[module]
        for name in each.names:
            known = (
                name in names.own | names.imported or f"{module}.{name}" in layout.defined or names.is_open
            )
            if not known and (name != "*" or layout.is_empty(module)):
                yield f"{module}.{name}"


def _loaded_modules(path: str, tree: ast.Module) -> Iterator[str]:
    """Return the modules that a file's imports load, by their full names."""
    for each in python_imports(tree):
        module = _base(path, each.module)
        yield from (module, *(f"{module}.{name}" for name in each.names))


def _not_reached(
    path: str, tree: ast.Module, layout: _LayoutModules, loaded: Collection[str]
) -> Iterator[str]:
    """Return the names taken from an empty package, and the package itself if it is passed on."""
    bound = {
        local: whole_name(_base(path, module), name)
        for node in executed_imports(tree)
        for module, name, local in imported(node)
        if name != "*"
    }
    for use in names_taken_of(tree, bound):
        if layout.is_empty(use.holder):
            name = f"{use.holder}.{use.attribute}" if use.attribute else use.holder
            is_module = name in layout.modules and name in loaded and bool(use.attribute)
            if not is_module and use.attribute not in OF_ANY_MODULE:
                yield name


def _module(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _base(path: str, module: str) -> str:
    """Return the absolute name of a module that a file at `path` imports."""
    level = len(module) - len(module.lstrip("."))
    if level == 0:
        return module
    package = path.split("/")[:-1]
    rest = module.lstrip(".")
    if level > len(package):
        return module  # above the project's top: unresolvable in any project
    parents = package[: len(package) - level + 1]
    return ".".join([*parents, rest] if rest else parents)


def opening_in_python(path: str, code: str, files: Collection[str]) -> Opening | None:
    """Return an import of the file's first public function or class."""
    module, tree = _imported_as(path, files), parse(code)
    if isinstance(tree, SyntaxFault):
        return UNREADABLE
    names = [
        node.name
        for node in scope(tree.body)
        if isinstance(node, Function | ast.ClassDef) and not node.name.lower().startswith(("_", "test"))
    ]
    if not names:
        return None
    lines = f"from {module} import {names[0]}\n"
    probe = f"{lines}\n\ndef test_probe():\n    assert {names[0]}\n"
    return Opening(lines, probe, "test_probe", f"test_{module.rpartition('.')[2]}.py")


def _imported_as(path: str, files: Collection[str]) -> str:
    """Return the name that Python imports a file by: through all packages above it, and no other folder."""
    folder, _, name = path.rpartition("/")
    parts = [] if name == "__init__.py" else [name.removesuffix(".py")]
    while f"{folder}/__init__.py" in files:
        folder, _, package = folder.rpartition("/")
        parts.insert(0, package)
    return ".".join(parts)


_BY_TEXT = {
    "object",
    "setattr",
    "getattr",
    "hasattr",
    "delattr",
}  # `patch.object(name, "other")` and similar
OF_ANY_MODULE = frozenset(["__name__", "__doc__", "__file__", "__path__", "__spec__", "__loader__"])


class ImportMeanings(NamedTuple):
    """Dotted names, such as "pkg.name", that a test uses as a module, and those it uses as that module's
    definition."""

    modules: frozenset[str]
    objects: frozenset[str]


class ImportedName(NamedTuple):
    """A use of an imported name: an attribute of it, or the name itself if that is empty."""

    holder: str
    attribute: str


def meanings(test: ast.Module, focal: str) -> ImportMeanings:
    """Return how a test uses each imported name that the focal file defines; in both sets if it does both."""
    own, members = defined_names(focal).own, _members(focal)
    modules, objects = set[str](), set[str]()
    for holder, attribute in _uses(test):
        name = holder.rpartition(".")[2]
        if name not in own or holder == name:
            continue
        if attribute in own and attribute not in members.get(name, ()):
            modules.add(holder)
        elif attribute not in own and not attribute.startswith("__"):
            objects.add(holder)
    attributes = {each for each in objects if each.rpartition(".")[0] in modules}  # from the module itself
    return ImportMeanings(frozenset(modules), frozenset(objects - attributes))


def _members(focal: str) -> dict[str, set[str]]:
    """Map each class of a file to the names in its body: `Name.other` may be one of these."""
    tree = parse(focal)
    if isinstance(tree, SyntaxFault):
        return {}
    classes = (node for node in scope(tree.body) if isinstance(node, ast.ClassDef))
    return {node.name: {name for each in scope(node.body) for name in bound_names(each)} for node in classes}


def _uses(test: ast.Module) -> Iterator[ImportedName]:
    return names_taken_of(
        test,
        {
            local: whole_name(module, name)
            for node in all_nodes(test)
            for module, name, local in imported(node)
        },
    )


def names_taken_of(test: ast.Module, bound: Mapping[str, str]) -> Iterator[ImportedName]:
    """Yield each use of an imported name. `bound`: local names, each with its dotted meaning."""
    by_text = {id(call.args[0]): text for call in nodes_of(test, ast.Call) if (text := _text_of(call))}
    owner_ids = {id(node.value) for node in nodes_of(test, ast.Attribute)}
    for node in all_nodes(test):
        if isinstance(node, ast.Attribute) and (whole := _imported_meaning(node.value, bound)):
            yield ImportedName(whole, node.attr)
        if not isinstance(node, ast.Name | ast.Attribute) or not isinstance(node.ctx, ast.Load):
            continue
        if id(node) not in owner_ids and (whole := _imported_meaning(node, bound)):
            yield ImportedName(whole, by_text.get(id(node), ""))


def _text_of(call: ast.Call) -> str:
    """Return the attribute that a call such as `patch.object(name, "other")` names by a string."""
    second = call.args[1] if len(call.args) > 1 else None
    text = second.value if isinstance(second, ast.Constant) else None
    by_text = dotted(call.func).rpartition(".")[2] in _BY_TEXT
    return text if by_text and isinstance(text, str) else ""


def _imported_meaning(node: ast.expr, bound: Mapping[str, str]) -> str:
    """Return the meaning of a name or a chain of attributes by the imports; empty if it is not imported."""
    path = dotted(node)
    head, tail = path, ""
    while head and head not in bound:
        head, _, last = head.rpartition(".")
        tail = f".{last}{tail}"
    return f"{bound[head]}{tail}" if head else ""
