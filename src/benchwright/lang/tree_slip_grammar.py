"""Where a tree allows a slip, by the node kinds of its grammar, and which names a slip may confuse."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

from benchwright.lang.trees import COMMENTS, Node, Tree
from benchwright.lang.vocabulary import opposites

_NAMES = ("identifier", "field_identifier")
DECLARING = frozenset(
    {
        "formal_parameter",
        "parameter_declaration",
        "variable_declarator",
        "short_var_declaration",
        "range_clause",
    }
    | {"enhanced_for_statement", "var_spec", "formal_parameters"}
)
_LOOPS = ("while_statement", "for_statement", "do_statement", "for_in_statement")
LOOP_STEPS = ("update", "increment")  # fields of the step after each turn of a `for`
_LOOP_PARTS = ("condition", "init", "initializer", *LOOP_STEPS)
_BOUND_CALLS = re.compile(r"(?:substring|charAt|get|subList)\(")


class SlipGrammar(NamedTuple):
    """The node kinds of a language's grammar that slips concern."""

    lang: str
    families: Mapping[str, tuple[str, ...]]  # as in `Language`
    tight_indexes: bool  # no spaces around operators in an index
    functions: frozenset[str]
    passed_over: frozenset[str]  # nothing inside them is changed
    reporting: re.Pattern[str]  # calls that print or log, or end the program
    calls: frozenset[str]
    members: dict[str, str]  # kinds of nodes that name a member, with the field of its name
    nothing: str  # the null value
    texts: frozenset[str]
    integers: frozenset[str]
    lists: frozenset[str]  # nodes that contain statements
    steps: frozenset[str]  # statements that change something
    leaving: frozenset[str]  # statements after which the next one is not reached
    indexes: frozenset[str]  # nodes in which a number is a position
    declared: frozenset[str]  # nodes that give a local name its first value
    plain: frozenset[str]  # expressions without brackets of their own
    arguments: str = "argument_list"
    block: str = "block"
    bound_calls: re.Pattern[str] = _BOUND_CALLS  # calls whose numbers are positions


class LocalName(NamedTuple):
    """A local name: the range in which it has a value, and its type if the text shows one."""

    start: int
    kind: str
    end: int


class Surroundings(NamedTuple):
    """The statement, function and condition around a node."""

    statement: Node
    function: Node | None
    in_loop: bool = False  # in the head of a loop
    in_guard: bool = False  # in the condition of an `if` that only leaves its block


class SlipTree:
    """A tree, its nodes that may be changed, and the surroundings of each."""

    def __init__(self, tree: Tree, grammar: SlipGrammar) -> None:
        self.tree, self.grammar = tree, grammar
        self._places = {id(tree.root): Surroundings(tree.root, None)}
        self.nodes = list(self._changeable())
        self._known = set(map(id, self.nodes))
        self._names: dict[int, set[str]] = {}
        self._bound: dict[int, dict[str, LocalName]] = {}

    def text(self, node: Node | None) -> str:
        """Return the source of a node."""
        return self.tree.text(node)

    def may_change(self, node: Node) -> bool:
        """Return whether a slip may change a node."""
        return id(node) in self._known

    def place(self, node: Node) -> Surroundings:
        """Return the surroundings of a node that may be changed."""
        return self._places[id(node)]

    def names(self, node: Node) -> set[str]:
        """Return the identifiers in an expression or statement, without those of inner statements."""
        if id(node) not in self._names:
            self._names[id(node)] = {self.text(each) for each in self._own_nodes(node) if each.kind in _NAMES}
        return self._names[id(node)]

    def _own_nodes(self, node: Node) -> Iterator[Node]:
        stack = [node]
        while stack:
            each = stack.pop()
            yield each
            stack.extend(child for child in each.children if child.kind not in self.grammar.lists)

    def inside(self, function: Node) -> list[Node]:
        """Return the nodes of a function, without those of inner functions."""
        found, stack = [], [function]
        while stack:
            node = stack.pop()
            found.append(node)
            stack.extend(
                child for child in reversed(node.children) if child.kind not in self.grammar.functions
            )
        return found

    def bound(self, function: Node) -> dict[str, LocalName]:
        """Return the local names of a function."""
        if id(function) not in self._bound:
            found: dict[str, LocalName] = {}
            for node in self.inside(function):
                if node.kind in DECLARING:
                    self._declare(node, found, _scope(node, function))
            self._bound[id(function)] = found
        return self._bound[id(function)]

    def _declare(self, node: Node, found: dict[str, LocalName], end: int) -> None:
        holder = node.parent if node.kind == "variable_declarator" else node
        kind = self.text(holder.get("type")) if holder is not None else ""
        for name in (node.get("left") or node).children:
            if name.kind == "identifier" and name.field in ("name", "") and self.text(name) != "_":
                found.setdefault(self.text(name), LocalName(node.end, kind or _literal(node), end))

    def kind(self, node: Node) -> str:
        """Return the type of a local name, if the text shows one."""
        function = self.place(node).function if node.kind == "identifier" else None
        known = self.bound(function).get(self.text(node)) if function is not None else None
        return "" if known is None else known.kind

    def loop_names(self, node: Node) -> set[str]:
        """Return the names in the conditions of the loops around a node."""
        loops = (each for each in node.ancestors() if each.kind in _LOOPS)
        conditions = (
            condition
            for loop in loops
            for condition in (loop.get("condition"), loop.first("for_clause", "binary_expression"))
        )
        return set().union(*(self.names(each) for each in conditions if each is not None))

    def is_guard(self, node: Node) -> bool:
        """Return whether an `if` has no other branch and always leaves its block."""
        last = self.last(node.get("consequence"))
        return node.get("alternative") is None and last is not None and self.leaves(last)

    def leaves(self, statement: Node) -> bool:
        """Return whether a statement leaves its block."""
        return statement.kind in self.grammar.leaving or self.is_reporting(statement)

    def is_reporting(self, node: Node) -> bool:
        """Return whether a statement prints, logs, refuses, or ends the program."""
        plain = node.kind in ("expression_statement", "return_statement")
        return plain and bool(self.grammar.reporting.match(self.text(node)))

    def last(self, block: Node | None) -> Node | None:
        """Return the last statement of a block, or the single statement in its place."""
        if block is None or block.kind not in self.grammar.lists:
            return block
        return next(reversed(list(self.statements(block))), None)

    def statements(self, block: Node) -> Iterator[Node]:
        """Yield the statements of a list."""
        for child in block.children:
            if child.kind in self.grammar.lists and block.kind == "block" and child.kind == "statement_list":
                yield from self.statements(child)
            elif child.named and child.kind not in (*COMMENTS, "switch_label"):
                yield child

    def _changeable(self) -> Iterator[Node]:
        stack = [self.tree.root]
        while stack:
            node = stack.pop()
            yield node
            below = [child for child in reversed(node.children) if not self._is_passed_over(child)]
            for child in below:
                self._places[id(child)] = self._place_of(child, node)
            stack.extend(below)

    def _place_of(self, node: Node, above: Node) -> Surroundings:
        """Derive the surroundings from those of the parent, to avoid climbing the tree."""
        place = self._places[id(above)]
        if node.kind in self.grammar.functions:
            return Surroundings(node, node)
        if above.kind in self.grammar.lists:
            return Surroundings(node, place.function)
        if above.kind == "if_statement":
            guard = node.field == "condition" and self.is_guard(above)
            return Surroundings(node if node.field != "condition" else above, place.function, in_guard=guard)
        if above.kind in _LOOPS:
            loop = node.kind == "for_clause" or node.field in _LOOP_PARTS
            return place._replace(in_loop=loop)
        return place

    def _is_passed_over(self, node: Node) -> bool:
        if node.kind in self.grammar.passed_over:
            return True
        if node.kind in self.grammar.lists or not node.named:
            return False
        if node.parent is not None and node.parent.kind == "if_statement" and node.field == "condition":
            return self._refuses(node.parent)
        return self.is_reporting(node)

    def _refuses(self, node: Node) -> bool:
        """Return whether an `if` throws, panics or returns an error: its message describes the condition."""
        last = self.last(node.get("consequence"))
        return last is not None and (last.kind in self.grammar.passed_over or self.is_reporting(last))


_SCOPES = ("block", "statement_block", "for_statement", "for_in_statement", "if_statement", "expression_case")


def _scope(node: Node, function: Node) -> int:
    """Return the end of the block or statement that declares a name."""
    for each in node.ancestors():
        if each is function or each.kind in _SCOPES:
            return each.end
    return function.end


def _literal(node: Node) -> str:
    """Return the kind of the literal that a Go name is assigned, as a type."""
    right = node.get("right")
    values = [child.kind for child in right.children if child.named] if right is not None else []
    return values[0] if len(values) == 1 and values[0].endswith("_literal") else ""


_MAX_ALTERNATIVES = 3  # alternatives per name


def neighbours(context: SlipTree) -> Iterator[tuple[Node, list[str]]]:
    """Yield each use of a name or constant with the texts that a slip may put in its place."""
    for function in context.nodes:
        if function.kind in context.grammar.functions:
            inside = [node for node in context.inside(function) if context.may_change(node)]
            yield from _names(context.bound(function), inside, context)
            yield from _constants(inside, context)


def _names(
    bound: dict[str, LocalName], inside: list[Node], context: SlipTree
) -> Iterator[tuple[Node, list[str]]]:
    alike = _alike(bound, inside, context)
    uses = [node for node in inside if node.kind == "identifier" and _is_use(node)]
    counts = Counter(map(context.text, uses))
    for node in uses:
        # a name that is never used afterwards would give the mutant away
        if counts[context.text(node)] < 2 or context.place(node).in_loop:
            continue
        excluded = context.names(context.place(node).statement)
        others = [
            other
            for other in sorted(alike.get(context.text(node), ()))[:_MAX_ALTERNATIVES]
            if bound[other].start < node.start and node.end <= bound[other].end and other not in excluded
        ]
        if others:
            yield node, others


def _alike(bound: dict[str, LocalName], inside: list[Node], context: SlipTree) -> dict[str, set[str]]:
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
