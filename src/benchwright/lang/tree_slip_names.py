"""Names and constants of a Java or Go function that may be taken for one another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from benchwright.lang.opposites import opposites
from benchwright.lang.tree_slip_context import DECLARING, Bound, SlipTree
from benchwright.lang.trees import Node

_MOST = 3  # alternatives per name


def neighbours(context: SlipTree) -> Iterator[tuple[Node, list[str]]]:
    """Yield each use of a name or constant with the texts that a slip may put in its place."""
    for function in context.nodes:
        if function.kind in context.grammar.functions:
            inside = [node for node in context.inside(function) if context.may_change(node)]
            yield from _names(context.bound(function), inside, context)
            yield from _constants(inside, context)


def _names(
    bound: dict[str, Bound], inside: list[Node], context: SlipTree
) -> Iterator[tuple[Node, list[str]]]:
    alike = _alike(bound, inside, context)
    uses = [node for node in inside if node.kind == "identifier" and _is_use(node)]
    counts = Counter(map(context.text, uses))
    for node in uses:
        # a name that is never used afterwards would give the mutant away
        if counts[context.text(node)] < 2 or context.place(node).in_loop:
            continue
        taken = context.names(context.place(node).statement)
        others = [
            other
            for other in sorted(alike.get(context.text(node), ()))[:_MOST]
            if bound[other].start < node.start and node.end <= bound[other].end and other not in taken
        ]
        if others:
            yield node, others


def _alike(bound: dict[str, Bound], inside: list[Node], context: SlipTree) -> dict[str, set[str]]:
    """Map each name to those of the same type declared next to it, compared with it, added to it, or
    opposite."""
    by_type: dict[str, list[str]] = {}
    for name, (_, kind, _) in bound.items():
        if kind and kind not in ("error", "var"):
            by_type.setdefault(kind, []).append(name)
    pairs = [two for names in by_type.values() for two in pairwise(names)]
    for node in inside:
        if node.kind == "binary_expression":
            sides = (node.get("left"), node.get("right"))
            if all(each is not None and each.kind == "identifier" for each in sides):
                pairs.append((context.text(sides[0]), context.text(sides[1])))
    found: dict[str, set[str]] = {name: set(opposites(name, bound)) for name in bound}
    for one, other in pairs:
        if one != other and one in bound and other in bound:
            found[one].add(other)
            found[other].add(one)
    return found


def _is_use(node: Node) -> bool:
    """Return whether a name is read here: not declared, assigned, called, or part of another name."""
    above = node.parent
    if above is None or (above.kind in DECLARING and node.field != "value"):
        return above is not None and above.kind == "variable_declarator" and node.field == "value"
    if above.kind == "expression_list" and above.field == "left":
        return False
    return node.field not in ("name", "function", "left", "field", "key", "label") or (
        above.kind == "binary_expression" and node.field == "left"
    )


def _constants(inside: list[Node], context: SlipTree) -> Iterator[tuple[Node, list[str]]]:
    """Yield each short text with the next one in the function."""
    texts = [
        node for node in inside if node.kind in context.grammar.texts and 2 < len(context.text(node)) < 33
    ]
    for one, other in pairwise(texts):
        first, second = context.text(one), context.text(other)
        if first == second or _shape(first) != _shape(second):
            continue
        if context.place(one).statement is not context.place(other).statement:
            yield one, [second]
            yield other, [first]


def _shape(text: str) -> int:
    bare = text[1:-1]
    return 0 if bare.isidentifier() else len(bare)
