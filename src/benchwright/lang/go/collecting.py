"""The tests and examples that `go test` runs from a file, by the rules of cmd/go (load/test.go)."""

from __future__ import annotations

import re

from benchwright.lang.answers import Case
from benchwright.lang.go.tree import functions, name_of
from benchwright.lang.trees import Node, Tree, first_line
from benchwright.records import Record


def collect(tree: Tree) -> dict[str, Node]:
    """Test functions by name, in the file's order: `TestX(t *testing.T)`, and no method."""
    return {
        name_of(tree, node): node
        for node in functions(tree)
        if _is_test_name(name_of(tree, node)) and _takes(tree, node, "T")
    }


def go_cases(tree: Tree) -> list[Case]:
    """The same as records. A test with subtests (`t.Run`) is parametrised: its name covers them all."""
    return [
        Case(
            name=name,
            first_line=first_line(node),
            last_line=node.last_line,
            parametrised=_has_subtests(tree, node),
        )
        for name, node in collect(tree).items()
    ]


def _is_test_name(name: str) -> bool:
    """`Test` alone or with a rest that does not begin in lower case."""
    return name.startswith("Test") and not name[4:5].islower()


def _takes(tree: Tree, function: Node, kind: str) -> bool:
    """True for one parameter of type *T or *x.T, no result and no type parameters."""
    if function.get("type_parameters") or function.get("result"):
        return False
    parameters = function.get("parameters")
    declared = parameters.all("parameter_declaration") if parameters else []
    if len(declared) != 1 or len(declared[0].all("identifier")) > 1:
        return False
    taken = declared[0].get("type")
    if taken is None or taken.kind != "pointer_type":
        return False
    return tree.name(taken).removeprefix("*").rpartition(".")[2] == kind


def _has_subtests(tree: Tree, function: Node) -> bool:
    return any(
        node.kind == "selector_expression" and tree.text(node.get("field")) == "Run"
        for node in function.walk()
    )


_OUTPUT = re.compile(r"\s*(?:(unordered) )?output:", re.IGNORECASE)


class ExampleCase(Record, frozen=True, kw_only=True):
    """An example that is run, and what it is to print."""

    name: str
    output: str
    unordered: bool = False


def is_example(name: str) -> bool:
    """`Example` alone or with a rest that does not begin in lower case."""
    return re.fullmatch(r"Example(?![a-z])\w*", name) is not None


def examples(tree: Tree) -> list[ExampleCase]:
    """Those that are run, in the file's order. An outline is not enough: comments in bodies count."""
    named = [node for node in functions(tree) if is_example(name_of(tree, node))]
    found = [_example(tree, node) for node in named]
    return [each for each in found if each is not None]


def _example(tree: Tree, function: Node) -> ExampleCase | None:
    body = function.get("body")
    if body is None or not any(node.kind == "comment" for node in body.walk()):
        return None
    text = "\n".join(_last_comment(tree.text(body)))
    match = _OUTPUT.match(text)
    if match is None:
        return None
    lines = text[match.end() :].strip().splitlines()
    output = "\n".join(line.strip() for line in lines) + "\n"
    return ExampleCase(name=name_of(tree, function), output=output, unordered=match[1] is not None)


def _last_comment(body: str) -> list[str]:
    """The lines of the comment that a body ends in, without their slashes."""
    lines = body.rstrip().removesuffix("}").rstrip().splitlines()
    tail: list[str] = []
    while lines and lines[-1].strip().startswith("//"):
        tail.append(lines.pop().strip()[2:])
    return tail[::-1]
