"""Plain questions on a Go tree: the package, imports, what the file declares."""

from __future__ import annotations

from collections.abc import Iterator

from benchwright.lang import trees
from benchwright.lang.faults import SyntaxFault
from benchwright.lang.parser import Grammar
from benchwright.lang.trees import Node, Tree

GRAMMAR = Grammar("Go", "tree_sitter_go", closed=("block", "parameter_list", "struct_type", "interface_type"))


def parse(code: str) -> Tree | SyntaxFault:
    """The tree of a text; a Fault where there is none at all."""
    return trees.parse(code, GRAMMAR)


def parse_outline(code: str) -> Tree | SyntaxFault:
    """The same without what stands in functions, parameters and types; whole where the text has a fault."""
    return trees.parse_outline(code, GRAMMAR)


def package(tree: Tree) -> str:
    """The name in the package clause; empty where there is none."""
    clause = tree.root.first("package_clause")
    return tree.text(clause.first("package_identifier")) if clause else ""


def import_specs(tree: Tree) -> Iterator[Node]:
    """Each import of the file, from one block or several."""
    for declared in tree.root.all("import_declaration"):
        for node in declared.children:
            yield from node.all("import_spec") if node.kind == "import_spec_list" else ()
            if node.kind == "import_spec":
                yield node


def import_path(tree: Tree, spec: Node) -> str:
    """The path between the quotes."""
    return tree.text(spec.get("path")).strip('"`')


def functions(tree: Tree) -> list[Node]:
    """The functions of the file, without methods."""
    return tree.root.all("function_declaration")


def name_of(tree: Tree, declared: Node) -> str:
    """The name of a function, method, type or import."""
    return tree.text(declared.get("name"))


def declared_names(tree: Tree) -> set[str]:
    """Names that the file gives its package: functions, types, variables, constants."""
    names = {name_of(tree, node) for node in functions(tree)}
    for spec in specs(tree, "type_declaration", "var_declaration", "const_declaration"):
        names.update(spec_names(tree, spec))
    return names - {"", "_", "init"}


def specs(tree: Tree, *declarations: str) -> Iterator[Node]:
    """What the file's declarations of some kinds declare, each alone or from a block."""
    for group in tree.root.all(*declarations):
        for node in group.children:
            if node.kind == "var_spec_list":
                yield from node.all("var_spec")
            elif node.kind in ("type_spec", "type_alias", "var_spec", "const_spec"):
                yield node


def spec_names(tree: Tree, spec: Node) -> list[str]:
    """The names of one specification, which may be several: `var a, b int`."""
    return [tree.text(child) for child in spec.children if child.field == "name" and child.named]
