"""Syntax trees of Java and Go: tree-sitter's, copied into plain nodes within bounds.

Copied, because a tree-sitter node finds its parent by a search from the root, which makes ordinary
questions quadratic, and because a copy can be bounded. Nothing here recurses: a text of a megabyte can be
a million levels deep, and tree-sitter takes it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from benchwright.errors import PrerequisiteError
from benchwright.lang.faults import MAX_NODES, Fault, encoded
from benchwright.lang.languages import JAVA, Language

if TYPE_CHECKING:
    import tree_sitter

MAX_CPU_S = 3.0
MAX_GROWTH = 256 << 20  # bytes of memory
_CHUNK = 1 << 16


class Node:
    """A piece of source: `kind` is the grammar's name for it, `field` its part in the parent."""

    __slots__ = (
        "children", "end", "field", "first_line", "index", "kind", "last_line", "named", "parent", "start",
    )  # fmt: skip

    def __init__(self, node: tree_sitter.Node, *, field: str, parent: Node | None) -> None:
        self.kind, self.field, self.parent, self.named = node.type, field, parent, node.is_named
        self.start, self.end = node.start_byte, node.end_byte
        self.first_line, self.last_line = node.start_point[0] + 1, node.end_point[0] + 1
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


def parse(code: str, lang: Language) -> Tree | Fault:
    """The tree of a text in Java or Go; a Fault only where there is none at all: too large, too costly."""
    data = encoded(code)
    if isinstance(data, Fault):
        return data
    parsed = _bounded(data, lang)
    if parsed is None or parsed.root_node.descendant_count > MAX_NODES:
        return Fault("source code is nested too deeply or too long for the parser", 0, "too_large")
    root = _copy(parsed)
    return Tree(data, root, _fault(data, parsed, root))


def _bounded(data: bytes, lang: Language) -> tree_sitter.Tree | None:
    """None when parsing costs too much. Some texts of 16 kB (`a<a<a<…` in Java) take all memory there is."""
    import tree_sitter  # noqa: PLC0415 (loaded by `_grammar` already)

    parser = tree_sitter.Parser(_grammar(lang))
    too_much = _cost_limit()
    try:
        return parser.parse(
            lambda at, _point: data[at : at + _CHUNK], progress_callback=lambda _at, _error: too_much()
        )
    except ValueError:  # what a cancelled parse is
        return None


def _cost_limit() -> Callable[[], bool]:
    """CPU time, not the clock, so that a busy machine reads the same files as an idle one."""
    started, before = time.thread_time(), _resident()

    def too_much() -> bool:
        spent = time.thread_time() - started
        return spent > MAX_CPU_S or (spent > 0.05 and _resident() - before > MAX_GROWTH)

    return too_much


def _resident() -> int:
    """Bytes of memory in use; 0 where the system does not say, so that only the CPU time counts there."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * 4096
    except OSError:
        return 0


@cache
def _grammar(lang: Language) -> tree_sitter.Language:
    try:
        import tree_sitter  # noqa: PLC0415 (an extra, and 20 ms)
        import tree_sitter_go  # noqa: PLC0415
        import tree_sitter_java  # noqa: PLC0415
    except ImportError as error:
        raise PrerequisiteError(
            f"reading {lang} source needs tree-sitter ({error.name} is not installed)",
            hint="pip install 'benchwright[build]'",
        ) from None
    return tree_sitter.Language(tree_sitter_java.language() if lang == JAVA else tree_sitter_go.language())


def _copy(parsed: tree_sitter.Tree) -> Node:
    cursor = parsed.walk()
    assert cursor.node is not None
    root = node = Node(cursor.node, field="", parent=None)
    while True:
        if cursor.goto_first_child():
            node = _below(cursor, node)
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return root
            assert node.parent is not None
            node = node.parent
        assert node.parent is not None
        node = _below(cursor, node.parent)


def _below(cursor: tree_sitter.TreeCursor, parent: Node) -> Node:
    assert cursor.node is not None
    return Node(cursor.node, field=cursor.field_name or "", parent=parent)


def _fault(data: bytes, parsed: tree_sitter.Tree, root: Node) -> Fault | None:
    if not parsed.root_node.has_error:
        return None
    wrong = next((node for node in root.walk() if node.kind == "ERROR"), None)
    if wrong is None:
        return Fault("something is missing", _missing_line(parsed))
    shown = data[wrong.start : wrong.end].decode("utf-8", "replace").strip().split("\n")[0][:40]
    return Fault(f"unexpected `{shown}`" if shown else "unexpected end", wrong.first_line)


def _missing_line(parsed: tree_sitter.Tree) -> int:
    """The line of the first token that the grammar made up to go on."""
    cursor = parsed.walk()
    while cursor.node is not None and not cursor.node.is_missing:
        if cursor.node.has_error and cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return 0
    return cursor.node.start_point[0] + 1 if cursor.node is not None else 0
