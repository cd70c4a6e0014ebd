"""Read a function's parameters and return annotation from its head, without executing it."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any, NamedTuple

from benchwright.text.syntax import ParseFault, parse

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
            return _of(node)
    return None


def _of(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Signature:
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
