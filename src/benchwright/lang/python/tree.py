"""Python's own parser, with every failure as a value, and walks without recursion."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from typing import TypeVar

from benchwright.lang.source_errors import MAX_NODES, SyntaxFault, encode_source
from benchwright.parser_limits import slow_to_parse

N = TypeVar("N", bound=ast.AST)
Function = ast.FunctionDef | ast.AsyncFunctionDef
_TOO_LONG = SyntaxFault("source code is too long for the parser", 0, "too_large")
_BLOCKS = ("body", "handlers", "orelse", "finalbody", "cases")  # in the text's order


@lru_cache(maxsize=4)  # a build asks ten questions about a focal file and its test
def parse(code: str) -> ast.Module | SyntaxFault:
    """Return the tree of a module, or why there is none. Never raises.

    A byte order mark is removed, as Python does. Trees are shared: do not modify one.
    """
    data = encode_source(code)
    if isinstance(data, SyntaxFault):
        return data
    slow = slow_to_parse(code)
    if slow is not None:
        return SyntaxFault(*slow)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # such as for invalid escapes in the text
            module = ast.parse(code.removeprefix("\ufeff"))
    except SyntaxError as error:
        return SyntaxFault(error.msg, error.lineno or _line(code))
    except ValueError as error:  # NUL, before Python 3.12
        return SyntaxFault(str(error), _line(code))
    except (RecursionError, MemoryError):
        return SyntaxFault("source code is nested too deeply for the parser", 0)
    return _TOO_LONG if len(data) > MAX_NODES // 4 and _has_more(module, MAX_NODES) else module


@lru_cache(maxsize=4)
def all_nodes(module: ast.Module) -> tuple[ast.AST, ...]:
    """Return all nodes of a module in the order of `ast.walk`, cached: walking would dominate the cost of ten
    questions."""
    return tuple(ast.walk(module))


@lru_cache(maxsize=16)  # of the same few modules: a build cuts each case of a file by itself
def nodes_of(module: ast.Module, *kinds: type[N]) -> tuple[N, ...]:
    """Return the nodes of some kinds among all, in the same order."""
    return tuple(node for node in all_nodes(module) if isinstance(node, kinds))


def _has_more(module: ast.Module, most: int) -> bool:
    return next(islice(ast.walk(module), most, None), None) is not None


def _line(code: str) -> int:
    at = code.find("\0")
    return code.count("\n", 0, at) + 1 if at >= 0 else 0


def blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """Yield the blocks of statements directly inside a node, with those of its handlers and cases."""
    for name in _BLOCKS:
        children = getattr(node, name, None)
        if isinstance(children, list) and children:
            if isinstance(children[0], ast.stmt):
                yield children
            else:
                yield from (item.body for item in children)


def scope(statements: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield all statements of one scope in order, also under `if`, `try`, `with` and loops."""
    stack = list(statements)[::-1]
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, Function | ast.ClassDef):
            stack.extend(item for block in reversed(list(blocks(node))) for item in reversed(block))


def dotted(node: ast.expr) -> str:
    """Return `a.b.c` for an attribute chain on a name; empty for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def decorator_name(node: ast.expr) -> str:
    """Return the dotted name of a decorator, without its arguments."""
    while isinstance(node, ast.Call):
        node = node.func
    return dotted(node)


def bound_names(statement: ast.stmt) -> Iterator[str]:
    """Return names that one statement of a scope binds, without those of inner blocks; "*" for a star
    import."""
    match statement:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            yield statement.name
        case ast.Import() | ast.ImportFrom():
            yield from (alias.asname or alias.name.partition(".")[0] for alias in statement.names)
        case ast.AnnAssign(value=None):
            pass
        case _:
            yield from _stored_names(statement)


def _stored_names(statement: ast.stmt) -> Iterator[str]:
    stack: list[ast.AST] = [statement]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        inner = (child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.stmt))
        if not isinstance(node, ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            stack.extend(inner)


def first_line(node: ast.stmt) -> int:
    """Return the first line of a statement, decorators included."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(item.lineno for item in decorators)])


def last_line(node: ast.stmt) -> int:
    """Return the last line of a statement."""
    return node.end_lineno or node.lineno
