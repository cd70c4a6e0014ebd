"""Syntax trees with what CodeBLEU compares: fields, nodes that the grammar made up, texts of tokens."""

from __future__ import annotations

import json
import struct
from array import array
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from benchwright.errors import DataError
from benchwright.lang.parser import PARSER, Grammar

_WHOLE_KINDS = frozenset(
    {"string_literal", "string", "character_literal"}
)  # tokens in spite of their children
COMMENT = "comment"
MAX_TEXT = 1 << 18  # bytes


class MarkedNode:
    """A node: `kind` and `field` by the grammar, `start` and `end` in bytes; `missing` if it was made up."""

    __slots__ = ("children", "end", "field", "kind", "missing", "named", "start")

    def __init__(self, kind: str, field: str, mark: int, start: int, end: int) -> None:
        self.kind, self.field, self.start, self.end = kind, field, start, end
        self.named, self.missing = bool(mark & 1), bool(mark & 2)
        self.children: list[MarkedNode] = []

    def get(self, field: str) -> MarkedNode | None:
        """Return the first child in a field."""
        return next((child for child in self.children if child.field == field), None)

    @property
    def is_token(self) -> bool:
        """Whether the node is a token of the data flow: a leaf or a string, but no `comment`."""
        return (not self.children or self.kind in _WHOLE_KINDS) and self.kind != COMMENT


class MarkedTree(NamedTuple):
    """A text in UTF-8, and its nodes, parents first."""

    data: bytes
    nodes: list[MarkedNode]

    @property
    def root(self) -> MarkedNode:
        """The node of the whole text."""
        return self.nodes[0]


def read_marked(code: str, grammar: Grammar) -> MarkedTree:
    """Parse a text. Raises DataError for one that is not Unicode, too long or too deep for the parser."""
    try:
        data = code.encode()
    except UnicodeEncodeError:
        raise DataError("the text is not Unicode") from None
    if len(data) > MAX_TEXT:
        raise DataError(f"the text has {len(data):,} bytes; the limit is {MAX_TEXT:,}")
    answer = PARSER.ask(grammar, data, "marked")
    if not answer:
        raise DataError("the text is nested too deeply or too long for the parser")
    _, length = struct.unpack_from("=II", answer)
    return MarkedTree(data, _nodes(json.loads(answer[8 : 8 + length]), array("I", answer[8 + length :])))


def _nodes(words: list[str], numbers: array[int]) -> list[MarkedNode]:
    all_nodes: list[MarkedNode] = []
    for kind, field, mark, parent, start, end in zip(*(numbers[at::8] for at in range(6)), strict=True):
        node = MarkedNode(words[kind], words[field], mark, start, end)
        if parent:
            all_nodes[parent - 1].children.append(node)
        all_nodes.append(node)
    return all_nodes


class TokenText:
    """Texts of tokens, cut as the library does: columns are bytes, but lines are cut by characters.

    A token after a character of several bytes has a shifted text, in both of the compared programs.
    """

    def __init__(self, tree: MarkedTree) -> None:
        self._lines = tree.data.decode().split("\n")
        self._starts = [0]
        for line in tree.data.split(b"\n"):
            self._starts.append(self._starts[-1] + len(line) + 1)

    def of(self, node: MarkedNode) -> str:
        """The text of a token, without line ends."""
        (row, column), (last, end) = self._point(node.start), self._point(node.end)
        if row == last:
            return self._lines[row][column:end]
        return "".join([self._lines[row][column:], *self._lines[row + 1 : last], self._lines[last][:end]])

    def _point(self, at: int) -> tuple[int, int]:
        row = min(bisect_right(self._starts, at) - 1, len(self._lines) - 1)
        return row, at - self._starts[row]


def tokens(root: MarkedNode) -> Iterator[MarkedNode]:
    """Yield the tokens of a tree in the text's order."""
    stack = [root]
    while stack:
        node = stack.pop()
        if node.is_token:
            yield node
        else:
            stack.extend(reversed(node.children))
