"""How a test file for a given file begins, and the smallest such file: does its layout work at all?

The beginning is shown to the model, since no model can know how a project of two files will be laid out.
The smallest file, a probe, is never run: it goes through the filter's own checks in place of a test.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection
from typing import NamedTuple

from benchwright.lang.faults import Fault
from benchwright.lang.go import tree as go
from benchwright.lang.java import tree as java
from benchwright.lang.languages import GO, JAVA, PYTHON, Language
from benchwright.lang.python.tree import Function, parse, scope
from benchwright.lang.trees import parse as parse_tree

_FOLDERS_OF_TESTS = {"test", "tests", "testing", "testdata"}
_NEVER = {
    "conftest.py",
    "setup.py",
    "test.py",
    "tests.py",
    "__main__.py",
    "package-info.java",
    "module-info.java",
}
_JAVA_IMPORTS = "import static org.junit.jupiter.api.Assertions.*;\n\nimport org.junit.jupiter.api.Test;\n"


class Opening(NamedTuple):
    """`lines` begin a test file, `probe` is a whole one with the one case `case`, `name` its name."""

    lines: str
    probe: str
    case: str
    name: str


def is_focal_path(path: str) -> bool:
    """False for a file whose place or name says that it is no code to test."""
    *folders, name = path.split("/")
    return name not in _NEVER and _FOLDERS_OF_TESTS.isdisjoint(folders)


def opening_of(path: str, code: str, lang: Language, *, packages: Collection[str]) -> Opening | None:
    """How a test of a file begins; None for a file in which nothing can be called.

    `packages` are the folders that hold an `__init__.py`: they decide how Python imports a file.
    """
    makers: dict[Language, Callable[[], Opening | None]] = {
        PYTHON: lambda: _python(path, code, packages),
        JAVA: lambda: _java(path, code),
        GO: lambda: _go(path, code),
    }
    return makers[lang]()


def written_path(path: str, name: str, number: int) -> str:
    """Where a written test stands: beside the file it tests, in a folder that no repository has it in."""
    folder = path.rpartition("/")[0]
    return "/".join(part for part in ("generated", str(number), folder, name) if part)


def _python(path: str, code: str, packages: Collection[str]) -> Opening | None:
    module, tree = _module(path, packages), parse(code)
    if isinstance(tree, Fault):
        return Opening("", "", "", "")  # with no probe that parses: the filter's checks say what is wrong
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


def _module(path: str, packages: Collection[str]) -> str:
    """The name that Python imports a file by: through all packages above it, and no other folder."""
    folder, _, name = path.rpartition("/")
    parts = [] if name == "__init__.py" else [name.removesuffix(".py")]
    while folder in packages:
        folder, _, package = folder.rpartition("/")
        parts.insert(0, package)
    return ".".join(parts)


def _java(path: str, code: str) -> Opening | None:
    tree = parse_tree(code, JAVA)
    if isinstance(tree, Fault):
        return Opening("", "", "", "")
    types = java.top_types(tree)
    public = [java.name_of(tree, each) for each in types if "public" in java.modifiers(tree, each)]
    names = [*public, *(java.name_of(tree, each) for each in types)]
    if not names:
        return None
    stem = path.rpartition("/")[2].removesuffix(".java")
    name = names[0] if public or stem not in names else stem
    package = java.package(tree)
    lines = f"{f'package {package};' if package else ''}\n\n{_JAVA_IMPORTS}\nclass {name}Test {{\n".lstrip()
    probe = f"{lines}    @Test\n    void probe() {{\n        assertNotNull({name}.class);\n    }}\n}}\n"
    return Opening(lines, probe, f"{name}Test#probe", f"{name}Test.java")


def _go(path: str, code: str) -> Opening | None:
    tree = parse_tree(code, GO)
    if isinstance(tree, Fault):
        return Opening("", "", "", "")
    callables = tree.root.all("function_declaration", "method_declaration")
    if not {go.name_of(tree, each) for each in callables} - {"main", "init", "_", ""}:
        return None
    lines = f'package {go.package(tree)}\n\nimport "testing"\n'
    probe = f'{lines}\nfunc TestProbe(t *testing.T) {{\n\tt.Log("probe")\n}}\n'
    stem = path.rpartition("/")[2].removesuffix(".go")
    return Opening(lines, probe, "TestProbe", f"{stem}_test.go")
