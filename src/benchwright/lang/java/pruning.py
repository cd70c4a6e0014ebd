"""Imports of a Java file that only the tests cut out of it used.

By simple name, as the words of the text: a word that stays keeps its import whatever it means there, and so
does a name in a Javadoc link, which tools count as a use. Wildcards stay, as does what nothing used before.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache

from benchwright.lang.headings import heading
from benchwright.lang.lines import split_lf
from benchwright.lang.nodes import COMMENTS, walk_outside
from benchwright.lang.trees import Node, Tree

_WORDS = ("identifier", "type_identifier")
_NOT_CODE = ("import_declaration", "package_declaration")
_LINK = re.compile(r"(?:\{@(?:link|linkplain|value)|@(?:see|throws|exception))\s+(\w+)")


def lost_imports(tree: Tree, cut: set[Node]) -> list[tuple[int, int]]:
    """Ranges of lines with imports that only what is `cut` used, and with comments that head nothing else."""
    spans = sorted((node.start, node.end) for node in cut)
    lost = [node for node, places in _uses(tree) if _is_lost(places, spans)]
    lines = split_lf(tree.data.decode("utf-8"))
    whole = [node for node in lost if _is_alone(tree, node, lines)]
    gone = {node.first_line for node in whole}
    return [(heading(lines, node.first_line, gone, marker="//"), node.last_line) for node in whole]


def _is_lost(places: list[int], spans: list[tuple[int, int]]) -> bool:
    """True when there are places, and all are inside of what is cut."""
    return bool(places) and all(_is_inside(place, spans) for place in places)


def _is_inside(place: int, spans: list[tuple[int, int]]) -> bool:
    at = bisect_right(spans, place, key=lambda span: span[0])
    return at > 0 and place < spans[at - 1][1]


@lru_cache(maxsize=4)  # as trees are: the same file is asked about for each of its cases
def _uses(tree: Tree) -> list[tuple[Node, list[int]]]:
    """Each import but for wildcards, with the places of its name."""
    places: dict[str, list[int]] = {}
    for word, place in _words(tree):
        places.setdefault(word, []).append(place)
    imports = [node for node in tree.root.all("import_declaration") if not node.first("asterisk")]
    return [(node, places.get(_simple_name(tree, node), [])) for node in imports]


def _simple_name(tree: Tree, node: Node) -> str:
    return tree.name(node.first("scoped_identifier", "identifier")).rpartition(".")[2]


def _words(tree: Tree) -> Iterator[tuple[str, int]]:
    for node in walk_outside(tree.root, set(tree.root.all(*_NOT_CODE))):
        if node.kind in _WORDS:
            yield tree.text(node), node.start
        elif node.kind in COMMENTS:
            yield from ((word, node.start) for word in _LINK.findall(tree.text(node)))


def _is_alone(tree: Tree, node: Node, lines: list[str]) -> bool:
    """True for an import that has its line to itself, but for a remark."""
    line = lines[node.first_line - 1]
    rest = line.partition(";")[2].strip()
    return node.first_line == node.last_line and line.startswith("import") and rest[:2] in ("", "//")
