"""Which cases of a Java test file may be skipped by its own words: an assumption, a condition, a switch.

A case's reach is all of the file but the other cases and the classes that hold only those: its method, the
classes around it with what they inherit, set-up, fields, and helpers, called or not.
"""

from __future__ import annotations

from benchwright.lang.faults import Fault
from benchwright.lang.java.collecting import Found, collect
from benchwright.lang.java.cutting import needed_classes
from benchwright.lang.java.tree import TYPES, parse
from benchwright.lang.trees import Node, Tree, walk_outside

_EXACT = frozenset({"Disabled", "Ignore", "ExecutionCondition", "Theory", "TestAbortedException"})
# EnabledIf, DisabledOnOs and their kin; Assume, assumeTrue, assumingThat, AssumptionViolatedException
_BEGINNINGS = ("EnabledI", "EnabledO", "EnabledF", "DisabledI", "DisabledO", "DisabledF", "Assum", "assum")


def may_skip(code: str, name: str) -> bool:
    """Whether the text has a word for skipping in reach of a case, or of a class that is named without "#".

    False for a name that the text does not hold, and where there is no tree.
    """
    tree = parse(code)
    if isinstance(tree, Fault):
        return False
    found = collect(tree)
    kept = [each for each in found if each.name == name or _is_within(each, name)]
    return bool(kept) and _says_so(tree, _out_of_reach(tree, found, kept, case="#" in name))


def _is_within(each: Found, name: str) -> bool:
    """Whether a case is one of the class of that name, or of one inside of it."""
    return "#" not in name and each.name.startswith((f"{name}#", f"{name}$"))


def _out_of_reach(tree: Tree, found: list[Found], kept: list[Found], *, case: bool) -> set[Node]:
    methods = {each.method for each in found} - ({each.method for each in kept} if case else set())
    needed = set().union(*(needed_classes(tree, each) for each in kept))
    holding = {
        node for each in found for node in (each.owner, *each.method.ancestors()) if node.kind in TYPES
    }
    return methods | (holding - needed) | set(tree.root.all("import_declaration", "package_declaration"))


def _says_so(tree: Tree, out: set[Node]) -> bool:
    imports = " ".join(tree.name(node) for node in tree.root.all("import_declaration"))
    exact = _EXACT | {"abort"} if "Assumptions" in imports else _EXACT
    for node in walk_outside(tree.root, out):
        if node.kind in ("identifier", "type_identifier"):
            word = tree.text(node)
            if word in exact or word.startswith(_BEGINNINGS):
                return True
    return False
