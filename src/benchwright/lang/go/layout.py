"""A Go module of two files: package clauses and the test's import of the focal package are its layout."""

from __future__ import annotations

from benchwright.contracts import Suite
from benchwright.lang.errors import LayoutError
from benchwright.lang.faults import Fault
from benchwright.lang.go.collecting import collect
from benchwright.lang.go.importing import package_names
from benchwright.lang.go.known import STANDARD
from benchwright.lang.go.tree import declared_names, import_path, import_specs, name_of, package
from benchwright.lang.languages import GO
from benchwright.lang.paths import checked, checked_import, safe_name
from benchwright.lang.trees import Tree, parse

# Loop variables of their own for each turn, and ranges over integers: what code of 2024 on expects.
GO_VERSION = "1.22"
_OWN_HOST = "example.com"  # of a module whose path no file says


def lay_out_go(focal: str, test: str, *, focal_name: str | None, test_name: str | None) -> Suite:
    """The focal package as the module itself, so that its import path resolves whatever the project's was."""
    focal_tree, test_tree = _read(focal, "focal"), _read(test, "test")
    cases = list(collect(test_tree))
    if not cases:
        raise LayoutError("the test file holds no test case", reason="no_cases")
    clause = package(test_tree)
    if not clause:
        raise LayoutError("the test file has no package clause", reason="syntax")
    own = package(focal_tree) or clause.removesuffix("_test")
    checked([own, clause])
    inner = clause == own
    path = f"{_OWN_HOST}/{own}" if inner else _imported_path(focal_tree, test_tree, own)
    checked_import(path)
    folder = "" if clause in (own, f"{own}_test") else f"{clause}/"
    focal_path = _file(focal_name, default="focal.go", test=False)
    test_path = folder + _file(test_name, default=focal_path.replace(".go", "_test.go"), test=True)
    return Suite(
        lang=GO,
        framework="go",
        files={"go.mod": f"module {path}\n\ngo {GO_VERSION}\n", focal_path: focal, test_path: test},
        focal=focal_path,
        test=test_path,
        cases=cases,
    )


def local_names(tree: Tree) -> dict[str, list[str]]:
    """Import paths, each with the names that the package may go by in this file; "." for a dot import."""
    found = {}
    for spec in import_specs(tree):
        path, name = import_path(tree, spec), name_of(tree, spec)
        found[path] = [name] if name else package_names(path)
    return found


def selectors(tree: Tree) -> set[tuple[str, str]]:
    """Pairs of names `x.Y` in the file, in expressions and in types."""
    found = set()
    for node in tree.root.walk():
        if node.kind == "selector_expression":
            operand = node.get("operand")
            if operand is not None and operand.kind == "identifier":  # the text of a chain would be quadratic
                found.add((tree.text(operand), tree.text(node.get("field"))))
        elif node.kind == "qualified_type":
            found.add((tree.text(node.get("package")), tree.text(node.get("name"))))
    return found


def _read(code: str, which: str) -> Tree:
    tree = parse(code, GO)
    if isinstance(tree, Fault):
        raise LayoutError(f"the {which} file cannot be read: {tree}", reason=tree.reason)
    return tree


def _imported_path(focal: Tree, test: Tree, own: str) -> str:
    """The import whose names the focal file declares, then the one that is called like its package."""
    declared, taken = declared_names(focal), selectors(test)
    scores: dict[str, tuple[int, bool]] = {}
    for path, names in local_names(test).items():
        if path not in STANDARD and names != ["_"]:
            hits = sum(field in declared for name, field in taken if name in names)
            scores[path] = (hits, own in package_names(path) or names == ["."])
    top = max(scores.values(), default=(0, False))
    found = [path for path, score in scores.items() if score == top and score != (0, False)]
    if not found:
        raise LayoutError(f"no import in the test file names package {own}", reason="no_import")
    if len(found) > 1:
        raise LayoutError(
            f"several imports fit package {own} equally: {', '.join(found[:5])}", reason="ambiguous"
        )
    return found[0]


def _file(given: str | None, *, default: str, test: bool) -> str:
    """A file name of a project, if the go command reads it as what it is: not one that begins with `_`."""
    name = safe_name(given, ".go")
    fits = name is not None and not name.startswith("_") and name.endswith("_test.go") == test
    return name if name is not None and fits else default
