"""Read Python test code as data: the asserts of a test and the signature of a function."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache
from typing import Any, NamedTuple

from benchwright.text.syntax import ParseFault, parse
from benchwright.tracks.constant_folding import MAX_WEIGHT, NotConstant, describe, fold, weight

MAX_TEST = 4 << 20


class Reason(StrEnum):
    """Why a `check` is not data."""

    unparsable = "the test does not parse"
    no_check = "no single `check(candidate)`"
    top_level = "code beside `check`"
    statement = "a statement that is not an assert"
    loop = "a loop"
    tolerance = "a comparison within a tolerance"
    nested = "the candidate's value is used in an expression"
    comparison = "not an equality"
    unrelated = "an assert without the candidate"
    not_constant = "not a constant"
    no_asserts = "no assert calls the candidate"
    signature = "the arguments cannot be given by name"
    ambiguous = "the expected value has more than one text"
    no_literal = "a value cannot be written as a literal"


class NotData(ValueError):
    """A `check` that is not data: the reason, the construct, and its line in the test."""

    def __init__(self, reason: Reason, detail: str = "", line: int = 0) -> None:
        self.reason, self.detail, self.line = reason, detail, line
        super().__init__(f"{reason}: {detail}" if detail else str(reason))


class AssertCase(NamedTuple):
    """One assert: arguments and expected value of its call, and its line in the test."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    expected: Any
    line: int


def read_cases(test: str) -> list[AssertCase]:
    """Read the cases of a test's `check`, in order. Raises NotData."""
    check = find_check(test)
    name = check.args.args[0].arg
    cases: list[AssertCase] = []
    size = 0
    for statement in check.body:
        case = _read(statement, name)
        if case is not None:
            cases.append(case)
            size += weight([case.args, case.kwargs, case.expected])
        if size > 10 * MAX_WEIGHT:
            raise NotData(Reason.not_constant, "the values together are too large", statement.lineno)
    if not cases:
        raise NotData(Reason.no_asserts, line=check.lineno)
    return cases


def find_check(test: str) -> ast.FunctionDef:
    """Find the only `check`, with one parameter, in a module without other relevant code. Raises NotData."""
    tree = _parsed_test(test)
    if isinstance(tree, ParseFault):
        raise NotData(Reason.unparsable, tree.message, tree.line)
    checks = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "check"]
    if len(checks) != 1 or not _takes_one(checks[0]) or checks[0].decorator_list:
        raise NotData(Reason.no_check)
    for node in tree.body:
        if node is not checks[0] and not _is_idle(node, "candidate"):
            raise NotData(Reason.top_level, describe(node), node.lineno)
    return checks[0]


@lru_cache(maxsize=1)  # a row is checked, then read, and a test may be a megabyte; nobody changes the tree
def _parsed_test(test: str) -> ast.Module | ParseFault:
    return parse(test) if len(test) <= MAX_TEST else ParseFault("the test is too long", 0)


def _takes_one(check: ast.FunctionDef) -> bool:
    args = check.args
    rest = (args.vararg, args.kwarg, args.kwonlyargs, args.posonlyargs)
    return len(args.args) == 1 and not any(rest)


def _is_idle(node: ast.stmt, candidate: str) -> bool:
    """Whether a statement cannot change a verdict: a docstring, METADATA, an import, a print, `pass`."""
    if isinstance(node, ast.Import | ast.ImportFrom | ast.Pass):
        return True
    if isinstance(node, ast.Assign):
        return all(isinstance(target, ast.Name) and target.id == "METADATA" for target in node.targets)
    if not isinstance(node, ast.Expr):
        return False
    value = node.value
    if isinstance(value, ast.Constant):
        return True
    return _is_print(value) and not _mentions(value, candidate)


def _is_print(node: ast.expr) -> bool:
    function = node.func if isinstance(node, ast.Call) else node  # HumanEval/129 has a bare `print`
    return isinstance(function, ast.Name) and function.id == "print"


def _read(statement: ast.stmt, candidate: str) -> AssertCase | None:
    """The case of a statement in `check`; None for a statement without one."""
    if _is_idle(statement, candidate):
        return None
    if isinstance(statement, ast.For | ast.While):
        raise NotData(Reason.loop, line=statement.lineno)
    if not isinstance(statement, ast.Assert):
        raise NotData(Reason.statement, describe(statement), statement.lineno)
    test = statement.test
    if isinstance(test, ast.Constant) and test.value:
        return None
    try:
        call, expected = _sides(test, candidate)
        return AssertCase(*_arguments(call), fold(expected), statement.lineno)
    except NotConstant as error:
        raise NotData(Reason.not_constant, str(error), statement.lineno) from None
    except NotData as error:
        raise NotData(error.reason, error.detail, statement.lineno) from None


def _sides(test: ast.expr, candidate: str) -> tuple[ast.Call, ast.expr]:
    """The call of the candidate and its expected value, in any form of `call == value`."""
    if call := _call(test, candidate):
        return call, ast.Constant(True)
    if (
        isinstance(test, ast.UnaryOp)
        and isinstance(test.op, ast.Not)
        and (call := _call(test.operand, candidate))
    ):
        return call, ast.Constant(False)
    if not isinstance(test, ast.Compare):
        raise NotData(Reason.nested if _mentions(test, candidate) else Reason.unrelated, describe(test))
    if len(test.ops) > 1:
        raise NotData(Reason.comparison, describe(test))
    return _call_and_value(test, candidate)


def _call_and_value(test: ast.Compare, candidate: str) -> tuple[ast.Call, ast.expr]:
    left, right = test.left, test.comparators[0]
    call, value = _call(left, candidate), right
    if call is None:
        call, value = _call(right, candidate), left
    if call is None:
        raise NotData(_why_no_call(test, candidate), describe(test))
    if _mentions(value, candidate):
        raise NotData(Reason.nested, describe(test))
    if isinstance(test.ops[0], ast.Eq) or (isinstance(test.ops[0], ast.Is) and _is_unique(value)):
        return call, value
    raise NotData(Reason.comparison, describe(test))


def _is_unique(node: ast.expr) -> bool:
    """Whether a value is True, False or None, for which `is` implies `==` and checks the type."""
    return isinstance(node, ast.Constant) and (node.value is None or isinstance(node.value, bool))


def _why_no_call(test: ast.Compare, candidate: str) -> Reason:
    if not _mentions(test, candidate):
        return Reason.unrelated
    return Reason.nested if isinstance(test.ops[0], ast.Eq | ast.Is) else Reason.tolerance


def _call(node: ast.expr, candidate: str) -> ast.Call | None:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == candidate:
        return node
    return None


def _mentions(node: ast.AST, candidate: str) -> bool:
    stack = [node]
    while stack:
        inner = stack.pop()
        if isinstance(inner, ast.Name) and inner.id == candidate:
            return True
        if not isinstance(inner, ast.Constant):
            stack.extend(ast.iter_child_nodes(inner))
    return False


def _arguments(call: ast.Call) -> tuple[tuple[Any, ...], dict[str, Any]]:
    kwargs: dict[str, Any] = {}
    for keyword in call.keywords:
        if keyword.arg is None:
            raise NotConstant("`**` in the call")
        kwargs[keyword.arg] = fold(keyword.value)
    return tuple(fold(arg) for arg in call.args), kwargs


MAX_SOURCE = 1 << 20


class Signature(NamedTuple):
    """The parameters of a function by kind, and its return annotation as text ("" for none)."""

    names: tuple[str, ...]  # can be passed by position or by name
    positional_only: tuple[str, ...]
    keyword_only: tuple[str, ...]
    gathers: bool  # has *args or **kwargs
    returns: str

    def by_name(self, args: Sequence[Any], kwargs: dict[str, Any]) -> dict[str, Any]:
        """Convert the arguments of a call into keyword arguments. Raises ValueError if impossible."""
        if self.gathers or self.positional_only:
            raise ValueError("the function takes *args, **kwargs or positional-only parameters")
        if len(args) > len(self.names):
            raise ValueError(f"{len(args)} arguments for {len(self.names)} parameters")
        call = dict(zip(self.names, args, strict=False))
        for name, value in kwargs.items():
            if name in call or name not in self.names + self.keyword_only:
                raise ValueError(f"argument `{name}` is given twice or is not a parameter")
            call[name] = value
        return call


def read_signature(source: str, entry_point: str) -> Signature | None:
    """The signature of `entry_point` in the head of a program; None if the head does not parse or lacks it.

    A head may end after the colon or in its docstring, so a body is added if the head alone does not parse.
    """
    if len(source) > MAX_SOURCE:
        return None
    tree = parse(source)
    if isinstance(tree, ParseFault):
        tree = parse(source.rstrip() + "\n    pass\n")
    if isinstance(tree, ParseFault):
        return None
    for node in reversed(tree.body):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == entry_point:
            return _signature(node)
    return None


def _signature(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Signature:
    args = node.args
    return Signature(
        names=tuple(arg.arg for arg in args.args),
        positional_only=tuple(arg.arg for arg in args.posonlyargs),
        keyword_only=tuple(arg.arg for arg in args.kwonlyargs),
        gathers=args.vararg is not None or args.kwarg is not None,
        returns=_annotation(node.returns),
    )


def _annotation(node: ast.expr | None) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value.strip()
    try:
        return ast.unparse(node) if node is not None else ""
    except RecursionError:
        return ""
