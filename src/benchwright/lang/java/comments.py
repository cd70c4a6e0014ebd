"""Comments in Java, and the declarations of a Java text.

javac reads Unicode escapes before anything else (JLS 3.3), so an escaped line end ends a comment, and so does
an escaped star with a slash. Such escapes are decoded first here too; a malformed one is a fault even in a
comment.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from benchwright.lang.comment_records import Declaration, Parameter
from benchwright.lang.java.tree import GRAMMAR, TYPES
from benchwright.lang.source_errors import SyntaxFault
from benchwright.lang.tree_comments import DocCommentTarget, TreeComments, declared_class, nested
from benchwright.lang.trees import Node, Tree

_FUNCTIONS = (
    "method_declaration",
    "constructor_declaration",
    "compact_constructor_declaration",
    "annotation_type_element_declaration",
)
_FIELDS = ("field_declaration", "constant_declaration")
_PARAMETERS = ("formal_parameter", "spread_parameter")
_ESCAPE = re.compile(r"\\\\|\\u+([0-9a-fA-F]{4})|(\\u)")
_READ_FIRST = frozenset("\n\r\"'\\*/")  # characters that separate tokens and comments
_THROW = re.compile(r"throw\s+new\s+([\w.]+)")
_NAME = re.compile(r"\w+")


class _JavaComments(TreeComments):
    grammar = GRAMMAR._replace(
        comments=("line_comment", "block_comment"),
        whole=("string_literal", "character_literal"),
        kept=(
            *TYPES,
            *_FUNCTIONS,
            *_FIELDS,
            *_PARAMETERS,
            "enum_constant",
            "formal_parameters",
            "throws",
            "throw_statement",
            "lambda_expression",
            "package_declaration",
        ),
    )
    odd = re.compile(rb"[^ \t\f\n]+")
    directive = re.compile(
        r"//\s*(?:NOSONAR|NOPMD|noinspection\b|CHECKSTYLE|@?formatter:|spotless:|\$NON-NLS|\$FALL-THROUGH|language=)"
    )

    def prepared(self, code: str) -> str | SyntaxFault:
        text = super().prepared(code)
        if isinstance(text, SyntaxFault) or "\\u" not in text:
            return text
        for found in _ESCAPE.finditer(text):
            if found[2]:
                return SyntaxFault("malformed Unicode escape", text.count("\n", 0, found.start()) + 1)
        return super().prepared(_ESCAPE.sub(_read_first, text))

    def documentables(self, tree: Tree) -> Iterator[DocCommentTarget]:
        raised: defaultdict[Node | None, list[str]] = defaultdict(list)
        found = list(nested(tree.root, lambda node: _own_name(tree, node)))
        for node, _, around in found:
            if node.kind == "throw_statement" and (throw := _THROW.match(tree.text(node))):
                raised[around].append(throw[1])
        for node, name, _ in found:
            if node.kind in _FUNCTIONS:
                yield DocCommentTarget(node.start, name, _function(tree, node, name, raised[node]))
            elif node.kind in TYPES:
                yield DocCommentTarget(node.start, name, declared_class(node, name))
            elif name or node.kind == "package_declaration":
                yield DocCommentTarget(node.start, name)


def _read_first(escape: re.Match[str]) -> str:
    char = chr(int(escape[1], 16)) if escape[1] else ""
    return char if char in _READ_FIRST else escape.group()


def _own_name(tree: Tree, node: Node) -> str | None:
    if node.kind in TYPES or node.kind in _FUNCTIONS or node.kind == "enum_constant":
        return tree.text(node.get("name"))
    if node.kind in _FIELDS:
        found = _NAME.match(tree.text(node.get("declarator")))
        return found.group() if found else ""
    return "" if node.kind == "lambda_expression" else None


def _function(tree: Tree, node: Node, name: str, exceptions: list[str]) -> Declaration:
    parameter_list, kind, throws = node.get("parameters"), node.get("type"), node.first("throws")
    declared = [tree.name(each) for each in throws.children if each.named] if throws else []
    return Declaration(
        name=name,
        kind="method",
        first_line=node.first_line,
        last_line=node.last_line,
        parameters=[_parameter(tree, each) for each in parameter_list.all(*_PARAMETERS)]
        if parameter_list
        else [],
        returns=kind is not None and kind.kind != "void_type",
        raises=list(dict.fromkeys([*declared, *exceptions])),
    )


def _parameter(tree: Tree, node: Node) -> Parameter:
    if node.kind == "formal_parameter":
        return Parameter(name=tree.text(node.get("name")), annotation=tree.text(node.get("type")))
    types = [
        each for each in node.children if each.named and each.kind not in ("modifiers", "variable_declarator")
    ]
    name = tree.text(node.first("variable_declarator"))
    return Parameter(name=name, annotation=f"{tree.text(types[0])}..." if types else "")


read_java = _JavaComments().commented
