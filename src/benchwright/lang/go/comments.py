"""Comments in Go, and the declarations of a Go text.

A line end is a semicolon after some tokens, and so is a block comment that contains one (Go specification,
"Semicolons" and "Comments"). The comments above `import "C"` are C (cgo), a line that starts with `//go:` in
the first column is for the compiler, and `// Output:` in an example is its expected output.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator

from benchwright.lang.comment_records import Comment, Declaration, Parameter
from benchwright.lang.go.tree import GRAMMAR, name_of
from benchwright.lang.source_errors import SyntaxFault
from benchwright.lang.tree_comments import DocCommentTarget, TreeComments, declared_class, nested
from benchwright.lang.trees import Node, Tree

_FUNCTIONS = ("function_declaration", "method_declaration")
_TYPES = ("type_spec", "type_alias")
_VALUES = ("const_spec", "var_spec")
_GROUPS = ("type_declaration", "const_declaration", "var_declaration")
_PARAMETERS = ("parameter_declaration", "variadic_parameter_declaration")
_GOES_ON = frozenset({  # keywords; a line end after any other one ends the statement
    "case", "chan", "const", "default", "defer", "else", "for", "func", "go", "goto", "if", "import",
    "interface", "map", "package", "range", "select", "struct", "switch", "type", "var",
})  # fmt: skip
_CLOSERS = (")", "}")  # a semicolon before these is optional
_AT_MARGIN = re.compile(r"//(?:go:|line |export |extern )")
_OUTPUT = re.compile(r"//\s*(?:unordered )?output:", re.IGNORECASE)
_WORD = re.compile(r"\w+")


class _GoComments(TreeComments):
    grammar = GRAMMAR._replace(
        closed=(),
        comments=("comment",),
        whole=("interpreted_string_literal", "raw_string_literal", "rune_literal"),
        kept=(
            *_FUNCTIONS,
            *_TYPES,
            *_VALUES,
            *_GROUPS,
            *_PARAMETERS,
            "var_spec_list",
            "parameter_list",
            "func_literal",
            "package_clause",
            "import_spec",
        ),
    )
    odd = re.compile(rb"[^ \t\r\n]+")
    directive = re.compile(
        r"//\s*nolint\b|//\s*\+build\b|//(?!go:|line )[a-z0-9]+:[a-z0-9]|/\*line |//\s*#nosec\b"
    )

    def prepared(self, code: str) -> str | SyntaxFault:
        at = code.find("\ufeff")
        if at >= 0:
            return SyntaxFault("byte order mark in source code", code.count("\n", 0, at) + 1)
        return code.replace("\r\n", "\n")  # any other carriage return is white space, or part of a string

    def ends_line(self, last: str, following: str) -> bool:
        if following in _CLOSERS or last in _GOES_ON:
            return False
        number = last[0].isdigit() and last[-1] == "."
        return last[-1].isalnum() or last[-1] in "_\"'`)]}" or last in ("++", "--") or number

    def directives(self, tree: Tree) -> Callable[[str, int, int], bool]:
        nodes = list(tree.root.walk())
        c_begins = max((node.end for node in nodes if node.kind == "package_clause"), default=-1)
        c_ends = max((node.start for node in nodes if _is_c(tree, node)), default=-1)
        functions = [node for node in nodes if node.kind == "function_declaration"]  # never nested
        starts = [node.start for node in functions]

        def prints(start: int) -> bool:
            at = bisect_left(starts, start) - 1
            return (
                at >= 0 and start < functions[at].end and name_of(tree, functions[at]).startswith("Example")
            )

        def directs(source: str, start: int, column: int) -> bool:
            if self.directive.match(source) or (not column and _AT_MARGIN.match(source)):
                return True
            return c_begins < start < c_ends or (_OUTPUT.match(source) is not None and prints(start))

        return directs

    def may_document(self, comment: Comment, source: str) -> bool:
        return not comment.trailing

    def documents(self, comment: Comment, line: int) -> bool:
        return comment.end_line == line - 1

    def documentables(self, tree: Tree) -> Iterator[DocCommentTarget]:
        for node, name, around in nested(tree.root, lambda node: _own_name(tree, node)):
            start = _start(node)
            if node.kind in _FUNCTIONS:
                yield DocCommentTarget(start, name, _function(tree, node, name))
            elif node.kind in _TYPES:
                yield DocCommentTarget(start, name, declared_class(node, name))
            elif node.kind in _VALUES and around is None:
                yield DocCommentTarget(start, name or tree.text(node.get("name")))
            elif node.kind == "package_clause":
                yield DocCommentTarget(start, "")


def _is_c(tree: Tree, node: Node) -> bool:
    return node.kind == "import_spec" and tree.text(node.get("path"))[1:-1] == "C"


def _start(node: Node) -> int:
    """Return where documentation of a specification ends: at its keyword, if the specification is alone after
    it."""
    group = node.parent
    if group is not None and group.kind in _GROUPS and node.index == 1:
        return group.start
    return node.start


def _own_name(tree: Tree, node: Node) -> str | None:
    if node.kind == "method_declaration":
        receiver = _WORD.search(tree.text(node.get("receiver")).split()[-1])
        return f"{receiver.group() if receiver else ''}.{name_of(tree, node)}"
    if node.kind == "function_declaration" or node.kind in _TYPES:
        return name_of(tree, node)
    return "" if node.kind == "func_literal" else None


def _function(tree: Tree, node: Node, name: str) -> Declaration:
    parameter_list = node.get("parameters")
    return Declaration(
        name=name,
        kind="function" if node.kind == "function_declaration" else "method",
        first_line=node.first_line,
        last_line=node.last_line,
        parameters=[each for part in parameter_list.all(*_PARAMETERS) for each in _parameters(tree, part)]
        if parameter_list
        else [],
        returns=node.get("result") is not None,
    )


def _parameters(tree: Tree, node: Node) -> Iterator[Parameter]:
    """Return the parameters of one type; an unnamed parameter counts."""
    names = [tree.text(each) for each in node.children if each.field == "name"]
    annotation = tree.text(node.get("type"))
    if node.kind == "variadic_parameter_declaration":
        annotation = f"...{annotation}"
    for name in names or [""]:
        yield Parameter(name=name, annotation=annotation)


read_go = _GoComments().commented
