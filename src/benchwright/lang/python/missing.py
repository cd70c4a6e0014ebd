"""Modules of a Python project that a suite imports and does not have."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from benchwright.contracts import Suite
from benchwright.lang.faults import Fault
from benchwright.lang.found import Import
from benchwright.lang.python.evidence import Defined, defined_names
from benchwright.lang.python.importing import python_imports
from benchwright.lang.python.tree import parse


def missing_in_python(suite: Suite, roots: Collection[str]) -> set[str]:
    """Dotted modules, or names of them ("pkg.name") where the module is an empty package of the layout."""
    modules = {_module(path): path for path in suite.files if path.endswith(".py")}
    focal = _module(suite.focal)
    defined = {name: defined_names(suite.files[path]) for name, path in modules.items()}
    missing: set[str] = set()
    for path in (suite.focal, suite.test):
        tree = parse(suite.files[path])
        for each in [] if isinstance(tree, Fault) else python_imports(tree, roots):
            if each.kind in ("project", "relative") and not (each.typing_only or each.fallback):
                missing.update(_lacking(each, _base(path, each.module), defined, focal))
    return missing


def _lacking(each: Import, module: str, defined: dict[str, Defined], focal: str) -> Iterator[str]:
    if module not in defined:
        yield module
    elif module != focal:
        held = defined[module]
        for name in each.names:
            known = name in held.own | held.imported or f"{module}.{name}" in defined or held.is_open
            if name != "*" and not known:
                yield f"{module}.{name}"


def _module(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _base(path: str, module: str) -> str:
    """The absolute name of a module that a file at `path` imports."""
    level = len(module) - len(module.lstrip("."))
    if level == 0:
        return module
    package = path.split("/")[:-1]
    rest = module.lstrip(".")
    if level > len(package):
        return module  # above the project's top: cannot be resolved whatever is there
    kept = package[: len(package) - level + 1]
    return ".".join([*kept, rest] if rest else kept)
