"""The layout of a Go pair as a module: package clauses and the test's import of the focal package.

Also the packages and names that such a suite uses and lacks, and the first lines of a test.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from benchwright.contracts import Suite
from benchwright.lang.go.predeclared import UNIVERSE
from benchwright.lang.go.test_cases import collect
from benchwright.lang.go.tree import (
    GRAMMAR,
    STANDARD,
    declared_names,
    go_imports,
    import_path,
    import_specs,
    module_of,
    name_of,
    package,
    package_names,
    parse,
)
from benchwright.lang.paths import check_go_import, check_names, safe_name
from benchwright.lang.protocol import UNREADABLE, Opening
from benchwright.lang.source_errors import LayoutError, SyntaxFault
from benchwright.lang.trees import Node, Tree

# loop variables per iteration and ranges over integers, which code from 2024 on expects
GO_VERSION = "1.22"
_OWN_HOST = "example.com"  # of a module whose path no file states


def lay_out_go(focal: str, test: str, *, focal_name: str | None, test_name: str | None) -> Suite:
    """Return the focal package as the module itself, so that its import path resolves in any project."""
    focal_tree, test_tree = _read(focal, "focal"), _read(test, "test")
    cases = list(collect(test_tree))
    if not cases:
        raise LayoutError("the test file has no test case", reason="no_cases")
    clause = package(test_tree)
    if not clause:
        raise LayoutError("the test file has no package clause", reason="syntax")
    own = package(focal_tree) or clause.removesuffix("_test")
    check_names([own, clause])
    inner = clause == own
    path = f"{_OWN_HOST}/{own}" if inner else _imported_path(focal_tree, test_tree, own)
    check_go_import(path)
    folder = "" if clause in (own, f"{own}_test") else f"{clause}/"
    focal_path = _file(focal_name, default="focal.go", test=False)
    test_path = folder + _file(test_name, default=focal_path.replace(".go", "_test.go"), test=True)
    return Suite(
        lang=GRAMMAR.lang,
        framework="go",
        files={"go.mod": f"module {path}\n\ngo {GO_VERSION}\n", focal_path: focal, test_path: test},
        focal=focal_path,
        test=test_path,
        cases=cases,
    )


def local_names(tree: Tree) -> dict[str, list[str]]:
    """Map import paths to the names that the package may have in this file; "." for a dot import."""
    found = {}
    for spec in import_specs(tree):
        path, name = import_path(tree, spec), name_of(tree, spec)
        found[path] = [name] if name else package_names(path)
    return found


def selectors(tree: Tree) -> set[tuple[str, str]]:
    """Return pairs of names `x.Y` in the file, in expressions and in types."""
    found = set()
    for node in tree.root.walk():
        if node.kind == "selector_expression":
            operand = node.get("operand")
            # the text of a chain would take quadratic time
            if operand is not None and operand.kind == "identifier":
                found.add((tree.text(operand), tree.text(node.get("field"))))
        elif node.kind == "qualified_type":
            found.add((tree.text(node.get("package")), tree.text(node.get("name"))))
    return found


def _read(code: str, which: str) -> Tree:
    tree = parse(code)
    if isinstance(tree, SyntaxFault):
        raise LayoutError(f"the {which} file cannot be read: {tree}", reason=tree.reason)
    return tree


def _imported_path(focal: Tree, test: Tree, own: str) -> str:
    """Return the import whose names the focal file declares, otherwise the one named like its package."""
    declared, uses = declared_names(focal), selectors(test)
    scores: dict[str, tuple[int, bool]] = {}
    for path, names in local_names(test).items():
        if path not in STANDARD and names != ["_"]:
            hits = sum(field in declared for name, field in uses if name in names)
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
    """Return a project's file name if the go command reads it: it must not start with `_`."""
    name = safe_name(given, ".go")
    fits = name is not None and not name.startswith("_") and name.endswith("_test.go") == test
    return name if name is not None and fits else default


# fields in which an identifier declares a name instead of using one
_NAMING = {"name", "label"}
_NAMED_BY = {
    "parameter_declaration", "variadic_parameter_declaration", "var_spec", "const_spec", "type_spec",
    "type_alias", "function_declaration", "type_parameter_declaration", "method_elem",
}  # fmt: skip
_ASSIGNING = {"short_var_declaration", "range_clause", "receive_statement", "type_switch_statement"}


def missing_in_go(suite: Suite, roots: Collection[str]) -> set[str]:
    """Return import paths of the project's other packages, and names that no file of the suite declares.

    A name that is declared anywhere in a file, in any scope, counts as known there.
    """
    module = suite.files["go.mod"].split()[1]
    known_roots = roots or [module_of(module)]
    read = {path: parse(suite.files[path]) for path in (suite.focal, suite.test)}
    trees = {path: tree for path, tree in read.items() if not isinstance(tree, SyntaxFault)}
    missing: set[str] = set()
    for tree in trees.values():
        paths = (
            each.module for each in go_imports(tree, known_roots) if each.kind in ("project", "relative")
        )
        missing.update(path for path in paths if path != module)
        together = [other for other in trees.values() if package(other) == package(tree)]
        known = {name for other in together for name in declared_names(other)}
        missing.update(_undeclared(tree, known))
    return missing


def _undeclared(tree: Tree, known: set[str]) -> set[str]:
    imported = local_names(tree)
    if ["."] in imported.values():
        return set()
    used = {tree.text(node) for node in _used_names(tree.root)}
    names = {name for found in imported.values() for name in found}
    unknown = used - bound_in(tree) - names - known - UNIVERSE
    if any(used.isdisjoint(found) for found in imported.values() if found != ["_"]):
        unknown -= {
            name for name, _ in selectors(tree)
        }  # may be that package, whose path does not show its name
    return unknown


def bound_in(tree: Tree) -> set[str]:
    """Return the names that a file declares or redeclares, in any scope."""
    return {tree.text(node) for node in tree.root.walk() if _is_bound(node)}


def _is_bound(node: Node) -> bool:
    """Return whether an identifier declares a name: in a declaration, or left of `:=`."""
    if node.kind not in ("identifier", "type_identifier") or node.parent is None:
        return False
    above = node.parent
    if above.kind in _NAMED_BY:
        return node.field in _NAMING
    if above.kind == "expression_list" and above.parent is not None:
        return above.parent.kind in _ASSIGNING and above.field in ("left", "alias")
    return above.kind in _ASSIGNING and node.field in ("left", "alias")


def _used_names(root: Node) -> Iterator[Node]:
    """Yield used names: not the keys of a literal, which are fields, and not what follows a dot."""
    for node in root.walk():
        if node.kind not in ("identifier", "type_identifier") or node.parent is None:
            continue
        above = node.parent
        key = above.kind == "literal_element" and above.field == "key"
        if not key and above.kind != "qualified_type":
            yield node


def opening_in_go(path: str, code: str, _: Collection[str]) -> Opening | None:
    """Return the file's own package clause and the import of `testing`."""
    tree = parse(code)
    if isinstance(tree, SyntaxFault):
        return UNREADABLE
    callables = tree.root.all("function_declaration", "method_declaration")
    if not {name_of(tree, each) for each in callables} - {"main", "init", "_", ""}:
        return None
    lines = f'package {package(tree)}\n\nimport "testing"\n'
    probe = f'{lines}\nfunc TestProbe(t *testing.T) {{\n\tt.Log("probe")\n}}\n'
    stem = path.rpartition("/")[2].removesuffix(".go")
    return Opening(lines, probe, "TestProbe", f"{stem}_test.go")
