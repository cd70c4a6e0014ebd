"""Edits that stop a file from compiling or loading, and the errors that compilers print.

Kinds: "bracket" (a closing one is missing), "colon" and "semicolon" (missing), "misspelt" (two letters of a
used name swapped), "import" (missing), "unused" (an import that nothing uses, in Go), "type" (another
declared type). Python finds some of them only at run time, perhaps on a line that no test reaches:
execution decides.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from benchwright.lang.protocol import Mutant
from benchwright.lang.text_edits import Edit, TextEdit, mutants_of
from benchwright.lang.trees import Node, Tree

KINDS = ("bracket", "colon", "semicolon", "misspelt", "import", "unused", "type")
SHORTEST = 4  # letters of a misspelt name; a slip in a shorter name changes too much of it


class BreakGrammar(NamedTuple):
    """Node kinds of a language's grammar where a slip stops a file from compiling or loading."""

    closed: Mapping[str, str]  # nodes whose closing bracket can be missing
    uses: frozenset[str]  # nodes in which an identifier is a use of a name
    imports: frozenset[str]
    ended: frozenset[str] = frozenset()  # statements whose semicolon can be missing
    types: Mapping[str, str] = MappingProxyType({})  # a declared type and the wrong one in its place
    typed: frozenset[str] = frozenset()  # nodes that declare a type
    unused: tuple[str, ...] = ()  # packages whose import is an error if nothing uses them


def faulty_texts(data: bytes, edits: Iterable[Edit], draw: Callable[[str], str]) -> Iterator[Mutant]:
    """Yield the texts after one edit of each kind, in a drawn order, so that no kind dominates."""
    kinds: dict[str, list[Edit]] = {}
    for edit in edits:
        kinds.setdefault(edit.kind, []).append(edit)
    for kind in sorted(kinds, key=draw):
        drawn = min(kinds[kind], key=lambda edit: draw(f"{edit.kind}-{edit.places[0].start}"))
        yield from mutants_of(data, [drawn])


def misspell(name: str) -> str:
    """Swap two letters in the middle of a name; return "" if it is too short or does not change."""
    at = len(name) // 2
    swapped = f"{name[: at - 1]}{name[at]}{name[at - 1]}{name[at + 1 :]}"
    plain = name.isascii() and len(name) >= SHORTEST and "_" not in name[at - 1 : at + 1]
    return swapped if plain and swapped != name and swapped.isidentifier() else ""


def tree_faults(tree: Tree, grammar: BreakGrammar) -> Iterator[Edit]:
    """Yield every fault that the tree allows."""
    for node in tree.root.walk():
        if node.kind in grammar.closed:
            yield from _removed("bracket", node.first(grammar.closed[node.kind]))
        elif node.kind in grammar.ended:
            yield from _removed("semicolon", node.first(";"))
        elif node.kind == "identifier" and node.parent is not None and node.parent.kind in grammar.uses:
            yield from _respelt(tree, node)
        elif node.kind in grammar.imports:
            yield from _imports(tree, node, grammar.unused)
        if node.kind in grammar.typed:
            yield from _retyped(tree, node, grammar.types)


def _removed(kind: str, node: Node | None) -> Iterator[Edit]:
    if node is not None and node.end == node.start + 1:
        yield Edit(kind, [TextEdit(node.start, node.end, "")])


def _respelt(tree: Tree, node: Node) -> Iterator[Edit]:
    if wrong := misspell(tree.text(node)):
        yield Edit("misspelt", [TextEdit(node.start, node.end, wrong)])


def _retyped(tree: Tree, node: Node, others: Mapping[str, str]) -> Iterator[Edit]:
    declared = node.get("type") or node.get("result")
    if declared is not None and (other := others.get(tree.text(declared))):
        yield Edit("type", [TextEdit(declared.start, declared.end, other)])


def _imports(tree: Tree, node: Node, standard: Sequence[str]) -> Iterator[Edit]:
    listed = node.first("import_spec_list")
    specs = [] if listed is None else listed.all("import_spec")
    for each in specs if len(specs) > 1 else [node]:
        yield Edit("import", [_line_of(tree, each)])
    if specs:
        yield from _unused(tree, specs, standard)


def _unused(tree: Tree, specs: list[Node], standard: Sequence[str]) -> Iterator[Edit]:
    """Add an unused package to a list of imports, above the import that follows it alphabetically."""
    known = {tree.text(each.get("path")).strip('"`') for each in specs}
    for each in specs:
        path = tree.text(each.get("path")).strip('"`')
        place = _line_of(tree, each)
        gap = tree.data[place.start : each.start].decode("utf-8", "replace")
        for name in standard:
            if name not in known and name < path and not gap.strip():
                yield Edit("unused", [TextEdit(place.start, place.start, f'{gap}"{name}"\n')])


def _line_of(tree: Tree, node: Node) -> TextEdit:
    """Remove the whole line of a node that has one for itself, otherwise the node alone."""
    start = tree.data.rfind(b"\n", 0, node.start) + 1
    end = tree.data.find(b"\n", node.end) + 1 or len(tree.data)
    around = tree.data[start : node.start] + tree.data[node.end : end]
    return TextEdit(start, end, "") if not around.strip(b" \t\r\n;") else TextEdit(node.start, node.end, "")


def compile_errors(output: str, suffix: str) -> list[str]:
    """Return the errors without file and line. Empty without a file with the suffix, such as ".go"."""
    place = re.compile(rf"[\w./$-]{{1,300}}{re.escape(suffix)}:\d{{1,7}}(?::\d{{1,7}})?: ")
    if place.search(output) is None:
        return []
    return [error for each in place.split(output) if (error := each.strip(" ;\r\n\t"))]
