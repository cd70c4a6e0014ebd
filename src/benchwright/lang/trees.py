"""tree-sitter's syntax trees, copied into plain nodes.

A tree-sitter node finds its parent by a search from the root, which makes ordinary questions quadratic, and
tree-sitter itself runs in a separate process (`parser`). Nothing here recurses: a text of a megabyte can be a
million levels deep. Definitions can be cut out of a tree's text as ranges of whole lines.
"""

from __future__ import annotations

import json
import re
import struct
from array import array
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from benchwright.lang.lines import split_lf, without_lines
from benchwright.lang.parser import PARSER, Grammar, ParseDetail
from benchwright.lang.source_errors import CuttingError, SyntaxFault, encode_source


class Node:
    """A node of a syntax tree: `kind` is the grammar's name for it, `field` its role in the parent."""

    __slots__ = (
        "after", "at", "children", "end", "field", "first_line", "index", "kind", "last_line", "named",
        "order", "parent", "start",
    )  # fmt: skip

    def __init__(
        self, kind: str, field: str, parent: Node | None, numbers: tuple[int, ...], order: list[Node]
    ) -> None:
        self.kind, self.field, self.parent = kind, field, parent
        self.named = numbers[2] == 1
        self.start, self.end, self.first_line, self.last_line = numbers[4:]
        self.order = order  # all nodes of the tree in the text's order: descendants follow this node
        self.at = len(order)
        self.after = self.at + 1  # index of the first node that is not a descendant
        self.children: list[Node] = []
        self.index = 0  # among the parent's children
        if parent is not None:
            self.index = len(parent.children)
            parent.children.append(self)

    def get(self, field: str) -> Node | None:
        """Return the first child in a field."""
        return next((child for child in self.children if child.field == field), None)

    def all(self, *kinds: str) -> list[Node]:
        """Return the children of some kinds."""
        return [child for child in self.children if child.kind in kinds]

    def first(self, *kinds: str) -> Node | None:
        """Return the first child of one of some kinds."""
        return next((child for child in self.children if child.kind in kinds), None)

    def walk(self) -> Iterator[Node]:
        """Iterate over this node and all descendants, in the text's order."""
        return iter(self.order[self.at : self.after])

    def ancestors(self) -> Iterator[Node]:
        """Yield the parent, its parent, and so on to the root."""
        node = self.parent
        while node is not None:
            yield node
            node = node.parent


class Tree(NamedTuple):
    """A parsed text. `fault` is set if the grammar had to skip something; the rest is still there."""

    data: bytes
    root: Node
    fault: SyntaxFault | None

    def text(self, node: Node | None) -> str:
        """Return the source of a node; empty for None."""
        return "" if node is None else self.data[node.start : node.end].decode("utf-8", "replace")

    def name(self, node: Node | None) -> str:
        """Return the source of a dotted name without the white space that it may contain."""
        return "".join(self.text(node).split())


_TOO_LONG = SyntaxFault("source code is nested too deeply or too long for the parser", 0, "too_large")


@lru_cache(maxsize=8)  # a build asks ten questions about a focal file and its test
def parse(code: str, grammar: Grammar) -> Tree | SyntaxFault:
    """Return the tree of a text, or a SyntaxFault if there is none: too large or too expensive.

    Trees are shared: do not modify one.
    """
    return _read(code, grammar, "tree")


def parse_outline(code: str, grammar: Grammar) -> Tree | SyntaxFault:
    """Return the tree of a text without the content of closed nodes, which takes most of the time.

    A text with a syntax error has its whole tree.
    """
    return _read(code, grammar, "outline")


def _read(code: str, grammar: Grammar, part: ParseDetail) -> Tree | SyntaxFault:
    data = encode_source(code)
    if isinstance(data, SyntaxFault):
        return data
    answer = PARSER.ask(grammar, data, part)
    if not answer:
        return _TOO_LONG
    missing, length = struct.unpack_from("=II", answer)
    root = _nodes(json.loads(answer[8 : 8 + length]), array("I", answer[8 + length :]))
    return Tree(data, root, _fault(data, root, missing))


class SyntaxLeaf(NamedTuple):
    """A token or comment: the grammar's name for it, its place in the tree as a number, and its byte
    range."""

    kind: str
    shape: int
    start: int
    end: int


def leaves(code: str, grammar: Grammar) -> tuple[list[SyntaxLeaf], Tree] | SyntaxFault:
    """Return all tokens and comments of a text, and a tree of the root and the kept nodes with their
    children."""
    data = encode_source(code)
    if isinstance(data, SyntaxFault):
        return data
    answer = PARSER.ask(grammar, data, "leaves")
    if not answer:
        return _TOO_LONG
    missing, length = struct.unpack_from("=II", answer)
    words = json.loads(answer[8 : 8 + length])
    (many,) = struct.unpack_from("=I", answer, 8 + length)
    numbers = array("I", answer[12 + length :])
    cut = 4 * many
    kinds, shapes, starts, ends = (numbers[at:cut:4] for at in range(4))
    root = _nodes(words, numbers[cut:])
    found = [SyntaxLeaf(words[kind], *rest) for kind, *rest in zip(kinds, shapes, starts, ends, strict=True)]
    return found, Tree(data, root, _fault(data, root, missing))


def _nodes(words: list[str], numbers: array[int]) -> Node:
    nodes: list[Node] = []
    for each in zip(*(numbers[at::8] for at in range(8)), strict=True):
        kind, field, _, parent = each[:4]
        nodes.append(Node(words[kind], words[field], nodes[parent - 1] if parent else None, each, nodes))
    for node in reversed(nodes):
        if node.parent is not None and node.parent.after < node.after:
            node.parent.after = node.after
    return nodes[0]


def _fault(data: bytes, root: Node, missing: int) -> SyntaxFault | None:
    wrong = next((node for node in root.walk() if node.kind == "ERROR"), None)
    if wrong is None:
        return SyntaxFault("something is missing", missing) if missing else None
    excerpt = data[wrong.start : wrong.end].decode("utf-8", "replace").strip().split("\n")[0][:40]
    return SyntaxFault(f"unexpected `{excerpt}`" if excerpt else "unexpected end", wrong.first_line)


COMMENTS = ("comment", "line_comment", "block_comment")
_ONLY_COMMENT = re.compile(rb"\s*;?\s*(//[^\n]*|/\*[^\n]*\*/\s*)?")


def first_line(node: Node) -> int:
    """Return the first line of a definition, including the comments right above it."""
    assert node.parent is not None
    line, index = node.first_line, node.index
    while index > 0 and node.parent.children[index - 1].kind in COMMENTS:
        comment = node.parent.children[index - 1]
        trails = index > 1 and node.parent.children[index - 2].last_line == comment.first_line
        if comment.last_line < line - 1 or trails:
            break
        line, index = comment.first_line, index - 1
    return line


def without_nodes(tree: Tree, nodes: Iterable[Node], *, extra: Iterable[tuple[int, int]] = ()) -> str:
    """Remove definitions from the text. Raises CuttingError if other definitions share their lines."""
    ranges = [*extra, *(_whole_lines(tree, node) for node in nodes)]
    return without_lines(split_lf(tree.data.decode("utf-8")), ranges)


def stands_alone(tree: Tree, node: Node) -> bool:
    """Return whether a definition has its lines for itself, so that it can be cut."""
    try:
        _whole_lines(tree, node)
    except CuttingError:
        return False
    return True


def is_inside(node: Node, others: set[Node]) -> bool:
    """Return whether a node is one of `others` or a descendant of one."""
    return node in others or any(each in others for each in node.ancestors())


def walk_outside(root: Node, skipped: set[Node]) -> Iterator[Node]:
    """Yield a node and its descendants, except skipped nodes and their descendants."""
    order, at, end = root.order, root.at, root.after
    while at < end:
        node = order[at]
        if node in skipped:
            at = node.after
        else:
            yield node
            at += 1


def _whole_lines(tree: Tree, node: Node) -> tuple[int, int]:
    line_start = tree.data.rfind(b"\n", 0, node.start) + 1
    line_end = tree.data.find(b"\n", node.end)
    rest = tree.data[node.end : line_end if line_end >= 0 else len(tree.data)]
    alone = not tree.data[line_start : node.start].strip() and _ONLY_COMMENT.fullmatch(rest)
    if not alone:
        raise CuttingError(f"line {node.first_line} has more than one definition", reason="entangled")
    return first_line(node), node.last_line
