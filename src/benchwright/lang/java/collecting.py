"""The tests that JUnit runs from a file: 3 by name, 4 and 5 by annotation.

Methods of supertypes in the same file are inherited, `@Nested` classes and those of an `Enclosed` runner
are looked into, abstract classes run nothing themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from benchwright.lang.answers import Case
from benchwright.lang.java.tree import (
    arguments_text,
    inner_types,
    marks,
    methods,
    modifiers,
    name_of,
    supertypes,
    top_types,
)
from benchwright.lang.trees import Node, Tree, first_line

ONCE = {"Test"}
MANY = {"ParameterizedTest", "RepeatedTest", "TestFactory", "TestTemplate", "Theory"}
_MANY_RUNNERS = ("Parameterized", "JUnitParamsRunner", "Theories")
MOST_NAME = 255  # a class is a file of that name, so no compiler takes a longer one
MOST_INHERITED = 100_000  # methods that all classes of a file inherit together


class JavaCase(NamedTuple):
    """A test case: its name, the method, and the class that it runs in."""

    name: str
    method: Node
    owner: Node
    parametrised: bool


def collect(tree: Tree) -> list[JavaCase]:
    """All test cases in the file's order, each name once."""
    found: dict[str, JavaCase] = {}
    for each in _Collector(tree).run():
        found.setdefault(each.name, each)
    return sorted(found.values(), key=lambda each: (each.method.start, each.name))


def java_cases(tree: Tree) -> list[Case]:
    """The same as records."""
    return [
        Case(
            name=each.name,
            first_line=first_line(each.method),
            last_line=each.method.last_line,
            parametrised=each.parametrised,
        )
        for each in collect(tree)
    ]


class _Collector:
    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.types = {name_of(tree, node): node for top in top_types(tree) for node in _with_inner(top)}
        self._room = MOST_INHERITED

    def run(self) -> Iterator[JavaCase]:
        stack = [(node, name_of(self.tree, node)) for node in reversed(top_types(self.tree))]
        while stack:
            declared, name = stack.pop()
            if len(name) > MOST_NAME:
                continue
            yield from self._of_type(declared, name)
            stack.extend(
                (inner, f"{name}${name_of(self.tree, inner)}")
                for inner in reversed(self._looked_into(declared))
            )

    def _looked_into(self, declared: Node) -> list[Node]:
        runner = arguments_text(self.tree, marks(self.tree, declared).get("RunWith"))
        if "Enclosed" in runner:
            return inner_types(declared)
        return [node for node in inner_types(declared) if "Nested" in marks(self.tree, node)]

    def _of_type(self, declared: Node, name: str) -> Iterator[JavaCase]:
        if declared.kind not in ("class_declaration", "record_declaration"):
            return
        if "abstract" in modifiers(self.tree, declared):
            return
        own = marks(self.tree, declared)
        runner = arguments_text(self.tree, own.get("RunWith"))
        many = "ParameterizedClass" in own or any(each in runner for each in _MANY_RUNNERS)
        seen: set[str] = set()
        old_style = self._is_junit3(declared)
        for line in self._ancestry(declared):
            for method in methods(line):
                called = name_of(self.tree, method)
                tested = self._is_test(method, called, old_style)
                if called not in seen and tested is not None:
                    yield JavaCase(f"{name}#{called}", method, declared, many or tested)
            seen.update(name_of(self.tree, method) for method in methods(line))

    def _is_test(self, method: Node, name: str, old_style: bool) -> bool | None:
        """Whether a test runs several times; None for what is no test."""
        own = marks(self.tree, method)
        if MANY & own.keys() or ("Test" in own and "Parameters" in own):
            return True
        if ONCE & own.keys():
            return False
        by_name = old_style and name.startswith("test") and "public" in modifiers(self.tree, method)
        parameters = method.get("parameters")
        return (
            False if by_name and parameters is not None and not parameters.all("formal_parameter") else None
        )

    def _is_junit3(self, declared: Node) -> bool:
        return any("TestCase" in supertypes(self.tree, each) for each in self._ancestry(declared))

    def _ancestry(self, declared: Node) -> list[Node]:
        """The type and its supertypes in this file, nearest first, as far as there is room."""
        line, queue = [declared], supertypes(self.tree, declared)
        while queue and self._room > 0:
            parent = self.types.get(queue.pop(0))
            if parent is None or parent in line or len(line) >= 50:
                continue
            self._room -= 1 + len(methods(parent))
            line.append(parent)
            queue += supertypes(self.tree, parent)
        return line


def _with_inner(top: Node) -> Iterator[Node]:
    stack = [top]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(inner_types(node)))
