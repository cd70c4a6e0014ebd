"""The tests that pytest collects from a file, and those of unittest if that is its framework.

Static, but with pytest's rules for names: functions and classes under `if`, `try` and `with` count, a later
definition hides an earlier one, methods of base classes in the same file are inherited. Decorators and marks
show fixtures and parametrised tests. Tests made by a loop, imported or generated are not found; `dynamic`
reports that there may be some.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from benchwright.lang.lines import split
from benchwright.lang.protocol import Case
from benchwright.lang.python.tree import (
    Function,
    bound_names,
    decorator_name,
    dotted,
    first_line,
    last_line,
    nodes_of,
    scope,
)

MOST_INHERITED = 100_000  # names that all classes of a file inherit: a chain takes quadratic time
_CONSTRUCTORS = {"__init__", "__new__"}


class PythonCase(NamedTuple):
    """A test case: its name, its function, and the class it is collected under."""

    name: str
    function: Function
    owner: ast.ClassDef | None
    is_unittest: bool
    parametrised: bool


class _Class(NamedTuple):
    names: dict[str, ast.stmt]  # names that matter for collection, inherited or own
    is_unittest: bool


def collect(module: ast.Module) -> list[PythonCase]:
    """Return all test cases in the file's order, each name once."""
    return list(_collected(module))


@lru_cache(maxsize=4)  # cached like trees: cutting a file asks for each of its cases
def _collected(module: ast.Module) -> tuple[PythonCase, ...]:
    found = {each.name: each for each in _Collector(module).run()}
    return tuple(sorted(found.values(), key=lambda each: (each.function.lineno, each.name)))


def python_cases(module: ast.Module, code: str) -> list[Case]:
    """Return the tests as cases."""
    lines = split(code)
    return [
        Case(
            name=each.name,
            first_line=comment_start(lines, first_line(each.function)),
            last_line=last_line(each.function),
            parametrised=each.parametrised,
        )
        for each in collect(module)
    ]


def comment_start(lines: list[str], line: int) -> int:
    """Return the first line of the comment right above `line` with the same indentation, or `line`."""
    indent = _indent(lines[line - 1])
    while line > 1 and lines[line - 2].lstrip().startswith("#") and _indent(lines[line - 2]) == indent:
        if line == 2 and lines[0].startswith("#!"):
            break
        line -= 1
    return line


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


class _Collector:
    def __init__(self, module: ast.Module) -> None:
        self.top = _namespace(module.body)
        self.fixtures = parametrised_fixtures(module)
        self.all_parametrised = is_parametrised(module.body)
        self.classes: dict[str, _Class] = {}
        self._room = MOST_INHERITED

    def run(self) -> Iterator[PythonCase]:
        for name, node in self.top.items():
            if isinstance(node, ast.ClassDef):
                self.classes[name] = self._read(node)
        for name, node in self.top.items():
            if isinstance(node, ast.ClassDef):
                yield from self._of_class(node, self.classes[name], name, self.all_parametrised)
            elif isinstance(node, Function) and name.startswith("test") and not is_fixture(node):
                yield self._case(name, node, owner=None, above=self.all_parametrised)

    def _of_class(self, node: ast.ClassDef, seen: _Class, prefix: str, above: bool) -> Iterator[PythonCase]:
        if not _is_collected(node, seen):
            return
        above = above or is_parametrised(node.body) or is_parametrised(node.decorator_list)
        for name, member in seen.names.items():
            if isinstance(member, Function) and name.startswith("test") and not is_fixture(member):
                yield self._case(f"{prefix}::{name}", member, owner=node, above=above, seen=seen)
            elif (
                isinstance(member, ast.ClassDef) and not seen.is_unittest
            ):  # at most 100 levels: Python's own limit
                yield from self._of_class(member, self._read(member), f"{prefix}::{name}", above)

    def _case(
        self,
        name: str,
        node: Function,
        *,
        owner: ast.ClassDef | None,
        above: bool,
        seen: _Class | None = None,
    ) -> PythonCase:
        arguments = {each.arg for each in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)}
        many = above or is_parametrised(node.decorator_list) or not arguments.isdisjoint(self.fixtures)
        return PythonCase(name, node, owner, seen is not None and seen.is_unittest, many)

    def _read(self, node: ast.ClassDef) -> _Class:
        """Return a class's names with those of its bases in this file, which are above it."""
        names: dict[str, ast.stmt] = {}
        is_unittest = False
        for base in reversed(node.bases):
            known = self.classes.get(dotted(base))
            is_unittest = is_unittest or (known.is_unittest if known else _is_test_case(base))
            if known and len(known.names) <= self._room:
                self._room -= len(known.names)
                names.update(known.names)
        names.update(_namespace(node.body))
        return _Class(names, is_unittest)


def _is_test_case(base: ast.expr) -> bool:
    return dotted(base).rpartition(".")[2].endswith("TestCase")


def _is_collected(node: ast.ClassDef, seen: _Class) -> bool:
    mark = seen.names.get("__test__")
    if isinstance(mark, ast.Assign) and isinstance(mark.value, ast.Constant) and not mark.value.value:
        return False
    if seen.is_unittest:
        return True
    is_dataclass = any(dotted(each).rpartition(".")[2] == "dataclass" for each in _plain(node.decorator_list))
    return node.name.startswith("Test") and not is_dataclass and _CONSTRUCTORS.isdisjoint(seen.names)


def _plain(decorators: Iterable[ast.expr]) -> Iterator[ast.expr]:
    return (each.func if isinstance(each, ast.Call) else each for each in decorators)


def _namespace(body: list[ast.stmt]) -> dict[str, ast.stmt]:
    """Return the names of a scope that collection uses, each with the statement that bound it last."""
    names: dict[str, ast.stmt] = {}
    for statement in scope(body):
        if isinstance(statement, ast.Delete):
            for target in statement.targets:
                names.pop(dotted(target), None)
        reads = cache(_reads)  # the statement may bind many names: its value is walked once
        for name in bound_names(statement):
            counts = isinstance(statement, ast.ClassDef) or name.startswith(("test", "__"))
            if counts and not (isinstance(names.get(name), Function) and name in reads(statement)):
                names[name] = statement
    return names


def _reads(statement: ast.stmt) -> set[str]:
    """Yield the names in an assignment's value: `test_x = skip(test_x)` still runs it, other values hide
    it."""
    if not isinstance(statement, ast.Assign):
        return set()
    return {node.id for node in ast.walk(statement.value) if isinstance(node, ast.Name)}


_MANY = {"parametrize", "parameterize", "expand", "parameterized", "parameterized_class", "data", "file_data"}
_FIXTURES = {"fixture", "yield_fixture"}


def is_fixture(node: Function) -> bool:
    """Return whether pytest calls a function as a fixture and not as a test."""
    return any(_last(each) in _FIXTURES for each in node.decorator_list)


def is_parametrised(nodes: Sequence[ast.AST]) -> bool:
    """Return whether a decorator, or a `pytestmark` among statements, makes tests run several times."""
    return any(_is_mark(node) for node in nodes)


def parametrised_fixtures(module: ast.Module) -> set[str]:
    """Return names of fixtures with `params`, and of those that use them."""
    fixtures = {
        node.name: node
        for node in nodes_of(module, ast.FunctionDef, ast.AsyncFunctionDef)
        if is_fixture(node)
    }
    users: dict[str, list[str]] = {}
    for name, node in fixtures.items():
        for argument in node.args.args:
            users.setdefault(argument.arg, []).append(name)
    stack = [name for name, node in fixtures.items() if _has_params(node)]
    many: set[str] = set()
    while stack:
        name = stack.pop()
        if name not in many:
            many.add(name)
            stack += users.get(name, [])
    return many


def _has_params(node: Function) -> bool:
    calls = (each for each in node.decorator_list if isinstance(each, ast.Call))
    return any(keyword.arg == "params" for call in calls for keyword in call.keywords)


def _is_mark(node: ast.AST) -> bool:
    if isinstance(node, ast.expr):
        return _last(node) in _MANY
    if isinstance(node, ast.Assign):
        marked = any(isinstance(each, ast.Name) and each.id == "pytestmark" for each in node.targets)
        return marked and any(
            isinstance(each, ast.Attribute) and each.attr in _MANY for each in ast.walk(node.value)
        )
    return False


def _last(node: ast.expr) -> str:
    return decorator_name(node).rpartition(".")[2]
