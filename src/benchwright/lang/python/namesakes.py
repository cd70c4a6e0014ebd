"""A module and a function of one name: what a test means by `from pkg import name`.

A package may hold a module `name` that defines a function `name`. Which of the two the package hands out is
written in its `__init__.py`, which a row does not have. What the test does with the name tells it as well:
`name.other()` takes what the module defines, `name()` calls the function.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from benchwright.lang.faults import SyntaxFault
from benchwright.lang.python.evidence import defined_names, imported, whole_name
from benchwright.lang.python.tree import all_nodes, bound_names, dotted, nodes_of, parse, scope

_BY_TEXT = {
    "object",
    "setattr",
    "getattr",
    "hasattr",
    "delattr",
}  # `patch.object(name, "other")` and similar
OF_ANY_MODULE = frozenset(["__name__", "__doc__", "__file__", "__path__", "__spec__", "__loader__"])


class Meanings(NamedTuple):
    """Dotted names, such as "pkg.name", that a test uses as a module, and those it uses as that module's
    definition."""

    modules: frozenset[str]
    objects: frozenset[str]


class TakenName(NamedTuple):
    """A use of an imported name: an attribute of it, or the name itself if that is empty."""

    holder: str
    attribute: str


def meanings(test: ast.Module, focal: str) -> Meanings:
    """Return how a test uses each imported name that the focal file defines; in both sets if it does both."""
    own, members = defined_names(focal).own, _members(focal)
    modules, objects = set[str](), set[str]()
    for holder, attribute in _uses(test):
        name = holder.rpartition(".")[2]
        if name not in own or holder == name:
            continue
        if attribute in own and attribute not in members.get(name, ()):
            modules.add(holder)
        elif attribute not in own and not attribute.startswith("__"):
            objects.add(holder)
    taken = {each for each in objects if each.rpartition(".")[0] in modules}  # from the module itself
    return Meanings(frozenset(modules), frozenset(objects - taken))


def _members(focal: str) -> dict[str, set[str]]:
    """Map each class of a file to the names in its body: `Name.other` may be one of these."""
    tree = parse(focal)
    if isinstance(tree, SyntaxFault):
        return {}
    classes = (node for node in scope(tree.body) if isinstance(node, ast.ClassDef))
    return {node.name: {name for each in scope(node.body) for name in bound_names(each)} for node in classes}


def _uses(test: ast.Module) -> Iterator[TakenName]:
    return names_taken_of(
        test,
        {
            local: whole_name(module, name)
            for node in all_nodes(test)
            for module, name, local in imported(node)
        },
    )


def names_taken_of(test: ast.Module, bound: Mapping[str, str]) -> Iterator[TakenName]:
    """Yield each use of an imported name. `bound`: local names, each with its dotted meaning."""
    by_text = {id(call.args[0]): text for call in nodes_of(test, ast.Call) if (text := _text_of(call))}
    held = {id(node.value) for node in nodes_of(test, ast.Attribute)}
    for node in all_nodes(test):
        if isinstance(node, ast.Attribute) and (whole := _resolved(node.value, bound)):
            yield TakenName(whole, node.attr)
        if not isinstance(node, ast.Name | ast.Attribute) or not isinstance(node.ctx, ast.Load):
            continue
        if id(node) not in held and (whole := _resolved(node, bound)):
            yield TakenName(whole, by_text.get(id(node), ""))


def _text_of(call: ast.Call) -> str:
    """Return the attribute that a call such as `patch.object(name, "other")` names by a string."""
    second = call.args[1] if len(call.args) > 1 else None
    text = second.value if isinstance(second, ast.Constant) else None
    by_text = dotted(call.func).rpartition(".")[2] in _BY_TEXT
    return text if by_text and isinstance(text, str) else ""


def _resolved(node: ast.expr, bound: Mapping[str, str]) -> str:
    """Return the meaning of a name or a chain of attributes by the imports; empty if it is not imported."""
    path = dotted(node)
    head, tail = path, ""
    while head and head not in bound:
        head, _, last = head.rpartition(".")
        tail = f".{last}{tail}"
    return f"{bound[head]}{tail}" if head else ""
