"""Comments in JavaScript and TypeScript, and the declarations of a text.

After some tokens, and before some, a line end always ends a statement (ECMA-262, "Rules of Automatic
Semicolon Insertion"); elsewhere the shape of the tree decides. HTML-like comments are code here: in a module
they are operators.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from benchwright.lang.comment_records import Comment, Declaration, Parameter
from benchwright.lang.parser import Grammar
from benchwright.lang.tree_comments import DocCommentTarget, TreeComments, declared_class, nested
from benchwright.lang.trees import Node, Tree

_NAMED_KINDS = (
    *("function_declaration", "generator_function_declaration", "class_declaration", "method_definition"),
    # TypeScript only
    *("abstract_class_declaration", "interface_declaration", "enum_declaration", "type_alias_declaration"),
    *("function_signature", "method_signature", "abstract_method_signature"),
)
_ANONYMOUS = ("arrow_function", "function_expression", "generator_function", "class")
_NAMING = {  # nodes that name a function or class, and the fields of both
    "variable_declarator": ("name", "value"),
    "field_definition": ("property", "value"),
    "public_field_definition": ("name", "value"),
    "pair": ("key", "value"),
    "assignment_expression": ("left", "right"),
}
_LISTS = ("lexical_declaration", "variable_declaration")
_GIVES = ("return_statement", "yield_expression")
_CLASSES = (
    *("class", "class_declaration", "abstract_class_declaration"),
    *("interface_declaration", "enum_declaration", "type_alias_declaration"),
)
_METHODS = ("method_definition", "method_signature", "abstract_method_signature", "field_definition", "pair")
_TYPED = ("required_parameter", "optional_parameter")  # parameters in TypeScript
_ENDS_AFTER = frozenset(("async", "break", "continue", "return", "throw", "yield"))
_ENDS_BEFORE = frozenset(("++", "--", "=>"))
_THROW = re.compile(r"throw\s+new\s+([\w$.]+)")
_ABOUT_FILE = re.compile(r"@(?:file|fileoverview|overview|module|license|packageDocumentation)\b")


class _JavaScriptComments(TreeComments):
    grammar = Grammar(
        "JavaScript",
        "tree_sitter_javascript",
        comments=("comment",),
        whole=("string", "regex"),
        kept=(
            *_NAMED_KINDS,
            *_ANONYMOUS,
            *_NAMING,
            *_LISTS,
            *_GIVES,
            "export_statement",
            "formal_parameters",
            "assignment_pattern",
            "rest_pattern",
            "throw_statement",
            "public_field_definition",
            *_TYPED,
        ),
    )
    odd = re.compile(rb"[^ \t\v\f\n]+")
    directive = re.compile(
        r"///\s*<|/[/*]+\s*(?:[#@]\s*source(?:Mapping)?URL=|@ts-|@flow\b|@jsx|@jest-|@vite-|@bun\b|@format\b"
        r"|[@#]__[A-Z_]+__|webpack\w+:|eslint(?:-|\s)|globals?\s|exported\s|js[hl]int|tslint:|biome-ignore"
        r"|prettier-ignore|istanbul\s|[cv]8 ignore|NOSONAR|noinspection\b|deno-)"
    )

    def ends_line(self, last: str, following: str) -> bool:
        if last in _ENDS_AFTER:
            return following not in ("}", ";")
        return following in _ENDS_BEFORE and (last[-1].isalnum() or last[-1] in "_$)]}'\"`/")

    def heads_file(self, comment: Comment) -> bool:
        return comment.kind == "block" and _ABOUT_FILE.search(comment.text) is not None

    def documentables(self, tree: Tree) -> Iterator[DocCommentTarget]:
        raised: defaultdict[Node | None, list[str]] = defaultdict(list)
        giving: set[Node | None] = set()
        found = list(nested(tree.root, lambda node: _own_name(tree, node)))
        for node, _, around in found:
            if node.kind == "throw_statement" and (throw := _THROW.match(tree.text(node))):
                raised[around].append(throw[1])
            elif node.kind == "yield_expression" or (
                node.kind == "return_statement" and len(node.children) > 1
            ):
                giving.add(around) if any(child.named for child in node.children) else None
        for node, name, around in found:
            definition = _definition(node)
            if name and definition is not None:
                declared = _declaration(
                    tree, node, definition, name, raises=raised[node], gives=node in giving
                )
                yield DocCommentTarget(_start(node), name, declared)
            elif name or (node.kind == "variable_declarator" and around is None):
                yield DocCommentTarget(_start(node), name or tree.name(node.get("name")))


def _definition(node: Node) -> Node | None:
    """Return the function or class that a node declares or names; None for neither."""
    if node.kind in _NAMED_KINDS:
        return node
    value = node.get(_NAMING[node.kind][1]) if node.kind in _NAMING else None
    return value if value is not None and value.kind in _ANONYMOUS else None


def _own_name(tree: Tree, node: Node) -> str | None:
    if node.kind in _NAMED_KINDS:
        return tree.text(node.get("name"))
    if node.kind in _NAMING and (_definition(node) is not None or node.kind.endswith("field_definition")):
        return tree.name(node.get(_NAMING[node.kind][0]))
    unnamed = (
        node.kind in _ANONYMOUS
        and node.named
        and (node.parent is None or _definition(node.parent) is not node)
    )
    return "" if unnamed else None


def _start(node: Node) -> int:
    """Return where documentation ends: before the keywords in front of the first name."""
    above = node.parent
    while above is not None and (
        above.kind == "export_statement" or (above.kind in _LISTS and node.index == 1)
    ):
        node, above = above, above.parent
    return node.start


def _declaration(
    tree: Tree, node: Node, definition: Node, name: str, *, raises: list[str], gives: bool
) -> Declaration:
    if definition.kind in _CLASSES:
        return declared_class(node, name)
    body = definition.get("body")
    given, alone = definition.get("parameters"), definition.get("parameter")
    patterns = given.children if given is not None else [alone] if alone is not None else []
    return Declaration(
        name=name,
        kind="method" if node.kind in _METHODS else "function",
        first_line=node.first_line,
        last_line=node.last_line,
        parameters=[_parameter(tree, each) for each in patterns if each.named],
        returns=gives or (body is not None and body.kind != "statement_block"),
        raises=list(dict.fromkeys(raises)),
    )


def _parameter(tree: Tree, pattern: Node) -> Parameter:
    default = pattern.kind == "assignment_pattern"
    if pattern.kind in _TYPED:
        default = pattern.kind == "optional_parameter" or pattern.get("value") is not None
        pattern = pattern.get("pattern") or pattern
    elif default:
        pattern = pattern.get("left") or pattern
    if pattern.kind == "rest_pattern":
        pattern = next((child for child in pattern.children if child.named), pattern)
    return Parameter(name=tree.text(pattern) if pattern.kind == "identifier" else "", default=default)


class _TypeScriptComments(_JavaScriptComments):
    grammar = _JavaScriptComments.grammar._replace(
        lang="TypeScript", module="tree_sitter_typescript", function="language_typescript"
    )


read_javascript = _JavaScriptComments().commented
read_typescript = _TypeScriptComments().commented
