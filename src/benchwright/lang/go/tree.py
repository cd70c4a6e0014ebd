"""Plain questions on a Go tree: the package, imports, what the file declares."""

from __future__ import annotations

from collections.abc import Iterator

from benchwright.lang import trees
from benchwright.lang.faults import SyntaxFault
from benchwright.lang.parser import Grammar
from benchwright.lang.trees import Node, Tree

GRAMMAR = Grammar("Go", "tree_sitter_go", closed=("block", "parameter_list", "struct_type", "interface_type"))


def parse(code: str) -> Tree | SyntaxFault:
    """Return the tree of a text, or a SyntaxFault if there is none."""
    return trees.parse(code, GRAMMAR)


def parse_outline(code: str) -> Tree | SyntaxFault:
    """Return the tree without the content of functions, parameters and types; the whole tree if it has a
    syntax error."""
    return trees.parse_outline(code, GRAMMAR)


def package(tree: Tree) -> str:
    """Return the name in the package clause; empty if there is none."""
    clause = tree.root.first("package_clause")
    return tree.text(clause.first("package_identifier")) if clause else ""


def import_specs(tree: Tree) -> Iterator[Node]:
    """Yield each import of the file, from one block or several."""
    for declared in tree.root.all("import_declaration"):
        for node in declared.children:
            yield from node.all("import_spec") if node.kind == "import_spec_list" else ()
            if node.kind == "import_spec":
                yield node


def import_path(tree: Tree, spec: Node) -> str:
    """Return the path between the quotes."""
    return tree.text(spec.get("path")).strip('"`')


def functions(tree: Tree) -> list[Node]:
    """Return the functions of the file, without methods."""
    return tree.root.all("function_declaration")


def name_of(tree: Tree, declared: Node) -> str:
    """Return the name of a function, method, type or import."""
    return tree.text(declared.get("name"))


def declared_names(tree: Tree) -> set[str]:
    """Return the names that the file declares for its package: functions, types, variables, constants."""
    names = {name_of(tree, node) for node in functions(tree)}
    for spec in specs(tree, "type_declaration", "var_declaration", "const_declaration"):
        names.update(spec_names(tree, spec))
    return names - {"", "_", "init"}


def specs(tree: Tree, *declarations: str) -> Iterator[Node]:
    """Yield the specifications of some kinds of declarations, single or from a block."""
    for group in tree.root.all(*declarations):
        for node in group.children:
            if node.kind == "var_spec_list":
                yield from node.all("var_spec")
            elif node.kind in ("type_spec", "type_alias", "var_spec", "const_spec"):
                yield node


def spec_names(tree: Tree, spec: Node) -> list[str]:
    """Return the names of one specification, such as `var a, b int`."""
    return [tree.text(child) for child in spec.children if child.field == "name" and child.named]
