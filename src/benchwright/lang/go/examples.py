"""Examples of a Go file that `go test` runs: those whose body ends in a comment with their output."""

from __future__ import annotations

import re

from benchwright.lang.go.tree import functions, name_of
from benchwright.lang.trees import Node, Tree
from benchwright.records import Record

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
