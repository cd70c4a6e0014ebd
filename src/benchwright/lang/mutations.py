"""Small named changes of a text, and those that a tree of tree-sitter's allows.

Kinds: "compare" (a comparison becomes its negation), "boundary" (`<` becomes `<=`), "logic" (and, or),
"negate" (a condition), "boolean" (True, False), "constant" (an integer, one more), "arithmetic" (another
operator), "return" (None, or the type's zero), "arguments" (the first two of a call, swapped). Without types
some changes do not compile, such as `-` between two texts: whoever compiles them will see.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from benchwright.lang.answers import Mutant
from benchwright.lang.trees import COMMENTS, Node, Tree

KINDS = ("compare", "boundary", "logic", "negate", "boolean", "constant", "arithmetic", "return", "arguments")


class TextEdit(NamedTuple):
    """A range of bytes and what is to stand there."""

    start: int
    end: int
    text: str


class Edit(NamedTuple):
    """One change, which may be in several places. `kind` names it."""

    kind: str
    places: list[TextEdit]


def mutants_of(data: bytes, edits: Iterable[Edit]) -> Iterator[Mutant]:
    """The texts that edits make, in the order of their places; names tell kind, line and column."""
    found = [edit for edit in edits if edit.places]
    for kind, places in sorted(found, key=lambda edit: (edit.places[0], edit.kind)):
        start = places[0].start
        line = data.count(b"\n", 0, start) + 1
        column = start - (data.rfind(b"\n", 0, start) + 1) + 1
        yield Mutant(name=f"{kind}-{line}-{column}", kind=kind, code=_applied(data, places), line=line)


def _applied(data: bytes, places: list[TextEdit]) -> str:
    parts, at = [], 0
    for start, end, text in sorted(places):
        touches = start > 0 and data[start - 1 : start].isalnum() and text[:1].isalnum()
        parts += [data[at:start], b" " if touches else b"", text.encode()]
        at = end
    return b"".join([*parts, data[at:]]).decode()


# What an operator becomes: its negation, its neighbour at the boundary, its opposite in arithmetic.
NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
BOUNDARY = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
ARITHMETIC = {"+": "-", "-": "+", "*": "/", "/": "*", "%": "*", "//": "*", "**": "*", "<<": ">>", ">>": "<<"}


_LOGIC = {"&&": "||", "||": "&&"}
_ASSIGNED = {f"{old}=": f"{new}=" for old, new in ARITHMETIC.items()}
_INTEGER = re.compile(r"([0-9]+)([lL]?)")
_CONDITIONS = {"if_statement", "while_statement", "ternary_expression", "for_clause", "do_statement"}
_FUNCTIONS = {"method_declaration", "function_declaration", "lambda_expression", "func_literal"}
_TEXTS = {"string_literal", "interpreted_string_literal", "raw_string_literal", "text_block"}
# What a function of a type may return instead: of Java's primitives and of Go's basic types.
_ZEROS = {
    **dict.fromkeys(("int", "long", "short", "byte", "double", "float"), "0"),
    **dict.fromkeys(("int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64"), "0"),
    **dict.fromkeys(("float32", "float64", "rune", "uintptr"), "0"),
    **dict.fromkeys(("boolean", "bool"), "false"),
    "char": "'\\0'",
    "string": '""',
    "error": "nil",
    "any": "nil",
}
_NILS = {"pointer_type", "slice_type", "map_type", "channel_type", "function_type", "interface_type"}
_REFERENCES = {"type_identifier", "generic_type", "scoped_type_identifier", "array_type"}


def tree_edits(tree: Tree) -> Iterator[Edit]:
    """Every change that the tree allows, in no order."""
    for node in tree.root.walk():
        match node.kind:
            case "binary_expression":
                yield from _operator(tree, node)
            case "assignment_expression" | "assignment_statement":
                yield from _changed(tree, "arithmetic", node.get("operator"), _ASSIGNED)
            case "decimal_integer_literal" | "int_literal":
                yield from _integer(tree, node)
            case "true" | "false":
                yield Edit(
                    "boolean", [TextEdit(node.start, node.end, "false" if node.kind == "true" else "true")]
                )
            case "return_statement":
                yield from _returned(tree, node)
            case "argument_list":
                yield from _swapped(tree, node)
        if node.kind in _CONDITIONS:
            yield from _negated(tree, node.get("condition"))


def _operator(tree: Tree, node: Node) -> Iterator[Edit]:
    operator = node.get("operator")
    yield from _changed(tree, "compare", operator, NEGATED)
    yield from _changed(tree, "boundary", operator, BOUNDARY)
    yield from _changed(tree, "logic", operator, _LOGIC)
    if not any(child.kind in _TEXTS for child in node.children):
        yield from _changed(tree, "arithmetic", operator, ARITHMETIC)


def _changed(tree: Tree, kind: str, operator: Node | None, table: dict[str, str]) -> Iterator[Edit]:
    if operator is not None and tree.text(operator) in table:
        yield Edit(kind, [TextEdit(operator.start, operator.end, table[tree.text(operator)])])


def _integer(tree: Tree, node: Node) -> Iterator[Edit]:
    found = _INTEGER.fullmatch(tree.text(node).replace("_", ""))
    if found and len(found.group(1)) < 19 and (found.group(1) == "0" or found.group(1)[0] != "0"):
        value = int(found.group(1))
        if value not in (2**31 - 1, 2**63 - 1):  # one more does not compile
            yield Edit("constant", [TextEdit(node.start, node.end, f"{value + 1}{found.group(2)}")])


def _negated(tree: Tree, condition: Node | None) -> Iterator[Edit]:
    if condition is None:
        return
    inner = next((child for child in condition.children if child.named and child.kind not in COMMENTS), None)
    target = inner if condition.kind == "parenthesized_expression" else condition
    if target is not None:
        yield Edit("negate", [TextEdit(target.start, target.end, f"!({tree.text(target)})")])


def _returned(tree: Tree, node: Node) -> Iterator[Edit]:
    values = [child for child in node.children if child.named and child.kind not in COMMENTS]
    if values and values[0].kind == "expression_list":
        values = [child for child in values[0].children if child.named]
    zero = _zero_of(tree, node) if len(values) == 1 else ""
    if zero and tree.text(values[0]) != zero:
        yield Edit("return", [TextEdit(values[0].start, values[0].end, zero)])


def _zero_of(tree: Tree, node: Node) -> str:
    """What the function around a `return` can return instead; empty where its type does not say."""
    around = next((each for each in node.ancestors() if each.kind in _FUNCTIONS), None)
    declared = None if around is None else around.get("type") or around.get("result")
    if declared is None:
        return ""
    name = tree.text(declared)
    if name in _ZEROS:
        return _ZEROS[name]
    if declared.field == "type":
        return "null" if declared.kind in _REFERENCES else ""
    return "nil" if declared.kind in _NILS else ""


def _swapped(tree: Tree, node: Node) -> Iterator[Edit]:
    found = [child for child in node.children if child.named and child.kind not in COMMENTS]
    if len(found) < 2 or any(child.kind.endswith("_type") or "variadic" in child.kind for child in found):
        return
    first, second = found[:2]
    if tree.text(first) != tree.text(second):
        yield Edit(
            "arguments",
            [
                TextEdit(first.start, first.end, tree.text(second)),
                TextEdit(second.start, second.end, tree.text(first)),
            ],
        )
