"""Tests that notice when they are entered while they run: whoever does so is the code that they test.

Code under test may call its own test to learn which value that takes for right. So a guard is written into
the body of each known case, on the lines that are there, and a second entry is reported as tampering.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from benchwright.contracts import Suite
from benchwright.lang.faults import SyntaxFault
from benchwright.lang.go import collecting as go_collecting
from benchwright.lang.go import tree as go_tree
from benchwright.lang.java import collecting as java_collecting
from benchwright.lang.java import tree as java_tree
from benchwright.lang.trees import Node, Tree

ENTERED = "entered while it ran"
Bodies = Iterable[tuple[str, Node]]


def guarded_go(suite: Suite, guard: str) -> str:
    """The test file, in which each case calls the function `guard` first, and what that gives last."""

    def bodies(tree: Tree) -> Bodies:
        return ((name, node) for name, node in go_collecting.collect(tree).items())

    return _guarded(suite, go_tree.parse, bodies, lambda name: (f' defer {guard}("{name}")();', ""))


def guarded_java(suite: Suite) -> str:
    """The test file, in which each case calls `Guard.java` first and last."""

    def bodies(tree: Tree) -> Bodies:
        return ((each.name, each.method) for each in java_collecting.collect(tree))

    def words(name: str) -> tuple[str, str]:
        call = f'benchwright.inside.Guard.{{}}("{name}");'
        return f" {call.format('enter')} try {{", f"}} finally {{ {call.format('leave')} }} "

    return _guarded(suite, java_tree.parse, bodies, words)


def _guarded(
    suite: Suite,
    parse: Callable[[str], Tree | SyntaxFault],
    bodies: Callable[[Tree], Bodies],
    words: Callable[[str], tuple[str, str]],
) -> str:
    """The text as it is where it does not parse: then it will not compile either."""
    text = suite.files.get(suite.test, "")
    tree = parse(text)
    if isinstance(tree, SyntaxFault) or tree.fault is not None:
        return text
    inserted: dict[Node, tuple[str, str]] = {}
    for name, node in bodies(tree):
        body = node.get("body")
        if name in suite.cases and body is not None:
            inserted.setdefault(body, words(name))
    places = [(body.start + 1, 0, first) for body, (first, _) in inserted.items()]
    places += [(body.end - 1, 1, last) for body, (_, last) in inserted.items()]
    parts, at = list[bytes](), 0
    for place, _, text_there in sorted(places):
        parts += [tree.data[at:place], text_there.encode()]
        at = place
    return b"".join([*parts, tree.data[at:]]).decode()
