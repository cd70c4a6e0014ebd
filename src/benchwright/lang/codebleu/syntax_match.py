"""The share of the reference's subtrees that the other program has too."""

from __future__ import annotations

from collections.abc import Iterator

from benchwright.lang.codebleu.marked_trees import MarkedNode, MarkedTree

_ERROR = "ERROR"


class Shapes:
    """Numbers of subtrees: equal numbers have equal kinds and fields throughout, whatever the names in them.

    The equality is that of tree-sitter's text of a node: named nodes, those that the grammar made up, and
    the first character that it could not read.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[object, ...], int] = {}

    def of(self, tree: MarkedTree) -> list[int]:
        """The numbers of the whole tree and of each node with children, without nodes that are not named."""
        numbers: dict[int, int] = {}
        for node in reversed(tree.nodes):
            numbers[id(node)] = self._number(node, tree.data, numbers)
        return [numbers[id(node)] for at, node in enumerate(tree.nodes) if at == 0 or node.children]

    def _number(self, node: MarkedNode, data: bytes, numbers: dict[int, int]) -> int:
        key = (node.kind, node.missing, _unread(node, data), *_parts(node, numbers))
        return self._known.setdefault(key, len(self._known))


def _parts(node: MarkedNode, numbers: dict[int, int]) -> Iterator[tuple[str, int]]:
    for child in node.children:
        if child.named or child.missing:
            yield child.field, numbers[id(child)]


def _unread(node: MarkedNode, data: bytes) -> str:
    if node.kind != _ERROR or node.children or node.start == node.end:
        return ""
    return data[node.start : node.end].decode("utf-8", "replace")[:1]


def syntax_match(reference: MarkedTree, other: MarkedTree) -> float:
    """The share from 0 to 1; each subtree of the reference counts, also equal ones."""
    shapes = Shapes()
    wanted, present = shapes.of(reference), set(shapes.of(other))
    return sum(number in present for number in wanted) / len(wanted)
