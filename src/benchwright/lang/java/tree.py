"""Plain questions on a Java tree: packages, types, methods, annotations."""

from __future__ import annotations

from collections.abc import Iterator

from benchwright.lang import trees
from benchwright.lang.faults import SyntaxFault
from benchwright.lang.parser import Grammar
from benchwright.lang.trees import Node, Tree

GRAMMAR = Grammar("Java", "tree_sitter_java")
TYPES = (
    "class_declaration",
    "interface_declaration",
    "enum_declaration",
    "record_declaration",
    "annotation_type_declaration",
)
_BODIES = ("class_body", "interface_body", "enum_body", "enum_body_declarations", "annotation_type_body")


def parse(code: str) -> Tree | SyntaxFault:
    """Return the tree of a text, or a SyntaxFault if there is none."""
    return trees.parse(code, GRAMMAR)


def package(tree: Tree) -> str:
    """Return the dotted name of the file's package; empty for the unnamed one."""
    declared = tree.root.first("package_declaration")
    return tree.name(declared.first("scoped_identifier", "identifier")) if declared else ""


def top_types(tree: Tree) -> list[Node]:
    """Return the top-level types of the file."""
    return tree.root.all(*TYPES)


def members(declared: Node) -> Iterator[Node]:
    """Return the members of a type's body: methods, fields, types and their comments."""
    body = declared.get("body")
    stack = [] if body is None else [body]
    while stack:
        node = stack.pop()
        if node.kind in _BODIES:
            stack.extend(reversed(node.children))
        else:
            yield node


def methods(declared: Node) -> list[Node]:
    """Return the methods of a type."""
    return [node for node in members(declared) if node.kind == "method_declaration"]


def inner_types(declared: Node) -> list[Node]:
    """Return the types that a type declares."""
    return [node for node in members(declared) if node.kind in TYPES]


def name_of(tree: Tree, declared: Node) -> str:
    """Return the name of a type or method."""
    return tree.text(declared.get("name"))


def modifiers(tree: Tree, declared: Node) -> set[str]:
    """Return modifiers such as `public` and `static`."""
    held = declared.first("modifiers")
    return {tree.text(node) for node in held.children if not node.named} if held else set()


def marks(tree: Tree, declared: Node) -> dict[str, Node]:
    """Return the simple names of a declaration's annotations."""
    held = declared.first("modifiers")
    found = held.all("marker_annotation", "annotation") if held else []
    return {tree.name(node.get("name")).rpartition(".")[2]: node for node in found}


def supertypes(tree: Tree, declared: Node) -> list[str]:
    """Return the simple names of the types that a type extends or implements, without their arguments."""
    clauses = declared.all("superclass", "super_interfaces", "extends_interfaces")
    stack = [child for clause in reversed(clauses) for child in reversed(clause.children)]
    names = []
    while stack:
        node = stack.pop()
        if node.kind == "type_list":
            stack.extend(reversed(node.children))
        elif node.kind == "generic_type":
            stack.append(node.children[0])
        elif node.kind in ("type_identifier", "scoped_type_identifier"):
            names.append(tree.name(node).rpartition(".")[2])
    return names


def arguments_text(tree: Tree, annotation: Node | None) -> str:
    """Return the text in an annotation's brackets."""
    return tree.text(annotation.get("arguments")) if annotation else ""
