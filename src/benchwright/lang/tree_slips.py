"""Mutation operators that look like a programmer's slip, for languages that tree-sitter parses.

Kinds: "boundary" and "compare" (comparison operators), "logic" and "condition", "operator" and "bound"
(arithmetic, off by one), "name" and "family" (confused names and functions), "arguments" and "order"
(swapped), "boolean", "case" (a forgotten branch), "lost" (a forgotten step or old value). Types are unknown
here, so some mutants do not compile: execution decides.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from benchwright.lang.lines import split_lf
from benchwright.lang.text_edits import ARITHMETIC, BOUNDARY, NEGATED, Edit, LineEditor, Span, TextEdit
from benchwright.lang.tree_slip_grammar import LOOP_STEPS, SlipGrammar, SlipTree, neighbours
from benchwright.lang.trees import COMMENTS, Node, Tree
from benchwright.lang.vocabulary import opposites

_SMALL = 20  # integers up to this are counts and positions; larger ones have a special meaning
_END = re.compile(r"\b(?:length|size|len|count)\b")  # names of a length, whose boundary every reader knows
_EQUAL = re.compile(r"(?i)equal|same|match|differ")
_LONG = 2000  # bytes of an expression
_LOGIC = {"&&": "||", "||": "&&"}
_SIGNS = {"+": "-", "-": "+"}
_UPDATES = {"+=": "-=", "-=": "+="}
_OTHERS = {"<<": ">>", ">>": "<<", ">>>": ">>", "&": "|"}
_ORDERLESS = re.compile(
    r"(?:.*\.)?(?:[mM]in|[mM]ax|make|append|copy|[pP]rint\w*|[fF]ormat|Sprintf|Errorf|join|Join)"
)
_ORDERED = ("-", "/", "%", "<<", ">>")
_POSITIONS = frozenset(("i", "j", "k", "n", "idx", "index", "pos", "start", "end", "lo", "hi"))


def tree_slips(tree: Tree, grammar: SlipGrammar) -> Iterator[Edit]:
    """Yield every slip that the tree allows, in no order."""
    context = SlipTree(tree, grammar)
    slips = _TreeSlips(context)
    for node in context.nodes:
        if node.named:
            yield from slips.of(node)
    for name, others in neighbours(context):
        yield from (Edit("name", [_instead(name, other)]) for other in others)
    yield from statement_slips(context)


class _TreeSlips:
    def __init__(self, context: SlipTree) -> None:
        self._context, self._grammar = context, context.grammar
        fields = self._grammar.members
        member_nodes = (each.get(fields[each.kind]) for each in context.nodes if each.kind in fields)
        self._members = {context.text(each) for each in member_nodes}

    def of(self, node: Node) -> Iterator[Edit]:
        """Yield the slips at one node; long expressions are left unchanged."""
        if node.end - node.start > _LONG:
            return
        if node.kind == "binary_expression":
            yield from self._binary(node)
        elif node.kind in _ASSIGNED:
            yield from self._updated(node)
        elif node.kind in self._grammar.integers:
            yield from self._integer(node)
        elif node.kind == self._grammar.arguments:
            yield from self._arguments(node)
        elif node.kind in ("true", "false") and node.parent and self._holds(node.parent):
            yield Edit("boolean", [_instead(node, "false" if node.kind == "true" else "true")])
        elif node.kind == "expression_list" and node.parent and node.parent.kind == "return_statement":
            yield from self._turned("order", _named_children(node))
        if node.kind in self._grammar.members:
            yield from self._member(node)
        if node.kind in self._grammar.indexes:
            yield from self._index(node)

    def _holds(self, node: Node) -> bool:
        """Return whether a truth value in a node was chosen by the author."""
        return node.kind in _HOLDERS or node.kind == self._grammar.arguments

    def _binary(self, node: Node) -> Iterator[Edit]:
        left, operator, right = node.get("left"), node.get("operator"), node.get("right")
        if left is None or right is None or operator is None:
            return
        sides = (self._text(left), self._text(right))
        if self._grammar.nothing not in sides:
            place = self._context.place(node)
            if not (place.in_loop and _END.search(sides[1])):
                yield from self._operator("boundary", operator, BOUNDARY)
            inline = node.parent is not None and node.parent.kind == "ternary_expression"
            if not (inline or place.in_guard or place.in_loop or self._is_named_for(node)):
                yield from self._operator("compare", operator, NEGATED)
        yield from self._logic(left, operator, right)
        yield from self._arithmetic(node, left, operator, right)

    def _is_named_for(self, node: Node) -> bool:
        """Return whether a comparison is assigned to a name that states its result."""
        above = node.parent
        return above is not None and bool(_EQUAL.search(self._text(above.get("name") or above.get("left"))))

    def _logic(self, left: Node, operator: Node, right: Node) -> Iterator[Edit]:
        if self._text(operator) not in _LOGIC:
            return
        yield Edit("condition", [TextEdit(left.start, right.start, "")])
        yield Edit("condition", [TextEdit(left.end, right.end, "")])
        indexed = any(each.kind in self._grammar.indexes for each in right.walk())
        leans = left.kind != "binary_expression" or indexed or self._grammar.nothing in self._text(left)
        if not (leans and self._context.names(left) & self._context.names(right)):
            yield from self._operator("logic", operator, _LOGIC)

    def _arithmetic(self, node: Node, left: Node, operator: Node, right: Node) -> Iterator[Edit]:
        if any(each.kind in self._grammar.texts for each in node.walk()):
            return
        sign = self._text(operator)
        if right.kind in self._grammar.integers and sign in _SIGNS:
            yield from self._operator("operator", operator, _SIGNS)
            if self._text(right) == "1":
                yield Edit("bound", [TextEdit(left.end, right.end, "")])
        yield from self._operator("operator", operator, _OTHERS)
        if sign in _ORDERED:
            yield from self._turned("order", [left, right])

    def _updated(self, node: Node) -> Iterator[Edit]:
        operator, value = node.get("operator"), node.get("right")
        sign = self._text(operator)
        if operator is None or value is None or sign[:-1] not in ARITHMETIC or self._looped(node):
            return
        if not any(each.kind in self._grammar.texts for each in value.walk()):
            yield from self._operator("operator", operator, _UPDATES)
        yield Edit("lost", [_instead(operator, "=")])

    def _looped(self, node: Node) -> bool:
        """Return whether an assignment changes a loop's condition, or is a loop's own step."""
        target = node.get("left")
        if node.field in LOOP_STEPS or target is None:
            return True
        return bool(self._context.names(target) & self._context.loop_names(node))

    def _integer(self, node: Node) -> Iterator[Edit]:
        text = self._text(node)
        if not (text.isdecimal() and int(text[:9]) <= _SMALL and len(text) < 3 and self._counts(node)):
            return
        summed = node.parent is not None and self._text(node.parent.get("operator")) in _SIGNS
        for step in (1,) if text == "0" or (text == "1" and summed) else (1, -1):
            yield Edit("bound", [_instead(node, str(int(text) + step))])

    def _counts(self, node: Node) -> bool:
        """Return whether a number is a position, a bound or a first value, so that it can be off by one."""
        above = node.parent
        if above is None:
            return False
        if above.kind == "binary_expression":
            operator = self._text(above.get("operator"))
            return operator in NEGATED or (operator in _SIGNS and self._text(node) != "0")
        if above.kind == "expression_list":
            return above.field == "right"
        return (
            above.kind in self._grammar.indexes
            or above.kind in self._grammar.declared
            or self._is_bound(node)
        )

    def _is_bound(self, node: Node) -> bool:
        listed = node.parent if node.parent and node.parent.kind == self._grammar.arguments else None
        called = self._text(listed.parent)[:60] if listed is not None else ""
        return self._grammar.bound_calls.search(called) is not None

    def _arguments(self, node: Node) -> Iterator[Edit]:
        called = node.parent
        name = self._text(called).partition("(")[0] if called is not None else ""
        if called is None or called.kind not in self._grammar.calls or _ORDERLESS.fullmatch(name):
            return
        for two in pairwise(_named_children(node)):
            if self._context.kind(two[0]) == self._context.kind(two[1]):
                yield from self._turned("arguments", two)

    def _member(self, node: Node) -> Iterator[Edit]:
        name = node.get(self._grammar.members[node.kind])
        if name is None:
            return
        text = self._text(name)
        around = self._context.names(self._context.place(node).statement)
        others = dict.fromkeys(
            [*self._grammar.families.get(text, ()), *opposites(text, self._members - {text})]
        )
        for other in others:
            if other not in around:
                yield Edit("family", [_instead(name, other)])

    def _index(self, node: Node) -> Iterator[Edit]:
        for each in node.children:
            if (
                each.kind == "identifier"
                and each.field in ("index", "start", "end")
                and self._text(each) in _POSITIONS
            ):
                yield from (Edit("bound", [TextEdit(each.end, each.end, text)]) for text in self._steps(node))

    def _steps(self, node: Node) -> tuple[str, str]:
        return ("-1", "+1") if self._grammar.tight_indexes else (" - 1", " + 1")

    def _operator(self, kind: str, operator: Node, table: dict[str, str]) -> Iterator[Edit]:
        if (other := table.get(self._text(operator))) is not None:
            yield Edit(kind, [_instead(operator, other)])

    def _turned(self, kind: str, two: Sequence[Node]) -> Iterator[Edit]:
        """Yield two simple expressions in the other order."""
        if len(two) == 2 and all(each.kind in self._grammar.plain for each in two):
            texts = [self._text(each) for each in two]
            if texts[0] != texts[1] and self._grammar.nothing not in texts:
                yield Edit(kind, [_instead(two[0], texts[1]), _instead(two[1], texts[0])])

    def _text(self, node: Node | None) -> str:
        return self._context.text(node)


_HOLDERS = frozenset(("variable_declarator", "assignment_expression"))
_ASSIGNED = frozenset(("assignment_expression", "assignment_statement", "augmented_assignment_expression"))


def _instead(node: Node, text: str) -> TextEdit:
    return TextEdit(node.start, node.end, text)


def _named_children(node: Node) -> list[Node]:
    return [child for child in node.children if child.named and child.kind not in COMMENTS]


_SPARE = re.compile(r"(?i)te?mp")
_CASES = ("switch_block_statement_group", "switch_rule", "expression_case", "type_case", "switch_case")


def statement_slips(context: SlipTree) -> Iterator[Edit]:
    """Yield every slip of whole statements that the tree allows, in no order."""
    slips = _Statements(context)
    for node in context.nodes:
        if node.kind in context.grammar.lists:
            yield from slips.block(node)
        elif node.kind == "if_statement":
            yield from slips.branches(node)
        elif node.kind in _CASES:
            yield from slips.case(node)


class _Statements:
    def __init__(self, context: SlipTree) -> None:
        self._context, self._grammar = context, context.grammar
        self._name_counts: dict[int, Counter[str]] = {}
        self._editor = LineEditor(split_lf(context.tree.data.decode()), "//")

    def block(self, block: Node) -> Iterator[Edit]:
        """Yield a block's guards and steps removed, and steps swapped."""
        if block.kind == "block" and any(child.kind == "statement_list" for child in block.children):
            return  # the list itself is visited later
        found = list(self._context.statements(block))
        for node in found:
            may_go = node.kind == "if_statement" and self._context.is_guard(node) and node is not found[-1]
            if may_go and not self._leaves_unused(node):
                yield from self._editor.removed("case", _span(node))
            constructs = block.kind == "constructor_body" and self._changed(node)
            may_go = len(found) > 1 and self._is_step(node) and not constructs
            if may_go and not (self._ends_a_loop(node) or self._leaves_unused(node)):
                yield from self._editor.removed("lost", _span(node))
        for one, two in pairwise(found):
            if self._is_step(one) and self._is_step(two) and self._share(one, two):
                yield from self._editor.swapped("order", _span(one), _span(two))

    def branches(self, node: Node) -> Iterator[Edit]:
        """Yield an `else if` with its block removed, or the `else`."""
        body, other = node.get("consequence"), node.get("alternative")
        if body is None or other is None or body.kind != self._grammar.block or self._context.leaves(body):
            return
        if other.kind == "else_clause":  # JavaScript: the keyword and its statement
            other = other.children[-1]
        end = other
        if other.kind == "if_statement":
            inner = other.get("consequence")
            if inner is None or inner.kind != self._grammar.block:
                return
            end = inner
        data = self._context.tree.data
        if data[body.end : other.start].strip() == b"else":
            yield Edit("case", [TextEdit(body.end, end.end, "")])

    def case(self, node: Node) -> Iterator[Edit]:
        """Yield one case of a switch removed, if it has others."""
        beside = node.parent.all(node.kind) if node.parent is not None else []
        if not self._context.text(node).startswith("default") and len(beside) > 2:
            yield from self._editor.removed("case", self._case_span(node))

    def _case_span(self, node: Node) -> Span:
        """End the span at the last statement: some grammars include the line end."""
        last = node
        while (
            last.children
            and last.kind in (*_CASES, *self._grammar.lists)
            and last.kind != self._grammar.block
        ):
            last = last.children[-1]
        return Span(node.start, last.end, node.first_line, last.last_line)

    def _is_step(self, node: Node) -> bool:
        if node.kind not in self._grammar.steps or not all(map(self._context.may_change, node.children)):
            return False
        return not self._context.is_reporting(node) and self._context.may_change(node)

    def _leaves_unused(self, node: Node) -> bool:
        """Return whether removing a statement leaves a local name declared and unused, which gives the mutant
        away."""
        function = self._context.place(node).function
        if function is None:
            return False
        if id(function) not in self._name_counts:
            self._name_counts[id(function)] = Counter(self._names(function))
        everywhere, here = self._name_counts[id(function)], Counter(self._names(node))
        local = self._context.bound(function)
        return any(name in local and everywhere[name] - count < 2 for name, count in here.items())

    def _names(self, node: Node) -> Iterator[str]:
        """Yield local names, without members of the same name."""
        found = (each for each in node.walk() if each.kind == "identifier" and not _is_member(each))
        return map(self._context.text, found)

    def _ends_a_loop(self, node: Node) -> bool:
        return bool(self._context.names(node) & self._context.loop_names(node))

    def _share(self, one: Node, two: Node) -> bool:
        """Return whether the order of two steps may matter; an exchange through a temporary name is
        excluded."""
        first, second = self._context.names(one), self._context.names(two)
        if any(_SPARE.match(name) for name in first | second):
            return False
        return bool(self._changed(one) & second or self._changed(two) & first)

    def _changed(self, node: Node) -> set[str]:
        """Return the names that a step assigns to, or whose method it calls."""
        first = node.children[0] if node.kind == "expression_statement" else node
        target = first.get("left") or first.get("object") or first.get("operand")
        if target is None and first.kind == "call_expression":
            target = first.get("function")
        if target is None and first.kind in ("update_expression", "inc_statement", "dec_statement"):
            target = first
        return self._context.names(target) if target is not None else set()


def _span(node: Node) -> Span:
    return Span(node.start, node.end, node.first_line, node.last_line)


def _is_member(node: Node) -> bool:
    return node.field == "field" or (
        node.field == "name" and node.parent is not None and node.parent.kind == "method_invocation"
    )


SLIPS = {
    "compare": "a comparison the wrong way round, where no guard says what it is for",
    "boundary": "`<` for `<=` and the like",
    "logic": "`and` for `or`",
    "condition": "one of several conditions forgotten",
    "bound": "an index, bound, range or first value one off",
    "boolean": "True for False, as an argument or a first value",
    "operator": "another operator between numbers",
    "name": "a neighbour's name, or a neighbour's constant",
    "family": "another method or field of the same family",
    "arguments": "two arguments in the other order",
    "order": "two operands, results or steps in the other order",
    "case": "a branch, case or guard forgotten",
    "lost": "an update lost: a step left out, or a value replaced where it was added to",
}
