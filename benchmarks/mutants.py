"""Small deterministic changes to trusted solutions, for comparing verdicts on wrong programs.

A mutant changes one place of a canonical solution: a comparison, a boundary, a constant, an operator,
a condition, a statement. Which mutants a task gets depends on the seed and the task only.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Callable, Iterator
from copy import deepcopy
from random import Random

import msgspec

from benchmarks.dataset import Row
from benchwright.errors import DataError

Edit = Callable[[ast.AST], None]
Words = tuple[str, Edit]

FLIPS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.GtE,
    ast.LtE: ast.Gt,
    ast.Gt: ast.LtE,
    ast.GtE: ast.Lt,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
BOUNDARIES: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
}
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.Mod: ast.FloorDiv,
}


class Mutant(msgspec.Struct, frozen=True, kw_only=True):
    """A changed solution of one task, with what was changed in words."""

    task_id: str
    number: int  # 1-based within its task
    mutation: str
    completion: str


def draw(row: Row, *, most: int, seed: int) -> list[Mutant]:
    """At most `most` different mutants of a task's canonical solution, none equal to it."""
    body, indent = solution_body(row)
    seen = {_text(body, indent)}
    edits = [
        (place, words, edit) for place, node in enumerate(ast.walk(body)) for words, edit in edits_of(node)
    ]
    Random(f"{seed}:{row.task_id}").shuffle(edits)
    found: list[Mutant] = []
    for place, words, edit in edits:
        text = _text(changed_copy(body, place, edit), indent)
        if text in seen or not parses(row.prompt + text):
            continue
        seen.add(text)
        found.append(Mutant(task_id=row.task_id, number=len(found) + 1, mutation=words, completion=text))
        if len(found) == most:
            break
    return found


def solution_body(row: Row) -> tuple[ast.Module, str]:
    """The canonical solution's statements by themselves, and the indentation that the prompt set."""
    program = ast.parse(row.prompt + row.canonical_solution)
    entry = program.body[-1]
    if not isinstance(entry, ast.FunctionDef) or entry.name != row.entry_point:
        raise DataError("the entry point is not the last function of the solution", task_id=row.task_id)
    prompt_lines = row.prompt.rstrip("\n").count("\n") + 1
    own = [statement for statement in entry.body if statement.lineno > prompt_lines]
    return ast.Module(body=own, type_ignores=[]), " " * entry.body[0].col_offset


def parses(program: str) -> bool:
    """True when Python accepts the program's syntax."""
    try:
        ast.parse(program)
    except SyntaxError:
        return False
    return True


def _text(body: ast.Module, indent: str) -> str:
    return textwrap.indent(ast.unparse(ast.fix_missing_locations(body)), indent) + "\n"


def changed_copy(body: ast.Module, place: int, edit: Edit) -> ast.Module:
    """A copy with one edit at the node that a walk reaches at `place`; it visits a copy in the same order."""
    changed = deepcopy(body)
    node = next(node for number, node in enumerate(ast.walk(changed)) if number == place)
    edit(node)
    return changed


def edits_of(node: ast.AST) -> Iterator[Words]:
    """Every edit that this node allows, with its words."""
    yield from _statement_edits(node)
    if isinstance(node, ast.expr | ast.stmt):
        for words, edit in _own_edits(node):
            yield f"line {node.lineno}: {words}", edit


def _own_edits(node: ast.AST) -> Iterator[Words]:
    match node:
        case ast.Compare():
            yield from _comparison_edits(node)
        case ast.Constant(value=int()) if not isinstance(node.value, bool):
            yield from _constant_edits(node)
        case ast.BinOp():
            yield from _operator_edits(node)
        case ast.BoolOp():
            other = ast.Or if isinstance(node.op, ast.And) else ast.And
            yield f"swap and/or in `{_short(node)}`", _set("op", other())
        case ast.If() | ast.While() | ast.IfExp():
            yield f"negate `{_short(node.test)}`", _negate
        case ast.Slice():
            yield from _slice_edits(node)


def _statement_edits(node: ast.AST) -> Iterator[Words]:
    for field in ("body", "orelse"):
        block = getattr(node, field, None)
        if not isinstance(block, list):
            continue
        for index, statement in enumerate(block):
            if not isinstance(statement, ast.Pass):
                yield (
                    f"line {statement.lineno}: remove `{_short(statement)}`",
                    _replace(field, index, ast.Pass()),
                )
            if index:
                yield f"line {statement.lineno}: return before `{_short(statement)}`", _insert(field, index)


def _comparison_edits(node: ast.Compare) -> Iterator[Words]:
    for index, operator in enumerate(node.ops):
        kind = type(operator)
        yield f"flip `{_short(node)}`", _replace("ops", index, FLIPS[kind]())
        if kind in BOUNDARIES:
            yield f"move the boundary of `{_short(node)}`", _replace("ops", index, BOUNDARIES[kind]())


def _constant_edits(node: ast.Constant) -> Iterator[Words]:
    assert isinstance(node.value, int)
    for value in (node.value + 1, node.value - 1):
        yield f"{node.value} becomes {value}", _set("value", value)


def _operator_edits(node: ast.BinOp) -> Iterator[Words]:
    yield f"swap the operands of `{_short(node)}`", _swap_operands
    if type(node.op) in OPERATORS:
        yield f"another operator in `{_short(node)}`", _set("op", OPERATORS[type(node.op)]())


def _slice_edits(node: ast.Slice) -> Iterator[Words]:
    for field in ("lower", "upper"):
        bound = getattr(node, field)
        if bound is not None:
            longer = ast.BinOp(left=bound, op=ast.Add(), right=ast.Constant(1))
            yield f"`{_short(bound)}` plus one in a slice", _set(field, longer)


def _set(field: str, value: object) -> Edit:
    return lambda node: setattr(node, field, deepcopy(value))


def _replace(field: str, index: int, value: ast.AST) -> Edit:
    return lambda node: getattr(node, field).__setitem__(index, deepcopy(value))


def _insert(field: str, index: int) -> Edit:
    return lambda node: getattr(node, field).insert(index, ast.Return(value=ast.Constant(None)))


def _negate(node: ast.AST) -> None:
    node.test = ast.UnaryOp(op=ast.Not(), operand=node.test)  # type: ignore[attr-defined]


def _swap_operands(node: ast.AST) -> None:
    assert isinstance(node, ast.BinOp)
    node.left, node.right = node.right, node.left


def _short(node: ast.AST) -> str:
    first = ast.unparse(node).splitlines()[0]
    return first if len(first) <= 60 else first[:59] + "…"
