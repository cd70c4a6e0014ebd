"""A Java project of two files: package declarations are folders, the public class is the file's name."""

from __future__ import annotations

import re

from benchwright.contracts import Suite
from benchwright.lang.errors import LayoutError
from benchwright.lang.faults import Fault
from benchwright.lang.java.collecting import Found, collect
from benchwright.lang.java.importing import java_imports
from benchwright.lang.java.tree import modifiers, name_of, package, top_types
from benchwright.lang.languages import JAVA
from benchwright.lang.paths import checked, safe_name
from benchwright.lang.trees import Tree, parse

_TYPE = re.compile(r"\b(public\s+)?(?:\w+\s+){0,4}(?:class|interface|enum|record)\s+(\w+)")


def lay_out_java(focal: str, test: str, *, focal_name: str | None, test_name: str | None) -> Suite:
    """The focal file below src/main/java, the test below src/test/java."""
    focal_tree, test_tree = _read(focal, "focal"), _read(test, "test")
    found = collect(test_tree)
    if not found:
        raise LayoutError("the test file holds no test case", reason="no_cases")
    framework = _framework(test_tree, test)
    mentioned = set(re.findall(r"\w+", test))
    focal_type = _type_name(focal_tree, focal, "focal", given=focal_name, wanted=mentioned)
    owners = {each.name.partition("#")[0].partition("$")[0] for each in found}
    test_type = _type_name(test_tree, test, "test", given=test_name, wanted=owners)
    _check_packages(focal_tree, test_tree, test, focal_type, test_type)
    focal_path = _path("src/main/java", package(focal_tree), focal_type)
    test_path = _path("src/test/java", package(test_tree), test_type)
    return Suite(
        lang=JAVA,
        framework=framework,
        files={focal_path: focal, test_path: test},
        focal=focal_path,
        test=test_path,
        cases=[each.name for each in found],
    )


def framework_of(tree: Tree, test: str, found: list[Found]) -> str:
    """ "junit5", "junit4" or "" for none that is known."""
    try:
        return _framework(tree, test) if found else ""
    except LayoutError:
        return ""


def _read(code: str, which: str) -> Tree:
    tree = parse(code, JAVA)
    if isinstance(tree, Fault):
        raise LayoutError(f"the {which} file cannot be read: {tree}", reason=tree.reason)
    return tree


def _framework(tree: Tree, test: str) -> str:
    """By where the annotations come from: `org.junit.Assert` beside a Jupiter `@Test` is still JUnit 5."""
    names = [each.module for each in java_imports(tree)]
    if any(name.startswith("org.testng") for name in names):
        raise LayoutError("the tests are TestNG's, which no runner is for", reason="framework")
    if any(name.startswith("org.junit.jupiter") for name in names) or "@org.junit.jupiter" in test:
        return "junit5"
    if any(name.startswith(("org.junit", "junit.framework")) for name in names) or "@org.junit.Test" in test:
        return "junit4"
    return "junit5"


def _type_name(tree: Tree, code: str, which: str, *, given: str | None, wanted: set[str]) -> str:
    """The type that names a file: the public one, else the one that the file's name or the tests say."""
    types = top_types(tree)
    public = [name_of(tree, node) for node in types if "public" in modifiers(tree, node)]
    if len(public) > 1:
        listed = ", ".join(public[:5])
        raise LayoutError(f"the {which} file has several public classes: {listed}", reason="public_classes")
    if public:
        return public[0]
    names = [name_of(tree, node) for node in types] or _names_by_sight(code)
    stem = (safe_name(given, ".java") or "").removesuffix(".java")
    for choice in (stem, *(name for name in names if name in wanted), *names, stem):
        if choice and (choice in names or not names):
            return choice
    raise LayoutError(f"the {which} file declares no type", reason="package")


def _names_by_sight(code: str) -> list[str]:
    """Of a file too broken for a tree to have its types: what reads like a declaration, public ones first."""
    found = _TYPE.findall(code[:20_000])
    return [name for public, name in sorted(found, key=lambda pair: not pair[0])]


def _check_packages(focal: Tree, test: Tree, test_code: str, focal_type: str, test_type: str) -> None:
    own, other = package(focal), package(test)
    if own == other:
        if focal_type == test_type:
            raise LayoutError(f"both files declare {focal_type}", reason="package")
        return
    full = f"{own}.{focal_type}" if own else focal_type
    names = [each.module for each in java_imports(test)]
    near = any(name in (own, full) or name.startswith(f"{full}.") for name in names)
    if not own or not (near or any(name.startswith(f"{own}.") for name in names) or full in test_code):
        raise LayoutError(f"no import in the test file names {full}, of another package", reason="no_import")


def _path(root: str, package_name: str, type_name: str) -> str:
    parts = checked([*(package_name.split(".") if package_name else []), type_name])
    return "/".join([root, *parts]) + ".java"
