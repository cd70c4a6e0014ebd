"""Many small changes of Python source, to measure how much tests notice.

They extend those of `python.mutations`; `FURTHER` lists their kinds. Rows of a data set are made with other
changes: slips.
"""

from __future__ import annotations

import ast
import hashlib
from collections import Counter
from collections.abc import Callable, Iterator
from math import isfinite
from typing import Any

import msgspec

from benchwright.lang.protocol import Mutant
from benchwright.lang.python.equivalent_mutants import idle_changes
from benchwright.lang.python.mutations import PythonText, python_edits, statements_and_values
from benchwright.lang.python.tree import parse
from benchwright.lang.source_errors import SyntaxFault
from benchwright.lang.text_edits import Edit, TextEdit, mutants_of

FURTHER = (
    *("less", "zero", "text", "condition", "decided", "deletion", "branch", "slice", "operand", "unary"),
    *("unwrapped", "abs", "isinstance", "exception", "call", "axis", "bound", "relation"),
)
_UNBRACKETED = (ast.Name, ast.Constant, ast.Call, ast.Attribute, ast.Subscript, ast.List, ast.Dict, ast.Set)
_DELETED = (
    *(ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Return, ast.Raise, ast.Delete, ast.Assert),
    *(ast.Break, ast.Continue, ast.If),
)
_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)
_RELATIONS: dict[type[ast.cmpop], tuple[str, ...]] = {
    ast.Eq: ("<=", ">="),
    ast.NotEq: ("<", ">"),
    ast.Lt: ("!=",),
    ast.Gt: ("!=",),
    ast.LtE: ("==",),
    ast.GtE: ("==",),
}
_OTHER_ERROR = {"ValueError": "TypeError", "KeyError": "IndexError", "IndexError": "KeyError"}
_PAIRS = (
    *(("min", "max"), ("any", "all"), ("lower", "upper"), ("startswith", "endswith"), ("find", "rfind")),
    *(("floor", "ceil"), ("argmin", "argmax"), ("sum", "mean"), ("no_grad", "enable_grad")),
    *(("eval", "train"), ("softmax", "log_softmax"), ("zeros", "ones"), ("isalpha", "isalnum")),
    *(("append", "extend"), ("floor_divide", "divide"), ("vstack", "hstack"), ("fit_transform", "transform")),
)
_Place = tuple[str, int, int]
_OTHER_CALL = dict(_PAIRS) | {second: first for first, second in _PAIRS if first != "sum"}
_OTHER_CALL |= {"sorted": "list", "strip": "lstrip", "rstrip": "strip", "isupper": "islower", "round": "int"}


def distinct_mutants(code: str) -> Iterator[Mutant]:
    """Yield every mutant whose syntax tree differs from that of the text and of all earlier mutants.

    In the order of their places, always the same; nothing for a text that does not parse. Equivalent mutants
    that are known are omitted.
    """
    module = parse(code)
    if isinstance(module, SyntaxFault):
        return
    seen, names = {_digest(module)}, Counter[str]()
    idle = _idle_places(module, code)
    edits = (*python_edits(module, code), *further_edits(module, code))
    for mutant in mutants_of(code.encode(), [edit for edit in edits if _place_of(edit) not in idle]):
        changed = parse(mutant.code)
        if isinstance(changed, SyntaxFault) or (digest := _digest(changed)) in seen:
            continue
        seen.add(digest)
        names[mutant.name] += 1
        number = names[mutant.name]
        name = mutant.name if number == 1 else f"{mutant.name}-{number}"
        yield msgspec.structs.replace(mutant, name=name)


def _idle_places(module: ast.Module, code: str) -> set[_Place]:
    source = PythonText(code)
    return {(kind, *source.span(node)) for kind, node in idle_changes(module)}


def _place_of(edit: Edit) -> _Place:
    """Return the kind of an edit, and the start and end of its first change."""
    first = edit.places[0] if edit.places else TextEdit(0, 0, "")
    return edit.kind, first.start, first.end


def further_edits(module: ast.Module, code: str) -> Iterator[Edit]:
    """Yield every change of a kind in `FURTHER` that the tree allows, in no order."""
    source = _Further(code)
    for node in statements_and_values(module):
        for change in _CHANGES.get(type(node), ()):
            yield from change(source, node)
        if isinstance(node, ast.stmt):
            yield from source.deleted(node)


class _Further(PythonText):
    """The text, and the changes of one node of its tree."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self._idle = set[int]()  # constants that are statements, such as docstrings

    def edit(self, kind: str, node: ast.expr | ast.stmt, text: str) -> Edit:
        return Edit(kind, [self.place(node, text)])

    def replaced(self, kind: str, node: ast.expr, part: ast.expr) -> Edit:
        """Replace a node by one of its parts."""
        return self.edit(kind, node, self.closed(part))

    def closed(self, node: ast.expr) -> str:
        """Return the source of a node, in brackets if an operator next to it could bind tighter."""
        return self.text(node) if isinstance(node, _UNBRACKETED) else f"({self.text(node)})"

    def constant(self, node: ast.Constant) -> Iterator[Edit]:
        value = node.value
        if isinstance(value, bool) or id(node) in self._idle:
            return
        if isinstance(value, int) and value.bit_length() < 1000:
            yield self.edit("less", node, f"({value - 1})" if value < 1 else str(value - 1))
            yield self.edit("zero", node, "0")
        elif isinstance(value, float) and isfinite(value):
            yield self.edit("less", node, repr(value - 1) if value >= 1 else f"({value - 1!r})")
            yield self.edit("zero", node, "0.0")
        elif isinstance(value, str) and value:
            yield from self._text(node, value)

    def _text(self, node: ast.Constant, value: str) -> Iterator[Edit]:
        """Change a string: remove its last character, or each in a short one; change its first; empty it."""
        first = "b" if value[0] == "a" else "a"
        short = range(len(value)) if len(value) <= _SHORT else (len(value) - 1,)
        for text in (*(value[:at] + value[at + 1 :] for at in short), first + value[1:], ""):
            yield self.edit("text", node, repr(text))

    def dropped_conditions(self, node: ast.BoolOp) -> Iterator[Edit]:
        word = " and " if isinstance(node.op, ast.And) else " or "
        for at in range(len(node.values)):
            left = [self.closed(value) for value in (*node.values[:at], *node.values[at + 1 :])]
            yield self.edit("condition", node, f"({word.join(left)})" if len(left) > 1 else left[0])

    def relations(self, node: ast.Compare) -> Iterator[Edit]:
        """Replace a comparison operator by others than its negation and its neighbour at the boundary."""
        if isinstance(node.ops[0], ast.Lt | ast.LtE | ast.Gt | ast.GtE):
            yield from self._absolute(node.left, *node.comparators)
        others = _RELATIONS.get(type(node.ops[0]), ()) if len(node.ops) == 1 else ()
        for other in others:
            text = f"{self.closed(node.left)} {other} {self.closed(node.comparators[0])}"
            yield self.edit("relation", node, text)

    def operands(self, node: ast.BinOp) -> Iterator[Edit]:
        for part in (node.left, node.right):
            yield self.replaced("operand", node, part)
        if isinstance(node.op, _ARITHMETIC):
            yield from self._absolute(node.left, node.right)
            if isinstance(node.op, ast.Sub):
                yield self.edit("abs", node, f"abs({self.text(node)})")

    def _absolute(self, *operands: ast.expr) -> Iterator[Edit]:
        for operand in operands:
            if isinstance(operand, ast.Name | ast.Subscript):
                yield self.edit("abs", operand, f"abs({self.text(operand)})")

    def call(self, node: ast.Call) -> Iterator[Edit]:
        function = node.func
        plain = [arg for arg in node.args if not isinstance(arg, ast.Starred)]
        if isinstance(function, ast.Attribute):
            yield self.replaced("unwrapped", node, function.value)
            if (other := _OTHER_CALL.get(function.attr)) is not None:
                yield self.edit("call", function, f"{self.text(function.value)}.{other}")
        elif isinstance(function, ast.Name):
            yield from self._named_call(node, function, plain)
        for keyword in node.keywords:
            yield from self._axis(keyword)

    def _named_call(self, node: ast.Call, function: ast.Name, plain: list[ast.expr]) -> Iterator[Edit]:
        if plain and function.id not in ("print", "range", "isinstance"):
            yield self.replaced("unwrapped", node, plain[0])
        if (other := _OTHER_CALL.get(function.id)) is not None:
            yield self.edit("call", function, other)
        if function.id == "isinstance" and len(plain) == 2:
            word = "in" if isinstance(plain[1], ast.Tuple) else "is"
            yield self.edit("isinstance", node, f"(type({self.text(plain[0])}) {word} {self.text(plain[1])})")
        if function.id == "range" and plain:
            stop = plain[0] if len(plain) == 1 else plain[1]
            for change in ("+ 1", "- 1"):
                yield self.edit("bound", stop, f"{self.closed(stop)} {change}")

    def _axis(self, keyword: ast.keyword) -> Iterator[Edit]:
        if keyword.arg in ("dim", "axis"):
            for text in ("0", "-1"):
                yield self.edit("axis", keyword.value, text)

    def slices(self, node: ast.Slice) -> Iterator[Edit]:
        """Remove the lower bound, the upper bound or the step of a slice; shift the upper bound by one."""
        bounds = {"lower": node.lower, "upper": node.upper, "step": node.step}
        for name, bound in bounds.items():
            if bound is not None:
                left = {other: value for other, value in bounds.items() if other != name}
                yield self.edit("slice", node, self._slice(left))
        if node.upper is not None:
            for change in ("+ 1", "- 1"):
                yield self.edit("slice", node.upper, f"{self.closed(node.upper)} {change}")

    def _slice(self, bounds: dict[str, ast.expr | None]) -> str:
        lower, upper, step = ("" if (at := bounds.get(name)) is None else self.text(at) for name in _BOUNDS)
        return f"{lower}:{upper}:{step}" if step else f"{lower}:{upper}"

    def decided(self, node: ast.If | ast.While | ast.IfExp) -> Iterator[Edit]:
        for text in ("True", "False"):
            if not (text == "True" and isinstance(node, ast.While)):  # the loop would not end
                yield self.edit("decided", node.test, text)

    def unfiltered(self, node: ast.comprehension) -> Iterator[Edit]:
        for test in node.ifs:
            yield self.edit("decided", test, "True")

    def branches(self, node: ast.If) -> Iterator[Edit]:
        yield Edit("branch", [self._block(node.body, "pass")])
        if node.orelse and not self._is_elif(node.orelse):
            yield Edit("branch", [self._block(node.orelse, "pass")])

    def unary(self, node: ast.UnaryOp) -> Iterator[Edit]:
        yield self.replaced("unary", node, node.operand)

    def assigned(self, node: ast.AugAssign) -> Iterator[Edit]:
        yield self.edit("operand", node, f"{self.text(node.target)} = {self.text(node.value)}")

    def exception(self, node: ast.Raise | ast.ExceptHandler) -> Iterator[Edit]:
        raised = node.exc if isinstance(node, ast.Raise) else node.type
        raised = raised.func if isinstance(raised, ast.Call) else raised
        if isinstance(raised, ast.Name):
            yield self.edit("exception", raised, _OTHER_ERROR.get(raised.id, "ValueError"))

    def deleted(self, node: ast.stmt) -> Iterator[Edit]:
        """Remove a statement that is not a docstring; docstrings are visited before their strings."""
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            self._idle.add(id(node.value))
        elif isinstance(node, _DELETED):
            yield self.edit("deletion", node, "pass")

    def _block(self, block: list[ast.stmt], text: str) -> TextEdit:
        return TextEdit(self.span(block[0])[0], self.span(block[-1])[1], text)

    def _is_elif(self, block: list[ast.stmt]) -> bool:
        return isinstance(block[0], ast.If) and self.data[self.span(block[0])[0] :].startswith(b"elif")


_SHORT = 12
_BOUNDS = ("lower", "upper", "step")
_CHANGES: dict[type[ast.AST], tuple[Callable[[_Further, Any], Iterator[Edit]], ...]] = {
    ast.Constant: (_Further.constant,),
    ast.Compare: (_Further.relations,),
    ast.BoolOp: (_Further.dropped_conditions,),
    ast.BinOp: (_Further.operands,),
    ast.UnaryOp: (_Further.unary,),
    ast.Call: (_Further.call,),
    ast.Slice: (_Further.slices,),
    ast.Raise: (_Further.exception,),
    ast.ExceptHandler: (_Further.exception,),
    ast.If: (_Further.decided, _Further.branches),
    ast.While: (_Further.decided,),
    ast.IfExp: (_Further.decided,),
    ast.comprehension: (_Further.unfiltered,),
    ast.AugAssign: (_Further.assigned,),
}


def _digest(module: ast.Module) -> bytes:
    """Return a digest of a tree without its positions."""
    parts: list[str] = []
    _append_fields(module, parts)
    return hashlib.blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _append_fields(node: ast.AST, parts: list[str]) -> None:
    """Append the type and the fields of a node: as exact as `ast.dump`, in less than half of its time."""
    parts.append(type(node).__name__)
    for name in node._fields:
        value = getattr(node, name, None)
        if isinstance(value, ast.AST):
            _append_fields(value, parts)
        elif isinstance(value, list):
            parts.append("[")
            for each in value:
                if isinstance(each, ast.AST):
                    _append_fields(each, parts)
                else:  # a name, or None for a missing default or key
                    parts.append(repr(each))
            parts.append("]")
        else:
            parts.append(repr(value))
