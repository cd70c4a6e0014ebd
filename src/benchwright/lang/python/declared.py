"""What a Python text declares: functions and classes with parameters, what they return and raise."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from benchwright.lang.commented import Declared, Parameter
from benchwright.lang.python.tree import Function, dotted, last_line, scope

_NOTHING = ("None", "NoReturn", "Never")  # annotations of a function that returns no value
_INSTANCE = ("self", "cls")  # names of the receiver by convention: a fragment may lack its class


class PythonSource(NamedTuple):
    """A text in UTF-8 by lines, and the number of lines added above it before parsing."""

    lines: list[bytes]
    shift: int

    def line(self, node: ast.stmt | ast.expr) -> int:
        """Return the first line of a node in the text, from 1."""
        return node.lineno - self.shift

    def text(self, node: ast.expr | None) -> str:
        """Return the source of a node, its lines joined."""
        if node is None or node.end_lineno is None:
            return ""
        lines = self.lines[self.line(node) - 1 : node.end_lineno - self.shift]
        lines[-1] = lines[-1][: node.end_col_offset]
        lines[0] = lines[0][node.col_offset :]
        return b" ".join(line.strip() for line in lines).decode("utf-8", "replace")


def declared_in(
    module: ast.Module, source: PythonSource, docs: Mapping[tuple[str, int], int]
) -> list[Declared]:
    """Return all functions and classes by first line. `docs`: docstrings by their declaration and its
    line."""
    stack: list[tuple[ast.Module | ast.ClassDef | Function, str, bool]] = [(module, "", False)]
    found: list[Declared] = []
    while stack:
        node, name, in_class = stack.pop()
        inside = list(scope(node.body))
        if not isinstance(node, ast.Module):
            doc = docs.get((name, source.line(node.body[0])))
            found.append(_declared(node, name, inside, source, in_class=in_class, doc=doc))
        prefix, is_class = f"{name}." if name else "", isinstance(node, ast.ClassDef)
        stack += [
            (each, prefix + each.name, is_class)
            for each in inside
            if isinstance(each, Function | ast.ClassDef)
        ]
    return sorted(found, key=lambda each: each.first_line)


def _declared(
    node: ast.ClassDef | Function,
    name: str,
    inside: list[ast.stmt],
    source: PythonSource,
    *,
    in_class: bool,
    doc: int | None,
) -> Declared:
    first, last = source.line(node), last_line(node) - source.shift
    if isinstance(node, ast.ClassDef):
        return Declared(name=name, kind="class", first_line=first, last_line=last, doc=doc)
    static = any(dotted(each) == "staticmethod" for each in node.decorator_list)
    return Declared(
        name=name,
        kind="method" if in_class else "function",
        first_line=first,
        last_line=last,
        parameters=list(_parameters(node.args, source, bound=in_class and not static)),
        returns=_returns(node, inside),
        raises=list(dict.fromkeys(_raised(inside))),
        doc=doc,
    )


def _parameters(args: ast.arguments, source: PythonSource, *, bound: bool) -> Iterator[Parameter]:
    positional = [*args.posonlyargs, *args.args]
    required = len(positional) - len(args.defaults)
    given: list[tuple[ast.arg | None, bool]] = [(arg, at >= required) for at, arg in enumerate(positional)]
    given += [(args.vararg, False)]
    given += [
        (arg, default is not None) for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True)
    ]
    given += [(args.kwarg, False)]
    bound = bound or (bool(positional) and positional[0].arg in _INSTANCE)
    for arg, default in given[1:] if bound and positional else given:
        if arg is not None:
            yield Parameter(name=arg.arg, annotation=source.text(arg.annotation), default=default)


def _returns(node: Function, inside: list[ast.stmt]) -> bool:
    """Return whether a function returns or yields a value; without a statement its annotation decides."""
    values = [each.value for each in inside if isinstance(each, ast.Return)]
    if any(value is not None and not _is_none(value) for value in values) or any(map(_yields, inside)):
        return True
    stub = not values and len(node.body) <= 2
    return stub and node.returns is not None and not _is_nothing(node.returns)


def _is_none(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None


def _is_nothing(annotation: ast.expr) -> bool:
    values = annotation.value if isinstance(annotation, ast.Constant) else dotted(annotation)
    return values is None or str(values).rpartition(".")[2] in _NOTHING


def _yields(statement: ast.stmt) -> bool:
    value = getattr(statement, "value", None)
    value = value.value if isinstance(value, ast.Await) else value
    return isinstance(value, ast.Yield | ast.YieldFrom)


def _raised(inside: list[ast.stmt]) -> Iterator[str]:
    """Return exceptions by name; a variable, in lower case, does not count."""
    for statement in inside:
        if isinstance(statement, ast.Raise) and statement.exc is not None:
            raised = statement.exc.func if isinstance(statement.exc, ast.Call) else statement.exc
            name = dotted(raised)
            if name.rpartition(".")[2][:1].isupper():
                yield name
