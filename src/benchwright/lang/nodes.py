"""Definitions in a tree as ranges of whole lines, for cutting them out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from benchwright.lang.errors import CuttingError
from benchwright.lang.lines import split_lf, without
from benchwright.lang.trees import Node, Tree

COMMENTS = ("comment", "line_comment", "block_comment")
_ONLY_COMMENT = re.compile(rb"\s*;?\s*(//[^\n]*|/\*[^\n]*\*/\s*)?")


def first_line(node: Node) -> int:
    """The line a definition begins on, with the comments right above it."""
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
    """The text without some definitions. Raises CuttingError where others share their lines."""
    ranges = [*extra, *(_whole_lines(tree, node) for node in nodes)]
    return without(split_lf(tree.data.decode("utf-8")), ranges)


def inside(node: Node, others: set[Node]) -> bool:
    """True for a node that is one of `others` or below one."""
    return node in others or any(each in others for each in node.ancestors())


def walk_outside(root: Node, skipped: set[Node]) -> Iterator[Node]:
    """A node and all below it, but for those that are skipped with all they hold."""
    stack = [root]
    while stack:
        node = stack.pop()
        if node not in skipped:
            yield node
            stack.extend(reversed(node.children))


def _whole_lines(tree: Tree, node: Node) -> tuple[int, int]:
    line_start = tree.data.rfind(b"\n", 0, node.start) + 1
    line_end = tree.data.find(b"\n", node.end)
    rest = tree.data[node.end : line_end if line_end >= 0 else len(tree.data)]
    alone = not tree.data[line_start : node.start].strip() and _ONLY_COMMENT.fullmatch(rest)
    if not alone:
        raise CuttingError(f"line {node.first_line} holds more than one definition", reason="entangled")
    return first_line(node), node.last_line
