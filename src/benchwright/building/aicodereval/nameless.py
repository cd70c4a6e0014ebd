"""Programs and cases without their names, to find one task under two names."""

from __future__ import annotations

import ast
from typing import Any

import msgspec

from benchwright.building.aicodereval.drafted_code import parsed
from benchwright.contracts import CallCase
from benchwright.store.keys import content_key
from benchwright.text.syntax import ParseFault, parse
from benchwright.tracks.aicodereval.entry import BenchmarkEntry
from benchwright.tracks.aicodereval.program import program_of

_ENOUGH = 3  # cases with a value


def nameless_keys(entry: BenchmarkEntry) -> list[str]:
    """Keys of an entry; two entries with a common key are the same task.

    The first key is that of the solution without names of functions, parameters and variables. The second
    also leaves out texts, in the solution and in the cases. The third, if enough cases expect a value, is
    that of the cases alone: tasks that no test distinguishes are the same.
    """
    program = program_of(entry)
    if isinstance(parsed(program), ParseFault):
        return []
    cases = [
        [str(case.level), _blank(msgspec.to_builtins(case.input)), _blank(msgspec.to_builtins(case.expected))]
        for case in entry.cases
    ]
    keys = [nameless(program), content_key(nameless(program, texts=False), sorted(map(repr, cases)))]
    if sum(case.expected.value is not None for case in entry.cases) >= _ENOUGH:
        keys.append(content_key("cases", sorted({repr(_asked(case)) for case in entry.cases})))
    return keys


def _asked(case: CallCase) -> list[Any]:
    """Inputs and expected values, without parameter names."""
    given, expected = case.input, msgspec.structs.replace(case.expected, rel_tol=0.0, abs_tol=0.0)
    values = [*given.args, *given.kwargs.values()]
    return [msgspec.to_builtins(each) for each in (values, given.files, expected)]


def nameless(program: str, *, texts: bool = True) -> str:
    """The key of a program without its bound names, annotations and documentation."""
    tree = parse(program)
    assert not isinstance(tree, ParseFault)
    plain = _NumberedNames(_bound(tree), texts=texts).visit(tree)
    return content_key(ast.dump(plain))


def _bound(tree: ast.Module) -> set[str]:
    names = {
        node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    names |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    return names | {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


class _NumberedNames(ast.NodeTransformer):
    """Replace each bound name by the number of its first use; blank messages of exceptions."""

    def __init__(self, bound: set[str], *, texts: bool) -> None:
        self._numbers: dict[str, str] = {}
        self._bound, self._texts = bound, texts

    def _number(self, name: str) -> str:
        if name not in self._bound:
            return name
        return self._numbers.setdefault(name, f"n{len(self._numbers)}")

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Name(self._number(node.id), node.ctx)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        return ast.arg(self._number(node.arg))

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        if node.value is None:
            return None
        return self.visit(ast.Assign([node.target], node.value))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        documented = isinstance(node.body[0], ast.Expr) and isinstance(node.body[0].value, ast.Constant)
        body = node.body[1:] if documented and len(node.body) > 1 else node.body
        self._number(node.name)
        arguments = self.visit(node.args)
        found = [self.visit(each) for each in body]
        return ast.FunctionDef("", arguments, [each for each in found if each is not None], [])

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        kind = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        return ast.Raise(kind)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        return ast.Constant("") if isinstance(node.value, str) and not self._texts else node


def _blank(value: Any) -> Any:
    """A value with blank texts."""
    if isinstance(value, dict):
        return [[_blank(key), _blank(inner)] for key, inner in value.items()]
    if isinstance(value, list):
        return [_blank(each) for each in value]
    return "" if isinstance(value, str) else value
