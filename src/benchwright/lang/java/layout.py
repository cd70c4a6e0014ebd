"""The layout of a Java pair as a project: packages are folders, and the public class names the file.

Also the classes that such a suite uses and lacks, and the first lines of a test.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from benchwright.contracts import Suite
from benchwright.lang.java.test_cases import JavaCase, collect
from benchwright.lang.java.tree import (
    GRAMMAR,
    LANG,
    TYPES,
    java_imports,
    modifiers,
    name_of,
    package,
    parse,
    root_of,
    top_types,
)
from benchwright.lang.paths import check_names, safe_name
from benchwright.lang.protocol import UNREADABLE, Opening
from benchwright.lang.source_errors import LayoutError, SyntaxFault
from benchwright.lang.trees import Node, Tree

_JUNIT_IMPORTS = "import static org.junit.jupiter.api.Assertions.*;\n\nimport org.junit.jupiter.api.Test;\n"
_TYPE = re.compile(r"\b(public\s+)?(?:\w+\s+){0,4}(?:class|interface|enum|record)\s+(\w+)")


def lay_out_java(focal: str, test: str, *, focal_name: str | None, test_name: str | None) -> Suite:
    """Return the focal file below src/main/java and the test below src/test/java."""
    focal_tree, test_tree = _read(focal, "focal"), _read(test, "test")
    found = collect(test_tree)
    if not found:
        raise LayoutError("the test file has no test case", reason="no_cases")
    framework = _framework(test_tree, test)
    mentioned = set(re.findall(r"\w+", test))
    focal_type = _type_name(focal_tree, focal, "focal", given=focal_name, wanted=mentioned)
    owners = {each.name.partition("#")[0].partition("$")[0] for each in found}
    test_type = _type_name(test_tree, test, "test", given=test_name, wanted=owners)
    _check_packages(focal_tree, test_tree, test, focal_type, test_type)
    focal_path = _path("src/main/java", package(focal_tree), focal_type)
    test_path = _path("src/test/java", package(test_tree), test_type)
    return Suite(
        lang=GRAMMAR.lang,
        framework=framework,
        files={focal_path: focal, test_path: test},
        focal=focal_path,
        test=test_path,
        cases=[each.name for each in found],
    )


def framework_of(tree: Tree, test: str, found: list[JavaCase]) -> str:
    """Return "junit5", "junit4" or "" for an unknown framework."""
    try:
        return _framework(tree, test) if found else ""
    except LayoutError:
        return ""


def _read(code: str, which: str) -> Tree:
    tree = parse(code)
    if isinstance(tree, SyntaxFault):
        raise LayoutError(f"the {which} file cannot be read: {tree}", reason=tree.reason)
    return tree


def _framework(tree: Tree, test: str) -> str:
    """Decide by the origin of the annotations: with a Jupiter `@Test`, `org.junit.Assert` is still JUnit
    5."""
    names = [each.module for each in java_imports(tree)]
    if any(name.startswith("org.testng") for name in names):
        raise LayoutError("TestNG tests are not supported", reason="framework")
    if any(name.startswith("org.junit.jupiter") for name in names) or "@org.junit.jupiter" in test:
        return "junit5"
    if any(name.startswith(("org.junit", "junit.framework")) for name in names) or "@org.junit.Test" in test:
        return "junit4"
    return "junit5"


def _type_name(tree: Tree, code: str, which: str, *, given: str | None, wanted: set[str]) -> str:
    """Return the type that names a file: the public one, else the one that the file's name or the tests
    indicate."""
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
    raise LayoutError(f"the {which} file has no type declaration", reason="package")


def _names_by_sight(code: str) -> list[str]:
    """Return declarations found by a pattern, public ones first, for a file without a tree."""
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
    parts = check_names([*(package_name.split(".") if package_name else []), type_name])
    return "/".join([root, *parts]) + ".java"


def missing_in_java(suite: Suite, roots: Collection[str]) -> set[str]:
    """Return full class names that the suite lacks; "pkg.*" for a package without a file in it.

    A simple name counts as one of the file's own package only if no wildcard import could provide it.
    """
    read = [parse(suite.files[path]) for path in (suite.focal, suite.test)]
    trees = [tree for tree in read if not isinstance(tree, SyntaxFault)]
    declared = {(package(tree), name) for tree in trees for name in declared_types(tree)}
    missing: set[str] = set()
    for tree in trees:
        missing.update(_imported(tree, declared, roots))
        missing.update(_same_package(tree, declared, roots))
    return missing


def _imported(tree: Tree, declared: set[tuple[str, str]], roots: Collection[str]) -> Iterator[str]:
    packages = {name for name, _ in declared}
    classes = {f"{name}.{kind}" if name else kind for name, kind in declared}
    for each in java_imports(tree, roots):
        if each.kind != "project":
            continue
        below = any(each.module == name or each.module.startswith(f"{name}.") for name in classes)
        if not below and not (each.names == ["*"] and each.module in packages):
            yield f"{each.module}.*" if each.names == ["*"] else each.module


def _same_package(tree: Tree, declared: set[tuple[str, str]], roots: Collection[str]) -> Iterator[str]:
    own = package(tree)
    imported = java_imports(tree, roots or root_of(own))
    if any(each.names == ["*"] and not _is_ours(each.module, declared) for each in imported):
        return
    known = LANG | {name for home, name in declared if home == own} | type_parameters(tree)
    known |= {each.module.rpartition(".")[2] for each in imported if not each.names}
    known |= {name for each in imported for name in each.names}
    known |= {name for home, name in declared if any(each.module == home for each in imported)}
    for name in types_used(tree) - known:
        yield f"{own}.{name}" if own else name


def _is_ours(module: str, declared: set[tuple[str, str]]) -> bool:
    """Return whether a wildcard is of a package of the suite, or of members of a class: it adds no unknown
    class."""
    return any(module == home for home, _ in declared) or module.rpartition(".")[2][:1].isupper()


def declared_types(tree: Tree) -> set[str]:
    """Return the names of all types that a file declares."""
    return {name_of(tree, node) for node in tree.root.walk() if node.kind in TYPES}


def type_parameters(tree: Tree) -> set[str]:
    """Return type parameters, such as the T of `class Box<T>`."""
    found = set()
    for node in tree.root.walk():
        if node.kind == "type_parameter":
            found.add(tree.text(node.first("type_identifier", "identifier")))
    return found


def types_used(tree: Tree) -> set[str]:
    """Return simple names of used types: in type positions, as annotations, and capitalised before a dot."""
    return {name for node in tree.root.walk() if (name := _type_used(tree, node))}


def _type_used(tree: Tree, node: Node) -> str:
    if node.kind == "type_identifier":
        head = node.parent is None or node.parent.kind != "scoped_type_identifier" or node.index == 0
        return tree.text(node) if head else ""
    if node.kind in ("marker_annotation", "annotation"):
        name = node.get("name")
        return tree.text(name) if name is not None and name.kind == "identifier" else ""
    if node.kind == "identifier" and node.field == "object":
        text = tree.text(node)
        mixed = text[:1].isupper() and not text.isupper()  # `LIMIT.get()` is a call on a constant
        return text if mixed else ""
    return ""


def opening_in_java(path: str, code: str, _: Collection[str]) -> Opening | None:
    """Return the package, JUnit's imports and the head of the test class."""
    tree = parse(code)
    if isinstance(tree, SyntaxFault):
        return UNREADABLE
    types = top_types(tree)
    public = [name_of(tree, each) for each in types if "public" in modifiers(tree, each)]
    names = [*public, *(name_of(tree, each) for each in types)]
    if not names:
        return None
    stem = path.rpartition("/")[2].removesuffix(".java")
    name = names[0] if public or stem not in names else stem
    own = package(tree)
    lines = f"{f'package {own};' if own else ''}\n\n{_JUNIT_IMPORTS}\nclass {name}Test {{\n".lstrip()
    probe = f"{lines}    @Test\n    void probe() {{\n        assertNotNull({name}.class);\n    }}\n}}\n"
    return Opening(lines, probe, f"{name}Test#probe", f"{name}Test.java")
