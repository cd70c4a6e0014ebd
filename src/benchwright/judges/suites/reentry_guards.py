"""Guards in tests that detect a second entry while they run: only the code under test would call a test.

Code under test may call its own test to learn the expected value. A guard is inserted into the body of each
known case, on existing lines, and a second entry is reported as tampering.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from benchwright.contracts import Suite
from benchwright.lang.go import test_cases as go_collecting
from benchwright.lang.go import tree as go_tree
from benchwright.lang.java import test_cases as java_collecting
from benchwright.lang.java import tree as java_tree
from benchwright.lang.source_errors import SyntaxFault
from benchwright.lang.trees import Node

ENTERED = "entered while it ran"


class CaseBody(NamedTuple):
    """The byte range of a test case's body, brackets included."""

    name: str
    start: int
    end: int


def guarded_go(suite: Suite, guard: str) -> str:
    """Return the test file in which each case defers the result of `guard` in its first statement."""
    return _guarded(suite, _go_bodies, lambda name: (f' defer {guard}("{name}")();', ""))


def guarded_java(suite: Suite) -> str:
    """Return the test file in which each case calls `WorkerLimits.java` first and last."""

    def words(name: str) -> tuple[str, str]:
        call = f'benchwright.inside.Guard.{{}}("{name}");'
        return f" {call.format('enter')} try {{", f"}} finally {{ {call.format('leave')} }} "

    return _guarded(suite, _java_bodies, words)


@lru_cache(maxsize=1024)
def _go_bodies(text: str) -> Sequence[CaseBody]:
    tree = go_tree.parse_signatures(text)
    if isinstance(tree, SyntaxFault) or tree.fault is not None:
        return ()
    return _bodies(go_collecting.collect(tree).items())


@lru_cache(maxsize=1024)
def _java_bodies(text: str) -> Sequence[CaseBody]:
    tree = java_tree.parse(text)
    if isinstance(tree, SyntaxFault) or tree.fault is not None:
        return ()
    return _bodies((each.name, each.method) for each in java_collecting.collect(tree))


def _bodies(cases: Iterable[tuple[str, Node]]) -> Sequence[CaseBody]:
    """Return each body once: a method that several classes inherit counts as the case of the first."""
    found: dict[int, CaseBody] = {}
    for name, node in cases:
        if (body := node.get("body")) is not None:
            found.setdefault(body.start, CaseBody(name, body.start, body.end))
    return tuple(found.values())


def _guarded(
    suite: Suite, bodies: Callable[[str], Sequence[CaseBody]], words: Callable[[str], tuple[str, str]]
) -> str:
    text = suite.files.get(suite.test, "")
    inserted: list[tuple[int, int, str]] = []
    for body in bodies(text):
        if body.name in suite.cases:
            first, last = words(body.name)
            inserted += [(body.start + 1, 0, first), (body.end - 1, 1, last)]
    if not inserted:
        return text
    data, parts, at = text.encode(), list[bytes](), 0
    for place, _, added in sorted(inserted):
        parts += [data[at:place], added.encode()]
        at = place
    return b"".join([*parts, data[at:]]).decode()
