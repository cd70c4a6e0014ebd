"""The data flow of a program: from which earlier tokens each variable's value comes.

The graph is that of GraphCodeBERT (Guo et al., 2021), which CodeBLEU compares. A visit of a node takes the
tokens that last set each variable, and returns edges and the new tokens. Bodies of loops are visited twice.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from benchwright.lang.codebleu.flow_rules import FlowRules
from benchwright.lang.codebleu.marked_trees import MarkedNode, MarkedTree, TokenText, tokens

MAX_DEPTH = 900  # of a tree, near the depth at which the library gives up
MAX_VISITS = 1_000_000  # nested loops double them
COMES, COMPUTED = "comesFrom", "computedFrom"
State = Mapping[str, tuple[int, ...]]  # numbers of the tokens that set each variable


class Edge(NamedTuple):
    """Where the value of the token with a number comes from: names and numbers of other tokens."""

    name: str
    number: int
    relation: str
    names: tuple[str, ...] = ()
    numbers: tuple[int, ...] = ()


Visitor = Callable[[MarkedNode, State, int], tuple[list[Edge], State]]


class FlowFailure(Exception):
    """The program has no data flow, because the library fails on it or because it is too deep."""


class FlowWalk:
    """A walk over one tree by the rules of its language."""

    def __init__(self, tree: MarkedTree, rules: FlowRules) -> None:
        self._rules, self._visits = rules, 0
        text = TokenText(tree)
        found = [(node.start, node.end, text.of(node)) for node in tokens(tree.root)]
        self._visitors: Sequence[tuple[frozenset[str], Visitor]] = (
            (rules.declarations, self._declaration_edges),
            (rules.assignments, self._assigned),
            (rules.updates, self._updated),
            (rules.branches, self._branched),
            (rules.loops, self._looped),
            (rules.for_each, self._for_each),
            (rules.while_loops, self._twice),
        )
        self._tokens = {(start, end): (number, word) for number, (start, end, word) in enumerate(found)}

    def walk(self, node: MarkedNode | None, state: State, depth: int = 0) -> tuple[list[Edge], State]:
        """Edges below a node, and the state after it. Raises FlowFailure."""
        self._visits += 1
        if node is None or depth > MAX_DEPTH or self._visits > MAX_VISITS:
            raise FlowFailure
        if node.is_token:
            return self._token(node, state)
        for kinds, visit in self._visitors:
            if node.kind in kinds:
                return visit(node, state, depth)
        return self._all(node, state, depth)

    def _all(self, node: MarkedNode, state: State, depth: int) -> tuple[list[Edge], State]:
        first = [child for child in node.children if child.kind in self._rules.first]
        rest = [child for child in node.children if child.kind not in self._rules.first]
        return self._sequence([*first, *rest], state, depth)

    def _sequence(
        self, nodes: Iterable[MarkedNode | None], state: State, depth: int
    ) -> tuple[list[Edge], State]:
        edges: list[Edge] = []
        for node in nodes:
            found, state = self.walk(node, state, depth + 1)
            edges += found
        return _in_order(edges), state

    def _token(self, node: MarkedNode, state: State) -> tuple[list[Edge], State]:
        number, word = self._of(node)
        if node.kind == word:
            return [], state
        if word in state:
            return [Edge(word, number, COMES, (word,), state[word])], state
        after = {**state, word: (number,)} if node.kind == "identifier" else state
        return [Edge(word, number, COMES)], after

    def _of(self, node: MarkedNode) -> tuple[int, str]:
        return self._tokens[node.start, node.end]

    def _variables(self, node: MarkedNode | None) -> list[tuple[int, str]]:
        """Number and text of each token below a node, without keywords and punctuation."""
        if node is None:
            raise FlowFailure
        found = [(each, self._of(each)) for each in tokens(node)]
        self._visits += len(found)
        return [(number, word) for each, (number, word) in found if each.kind != word]

    def _declaration_edges(self, node: MarkedNode, state: State, depth: int) -> tuple[list[Edge], State]:
        name, value = self._rules.parts(node)
        if value is None:
            names = self._variables(name)
            edges = [Edge(word, number, COMES) for number, word in names]
            return _in_order(edges), {**state, **{word: (number,) for number, word in names}}
        edges, state = self.walk(value, state, depth + 1)
        more, state = self._each_from_each(name, value, COMES, state)
        return _in_order([*edges, *more]), state

    def _assigned(self, node: MarkedNode, state: State, depth: int) -> tuple[list[Edge], State]:
        if self._rules.pairs:
            return self._paired(node, state, depth)
        left, right = node.get("left"), node.get("right")
        edges, state = self.walk(right, state, depth + 1)
        more, state = self._each_from_each(left, right, COMPUTED, state)
        return _in_order([*edges, *more]), state

    def _each_from_each(
        self, left: MarkedNode | None, right: MarkedNode | None, relation: str, state: State
    ) -> tuple[list[Edge], State]:
        names, values = self._variables(left), self._variables(right)
        self._visits += len(names) * len(values)
        if self._visits > MAX_VISITS:
            raise FlowFailure
        edges = [
            Edge(word, number, relation, (other,), (source,))
            for number, word in names
            for source, other in values
        ]
        return edges, {**state, **{word: (number,) for number, word in names}}

    def _paired(self, node: MarkedNode, state: State, depth: int) -> tuple[list[Edge], State]:
        """An assignment in Python, where a tuple takes the values one by one."""
        lefts: Sequence[MarkedNode | None]
        rights: Sequence[MarkedNode | None]
        if node.kind in self._rules.first:
            lefts, rights = [node.get("left")], [node.children[-1]]
        elif node.get("right") is None:
            return [], state
        else:
            lefts, rights = _pairs(node)
        edges, state = self._sequence(rights, state, depth)
        more, state = self._computed(lefts, rights, state)
        return _in_order([*edges, *more]), state

    def _computed(
        self, lefts: Sequence[MarkedNode | None], rights: Sequence[MarkedNode | None], state: State
    ) -> tuple[list[Edge], State]:
        edges: list[Edge] = []
        for left, right in zip(lefts, rights, strict=False):
            names, values = self._variables(left), self._variables(right)
            words, numbers = tuple(word for _, word in values), tuple(number for number, _ in values)
            edges += (Edge(word, number, COMPUTED, words, numbers) for number, word in names)
            state = {**state, **{word: (number,) for number, word in names}}
        return edges, state

    def _twice(self, node: MarkedNode, state: State, depth: int) -> tuple[list[Edge], State]:
        return _settled(self._sequence([*node.children, *node.children], state, depth))

    def _updated(self, node: MarkedNode, state: State, depth: int) -> tuple[list[Edge], State]:
        edges, state = self._each_from_each(node, node, COMPUTED, state)
        return _in_order(edges), state

    def _branched(self, node: MarkedNode, state: State, depth: int) -> tuple[list[Edge], State]:
        rules = self._rules
        edges: list[Edge] = []
        current, others, is_other = state, list[State](), False
        for child in node.children:
            is_other = child.kind in rules.other_branches or (is_other and rules.others_stay)
            found, after = self.walk(child, state if is_other else current, depth + 1)
            edges += found
            if is_other:
                others.append(after)
            else:
                current = after
        others.append(current)
        if rules.keeps_before or not any("else" in each.kind for each in (node, *node.children)):
            others.append(state)
        return _in_order(edges), _joined(others)

    def _looped(self, node: MarkedNode, state: State, depth: int) -> tuple[list[Edge], State]:
        if self._rules.pairs:
            return self._looped_pairs(node, state, depth)
        edges, state = self._sequence(node.children, state, depth)
        begun = False
        for child in node.children:
            if begun:
                more, state = self.walk(child, state, depth + 1)
                edges += more
            elif child.kind == self._rules.loop_head:
                begun = True
                if self._rules.step and (step := child.get(self._rules.step)) is not None:
                    more, state = self.walk(step, state, depth + 1)
                    edges += more
        return _settled((edges, state))

    def _looped_pairs(self, node: MarkedNode, state: State, depth: int) -> tuple[list[Edge], State]:
        edges: list[Edge] = []
        lefts, rights = _pairs(node)
        for _ in range(2):
            found, state = self._sequence(rights, state, depth)
            more, state = self._computed(lefts, rights, state)
            edges += [*found, *more]
            if node.children[-1].kind == "block":
                found, state = self.walk(node.children[-1], state, depth + 1)
                edges += found
        return _settled((edges, state))

    def _for_each(self, node: MarkedNode, state: State, depth: int) -> tuple[list[Edge], State]:
        name, value = (node.get(field) for field in self._rules.each_fields)
        edges: list[Edge] = []
        for _ in range(2):
            found, state = self.walk(value, state, depth + 1)
            more, state = self._each_from_each(name, value, COMPUTED, state)
            inner, state = self.walk(node.get("body"), state, depth + 1)
            edges += [*found, *more, *inner]
        return _settled((edges, state))


def _pairs(node: MarkedNode) -> tuple[list[MarkedNode], list[MarkedNode]]:
    """Left and right sides: the elements if both have as many, else the whole sides."""
    left, right = node.get("left"), node.get("right")
    if left is None or right is None:
        raise FlowFailure
    lefts = [child for child in left.children if child.kind != ","]
    rights = [child for child in right.children if child.kind != ","]
    if len(lefts) != len(rights):
        lefts, rights = [left], [right]
    return lefts or [left], rights or [right]


def _in_order(edges: list[Edge]) -> list[Edge]:
    return sorted(edges, key=lambda edge: edge.number)


def _joined(states: Sequence[State]) -> State:
    joined: dict[str, set[int]] = {}
    for state in states:
        for word, numbers in state.items():
            joined.setdefault(word, set()).update(numbers)
    return {word: tuple(sorted(numbers)) for word, numbers in joined.items()}


def _settled(walked: tuple[list[Edge], State]) -> tuple[list[Edge], State]:
    """The edges of two passes through a loop, those of the same token and relation joined."""
    edges, state = walked
    found: dict[tuple[str, int, str], Edge] = {}
    for edge in edges:
        key = edge[:3]
        found[key] = _merged(found[key], edge) if key in found else edge
    return _in_order(list(found.values())), state


def _merged(one: Edge, other: Edge) -> Edge:
    """Both edges as one; names in alphabetical order, where the library has the order of a hash table."""
    names = tuple(sorted({*one.names, *other.names}))
    return other._replace(names=names, numbers=tuple(sorted({*one.numbers, *other.numbers})))


@contextmanager
def _deep() -> Iterator[None]:
    """Allow the calls of MAX_DEPTH levels, four for each."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(limit + 4 * MAX_DEPTH)
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


def data_flow(tree: MarkedTree, rules: FlowRules) -> list[Edge]:
    """The edges of a program by token; none where the library finds none or fails."""
    try:
        with _deep():
            edges, _ = FlowWalk(tree, rules).walk(tree.root, {})
    except FlowFailure:
        return []
    used = {number for edge in edges for number in (*edge.numbers, *([edge.number] if edge.numbers else []))}
    merged: dict[int, Edge] = {}
    for edge in edges:
        if edge.number in used:
            old = merged.get(edge.number)
            merged[edge.number] = edge if old is None else _merged(old, edge)
    return list(merged.values())


def data_flow_match(reference: list[Edge], other: list[Edge]) -> float:
    """The share from 0 to 1 of the reference's edges in the other program; 0 without edges.

    Variables are renamed by their first occurrence.
    """
    wanted, present = _renamed(reference), _renamed(other)
    common = 0
    for edge in wanted:
        if edge in present:
            present.remove(edge)
            common += 1
    return common / len(wanted) if wanted else 0.0


def _renamed(edges: list[Edge]) -> list[tuple[int, str, tuple[int, ...]]]:
    numbers: dict[str, int] = {}
    renamed = []
    for edge in edges:
        for name in (*edge.names, edge.name):
            numbers.setdefault(name, len(numbers))
        renamed.append((numbers[edge.name], edge.relation, tuple(numbers[name] for name in edge.names)))
    return renamed
