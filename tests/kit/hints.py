"""Collects the hints in the source: every text with which an error can end, as it would be printed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from benchmarks.structure import Module

HOLE = "HOLE"  # placeholder for the values that a hint is filled with
_WORDS = re.compile(r"hint|HINT|GOES_ON|AGAIN")  # part of the name of each constant with hints
_NAMES = re.compile(r"hints?|_?[A-Z_]*HINT|GOES_ON|_?AGAIN")


class Hint(NamedTuple):
    """A hint with its place in the source."""

    path: str
    line: int
    text: str


def hints(modules: Mapping[str, Module]) -> Iterator[Hint]:
    """Return all texts of hints in these files, given by path: arguments `hint=…`, and constants whose name
    marks them as hints."""
    for path, module in modules.items():
        for value in _values(module.tree) if _WORDS.search(module.text) else ():
            for text in _texts(value):
                yield Hint(path, value.lineno, text)


def _values(tree: ast.Module) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        if (isinstance(node, ast.keyword) and node.arg == "hint") or (
            isinstance(node, ast.Assign) and any(_is_hint(target) for target in node.targets)
        ):
            yield node.value
        elif isinstance(node, ast.FunctionDef) and _NAMES.fullmatch(node.name.lstrip("_")):
            yield from (part.value for part in ast.walk(node) if isinstance(part, ast.Return) and part.value)


def _is_hint(target: ast.expr) -> bool:
    return isinstance(target, ast.Name) and _NAMES.fullmatch(target.id) is not None


def _texts(value: ast.expr) -> Iterator[str]:
    """Return the possible texts of an expression: both for a conditional."""
    match value:
        case ast.Constant(value=str(text)):
            yield text
        case ast.JoinedStr(values=parts):
            yield "".join(map(_part, parts))
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            rights = list(_texts(right)) or [HOLE]
            yield from (one + other for one in (list(_texts(left)) or [HOLE]) for other in rights)
        case ast.IfExp(body=body, orelse=other):
            yield from _texts(body)
            yield from _texts(other)
        case ast.BoolOp(values=parts):
            for part in parts:
                yield from _texts(part)


def _part(part: ast.expr) -> str:
    if isinstance(part, ast.Constant):
        return str(part.value)
    held = part.value if isinstance(part, ast.FormattedValue) else part
    called = isinstance(held, ast.Call) and isinstance(held.func, ast.Name) and held.func.id
    return {"command_name": "benchwright", "clone_script": "./run"}.get(called or "", HOLE)
