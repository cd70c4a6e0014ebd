"""The process in which tree-sitter parses source. Run as a script by `parser`; does not import Benchwright.

The process is separate, because texts of 30 kB exist that overflow tree-sitter's stack (it merges the
readings of `a<a<a<…` recursively) or take gigabytes between two of its progress calls. Such a text ends
this process by a signal or a limit, and its caller sees an empty answer.

Request: four bytes for the length of a head, four for that of the text, the head, the text in UTF-8. The
head is a JSON object: `module`, which holds the grammar, and kinds of nodes under `closed` (nodes below them
are left out; a text with a fault has no such outline, so all of its nodes are returned) or under `kept`,
`whole` and `comments` (see `_leaves`).
Answer: four bytes for the length, then: the line of the first token that the grammar made up (0 for
none), the length of a JSON list of words, that list, and eight unsigned integers a node, in the text's order:
kind and field (places in the list), 1 for a named node, its parent's number plus 1, first and last
byte, first and last line. With `marked`, 2 is added to the third for a node that the
grammar made up. Of `kept` nodes: between the list and them the number of leaves, and four integers a leaf:
 kind, shape, first and last byte. An answer of no bytes says that there is no tree.
"""

from __future__ import annotations

import json
import resource
import struct
import sys
import time
from array import array
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from types import ModuleType

import tree_sitter

MAX_NODES = 400_000
MAX_CPU_S = 3.0  # CPU seconds of parsing; the kernel ends the process at three times that
MAX_MEMORY = 1 << 30  # bytes of address space
_CHUNK = 1 << 16
_MIX, _MODULUS = 0x9E3779B1, 1 << 32  # multiplier of shape numbers, without a pattern


def main() -> None:
    """Answer requests until the input ends."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    # a hard limit cannot be raised
    memory = MAX_MEMORY if hard == resource.RLIM_INFINITY else min(MAX_MEMORY, hard)
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    while sizes := source.read(8):
        of_head, of_text = struct.unpack(">II", sizes)
        head = json.loads(source.read(of_head))
        answer = _answer(_grammar(head.pop("module"), head.pop("function")), source.read(of_text), head)
        sink.write(struct.pack(">I", len(answer)) + answer)
        sink.flush()


@cache
def _grammar(module: str, function: str) -> tree_sitter.Language:
    return tree_sitter.Language(getattr(_binding(module), function)())


def _binding(module: str) -> ModuleType:
    """Import the extension of a grammar without its package, whose queries need
    `importlib.resources`: half of this process's start. A package of another layout is imported whole."""
    package = PathFinder.find_spec(module)
    folders = package.submodule_search_locations if package is not None else None
    found = PathFinder.find_spec(f"{module}._binding", folders) if folders else None
    if found is None or found.loader is None:
        return import_module(module)
    binding = module_from_spec(found)
    found.loader.exec_module(binding)
    return binding


def _answer(language: tree_sitter.Language, data: bytes, wanted: dict[str, list[str]]) -> bytes:
    _allow_cpu(3 * MAX_CPU_S)
    tree = _parsed(language, data)
    if tree is None or tree.root_node.descendant_count > MAX_NODES:
        return b""
    if "kept" in wanted:
        words, numbers, leaves, missing = _leaves(
            tree, **{name: frozenset(kinds) for name, kinds in wanted.items()}
        )
        middle = struct.pack("=I", len(leaves) // 4) + leaves.tobytes()
    else:
        closed = frozenset() if tree.root_node.has_error else frozenset(wanted["closed"])
        (words, numbers, missing), middle = _flat(tree, closed, marked="marked" in wanted), b""
    table = json.dumps(list(words)).encode()
    return struct.pack("=II", missing, len(table)) + table + middle + numbers.tobytes()


def _allow_cpu(seconds: float) -> None:
    used = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(used + seconds) + 1, hard))


def _parsed(language: tree_sitter.Language, data: bytes) -> tree_sitter.Tree | None:
    late = _deadline()
    try:
        return tree_sitter.Parser(language).parse(
            lambda at, _point: data[at : at + _CHUNK], progress_callback=lambda _at, _error: late()
        )
    except ValueError:  # the result of a cancelled parse
        return None


def _deadline() -> Callable[[], bool]:
    """Measure CPU time, not the clock, so that a busy machine reads the same files as an idle one."""
    end = time.process_time() + MAX_CPU_S
    return lambda: time.process_time() > end


def _flat(
    tree: tree_sitter.Tree, closed: frozenset[str], *, marked: bool
) -> tuple[dict[str, int], array[int], int]:
    """Return all nodes as numbers, the words that the numbers stand for, and the line of a missing token.

    `closed`: node kinds whose children are omitted. `marked`: 2 is added for nodes that are missing.
    """
    words: dict[str, int] = {"": 0}
    numbers = array("I")
    line, above = 0, [0]
    cursor = tree.walk()
    more = True
    while more:
        node = cursor.node
        assert node is not None
        numbers.extend(_row(node, words, cursor.field_name, above[-1]))
        if marked and node.is_missing:
            numbers[-6] += 2
        line = line or (node.start_point[0] + 1 if node.is_missing else 0)
        above.append(len(numbers) // 8)
        more = (node.type not in closed and cursor.goto_first_child()) or _next(cursor, above)
    return words, numbers, line


def _next(cursor: tree_sitter.TreeCursor, above: list[int]) -> bool:
    """Move to the node after this one and its children; return False at the end."""
    above.pop()
    while not cursor.goto_next_sibling():
        if not cursor.goto_parent():
            return False
        above.pop()
    return True


def _leaves(
    tree: tree_sitter.Tree, kept: frozenset[str], whole: frozenset[str], comments: frozenset[str]
) -> tuple[dict[str, int], array[int], array[int], int]:
    """Return all leaves as numbers, and as in `_flat` the root and nodes of `kept`, each with its
    children.

    `whole`: kinds that are one leaf whatever they contain. A leaf's shape is a number computed from its kind
    and the kinds of the nodes that start or end between it and the previous leaf, without comments: texts
    whose leaves have equal shapes have equal trees.
    """
    words: dict[str, int] = {"": 0}
    numbers, leaves = array("I"), array("I")
    line, shape = 0, 0
    above = [(0, True)]  # for each visited node: its parent number for its children, and whether it is kept
    cursor = tree.walk()
    while True:
        node = cursor.node
        assert node is not None
        kind, (parent, inside) = node.type, above[-1]
        if (inside or kind in kept or kind == "ERROR") and kind not in comments:
            numbers.extend(_row(node, words, cursor.field_name, parent))
            parent = len(numbers) // 8
        line = line or (node.start_point[0] + 1 if node.is_missing else 0)
        if not (kind in whole or kind in comments) and cursor.goto_first_child():
            shape = (shape * _MIX + node.kind_id + 2) % _MODULUS
            above.append((parent, kind in kept))
            continue
        start, end = node.start_byte, node.end_byte
        if kind in comments:
            leaves.extend((words.setdefault(kind, len(words)), 0, start, end))
        elif start < end and kind != "\n":  # Go's grammar has a token for a line end
            leaves.extend(
                (words.setdefault(kind, len(words)), (shape * _MIX + node.kind_id + 2) % _MODULUS, start, end)
            )
            shape = 0
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return words, numbers, leaves, line
            above.pop()
            shape = (shape * _MIX + 1) % _MODULUS


def _row(
    node: tree_sitter.Node, words: dict[str, int], field: str | None, parent: int
) -> tuple[int, int, int, int, int, int, int, int]:
    """Return a node as numbers."""
    kind, part = words.setdefault(node.type, len(words)), words.setdefault(field or "", len(words))
    first, last = node.start_point[0] + 1, node.end_point[0] + 1
    return kind, part, node.is_named, parent, node.start_byte, node.end_byte, first, last


if __name__ == "__main__":
    main()
