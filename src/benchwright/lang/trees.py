"""Syntax trees of Java and Go: tree-sitter's, copied into plain nodes.

Copied, because a tree-sitter node finds its parent by a search from the root, which makes ordinary
questions quadratic, and because tree-sitter itself is kept in a process of its own (`parser`). Nothing here
recurses: a text of a megabyte can be a million levels deep, and tree-sitter takes it.
"""

from __future__ import annotations

import json
import struct
from array import array
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from benchwright.lang.faults import Fault, encoded
from benchwright.lang.languages import GO, Language
from benchwright.lang.parser import PARSER


class Node:
    """A piece of source: `kind` is the grammar's name for it, `field` its part in the parent."""

    __slots__ = (
        "children", "end", "field", "first_line", "index", "kind", "last_line", "named", "parent", "start",
    )  # fmt: skip

    def __init__(self, kind: str, field: str, named: bool, parent: Node | None, place: array[int]) -> None:
        self.kind, self.field, self.named, self.parent = kind, field, named, parent
        self.start, self.end, self.first_line, self.last_line = place
        self.children: list[Node] = []
        self.index = 0  # among the parent's children
        if parent is not None:
            self.index = len(parent.children)
            parent.children.append(self)

    def get(self, field: str) -> Node | None:
        """The first child in a field."""
        return next((child for child in self.children if child.field == field), None)

    def all(self, *kinds: str) -> list[Node]:
        """The children of some kinds."""
        return [child for child in self.children if child.kind in kinds]

    def first(self, *kinds: str) -> Node | None:
        """The first child of one of some kinds."""
        return next((child for child in self.children if child.kind in kinds), None)

    def walk(self) -> Iterator[Node]:
        """This node and all below it, in the text's order."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))

    def ancestors(self) -> Iterator[Node]:
        """Parent, its parent, and so on to the root."""
        node = self.parent
        while node is not None:
            yield node
            node = node.parent


class Tree(NamedTuple):
    """A parsed text. `fault` is set where the grammar had to skip something; the rest is still there."""

    data: bytes
    root: Node
    fault: Fault | None

    def text(self, node: Node | None) -> str:
        """The source of a node; empty for none."""
        return "" if node is None else self.data[node.start : node.end].decode("utf-8", "replace")

    def name(self, node: Node | None) -> str:
        """The same without white space: of a dotted name, which may hold some."""
        return "".join(self.text(node).split())


@lru_cache(maxsize=4)  # each question to a file parses it, and a build asks ten of a focal file and its test
def parse(code: str, lang: Language) -> Tree | Fault:
    """The tree of a text in Java or Go; a Fault only where there is none at all: too large, too costly.

    Trees are shared: nobody changes one.
    """
    return _read(code, lang, outline=False)


def parse_outline(code: str) -> Tree | Fault:
    """The tree of a Go text without what stands in its functions and types, which take most of the time.

    A text with a fault has its whole tree.
    """
    return _read(code, GO, outline=True)


def _read(code: str, lang: Language, *, outline: bool) -> Tree | Fault:
    data = encoded(code)
    if isinstance(data, Fault):
        return data
    answer = PARSER.ask(lang, data, outline=outline)
    if not answer:
        return Fault("source code is nested too deeply or too long for the parser", 0, "too_large")
    missing, length = struct.unpack_from("=II", answer)
    root = _nodes(json.loads(answer[8 : 8 + length]), array("I", answer[8 + length :]))
    return Tree(data, root, _fault(data, root, missing))


def _nodes(words: list[str], numbers: array[int]) -> Node:
    made: list[Node] = []
    for at in range(0, len(numbers), 8):
        kind, field, named, parent = numbers[at : at + 4]
        above = made[parent - 1] if parent else None
        made.append(Node(words[kind], words[field], named == 1, above, numbers[at + 4 : at + 8]))
    return made[0]


def _fault(data: bytes, root: Node, missing: int) -> Fault | None:
    wrong = next((node for node in root.walk() if node.kind == "ERROR"), None)
    if wrong is None:
        return Fault("something is missing", missing) if missing else None
    shown = data[wrong.start : wrong.end].decode("utf-8", "replace").strip().split("\n")[0][:40]
    return Fault(f"unexpected `{shown}`" if shown else "unexpected end", wrong.first_line)
